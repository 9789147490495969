"""Pooling to a given size, by even or random windows."""

from tensh.engine.arrays.memory import channels_innermost
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.core.lift import accept_batches
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.operators.forms import require
from tensh.engine.operators.layers.composites.pooling import require_row
from tensh.engine.operators.layers.composites.registry import LAYERS, last, layer, rename, shapes
from tensh.engine.operators.layers.composites.windows import integers, require_addressable, require_countable
from tensh.engine.operators.layers.max_pooling import even_windows, fractional_windows
from tensh.engine.operators.layers.pooling import ADAPTIVE_AVG_POOL, ADAPTIVE_MAX_POOL, FRACTIONAL_MAX_POOL, even_means
from tensh.engine.operators.random.composites.drawing import rand

WORDS = {2: "3D or 4D", 3: "4D or 5D"}


def describe(what, dims):
    """Return the docstring of an adaptive pooling."""
    return (
        f"{what} of ``output_size`` windows that cover the {last(dims)} evenly.  Differentiable.\n\n"
        f"A size of None is that of the input.  {shapes(dims)} Raise RuntimeError for other shapes."
    )


# ── to a given size ──────────────────────────────────────────────────────────
def read_output_size(name, input, output_size, dims):
    """Return the output's size per dimension; None keeps the input's."""
    shape = require(input, name, "input", 1).array.shape
    if dims == 1:
        sizes = integers(output_size, name, "output_size", 2)
        require_row(name, input)
        if len(sizes) != 1:
            raise RuntimeError(f"{name}() argument 'output_size' should contain one int (got {len(sizes)})")
        return sizes
    if isinstance(output_size, (tuple, list)):
        if len(shape) <= len(output_size):
            raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
        given = zip(shape[len(shape) - len(output_size) :], output_size)
        return integers([n if size is None else size for n, size in given], name, "output_size", 2)
    if not hasattr(output_size, "__index__") and not isinstance(output_size, str):
        raise TypeError(f"object of type '{type(output_size).__name__}' has no len()")
    return integers(output_size, name, "output_size", 2) * dims


def check_filled(name, shape, dims, first):
    """Raise if a dimension from ``first`` on, counted from the channels, is empty; the very first dimension may be."""
    for dim in range(max(1, len(shape) - dims - 1 + first), len(shape)):
        if shape[dim] == 0:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(shape)} with dimension {dim} being empty"
            )


def adaptive_avg(name, dims, input, sizes):
    shape = input.array.shape
    if len(sizes) != dims:
        raise RuntimeError(f"{name}: output_size must be {dims}")
    if min(sizes) < 0:
        first, *others = map(str, sizes)
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{first}, {','.join(others)}}}"
        )
    if set(sizes) != {1} and len(shape) not in (dims + 1, dims + 2):
        raise RuntimeError(f"{name}(): Expected {WORDS[dims]} tensor, but got {list(shape)}")
    if set(sizes) == {1}:  # a mean, for any number of dimensions
        mean = input.mean(tuple(range(-1, -dims - 1, -1)), keepdim=True)
        if len(shape) == dims + 2 and channels_innermost(input.array):
            return mean.as_strided_(mean.shape, (shape[1], 1, *[shape[1]] * dims))
        return mean
    check_filled(name, shape, dims, first=dims == 2)
    require_countable((*shape[:-dims], *sizes))
    require_addressable((*shape[:-dims], *sizes), input.array.itemsize)
    maps = tuple(None if n == size else even_means(n, size) for n, size in zip(shape[-dims:], sizes))
    return ADAPTIVE_AVG_POOL[dims].fn(input, maps)


def adaptive_max(name, dims, input, sizes):
    shape = input.array.shape
    if len(shape) not in (dims + 1, dims + 2):
        raise RuntimeError(f"{name}(): Expected {WORDS[dims]} tensor, but got: {list(shape)}")
    check_filled(name, shape, dims, first=0)
    if len(sizes) != dims:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {dims}")
    if min(sizes) < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(sizes)}: {[*shape[:-dims], *sizes]}")
    require_addressable((*shape[:-dims], *sizes), input.array.itemsize)
    return ADAPTIVE_MAX_POOL[dims].fn(input, even_windows(shape[-dims:], sizes), dims)


@layer(torch=True)
def adaptive_avg_pool1d(input, output_size):
    """The means of ``output_size`` windows that cover the last dimension evenly.  Differentiable.

    Shape: [N, C, L] to [N, C, output_size]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch.nn.functional.adaptive_avg_pool1d(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), 2)
    tensor([[1.5000, 3.5000]])
    """
    sizes = read_output_size("adaptive_avg_pool1d", input, output_size, 1)
    return adaptive_avg("adaptive_avg_pool2d", 2, input.unsqueeze(-2), (1, *sizes)).squeeze(-2)


def adaptive_max_row(input, output_size):
    """Return (values, indices) of one dimension."""
    sizes = read_output_size("adaptive_max_pool1d", input, output_size, 1)
    check_filled("adaptive_max_pool1d", input.array.shape, 1, first=0)
    values, indices = adaptive_max("adaptive_max_pool2d", 2, input.unsqueeze(-2), (1, *sizes))
    return values.squeeze(-2), indices.squeeze(-2)


def declare_adaptive(dims):
    """Make ``adaptive_max_pool1d``, ``adaptive_avg_pool2d`` and the like public."""
    mean, largest = f"adaptive_avg_pool{dims}d", f"adaptive_max_pool{dims}d"

    def means(input, output_size):
        return adaptive_avg(mean, dims, input, read_output_size(mean, input, output_size, dims))

    def pool_with_indices(input, output_size, return_indices=True):
        if dims == 1:
            return adaptive_max_row(input, output_size)
        return tuple(adaptive_max(largest, dims, input, read_output_size(largest, input, output_size, dims)))

    def both(input, output_size, return_indices=False):
        wanted = bool(return_indices)  # the flag is read first
        found = pool_with_indices(input, output_size)
        return found if wanted else found[0]

    if dims > 1:
        layer(rename(means, mean, describe("The means", dims)))
    doc = describe("The largest elements", dims)
    layer(rename(both, largest, doc))
    layer(rename(pool_with_indices, f"{largest}_with_indices", doc))


for _dims in (1, 2, 3):
    declare_adaptive(_dims)


def adaptive_max_pool1d(input, output_size):
    return adaptive_max_row(input, output_size)


adaptive_max_pool1d.__doc__ = LAYERS["adaptive_max_pool1d_with_indices"].__doc__
PUBLIC["adaptive_max_pool1d"] = adaptive_max_pool1d


# ── random windows ───────────────────────────────────────────────────────────
def fractional(dims, input, kernel_size, output_size, output_ratio, samples):
    """Return (values, indices) of windows at random positions."""
    name = f"fractional_max_pool{dims}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if output_size is None:
        if dims == 3 and not isinstance(output_ratio, (tuple, list)):  # as in PyTorch, not in two dimensions
            output_ratio = (output_ratio,) * dims
        if len(output_ratio) > dims:
            raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
        wrap_dim(-dims, input.dim(), scalar=False)
        output_size = [int(n * ratio) for n, ratio in zip(input.size()[-dims:], output_ratio)]
    shape = require(input, name, "input", 1).array.shape
    if len(shape) != dims + 1:
        wrap_dim(0, len(shape), scalar=False)
    wrap_dim(-dims - 1, len(shape), scalar=False)
    if samples is None:
        batch = 1 if len(shape) == dims + 1 else shape[0]
        samples = rand(batch, shape[-dims - 1], dims, dtype=input.dtype)
    kernel, sizes = (
        read_sizes(name, parameter, position, value, dims)
        for parameter, position, value in (("kernel_size", 2, kernel_size), ("output_size", 3, output_size))
    )
    check_fractional(dims, shape, kernel, sizes, samples)
    if dims == 3 and samples.dtype is not input.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    batch = shape[0] if len(shape) == dims + 2 else 1
    windows = fractional_windows(shape[-dims:], kernel, sizes, samples.array[:batch])
    return tuple(FRACTIONAL_MAX_POOL[dims].fn(input, windows, dims))


def read_sizes(name, parameter, position, value, dims):
    """Return one number per dimension."""
    values = integers(value, name, parameter, position)
    if len(values) != dims and isinstance(value, (tuple, list)):
        which = "three " if dims == 3 else ""
        raise RuntimeError(f"{name}: {parameter} must either be a single Int or tuple of {which}Ints")
    return values * dims if len(values) == 1 else values


def check_fractional(dims, shape, kernel, sizes, samples):
    """Raise PyTorch's errors for sizes and samples that do not fit the input."""
    name = "fractional_max_pool2d()" if dims == 2 else "fractional_max_pool3d_out()"
    if len(shape) > dims + 2:
        raise RuntimeError(f"{name}: Expected {dims + 1}D or {dims + 2}D tensor, but got: {list(shape)}")
    if 0 in shape[1:]:
        empty = shape.index(0, 1)
        raise RuntimeError(
            f"{name}: Expected input to have non-zero size for non-batch dimensions, but got{list(shape)} with dimension "
            f"{empty} being empty."
        )
    for axis, n, k, size in zip(("time", "height", "width")[-dims:], shape[-dims:], kernel, sizes):
        if size + k - (dims == 2) > n:  # in three dimensions PyTorch requires one element more
            raise RuntimeError(f"{name}: pool {axis} {k} too large relative to input {axis} {n}")
    given = samples.array.shape
    if len(given) != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {len(given)}")
    if given[0] < (shape[0] if len(shape) == dims + 2 else 1):
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if given[1] != shape[-dims - 1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if given[2] != dims:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {dims}; got {given[2]}.")


def declare_fractional(dims):
    """Make ``fractional_max_pool2d`` and ``fractional_max_pool3d`` public."""
    name = f"fractional_max_pool{dims}d"

    def pool_with_indices(
        input, kernel_size, output_size=None, output_ratio=None, return_indices=True, _random_samples=None
    ):  # fmt: skip
        return fractional(dims, input, kernel_size, output_size, output_ratio, _random_samples)

    def both(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        wanted = bool(return_indices)  # the flag is read first
        found = fractional(dims, input, kernel_size, output_size, output_ratio, _random_samples)
        return found if wanted else found[0]

    doc = f"""The largest elements of windows of ``kernel_size`` that start at random positions of the {last(dims)}.

    {shapes(dims)} Raise RuntimeError, IndexError or ValueError for others.

    There are ``output_size`` of them, or ``output_ratio`` times the input's size; ``return_indices`` also returns the
    positions of the elements.  Differentiable.
    """
    layer(accept_batches(rename(both, name, doc)))
    layer(accept_batches(rename(pool_with_indices, f"{name}_with_indices", doc)))


declare_fractional(2), declare_fractional(3)
