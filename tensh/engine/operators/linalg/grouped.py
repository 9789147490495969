"""Products of groups of rows or columns with one matrix for each group, as layers with several experts compute them."""

import numpy as np

from tensh.engine.arrays.memory import strides
from tensh.engine.codegen.table import op
from tensh.engine.operators.linalg.products import batches, mm

ALIGNMENT = 16  # bytes: PyTorch's kernels read and write lines that begin at multiples


def check_lines(matrix):
    """Raise RuntimeError unless rows or columns are contiguous and begin at multiples of ALIGNMENT."""
    steps, (rows, columns) = strides(matrix), matrix.shape[-2:]
    row, column = steps[-2:]
    if row == 1 and column >= max(1, rows):
        step = column
    elif column == 1 and row >= max(1, columns):
        step = row
    else:
        raise RuntimeError(f"Invalid strides/sizes, got {list(steps)} for strides and {list(matrix.shape)} for sizes")
    if step * matrix.itemsize % ALIGNMENT:
        raise RuntimeError("strides should be multiple of 16 bytes")


def make_lines(shape, dtype):
    """Return an array of zeros whose rows begin at multiples of ALIGNMENT."""
    *outer, columns = shape
    wide = -(-columns * dtype.itemsize // ALIGNMENT) * ALIGNMENT // dtype.itemsize
    return np.zeros((*outer, wide), dtype)[..., :columns]


def list_groups(offs):
    """Return the slices that end at the offsets; one whose end lies before its begin is empty."""
    ends = offs.tolist()
    return [slice(begin, end) for begin, end in zip([0, *ends], ends)]


@op(
    public=False,
    out=False,
    node="GroupedMmBackward0",
    input="mT(grouped_product(mat2, mT(g), offs)) if by_columns(input.strides) else grouped_product(g, mT(mat2), offs)",
    mat2="mT(grouped_product(mT(g), input, offs)) if by_columns(mat2.strides) else grouped_product(mT(input), g, offs)",
    offs=None,
)
def grouped_product(input, mat2, offs=None):
    """The products of groups, which end at ``offs``; those of two stacks do not read them.

    Groups of rows [n, k] by [b, k, m] give [n, m], [b, n, k] by groups of columns [k, m] gives [n, m], and groups of the
    inner dimension of [n, k] and [k, m] give [b, n, m]. What lies after the last group is zero.
    Raise RuntimeError for factors whose lines are not aligned.
    """
    check_lines(input)
    check_lines(mat2)
    multiply, shape = mm.kernel, (input.shape[-2], mat2.shape[-1])
    if input.ndim == 3 == mat2.ndim:
        made = make_lines((len(input), *shape), input.dtype)
        made[...] = batches(input, mat2)
        return made
    groups = list_groups(offs)
    if input.ndim == 2 == mat2.ndim:
        made = make_lines((len(groups), *shape), input.dtype)
        for number, each in enumerate(groups):
            made[number] = multiply(input[:, each], mat2[each])
        return made
    made = make_lines(shape, input.dtype)
    for number, each in enumerate(groups):
        if input.ndim == 2:
            made[each] = multiply(input[each], mat2[number])
        else:
            made[:, each] = multiply(input[number], mat2[:, each])
    return made
