"""The memory format of results of layers: channels innermost where those of an operand are, else row-major."""

import functools

from tensh.engine.arrays.memory import channels_innermost, copy_in_order


def row_major(kernel):
    """A kernel whose results lie row-major, however its input does."""

    @functools.wraps(kernel)
    def function(input, *args, **options):
        results = kernel(input, *args, **options)
        if input.flags.c_contiguous:
            return results
        return tuple(map(ascontiguous, results)) if isinstance(results, tuple) else ascontiguous(results)

    return function


def ascontiguous(array):
    return copy_in_order(array, tuple(range(array.ndim)))


def keeping_format(kernel=None, *, operands=1, unless=None):
    """A kernel whose results of the input's number of dimensions lie as the first ``operands`` arrays do.

    They are row-major where ``unless`` is true of the input.
    """
    if kernel is None:
        return functools.partial(keeping_format, operands=operands, unless=unless)

    @functools.wraps(kernel)
    def function(*args, **options):
        results = kernel(*args, **options)
        arrays = args[:operands]
        if all([array.flags.c_contiguous for array in arrays]):
            return results
        ndim = arrays[0].ndim
        kept = unless is None or not unless(arrays[0])
        innermost = kept and any(channels_innermost(array) for array in arrays)
        order = (0, *range(2, ndim), 1) if innermost else tuple(range(ndim))
        if not isinstance(results, tuple):
            return copy_in_order(results, order)
        return tuple(copy_in_order(each, order) if each.ndim == ndim else each for each in results)

    return function
