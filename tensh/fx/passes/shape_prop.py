"""Shapes and dtypes of all values of a graph, found by running it on an example."""

import traceback
from typing import Any, NamedTuple

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import channels_last, channels_last_3d, contiguous_format, memory_format, strided
from tensh.engine.dtypes.dtype import dtype
from tensh.engine.dtypes.size import Size
from tensh.fx.interpreter import Interpreter
from tensh.fx.node import map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]

ORDERS = {contiguous_format: None, channels_last: 4, channels_last_3d: 5}
"""Memory format -> the number of dimensions that it needs."""


class TensorMetadata(NamedTuple):
    """The metadata of a tensor, without its elements."""

    shape: Size
    dtype: dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: memory_format | None
    is_quantized: bool
    qparams: dict[str, Any]


def _extract_tensor_metadata(result, include_contiguity=True):
    """Return the ``TensorMetadata`` of a tensor."""
    dense, order = result.layout is strided, None
    if include_contiguity and dense:
        fitting = [each for each, dims in ORDERS.items() if dims in (None, result.dim())]
        order = next((each for each in fitting if result.is_contiguous(memory_format=each)), None)
    stride = result.stride() if dense else ()
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, stride, order, False, {})


class ShapeProp(Interpreter):
    """Runs a graph on example inputs and stores results in ``meta["tensor_meta"]`` and ``meta["type"]`` of the nodes.

    Raise RuntimeError if a node fails.

    >>> import tensh as torch
    >>> from tensh.fx.passes.shape_prop import ShapeProp
    >>> gm = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(4, 2)))
    >>> _ = ShapeProp(gm).propagate(torch.ones(3, 4))
    >>> [(node.name, tuple(node.meta["tensor_meta"].shape)) for node in gm.graph.nodes]
    [('input_1', (3, 4)), ('_0', (3, 2)), ('output', (3, 2))]
    """

    def run_node(self, n):
        """Run a node, and store the shape of its value."""
        try:
            result = super().run_node(n)
        except Exception as error:
            traceback.print_exc()
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from error
        tensors = []

        def extract(value):
            if not isinstance(value, Tensor):
                return value
            tensors.append(value)
            return _extract_tensor_metadata(value)

        known = map_aggregate(result, extract)
        if tensors:
            n.meta["tensor_meta"] = known
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args):
        """Run the graph on ``args`` and return its output."""
        return self.run(*args)
