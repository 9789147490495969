"""How the results of layers lie in memory: channels innermost where those of an operand do, and row-major otherwise."""

import functools

from tensh.engine.arrays.memory import channels_innermost, laid


def keeping_format(kernel=None, *, operands=1):
    """A kernel whose results of the input's number of dimensions lie as the first ``operands`` arrays do."""
    if kernel is None:
        return functools.partial(keeping_format, operands=operands)

    @functools.wraps(kernel)
    def function(*args, **options):
        results = kernel(*args, **options)
        arrays = args[:operands]
        if all([array.flags.c_contiguous for array in arrays]):
            return results
        ndim = arrays[0].ndim
        innermost = any(channels_innermost(array) for array in arrays)
        order = (0, *range(2, ndim), 1) if innermost else tuple(range(ndim))
        if not isinstance(results, tuple):
            return laid(results, order)
        return tuple(laid(each, order) if each.ndim == ndim else each for each in results)

    return function
