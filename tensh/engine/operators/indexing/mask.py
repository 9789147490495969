"""Reading and writing under a mask, and at positions of a flattened tensor."""

import numpy as np

from tensh.engine.arrays.scattering import add_at
from tensh.engine.codegen.registry import METHODS
from tensh.engine.codegen.table import op
from tensh.engine.errors.messages import broadcast_clash
from tensh.engine.errors.warnings import warn
from tensh.engine.methods.settings import alert
from tensh.engine.operators.basic import expanded_size
from tensh.engine.operators.indexing.gather import extent
from tensh.engine.operators.indexing.index import title
from tensh.engine.operators.kernels import LARGE
from tensh.engine.operators.writing import declare_inplace, writes


@op(
    out="masked_select(): self and result must have the same scalar type",
    apart=True,
    input="masked_select_back(g, input.shape, mask)",
    mask=None,
)
def masked_select(input, mask):
    """The elements where ``mask`` is True, as a vector; input and mask are broadcast.  Differentiable.

    Shape: [*] to [k]. Raise RuntimeError for a mask that is not bool.

    >>> import tensh as torch
    >>> x = torch.tensor([1, 2, 3])
    >>> torch.masked_select(x, x > 1)
    tensor([2, 3])
    """
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    if input.shape != mask.shape:
        if (clash := broadcast_clash([mask.shape, input.shape])) is not None:
            raise RuntimeError(clash)
        input, mask = np.broadcast_arrays(input, mask)
    return input[mask]


@op(public=False, out=False, node="MaskedSelectBackwardBackward0", grad="masked_select(g, mask)", mask=None)
def masked_select_back(grad, shape, mask):
    """``grad`` written to zeros where ``mask`` is True, in the broadcast size."""
    out = np.zeros(np.broadcast_shapes(shape, mask.shape), grad.dtype)
    out[np.broadcast_to(mask, out.shape)] = grad
    return out


# ── writing ──────────────────────────────────────────────────────────────────
@writes(
    kept=True, input="g if accumulate else put(g, index, zeros_as(g, index.shape), False)", index=None,
    source="reshape(take(g, index), source.shape)",
)  # fmt: skip
def put(input, index, source, accumulate=False):
    """The input with the elements of ``source`` at positions ``index`` of the flattened input.

    With ``accumulate`` they are added.  Differentiable.  Shapes: [*]; ``index`` and ``source`` have equally many
    elements. Raise IndexError for positions out of range, RuntimeError for operands that do not fit.

    >>> import tensh as torch
    >>> torch.put(torch.zeros(2, 2), torch.tensor([3]), torch.tensor([7.0]))
    tensor([[0., 0.],
            [0., 7.]])
    """
    if index.dtype.kind == "i" and index.itemsize == 8 and input.dtype is not source.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{title(input)} and source.dtype = {title(source)}"
        )
    if not accumulate:
        alert("put_")
    if index.size == source.size and index.size and not input.size:
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    where = flat_places(index, input.size, "put_") if index.size == source.size or index.dtype.kind != "i" else None
    if where is None:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source.size}, index.numel() = {index.size}"
        )
    flat = input.reshape(-1)
    if accumulate:
        add_at(flat, where.reshape(-1), source.reshape(-1))
    else:
        flat[where.reshape(-1)] = source.reshape(-1)


def write_masked(input, mask, source):
    """Write elements of ``source``, in their order, into ``input`` where ``mask`` is True."""
    if input.dtype is not source.dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got{title(input)} and {title(source)}"
        )
    if mask.dtype.kind != "b":
        if mask.dtype == np.uint8:
            warn(
                "masked_scatter_ received a mask with dtype torch.uint8, this behavior is now deprecated,please use a mask with "
                "dtype torch.bool instead."
            )
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {title(mask)}")
    if mask.shape != input.shape:
        mask = np.broadcast_to(mask, expanded_size(mask, input.shape, "CPUBoolType"))
    number = np.count_nonzero(mask)
    if source.size < number:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    values = source.reshape(-1)[:number]
    if mask.size >= LARGE and input.flags.c_contiguous:  # half of the time
        input.reshape(-1)[np.flatnonzero(mask)] = values
    else:
        input[mask] = values


@op(out=False, input="masked_zero(g, mask)", mask=None, source="masked_source(g, mask, source.shape)")
def masked_scatter(input, mask, source):
    """The input with elements of ``source``, in their order, where ``mask`` is True; both are broadcast.  Differentiable.

    Shapes: [*], ``source`` [*]. Raise RuntimeError if it has too few.

    >>> import tensh as torch
    >>> x = torch.zeros(3)
    >>> torch.masked_scatter(x, torch.tensor([True, False, True]), torch.tensor([5.0, 6.0]))
    tensor([5., 0., 6.])
    """
    if mask.shape == input.shape:
        out = np.array(input, order="C")
    elif (clash := broadcast_clash([mask.shape, input.shape])) is not None:
        raise RuntimeError(clash)
    else:
        out = np.array(np.broadcast_to(input, np.broadcast_shapes(input.shape, mask.shape)), order="C")
    write_masked(out, mask, source)
    return out


METHODS["masked_scatter_"] = declare_inplace(masked_scatter, write_masked, True, False, early=True, shared=True)


@op(public=False, out=False, node="MaskedFillBackward0", grad="masked_zero(g, mask)", mask=None)
def masked_zero(grad, mask):
    """``grad`` with zeros where ``mask`` is True."""
    out = np.array(grad)
    np.copyto(out, 0, where=mask, casting="unsafe")
    return out


@op(
    public=False,
    out=False,
    node="MaskedScatterBackward0",
    grad="masked_scatter(zeros_as(g, grad.shape), mask, g)",
    mask=None,
)
def masked_source(grad, mask, shape):
    """The elements of ``grad`` where ``mask`` is True, at the start of zeros."""
    out = np.zeros(shape, grad.dtype)
    found = grad[np.broadcast_to(mask, grad.shape)]
    out.reshape(-1)[: found.size] = found
    return out


# ── flat positions ───────────────────────────────────────────────────────────
def flat_places(index, number, name):
    """Return positions in a flattened tensor, counted from 0."""
    if index.dtype.kind != "i" or index.itemsize != 8:
        raise RuntimeError(f"{name}(): Expected a long tensor for index, but got {title(index)}")
    if not index.size:
        return index
    low, high = extent(index)
    if low < -number or high >= number:
        wrong = index[(index < -number) | (index >= number)].flat[0]
        raise IndexError(f"out of range: tried to access index {wrong} on a tensor of {number} elements.")
    return np.where(index < 0, index + number, index) if low < 0 else index


@op(
    out="take(): self and out expected to have the same dtype, but got self.dtype = {0.title} and out.dtype = {1.title}",
    apart=True,
    input="take_back(g, input.shape, index)",
    index=None,
)
def take(input, index):
    """The elements at positions ``index`` of the flattened input, in the shape of ``index``.  Differentiable.

    Shapes: [*] and ``index`` [*]. Raise IndexError or RuntimeError for positions out of range.

    >>> import tensh as torch
    >>> torch.take(torch.tensor([[1, 2], [3, 4]]), torch.tensor([0, 3]))
    tensor([1, 4])
    """
    if not input.size and index.size and index.dtype == np.int64:
        raise IndexError("take(): tried to take from an empty tensor")
    return input.reshape(-1).take(flat_places(index, input.size, "take"))


@op(public=False, out=False, node="PutBackward0", grad="take(g, index)", index=None)
def take_back(grad, shape, index):
    """``grad`` added to zeros at flat positions."""
    out = np.zeros(shape, grad.dtype)
    add_at(out.reshape(-1), flat_places(index, out.size, "take").reshape(-1), grad.reshape(-1))
    return out
