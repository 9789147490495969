"""Program values without elements: dtypes, and shapes with names for dynamic sizes."""

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.size import Size


class SymbolicTensor:
    """The dtype of a value, and its shape with names for dynamic sizes."""

    def __init__(self, shape, dtype):
        sizes = tuple(shape)
        self.shape, self.dtype = Size(sizes) if all(isinstance(each, int) for each in sizes) else sizes, dtype

    def __repr__(self):
        return f"FakeTensor(..., size=({', '.join(map(str, self.shape))}{',' if len(self.shape) == 1 else ''}))"


def describe(node):
    """Describe a node's value without its elements."""
    value, names = node.meta.get("val"), node.meta.get("sizes")
    if isinstance(value, Tensor):
        return SymbolicTensor(names or value.shape, value.dtype)
    return names if names and isinstance(names, str) else value
