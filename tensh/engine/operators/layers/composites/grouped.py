"""Matrix products of groups, for layers with several experts."""

from tensh.engine.dtypes.dtype import bfloat16, float16, float32, int32
from tensh.engine.operators.layers.composites.registry import layer
from tensh.engine.operators.linalg.grouped import check_lines, grouped_product

NO_OFFSETS = "Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d"


@layer
def grouped_mm(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None):
    """Multiply groups of rows by one matrix each.  Differentiable.

    ``offs`` [b] (int32) are the ends of the groups: of the rows of [n, k], which [b, k, m] multiplies; of the columns of
    [k, m], multiplied by [b, n, k]; or of the inner dimension of [n, k] and [k, m], with the result [b, n, m]. Without
    it, [b, n, k] and [b, k, m] are multiplied in pairs. What lies after the last group is zero. Rows or columns of
    both factors are contiguous and begin at multiples of 16 bytes, as rows of the result do. Raise RuntimeError for
    other shapes and strides, for dtypes other than float32, float16 and bfloat16, and for a ``bias``.

    >>> import tensh as torch
    >>> rows, experts = torch.ones(4, 4), torch.tensor([1.0, 5.0]).repeat_interleave(16).view(2, 4, 4)
    >>> torch.nn.functional.grouped_mm(rows, experts, offs=torch.tensor([1, 4], dtype=torch.int32))[:, 0]
    tensor([ 4., 20., 20., 20.])
    """
    for name, each in (("mat_a", mat_a), ("mat_b", mat_b)):
        if each.dtype not in (float32, float16, bfloat16):
            raise RuntimeError(f"Expected {name} to be Float32, BFloat16 or Float16 matrix, got {each.dtype.title}")
    for name, each in (("mat_a", mat_a), ("mat_b", mat_b)):
        if each.dim() not in (2, 3):
            raise RuntimeError(f"{name} has to be 2 or 3d")
    stacks = [each for each in (mat_a, mat_b) if each.dim() == 3]
    if stacks and mat_a.shape[-1] != mat_b.shape[-2]:
        raise RuntimeError("contraction dimension of mat_a and mat_b must match")
    for each in (mat_a, mat_b):
        check_lines(each.array)  # before the offsets, as in PyTorch; the kernel checks the factors of gradients, too
    if (offs is None) != (len(stacks) == 2):
        raise RuntimeError(NO_OFFSETS)
    if len(stacks) == 2 and mat_a.shape[0] != mat_b.shape[0]:
        raise RuntimeError("batched dimension has to match")
    if offs is not None:
        if offs.dim() != 1:
            raise RuntimeError("offs has to be 1D")
        if offs.dtype is not int32:
            raise RuntimeError("Offsets have to be int32")
        if stacks and stacks[0].shape[0] != offs.shape[0]:
            raise RuntimeError("matrix batch sizes have to match")
    if bias is not None:
        raise RuntimeError("Bias not supported yet")
    if out_dtype not in (None, mat_a.dtype):
        raise RuntimeError("Grouped gemm output dtype must match `mat_a` dtype")
    return grouped_product.fn(mat_a, mat_b, offs)
