"""`%load_ext tensh` in IPython's own shells: its effects, and that unloading undoes them."""

import io
import subprocess
import sys

import pytest

pytest.importorskip("IPython", reason="IPython is not installed")


def test_it_brings_the_session_and_takes_it_away(ordinary):
    ordinary.run("kept = 41")
    assert ordinary.run("%load_ext tensh").reply["status"] == "ok"
    assert ordinary.run("import torch\nx = torch.ones(2, requires_grad=True)\nx").result["text/html"].count("# x  [2]")
    assert "fits:" in ordinary.run("torch.ones(2, 3) @ torch.ones(2, 3)").error
    assert ordinary.run("%who").data("text/plain")[0].split("\n")[-1].split() == ["kept", "int", "41"]
    assert ordinary.run("kept + 1").result["text/plain"] == "42"
    assert ordinary.run("%unload_ext tensh").reply["status"] == "ok"
    assert "Traceback" in ordinary.run("1 / 0").error
    assert ordinary.run("x.sum(), kept").result["text/plain"].startswith("(tensor(2., ")
    assert ordinary.run("1 + 1\n_").reply["status"] == "ok"
    assert ordinary.run("import sys\n'torch' in sys.modules").result["text/plain"] == "False"
    assert "print" not in ordinary.run("[n for n in globals() if n == 'print']").result["text/plain"]


def test_where_pytorch_has_been_imported_it_is_refused(ordinary):
    pytest.importorskip("torch")
    ordinary.restart()
    ordinary.run("import torch\nt = torch.ones(2)")
    assert "was already imported" in ordinary.run("%load_ext tensh").err
    assert ordinary.run("t").result["text/plain"] == "tensor([1., 1.])"
    ordinary.restart()


def test_it_can_be_loaded_twice_and_again(ordinary):
    for _ in range(2):
        assert ordinary.run("%load_ext tensh").reply["status"] == "ok"
    ordinary.run("%reload_ext tensh")
    assert ordinary.run("torch.tensor(3)").result["text/plain"] == "tensor(3)"
    ordinary.run("%unload_ext tensh")
    ordinary.run("%load_ext tensh")
    assert ordinary.run("torch.tensor(4)").result["text/plain"] == "tensor(4)"


def test_without_it_tensors_and_graphs_are_shown_all_the_same(ordinary):
    ordinary.run("import tensh\nw = tensh.ones(2, requires_grad=True)")
    assert "# [2] float32 · leaf" in ordinary.run("w").result["text/html"]
    assert ordinary.run("tensh.show.graph((w * 2).sum())").result["image/svg+xml"].startswith("<svg")
    assert "<table" in ordinary.run("tensh.show.who()").result["text/html"]


CELLS = """%load_ext tensh
x = torch.ones(2, 3)
x
x @ x
y = input()
y * 2
%who
exit
"""


def test_in_the_ipython_of_a_terminal(tmp_path):
    script = tmp_path / "cells.txt"
    script.write_text(CELLS, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "IPython", "--simple-prompt", "--no-banner", "--colors=NoColor"],
        input=CELLS.replace("y = input()", "y = 'ab'"), capture_output=True, text=True, timeout=120,
        env={"PATH": "", "HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path)},
    )  # fmt: skip
    assert "tensor([[1., 1., 1.]," in run.stdout and "fits:" in run.stdout and "'abab'" in run.stdout
    assert "name  " in run.stdout and "Traceback" not in run.stdout + run.stderr


def test_nothing_of_it_is_a_name_of_torch():
    import tensh
    from tensh.alias import torch_is_tensh

    assert "load_ipython_extension" not in dir(tensh) and hasattr(tensh, "load_ipython_extension")
    with torch_is_tensh():
        import torch

        assert not hasattr(torch, "load_ipython_extension") and "load_ipython_extension" not in dir(torch)


def test_a_notebook_runs_to_its_end_and_is_checked(tmp_path):
    """What the kernel stores in a notebook is what `tensh check` finds again."""
    nbclient = pytest.importorskip("nbclient")
    import json

    from jupyter_client.kernelspec import KernelSpec

    from tensh.cli.app import main
    from tensh.cli.process.environment import Environment

    cells = [
        "import torch\ntorch.manual_seed(0)\nx = torch.randn(2, 3, requires_grad=True)\nx",
        "y = (x ** 2).sum()\ny.backward()\nx.grad",
        "print(y.item())\n[x, y]",
        "x.grad.shape, {'a': 1}",
    ]
    nbformat = pytest.importorskip("nbformat")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = nbclient.NotebookClient(book, timeout=120)
    client.km = client.create_kernel_manager()
    argv = [sys.executable, "-m", "tensh.cli.kernel", "-f", "{connection_file}"]
    client.km._kernel_spec = KernelSpec(argv=argv, display_name="tensh", language="python")
    client.execute()
    path = tmp_path / "book.ipynb"
    path.write_text(json.dumps(book), encoding="utf-8")
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    assert main(["check", str(path)], env) == 0, env.stdout.getvalue()


def test_the_notebook_of_the_guide_is_what_the_kernel_gives():
    pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    from tests.support.project import ROOT

    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import notebook
    finally:
        sys.path.pop(0)
    book = nbformat.read(notebook.PATH, as_version=4)
    kept = [cell.get("outputs") for cell in book.cells]
    notebook.execute(book)
    assert [cell.get("outputs") for cell in book.cells] == kept, "python tools/notebook.py runs it anew"
    assert notebook.PICTURE.read_text(encoding="utf-8").strip() == next(notebook.pictures(book)).strip()
