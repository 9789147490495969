"""Wrapper subclasses: tensors with metadata, whose elements only their ``__torch_dispatch__`` knows."""

from tensh.engine.arrays.absent import lay_out
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.classes import require_tensor_class
from tensh.engine.dispatch.override.points import arm_for
from tensh.engine.dispatch.vmap.batched import Sample, lift
from tensh.engine.dtypes.device import require_cpu
from tensh.engine.dtypes.dtype import get_default_dtype


class Facts(Sample):
    """An array with metadata but no elements: reading them, or making views of them, raises ``Lift``."""

    __slots__ = ("shadow",)  # the tensor that records for this one, if it has views or is a view
    base = property(lift)
    view_as = lift

    def __init__(self, shape, strides, kind):
        self.owner, self.hidden, self.shadow = self, 0, None
        steps = None if strides is None else tuple(n * kind.itemsize for n in strides)
        self.array = lay_out(shape, kind, steps)


class Held(Facts):
    """The array by which a node saves a tensor of a wrapper subclass: its metadata, and the tensor."""

    __slots__ = ("tensor",)

    def __init__(self, tensor, facts):
        self.owner, self.hidden, self.shadow, self.tensor = self, 0, None, tensor
        self.array = lay_out(facts.shape, facts.dtype, facts.strides)


def restore_held(value, depth=2):
    """Return the tensor that a node has saved, if ``value`` is its unpacked form; also within lists."""
    if type(value) is Tensor and type(value.array) is Held:
        if value.array.tensor is None:
            raise NotImplementedError(
                "a derivative of a wrapper subclass needs a value that is not a tensor of the program"
            )
        return value.array.tensor
    if depth and type(value) in (list, tuple):
        return type(value)([restore_held(each, depth - 1) for each in value])
    return value


def make_wrapper_subclass(
    cls, size, strides=None, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False, memory_format=None,
    dispatch_sizes_strides_policy=None, dispatch_device=False, dispatch_layout=False,
):  # fmt: skip
    """Make a tensor of ``cls`` with this metadata."""
    require_tensor_class(cls)
    if getattr(cls, "__torch_dispatch__", None) is None:
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")
    if device is not None:
        require_cpu(device)
    arm_for(cls)
    made = object.__new__(cls)
    made.array = Facts(tuple(size), strides, (dtype or get_default_dtype()).numpy)
    made.node = made._base = made._kept = None
    if requires_grad:
        made.node = AccumulateGrad(made)
    return made


def copy_wrapper(t, node):
    """Make another tensor of a wrapper subclass for the same values, with a separate node."""
    made, facts = object.__new__(type(t)), t.array.array
    made.__dict__.update(t.__dict__)
    steps = tuple(step // facts.dtype.itemsize for step in facts.strides)
    made.array, made.node, made._base, made._kept = Facts(facts.shape, steps, facts.dtype), node, None, None
    return made
