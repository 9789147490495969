"""Creation of tensors with given strides and uninitialized elements."""

from tensh.engine.arguments.binding import KEYWORDS, bind, finish
from tensh.engine.arguments.lazy_signatures import PLACED, shows
from tensh.engine.arrays import memory
from tensh.engine.codegen.registry import METHODS
from tensh.engine.codegen.table import public
from tensh.engine.dtypes.dtype import of_scalar
from tensh.engine.methods.settings import fill_unset


@public
@shows("size, stride, *", PLACED)
def empty_strided(size, stride, **given):
    """Make a tensor with the given strides and uninitialized elements.

    Raise RuntimeError unless there is a stride for each size.

    >>> import tensh as torch
    >>> torch.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    given = bind(
        "empty_strided", (f"(tuple of ints size, tuple of ints stride, *, {KEYWORDS})",), (size, stride), given
    )
    return make_strided("empty_strided", given, of_scalar[float].numpy)


@shows("self, size, stride, *", PLACED)
def new_empty_strided(self, size, stride, **given):
    """Make a tensor with the given strides and uninitialized elements, in this tensor's dtype.

    Raise RuntimeError unless there is a stride for each size.
    """
    text = f"(tuple of ints size, tuple of ints stride, *, {KEYWORDS})"
    given = bind("new_empty_strided", (text,), (size, stride), given)
    if given["device"] is None:
        given["device"] = self.device
    return make_strided("new_empty_strided", given, self.array.dtype)


def make_strided(name, given, default):
    """Make the tensor of the bound ``size`` and ``stride``; ``default`` is the dtype (NumPy's) if none is given."""
    size, stride = given["size"], given["stride"]
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})"
        )
    for n in size:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(size)}")
    return finish(name, lambda dtype: fill_unset(memory.empty_strided(size, stride, dtype)), default, given)


@public
@shows("size, physical_layout, *", PLACED)
def empty_permuted(size, physical_layout, **given):
    """Make an uninitialized tensor without gaps whose dimensions have the order ``physical_layout`` in memory.

    Raise RuntimeError if the order is not a permutation.
    """
    text = f"(tuple of ints size, tuple of ints physical_layout, *, {KEYWORDS})"
    given = bind("empty_permuted", (text,), (size, physical_layout), given)
    size, order = given["size"], given["physical_layout"]
    if len(size) != len(order):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; "
            f"i.e. len(size) = {len(size)} is not equal to len(physical_layout) = {len(order)}"
        )
    for index, dim in enumerate(order):
        if not 0 <= dim < len(size):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {dim} at index {index}). "
                " NB: negative dims not currently supported; file an issue if you want it."
            )
        if dim in order[:index]:
            raise RuntimeError("Duplicate dim not allowed")
    inner = memory.contiguous_strides([size[dim] for dim in order])
    steps = [inner[order.index(dim)] for dim in range(len(size))]
    return make_strided("empty_permuted", given | {"stride": steps}, of_scalar[float].numpy)


METHODS["new_empty_strided"] = new_empty_strided
