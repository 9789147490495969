"""Products of groups of rows or columns with one matrix for each group, as layers with several experts compute them."""

import numpy as np

from tensh.engine.codegen.table import op
from tensh.engine.operators.linalg.products import batches, mm


def list_groups(offs):
    """Return the slices that end at the offsets; one whose end lies before its begin is empty."""
    ends = offs.tolist()
    return [slice(begin, end) for begin, end in zip([0, *ends], ends)]


@op(
    public=False,
    out=False,
    node="GroupedMmBackward0",
    input="grouped_product(g, mT(mat2), offs)",
    mat2="grouped_product(mT(input), g, offs)",
    offs=None,
)
def grouped_product(input, mat2, offs=None):
    """The products of groups, which end at ``offs``; those of two stacks do not read them.

    Groups of rows [n, k] by [b, k, m] give [n, m], [b, n, k] by groups of columns [k, m] gives [n, m], and groups of the
    inner dimension of [n, k] and [k, m] give [b, n, m]. What lies after the last group is zero.
    """
    multiply = mm.kernel
    if input.ndim == 3 == mat2.ndim:
        return batches(input, mat2)
    groups = list_groups(offs)
    if input.ndim == 2 == mat2.ndim:
        return np.stack([multiply(input[:, each], mat2[each]) for each in groups])
    made = np.zeros((input.shape[-2], mat2.shape[-1]), input.dtype)
    for number, each in enumerate(groups):
        if input.ndim == 2:
            made[each] = multiply(input[each], mat2[number])
        else:
            made[:, each] = multiply(input[number], mat2[:, each])
    return made
