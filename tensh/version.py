"""torch.version: the version of tensh, and the devices it was built for: none."""

__all__ = ["__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]

VERSION = "0.1.0"
"""The version of tensh alone."""
__version__ = f"2.13.0+tensh.{VERSION}"
debug = False
git_version = "Unknown"  # as in a build of PyTorch outside of a checkout
cuda = hip = rocm = xpu = None
