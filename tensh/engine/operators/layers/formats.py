"""The memory format of layers' results: channels innermost if an operand's are, row-major otherwise."""

import functools

from tensh.engine.arrays.memory import channels_innermost, copy_in_order, is_row_major


def row_major(kernel):
    """Make a kernel return row-major results, whatever the input's memory format."""

    @functools.wraps(kernel)
    def function(input, *args, **options):
        results = kernel(input, *args, **options)
        if input.flags.c_contiguous:
            return results
        return tuple(map(ascontiguous, results)) if isinstance(results, tuple) else ascontiguous(results)

    return function


def ascontiguous(array):
    return copy_in_order(array, tuple(range(array.ndim)))


def keeping_format(kernel=None, *, operands=slice(1), unless=None):
    """Make a kernel return results in the memory format of some of its operands, if they have as many dimensions.

    Where ``unless`` is true of the input, they are row-major.
    """
    if kernel is None:
        return functools.partial(keeping_format, operands=operands, unless=unless)

    @functools.wraps(kernel)
    def function(*args, **options):
        results = kernel(*args, **options)
        arrays = args[operands]
        if all([is_row_major(array) for array in arrays]):
            return results
        ndim = arrays[0].ndim
        kept = unless is None or not unless(arrays[0])
        innermost = kept and any(channels_innermost(array) for array in arrays)
        if not innermost and all([array.flags.c_contiguous for array in arrays]):
            return results
        order = (0, *range(2, ndim), 1) if innermost else tuple(range(ndim))
        if not isinstance(results, tuple):
            return copy_in_order(results, order)
        return tuple(copy_in_order(each, order) if each.ndim == ndim else each for each in results)

    return function
