"""Sources of pipes: files in folders."""

from tensh.utils.data.datapipes._decorator import functional_datapipe
from tensh.utils.data.datapipes.datapipe import IterDataPipe
from tensh.utils.data.datapipes.iter.utils import IterableWrapperIterDataPipe
from tensh.utils.data.datapipes.utils.common import get_file_pathnames_from_root

__all__ = ["FileListerIterDataPipe"]


@functional_datapipe("list_files")
class FileListerIterDataPipe(IterDataPipe[str]):
    """The paths of files in one or more folders (``pipe.list_files()``), sorted unless ``non_deterministic``.

    ``masks`` are patterns of names such as ``"*.txt"``; ``recursive`` goes into folders within; ``length`` is what
    ``len`` says.

    >>> from tensh.utils.data.datapipes.iter import FileLister
    >>> len(FileLister(".", "*.txt", length=3))
    3
    """

    def __init__(
        self, root=".", masks="", *, recursive=False, abspath=False, non_deterministic=False, length=-1
    ):  # fmt: skip
        super().__init__()
        roots = [root] if isinstance(root, str) else root
        self.datapipe = roots if isinstance(roots, IterDataPipe) else IterableWrapperIterDataPipe(roots)
        self.masks, self.recursive, self.abspath = masks, recursive, abspath
        self.non_deterministic, self.length = non_deterministic, length

    def __iter__(self):
        for path in self.datapipe:
            yield from get_file_pathnames_from_root(
                path, self.masks, self.recursive, self.abspath, self.non_deterministic
            )

    def __len__(self):
        if self.length == -1:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return self.length
