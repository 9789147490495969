"""torch.functional: functions of torch that PyTorch has written in Python, under their old address."""

from tensh.engine import named
from tensh.engine.methods.unsupported import unsupported_name

NAMES = frozenset(
    """
    atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul einsum
    istft lu meshgrid norm pca_lowrank split stft svd_lowrank tensordot unique unique_consecutive unravel_index
""".split()
)


def __getattr__(name):
    if name in NAMES:
        return named(name)
    raise unsupported_name("torch.functional", name)


def __dir__():
    return sorted(NAMES)
