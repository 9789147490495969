"""Wrapper subclasses: tensors with a shape, strides and a dtype, whose elements only their ``__torch_dispatch__`` knows."""

from tensh.engine.arrays.absent import lay_out
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import arm_for
from tensh.engine.dispatch.vmap.batched import Sample
from tensh.engine.dtypes.device import require_cpu
from tensh.engine.dtypes.dtype import get_default_dtype


class Facts(Sample):
    """An array that has facts and no elements: reading them raises ``Lift``."""

    __slots__ = ()

    def __init__(self, shape, strides, kind):
        self.owner, self.hidden = self, 0
        steps = None if strides is None else tuple(n * kind.itemsize for n in strides)
        self.array = lay_out(shape, kind, steps)


def make_wrapper_subclass(
    cls, size, strides=None, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False, memory_format=None,
    dispatch_sizes_strides_policy=None, dispatch_device=False, dispatch_layout=False,
):  # fmt: skip
    """A tensor of ``cls`` with these facts."""
    if not isinstance(cls, type) or not issubclass(cls, Tensor):
        raise TypeError(f"cls must be a type (got {cls})")
    if getattr(cls, "__torch_dispatch__", None) is None:
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")
    if device is not None:
        require_cpu(device)
    arm_for(cls)
    made = object.__new__(cls)
    made.array, made.node, made._base, made._kept = (
        Facts(tuple(size), strides, (dtype or get_default_dtype()).numpy),
        None,
        None,
        None,
    )
    if requires_grad:
        made.node = AccumulateGrad(made)
    return made
