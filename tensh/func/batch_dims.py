"""Batch dimensions that libraries hide and show themselves, as PyTorch's private functions do.

Note [Collections of tensors under vmap] An object with ``_add_batch_dim``, such as a TensorDict, is one argument of a
mapped function: it hides the dimension of its tensors itself, because its own sizes change with theirs.
``_maybe_remove_batch_dim`` shows the dimension again.
"""

from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.vmap.batched import BatchedTensor, enter, leave
from tensh.engine.dispatch.vmap.levels import Level


def is_collection(value):
    """Return True for an object that hides and shows the dimensions of its tensors itself."""
    return hasattr(type(value), "_add_batch_dim") and not isinstance(value, Tensor)


def hide_batch(t, dim, number):
    """Return one argument with dimension ``dim`` hidden: the batch of the call of ``vmap`` with this number."""
    return t._add_batch_dim(in_dim=dim, vmap_level=number) if is_collection(t) else enter(t, dim, number)


def _add_batch_dim(input, batch_dim, level):
    """Return a tensor that hides one dimension, the batch of the call of ``vmap`` with this number."""
    return enter(input, batch_dim % input.ndim, level)


def _remove_batch_dim(input, level, batch_size, out_dim):
    """Return a tensor that shows the batch of a call of ``vmap`` as dimension ``out_dim``."""
    return leave(input, out_dim % (input.ndim + 1), Level(level, batch_size, ""))


def _maybe_remove_batch_dim(name, batched_output, vmap_level, batch_size, out_dim):
    """Return a result of the mapped function ``name`` with its batch shown, or as it is where ``out_dim`` is None."""
    return show_batch(name, batched_output, out_dim, Level(vmap_level, batch_size, ""))


def show_batch(name, t, dim, level):
    """Return one result, with the batch as dimension ``dim``.  Raise ValueError for results that are not tensors."""
    if is_collection(t):
        return t._maybe_remove_batch_dim(name, vmap_level=level.number, batch_size=level.size, out_dim=dim)
    if not isinstance(t, Tensor):
        if dim is None:
            return t
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(t)}. Did you mean to set out_dims= to None "
            "for output?"
        )
    if dim is None:
        if type(t) is BatchedTensor and level.number in t.levels:
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return t
    ndim = t.ndim + 1
    if not -ndim <= dim < ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})")
    return leave(t, dim % ndim, level)


def get_unwrapped(tensor):
    """Return the tensor, with all samples, of which a batched tensor hides a dimension."""
    if type(tensor) is not BatchedTensor:
        raise RuntimeError("No wrappers present!")
    return tensor.value
