"""The metadata of the package torch for ``importlib.metadata`` where tensh replaces PyTorch."""

from importlib.metadata import Distribution


def metadata():
    """Return the text of the package's METADATA."""
    from tensh import VERSION, __version__

    summary = f"tensh {VERSION} in place of PyTorch"
    return f"Metadata-Version: 2.1\nName: torch\nVersion: {__version__}\nSummary: {summary}\nRequires-Dist: tensh\n"


class TorchDistribution(Distribution):
    """The package torch, whose files are tensh's."""

    def read_text(self, filename):
        return {"METADATA": metadata(), "top_level.txt": "torch\n"}.get(filename)

    def locate_file(self, path):
        import os

        return os.path.join(os.path.dirname(os.path.dirname(__file__)), path)
