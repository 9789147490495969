"""Where programs written for PyTorch look for its rules of collation."""

from tensh.utils.data._utils import collate  # noqa: F401
