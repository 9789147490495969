"""The step that opens files."""

from tensh.utils.data.datapipes._decorator import functional_datapipe
from tensh.utils.data.datapipes.datapipe import IterDataPipe
from tensh.utils.data.datapipes.utils.common import get_file_binaries_from_pathnames

__all__ = ["FileOpenerIterDataPipe"]


@functional_datapipe("open_files")
class FileOpenerIterDataPipe(IterDataPipe[tuple]):
    """(path, open file) for each path (``pipe.open_files()``), to be read as text (``mode="t"``) or bytes (``"b"``).

    Raise ValueError for a mode that does not read, or an encoding of bytes.

    >>> from tensh.utils.data.datapipes.iter import IterableWrapper
    >>> IterableWrapper(["a.txt"]).open_files(mode="w")
    Traceback (most recent call last):
    ValueError: Invalid mode w
    """

    def __init__(self, datapipe, mode="r", encoding=None, length=-1):
        super().__init__()
        self.datapipe, self.mode, self.encoding, self.length = datapipe, mode, encoding, length
        if mode not in ("b", "t", "rb", "rt", "r"):
            raise ValueError(f"Invalid mode {mode}")
        if "b" in mode and encoding is not None:
            raise ValueError("binary mode doesn't take an encoding argument")

    def __iter__(self):
        yield from get_file_binaries_from_pathnames(self.datapipe, self.mode, self.encoding)

    def __len__(self):
        if self.length == -1:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return self.length
