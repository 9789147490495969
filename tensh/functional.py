"""torch.functional: the module in which PyTorch defines functions of torch written in Python."""

from tensh.engine import find_public
from tensh.engine.methods.namespaces import declare_namespace

NAMES = frozenset(
    """
    atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul einsum
    istft lu meshgrid norm pca_lowrank split stft svd_lowrank tensordot unique unique_consecutive unravel_index
""".split()
)

__getattr__, __dir__ = declare_namespace("tensh.functional", globals(), NAMES, find=find_public)
