"""Run the notebook of the guide with the kernel, and update its outputs and the picture of its graph.

    python tools/notebook.py

Needs ipykernel and nbclient (`pip install -e '.[jupyter]' nbclient`). The cells are in the notebook itself.
"""

import sys
from pathlib import Path

import nbclient
import nbformat
from jupyter_client.kernelspec import KernelSpec

PATH = Path(__file__).resolve().parents[1] / "docs" / "guides" / "notebook.ipynb"
PICTURE = PATH.with_name("notebook-graph.svg")


def execute(book):
    """Run all cells of a notebook with the kernel."""
    client = nbclient.NotebookClient(book, timeout=120, allow_errors=True, record_timing=False)
    client.km = client.create_kernel_manager()
    argv = [sys.executable, "-m", "tensh.cli.kernel", "-f", "{connection_file}"]
    client.km._kernel_spec = KernelSpec(argv=argv, display_name="tensh", language="python")
    client.execute()


def pictures(book):
    """Yield the pictures among the outputs."""
    for cell in book.cells:
        for output in cell.get("outputs", ()):
            if "image/svg+xml" in output.get("data", {}):
                yield output["data"]["image/svg+xml"]


def main():
    book = nbformat.read(PATH, as_version=4)
    execute(book)
    nbformat.write(book, PATH)
    PICTURE.write_text(next(pictures(book)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
