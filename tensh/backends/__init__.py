"""torch.backends: the libraries that PyTorch may compute with.  None of them is used; their switches can be set."""

from types import SimpleNamespace

from tensh.backends import cudnn  # noqa: F401
from tensh.switched_off import lookup


def absent():
    """Is the library there?"""
    return False


cuda = SimpleNamespace(is_built=absent, matmul=SimpleNamespace(allow_tf32=False))
mps = SimpleNamespace(is_available=absent, is_built=absent)
mkl = mkldnn = openmp = SimpleNamespace(is_available=absent)
__getattr__ = lookup("torch.backends")
