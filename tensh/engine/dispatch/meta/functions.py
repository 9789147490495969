"""Composites that read elements: their results for meta tensors."""

from tensh.engine.arrays.absent import make_absent
from tensh.engine.core.tensor import wrap
from tensh.engine.dispatch.meta.rules import REFUSED, make_refusal
from tensh.engine.dtypes.dtype import int64
from tensh.engine.operators.indexing.index import index_select

FUNCTIONS: dict = {}


def function(fn):
    FUNCTIONS[fn.__name__] = fn
    return fn


FUNCTIONS["item"] = make_refusal(RuntimeError, "Tensor.item() cannot be called on meta tensors")
FUNCTIONS["tolist"] = make_refusal(NotImplementedError, "Cannot copy out of meta tensor; no data!")


FUNCTIONS.update(REFUSED)
FUNCTIONS["allclose"] = FUNCTIONS["is_nonzero"] = FUNCTIONS["item"]


@function
def repeat_interleave(input, repeats, dim=None, *, output_size=None):
    """Require ``output_size``, because the numbers of repetitions are elements, which a meta tensor lacks."""
    if output_size is None:
        raise RuntimeError("cannot repeat_interleave a meta tensor without output_size")
    flat = input if dim is not None else input.reshape(-1)
    return index_select.fn(flat, dim or 0, wrap(make_absent((output_size,), int64.numpy)))
