"""Names of collation and of workers under which programs written for PyTorch look for them."""

from tensh.utils.data._utils import collate, worker  # noqa: F401
