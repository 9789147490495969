"""Python functions applied element by element, in place: slow, not recorded, for computations without an operator."""

from tensh.engine.codegen.registry import METHODS
from tensh.engine.core.clock import stamp_write
from tensh.engine.core.nodes import uses_gradient
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.methods.creation import nested


def replace(name, t, others, fn):
    """Write ``fn(element, …)`` into every element of ``t``; ``others`` are broadcast to it."""
    if any(uses_gradient(refresh_node(each)) for each in (t, *others)):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    dtype = BY_NUMPY[t.array.dtype]
    for other in others:
        found = BY_NUMPY[other.array.dtype]
        if found is not dtype:
            raise TypeError(f"{name}: expected {dtype.class_of_tensors} for 'other' (got {found.class_of_tensors})")
    columns = [each.expand(t.array.shape).array.ravel().tolist() for each in (t, *others)]
    results = nested.elements(map(fn, *columns), dtype)
    stamp_write(t.array)
    t.array[...] = results.reshape(t.array.shape)
    return t


def apply_(self, callable):
    """Replace every element by ``callable(element)``.  Raise RuntimeError for a tensor that requires grad.

    >>> import tensh as torch
    >>> torch.tensor([1.0, 2.0]).apply_(lambda x: x + 0.5)
    tensor([1.5000, 2.5000])
    """
    return replace("apply_", self, (), callable)


def map_(self, tensor, callable):
    """Replace every element by ``callable(element, element of tensor)``.

    Raise RuntimeError for a tensor that requires grad.
    """
    return replace("map_", self, (tensor,), callable)


def map2_(self, x, y, callable):
    """Replace every element by ``callable(element, element of x, element of y)``.

    Raise RuntimeError for a tensor that requires grad.
    """
    return replace("map2_", self, (x, y), callable)


for _each in apply_, map_, map2_:
    METHODS[_each.__name__] = _each
