"""``BatchedTensor``, a tensor of which a function sees one sample, and its array without elements."""

from math import prod

import numpy as np

from tensh.engine.autograd.transforms import VmapCall
from tensh.engine.core.clock import mode
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.state import call_disabled
from tensh.engine.dispatch.vmap import errors
from tensh.engine.operators.basic import expand
from tensh.engine.operators.shapes.views import permute, unsqueeze, view


class Sample:
    """The array of a BatchedTensor: shape, strides and dtype of one sample.  Reading elements raises ``Lift``."""

    __slots__ = ("array", "hidden", "owner")

    def __init__(self, owner):
        self.owner, self.array, self.hidden = owner, owner.value.array, len(owner.levels)

    shape = property(lambda self: self.array.shape[self.hidden :])
    strides = property(lambda self: self.array.strides[self.hidden :])
    ndim = property(lambda self: self.array.ndim - self.hidden)
    dtype = property(lambda self: self.array.dtype)
    itemsize = property(lambda self: self.array.itemsize)
    base = property(lambda self: self.array.base)
    size = property(lambda self: prod(self.shape))
    nbytes = property(lambda self: self.size * self.itemsize)
    flags = property(lambda self: self.first_sample().flags)

    def first_sample(self):
        """Return the array of one sample; without elements, one that has its shape and strides."""
        if 0 in self.array.shape[: self.hidden]:
            return np.empty(self.shape, self.dtype)
        array = self.array if type(self.array) is np.ndarray else self.array.array
        return array[(0,) * self.hidden + (...,)]

    def __getattr__(self, name):
        raise Lift


def lift(self, *args, **options):
    """Raise ``Lift``, because elements are read."""
    raise Lift


for _name in (
    "array array_function array_ufunc array_wrap array_struct array_interface len iter getitem setitem contains bool int float "
    "complex index eq ne lt le gt ge neg pos abs invert add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv "
    "floordiv rfloordiv mod rmod pow rpow matmul rmatmul and rand iand or ror ior xor rxor ixor lshift rshift"
).split():
    setattr(Sample, f"__{_name}__", lift)
Sample.__array_struct__ = Sample.__array_interface__ = property(lift)
Sample.__hash__ = object.__hash__


def shows_history():
    """Return True if the innermost transform differentiates; the function of a ``vmap`` sees samples without history."""
    return not (mode.transforms and type(mode.transforms[-1]) is VmapCall)


class BatchedTensor(Tensor):
    """A tensor with hidden batch dimensions; see Note [Batched tensors].

    ``source`` exists if a dimension had to be moved: it has the original tensor and dimension, for the printed form.
    """

    __slots__ = ("value", "levels", "source")
    __module__ = "torch"
    __torch_function__ = call_disabled
    hides_batches = True  # dispatch modes see the calls that its rules make on its value

    array = property(Sample)
    node = _time = _view_info = property(lift)
    _base = None
    requires_grad = property(
        lambda t: shows_history() and t.value.requires_grad, lambda t, flag: errors.set_requires_grad(t, flag)
    )
    is_leaf = property(lambda t: not shows_history() or t.value.is_leaf)
    grad_fn = property(lambda t: t.value.grad_fn if shows_history() else None)
    grad = property(lambda t: None, lambda t, grad: errors.set_grad(t, grad))
    retains_grad = property(lambda t: False)
    _version = property(lambda t: t.value._version)
    output_nr = property(lambda t: t.value.output_nr)
    data = property(errors.data, errors.set_data)


for _name, _refusal in errors.METHODS.items():
    setattr(BatchedTensor, _name, _refusal)

BatchedTensor.__name__ = BatchedTensor.__qualname__ = "Tensor"  # the class name that a function sees
_new = object.__new__


def make_batched(value, levels):
    """Return a batched tensor of ``value``, whose first dimensions are the batches of ``levels``."""
    if not levels:
        return value
    t = _new(BatchedTensor)
    t.value, t.levels = value, levels
    return t


def register_hook(t, hook):
    """Register a hook that receives the gradient of the tensor as the function sees it."""

    def hook_value(g):
        result = hook(make_batched(g, t.levels))
        return result.value if type(result) is BatchedTensor else result

    return t.value.register_hook(hook_value)


BatchedTensor.register_hook = register_hook


# ── entering and leaving a level ─────────────────────────────────────────────
def enter(t, dim, number):
    """Make a batched tensor: dimension ``dim`` becomes the batch of the level ``number``."""
    value, levels = (t.value, t.levels) if type(t) is BatchedTensor else (t, ())
    k = len(levels)
    seen = make_batched(move_dim(value, k + dim, k) if dim else value, (*levels, number))
    if dim or hasattr(t, "source"):
        seen.source = t, dim
    return seen


def leave(t, dim, level):
    """Return a result of the function, with the batch of ``level`` as dimension ``dim`` again."""
    if type(t) is not BatchedTensor or t.levels[-1] != level.number:
        ndim = t.array.ndim + 1
        t = unsqueeze.fn(t, dim)
        dim %= ndim
        shape = t.array.shape
        return expand.fn(t, (*shape[:dim], level.size, *shape[dim + 1 :]))
    k = len(t.levels) - 1
    value = t.value if not dim else move_dim(t.value, k, k + dim)
    return make_batched(value, t.levels[:-1])


def move_dim(value, source, target):
    """Move one dimension of ``value`` to another place."""
    order = list(range(value.array.ndim))
    order.insert(target, order.pop(source))
    return permute.fn(value, tuple(order))


def expand_batches(t, levels, sizes):
    """Return the value of ``t`` with a batch dimension of full size for each of ``levels``."""
    want = tuple([sizes[each] for each in levels])
    if type(t) is not BatchedTensor:
        return expand.fn(t, want + t.array.shape) if want else t
    value = align_batches(t, levels)
    shape, k = value.array.shape, len(levels)
    return value if shape[:k] == want else expand.fn(value, want + shape[k:])


def align_batches(t, levels):
    """Return the value of ``t`` with a dimension for each of ``levels``: of size 1 where it does not vary."""
    if type(t) is not BatchedTensor:
        return view.fn(t, (1,) * len(levels) + t.array.shape)
    if t.levels == levels:
        return t.value
    shape = iter(t.value.array.shape)
    batch = tuple([next(shape) if each in t.levels else 1 for each in levels])
    return view.fn(t.value, batch + tuple(shape))


def value_of(t):
    """Return the tensor on which operations on ``t`` are recorded: inside ``vmap`` the whole batch."""
    return t.value if type(t) is BatchedTensor else t
