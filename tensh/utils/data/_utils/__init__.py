"""Where programs written for PyTorch look for its rules of collation and its workers."""

from tensh.utils.data._utils import collate, worker  # noqa: F401
