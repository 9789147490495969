"""Names of collation and of workers under which programs written for PyTorch look for them."""

from tensh.utils.data._utils import collate, pin_memory, worker  # noqa: F401

HAS_NUMPY = True
MP_STATUS_CHECK_INTERVAL = 5.0  # seconds between looks at whether a worker is alive
