"""torch.multiprocessing.reductions: how tensors and storages are pickled for another process."""

from multiprocessing.reduction import ForkingPickler

from tensh.engine.core.tensor import Tensor
from tensh.engine.methods.sharing import rebuild_storage, rebuild_tensor, reduce_storage, reduce_tensor

__all__ = ["init_reductions", "rebuild_storage", "rebuild_tensor", "reduce_storage", "reduce_tensor"]


def init_reductions():
    """Have processes hand over tensors, parameters and storages in shared memory."""
    from tensh.nn.parameter import Parameter
    from tensh.storage import UntypedStorage

    for cls in (Tensor, Parameter):
        ForkingPickler.register(cls, reduce_tensor)
    ForkingPickler.register(UntypedStorage, reduce_storage)
