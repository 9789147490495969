"""torch.version: the version of tensh, and the devices it was built for: none."""

from tensh import __version__

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

debug = False
git_version = "Unknown"  # as in a build of PyTorch outside of a checkout
cuda = hip = rocm = xpu = None
