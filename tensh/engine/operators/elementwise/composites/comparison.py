"""Comparing whole tensors, and choosing elements by a condition."""

from functools import partial

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.mixing import COMMON_WITH_NUMBER, SCALARS, WEAK, as_number, promote
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.codegen.scalars import FITTING, cast_element, cast_scalar
from tensh.engine.codegen.table import public
from tensh.engine.core.clock import stamp_write
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.dtype import BY_NUMPY, of_scalar, promote_types, scalar_dtype
from tensh.engine.errors.messages import broadcast_clash
from tensh.engine.errors.warnings import warn
from tensh.engine.inplace.out import write_out
from tensh.engine.inplace.overlap import refuse_partial_overlap, warn_of_overlap
from tensh.engine.inplace.plain import is_plain
from tensh.engine.inplace.writes import begin_write, write_inplace
from tensh.engine.operators.elementwise.comparison import isclose
from tensh.engine.operators.elementwise.composites.arithmetic import fits_none, tensor
from tensh.engine.operators.elementwise.table import masked_fill as masked_fill_op
from tensh.engine.operators.elementwise.table import masked_fill_tensor
from tensh.engine.operators.elementwise.table import where as where_op
from tensh.engine.operators.kernels import fill_by_mask

BOOL = np.dtype(bool)
LOOK, BLOCK = 1 << 12, 1 << 16  # elements compared first, and elements per block after that


# ── comparing ────────────────────────────────────────────────────────────────
@composite
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Return True if every element of input is close to that of other; see ``isclose``.

    >>> import tensh as torch
    >>> torch.allclose(torch.tensor([1.0]), torch.tensor([1.0 + 1e-7]))
    True
    """
    tensor(input, "allclose"), tensor(other, "allclose", "other", 2)
    return bool(isclose.fn(input, other, rtol, atol, equal_nan).array.all())


@composite
def equal(input, other):
    """Return True if both have the same shape and the same elements.

    >>> import tensh as torch
    >>> torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2]))
    True
    """
    if not (type(input) is Tensor is type(other)):
        tensor(input, "equal"), tensor(other, "equal", "other", 2)
    one, two = input.array, other.array
    if one.shape != two.shape:
        return False
    if one.dtype is not two.dtype:
        one, two = promote(one, two)
    return equal_arrays(one, two)


def equal_arrays(one, two):
    """Return True if arrays of one shape are equal; large ones are compared in blocks up to the first difference."""
    if one.size <= LOOK or not type(one) is np.ndarray is type(two):
        return not differ(one, two)
    if one.dtype.kind in "biufc" and one.item(0) != two.item(0):  # in half of the time that a block takes
        return False
    while len(one) == 1:
        one, two = one[0], two[0]
    rows, start, size = len(one), 0, LOOK
    while start < rows:
        end = start + max(1, size * rows // one.size)
        if differ(one[start:end], two[start:end]):
            return False
        start, size = end, BLOCK
    return True


def differ(one, two):
    return True in np.not_equal(one, two).tobytes()  # a third of the time of .any()


@public
def isin(elements, test_elements, *, assume_unique=False, invert=False, out=None):
    """Mark the ``elements`` that are among ``test_elements``.  Either may be a number; ``invert`` marks the others.

    Raise RuntimeError for complex numbers.

    >>> import tensh as torch
    >>> torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 3]))
    tensor([False,  True,  True])
    """
    given = elements, test_elements
    if not any(isinstance(x, Tensor) for x in given) or any(
        not isinstance(x, Tensor) and as_number(x) is None for x in given
    ):
        options = "*, bool assume_unique = False, bool invert = False, Tensor out = None)"
        fits_none("isin", given, f"(Tensor elements, Tensor test_elements, {options}",
                  f"(Number element, Tensor test_elements, {options}",
                  f"(Tensor elements, Number test_element, {options}")  # fmt: skip
    one, two = (
        x.array if isinstance(x, Tensor) else SCALARS[as_number(x), scalar_dtype(as_number(x)).numpy] for x in given
    )
    for array in (one, two):
        if array.dtype.kind not in "iufV":
            raise RuntimeError(f"Unsupported input type encountered for isin(): {BY_NUMPY[array.dtype].title}")
    found = wrap(np.isin(*promote(one, two), assume_unique=False, invert=invert))
    return found if out is None else write_out(out, found, "isin")


# ── choosing ─────────────────────────────────────────────────────────────────
WHERE = (
    "(Tensor condition)",
    "(Tensor condition, Tensor input, Tensor other, *, Tensor out = None)",
    "(Tensor condition, Number self, Tensor other)",
    "(Tensor condition, Tensor input, Number other)",
    "(Tensor condition, Number self, Number other)",
)


@public
def where(condition, input=None, other=None, *, out=None):
    """The elements of ``input`` where the condition is true, those of ``other`` elsewhere; all three are broadcast.

    ``input`` and ``other`` may be numbers.  With the condition alone: the indices of its elements that are not zero, as
    ``nonzero(as_tuple=True)``.  Differentiable.  Raise RuntimeError for a condition that is not bool.

    >>> import tensh as torch
    >>> x = torch.tensor([-1.0, 2.0])
    >>> torch.where(x > 0, x, 0.0)
    tensor([0., 2.])
    """
    if type(input) is not Tensor or type(other) is not Tensor:
        if input is None and other is None and isinstance(condition, Tensor):
            from tensh.engine.operators.indexing.composites.selection import nonzero  # rarely needed

            return nonzero(condition, as_tuple=True)
        input, other = as_tensors(condition, input, other)
    if not isinstance(condition, Tensor) or condition.array.dtype is not BOOL:
        condition = as_condition(condition, input, other)
    chosen = where_op.fn(condition, input, other)
    return chosen if out is None else write_out(out, chosen, "where", inputs=(condition, input, other), apart=False)


def where_method(self, condition, other):
    """The elements of the tensor where the condition is true, those of ``other`` elsewhere.  Differentiable.

    Raise RuntimeError for a condition that is not bool.
    """
    if not isinstance(condition, Tensor) or not isinstance(other, Tensor) and as_number(other) is None:
        fits_none("where", (condition, other), "(Tensor condition, Tensor other)", "(Tensor condition, Number other)")
    return where(condition, self, other)


METHODS["where"] = where_method


def as_tensors(condition, input, other):
    """Return two choices with numbers replaced by 0-d tensors of the common dtype."""
    if not isinstance(condition, Tensor) or any(
        not isinstance(x, Tensor) and as_number(x) is None for x in (input, other)
    ):
        fits_none("where", tuple(x for x in (condition, input, other) if x is not None), *WHERE)
    if isinstance(input, Tensor):
        return input, other if isinstance(other, Tensor) else number_beside(input, other)
    if isinstance(other, Tensor):
        return number_beside(other, input), other
    one, two = as_number(input), as_number(other)
    common = promote_types(scalar_dtype(one), scalar_dtype(two)).numpy
    return wrap(SCALARS[one, common]), wrap(SCALARS[two, common])


def number_beside(tensor, number):
    """Return a number as a 0-d tensor of the dtype in which it is combined with the tensor."""
    number = as_number(number)
    dtype = COMMON_WITH_NUMBER[tensor.array.dtype, type(number), False, of_scalar[float]]
    return wrap(SCALARS[cast_element(number, BY_NUMPY[dtype]), dtype])


def as_condition(condition, input, other):
    """Return a condition as bools; uint8 is accepted with PyTorch's warning."""
    if not isinstance(condition, Tensor):
        fits_none("where", (condition, input, other), *WHERE)
    kind = condition.array.dtype
    if kind != np.uint8:
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype " + BY_NUMPY[kind].title
        )
    warn(
        "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
        "PyTorch. Use a boolean condition instead.",
    )
    return wrap(condition.array != 0)


@composite
def masked_fill(input, mask, value):
    """Input with ``value``, a number or a 0-d tensor, where ``mask`` is true; the mask is broadcast.  Differentiable.

    Raise RuntimeError for other masks and values.

    >>> import tensh as torch
    >>> x = torch.tensor([1.0, 2.0, 3.0])
    >>> x.masked_fill(x > 1, 0)
    tensor([1., 0., 0.])
    """
    tensors = isinstance(input, Tensor) and isinstance(mask, Tensor)
    if tensors and mask.array.dtype is BOOL and type(value) in WEAK[input.array.dtype.kind]:
        FITTING[value, input.array.dtype]  # raises if the value does not fit
        return in_rows(masked_fill_op.fn(input, mask, value))
    if not tensors or not isinstance(value, Tensor) and as_number(value) is None:
        fits_none("masked_fill", (input, mask, value), "(Tensor input, Tensor mask, Tensor value)",
                  "(Tensor input, Tensor mask, Number value)")  # fmt: skip
    if (clash := broadcast_clash([mask.shape, input.shape])) is not None:
        raise RuntimeError(clash)
    check_filling(input, mask, value)
    dtype = BY_NUMPY[input.array.dtype]
    if not isinstance(value, Tensor):
        return in_rows(masked_fill_op.fn(input, mask, cast_scalar(as_number(value), dtype)))
    cast_scalar(value.array.item(), dtype)
    return in_rows(masked_fill_tensor.fn(input, mask, value))


def check_filling(input, mask, value):
    """Raise RuntimeError for a value with dimensions and for a mask of numbers, in this order."""
    if isinstance(value, Tensor) and value.array.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.array.ndim} dimension(s)."
        )
    if mask.array.dtype.kind != "b":
        refresh_node(input)  # views that must not be written are reported first
        raise RuntimeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype " + BY_NUMPY[mask.array.dtype].spoken
        )


def in_rows(made):
    """Return a tensor that was just made, in rows, as PyTorch fills a copy in rows."""
    array = made.array
    if type(array) is np.ndarray and not array.flags.c_contiguous:
        made.array = np.ascontiguousarray(array)
    return made


def masked_fill_(input, mask, value):
    """In-place version of masked_fill; the tensor may be expanded.  Raise RuntimeError for other masks and values."""
    if fill_plain(input, mask, value):
        return input
    since = begin_write(input, mask, value, may_overlap=True)
    if isinstance(mask, Tensor) and (isinstance(value, Tensor) or as_number(value) is not None):
        check_filling(input, mask, value)
        if (clash := broadcast_clash([input.shape, mask.shape])) is not None:
            raise RuntimeError(clash)
    filled = masked_fill(input, mask, value)
    refuse_partial_overlap(input.array, mask.array)
    if memory.overlaps_itself(input.array):
        warn_of_overlap("masked_fill_")
    number = value.array if isinstance(value, Tensor) else value
    return write_inplace(
        input, since, filled, "masked_fill_", partial(np.copyto, src=number, casting="unsafe", where=mask.array)
    )


def fill_plain(input, mask, value):
    """Write a number where a mask of the same shape is true, if nothing can refuse that; return whether.

    A copy that is filled and then copied back takes twice the time.
    """
    if type(mask) is not Tensor or not is_plain(input, (mask,), apart=True):
        return False
    array, where = input.array, mask.array
    if where.dtype is not BOOL or where.shape != array.shape or type(value) not in WEAK[array.dtype.kind]:
        return False
    number = FITTING[value, array.dtype]  # raises if the value does not fit
    stamp_write(array)
    if not fill_by_mask(array, where, number):
        np.putmask(array, where, number) if array.flags.c_contiguous else np.copyto(array, number, where=where)
    return True


METHODS["masked_fill_"] = PUBLIC["masked_fill_"] = masked_fill_
