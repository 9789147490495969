"""The remaining functions of torch.func, and functions about batched tensors for libraries."""

import functools

from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.override.state import state
from tensh.engine.dispatch.vmap.batched import BatchedTensor

REMOVED = ("mutations", "mutations_and_views")


def functionalize(func, *, remove="mutations"):
    """A new function with the same results as ``func``; in the graph that ``make_fx`` traces, it has no operators that write.

    Raise RuntimeError unless ``remove`` has one of its two values.

    >>> import tensh as torch
    >>> torch.func.functionalize(lambda x: x.clone().mul_(2))(torch.ones(2))
    tensor([2., 2.])
    """
    if remove not in REMOVED:
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced with "
            "their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be replaced with "
            "their non-aliasing counterparts, {view}_copy.\n"
        )

    def wrapped(*args, **kwargs):
        for mode in reversed(state.dispatch_modes):
            if hasattr(mode, "functionalize"):  # a trace, whose graph has no writes then
                return mode.functionalize(func, remove, args, kwargs)
        return func(*args, **kwargs)

    return functools.wraps(func)(wrapped)


def debug_unwrap(tensor, *, recurse=True):
    """Return the plain tensor, with all samples and without history, of one inside a transformed function: for debugging.

    >>> import tensh as torch
    >>> _ = torch.vmap(lambda x: (print(torch.func.debug_unwrap(x)), x)[1])(torch.ones(2, 3))
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"debug_unwrap(): argument 'tensor' (position 1) must be Tensor, not {type(tensor).__name__}")
    return wrap((tensor.value if type(tensor) is BatchedTensor else tensor).array)


def is_batchedtensor(tensor):
    """Return True for a batched tensor inside ``vmap``, seen as one sample: ``torch._C._functorch.is_batchedtensor``."""
    return type(tensor) is BatchedTensor


def maybe_get_level(tensor):
    """Return the number of the innermost ``vmap`` of a batched tensor, from 1 for the outermost; -1 for any other tensor."""
    return tensor.levels[-1] if is_batchedtensor(tensor) else -1


def maybe_get_bdim(tensor):
    """Return the dimension of a batched tensor in what ``vmap`` was given; -1 for any other tensor."""
    return getattr(tensor, "source", (None, 0))[1] if is_batchedtensor(tensor) else -1
