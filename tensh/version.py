"""torch.version: the version of tensh, and the devices it was built for: none."""

from tensh import __version__  # noqa: F401

debug = False
cuda = hip = xpu = None
