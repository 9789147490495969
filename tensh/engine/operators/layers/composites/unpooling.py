"""The inverse of max pooling: the elements at their positions, zeros elsewhere."""

from tensh.engine.arguments.checks import ntuple
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.dtypes.dtype import int64
from tensh.engine.methods.settings import alert
from tensh.engine.operators.forms import require
from tensh.engine.operators.layers.composites.registry import layer, rename, shapes
from tensh.engine.operators.layers.composites.windows import integers
from tensh.engine.operators.layers.pooling import MAX_UNPOOL


def size_before_pooling(input, kernel, stride, padding, output_size):
    """Return the size before pooling; check a given one.

    As in PyTorch, settings are checked only when used in arithmetic.
    """
    dims, shape = len(kernel), input.shape
    usual = [(shape[d - dims] - 1) * stride[d] + kernel[d] - 2 * padding[d] for d in range(dims)]
    if output_size is None:
        return require_sizes(usual)
    sizes = output_size[2:] if len(output_size) == dims + 2 else output_size
    if len(sizes) != dims:
        raise ValueError(
            f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of "
            f"'{len(output_size)}'"
        )
    for d in range(dims):
        low, high = usual[d] - stride[d], usual[d] + stride[d]
        if not low < sizes[d] < high:
            raise ValueError(f'invalid output_size "{sizes}" (dim {d} must be between {low} and {high})')
    return require_sizes(sizes)


def require_sizes(sizes):
    """Return ``sizes``; raise ValueError for a negative one."""
    for dim, size in enumerate(sizes):
        if size < 0:
            raise ValueError(
                f"max_unpooling: output_size must contain non-negative spatial dimensions, but got output_size[{dim}]={size}"
            )
    return sizes


def max_unpool(name, dims, input, indices, sizes):
    """Apply the operator after PyTorch's checks."""
    array, places = require(input, name, "input", 1).array, require(indices, name, "indices", 2).array
    sizes = integers(sizes, name, "output_size", 3)
    shape = array.shape
    alert(f"max_unpooling{dims}d_forward_out")
    if indices.dtype is not int64:
        found = f" but got: {indices.dtype.title}" if dims < 3 else ""
        raise RuntimeError(f"elements in indices should be type int64{found}")
    if len(sizes) != dims:
        raise RuntimeError(f"There should be exactly {ELEMENTS[dims]} in output_size, but got {len(sizes)} elements.")
    if len(shape) not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Input to max_unpooling{dims}d should be a {dims + 1}d or {dims + 2}d Tensor, but got a tensor with {len(shape)} "
            "dimensions."
        )
    if places.shape != shape:
        raise RuntimeError(
            f"Expected shape of indices to be same as that of the input tensor ({list(shape)}) but got indices tensor with "
            f"shape: {list(places.shape)}"
        )
    for dim in range(len(shape) - dims - 1, len(shape)):
        if shape[dim] == 0 and (dim or len(shape) == dims + 1):
            raise RuntimeError(
                f"max_unpooling{dims}d_forward_out_cpu(): Expected input to have non-zero size for non-batch dimensions, but "
                f"got {list(shape)} with dimension {dim} being empty."
            )
    return MAX_UNPOOL[dims].fn(input, indices, (*shape[:-dims], *sizes), dims)


ELEMENTS = {2: "two elements (height, width)", 3: "three elements (depth, height, width)"}


def declare(dims):
    """Make ``max_unpool1d`` and the like public."""
    name = f"max_unpool{dims}d"

    def function(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        kernel, margins = ntuple(kernel_size, dims), ntuple(padding, dims)
        steps = kernel if stride is None else ntuple(stride, dims)
        sizes = size_before_pooling(input, kernel, steps, margins, output_size)
        if dims > 1:
            return max_unpool(name, dims, input, indices, sizes)
        if output_size is not None and not isinstance(output_size, list | tuple):
            raise TypeError(f"unsupported operand type(s) for +: '{type_name(output_size)}' and 'tuple'")
        return max_unpool("max_unpool2d", 2, input.unsqueeze(-1), indices.unsqueeze(-1), (*sizes, 1)).squeeze(-1)

    doc = f"""The elements of ``input`` at the positions that ``max_pool{dims}d(return_indices=True)`` returned, zeros elsewhere.

    {shapes(dims)} Raise RuntimeError or ValueError for other shapes.

    ``output_size`` chooses among the sizes that a pooling maps to the size of the input.  Differentiable.
    """
    layer(rename(function, name, doc))


declare(1), declare(2), declare(3)
