"""functorch.dim: dimensions as objects, by which tensors are indexed, summed and put in order.

>>> import tensh as torch
>>> from tensh.functorch.dim import dims
>>> i, j, k = dims(3)
>>> A, B = torch.ones(2, 3), torch.ones(3, 2)
>>> (A[i, k] * B[k, j]).sum(k).order(i, j)
tensor([[3., 3.],
        [3., 3.]])
"""

from tensh.engine import find_public
from tensh.func.rearrange import DimensionBindError
from tensh.functorch.dim.arranging import cat, expand, order, split, stack
from tensh.functorch.dim.dimensions import Dim, DimensionMismatchError, DimList
from tensh.functorch.dim.indexing import index
from tensh.functorch.dim.methods import add_methods  # noqa: F401  which has added them
from tensh.functorch.dim.naming import dimlists, dims
from tensh.functorch.dim.tensors import Named as _Tensor
from tensh.functorch.dim.tensors import Tensor
from tensh.utils._pytree import tree_flatten, tree_map, tree_unflatten

__all__ = [
    "Dim", "DimList", "DimensionBindError", "DimensionMismatchError", "Tensor", "_Tensor", "cat", "dimlists", "dims", "expand",
    "index", "order", "softmax", "split", "stack", "tree_flatten", "tree_map", "tree_unflatten",
]  # fmt: skip


def softmax(input, dim):
    """Return the softmax along a dimension, given by name or by number."""
    return find_public("softmax")(input, dim)
