"""Copies of large arrays to another element order.

Note [Strips] If two arrays have different innermost dimensions, either reading or writing jumps from cache line to
cache line.  In strips of some elements the lines of both stay in the cache until all of their elements have been used:
a transposed copy of 4096 x 2048 float32 takes 9 ms in strips of 16, and 60 as a whole.
"""

from tensh.engine.arrays.threads import BLOCK, PARALLEL, run

WIDE = 512  # elements of a line from which the crossing cache lines do not stay in the cache
STRIP, NARROW = 64, 16  # elements; narrow for lines that are mapped to the same cache sets
# elements from which lines that are mapped to the same cache sets take up to four times as long as others
MANY = 1 << 14
# their distance, in bytes, is a multiple of the first; that many bytes from the first to the last fit
SETS, CACHE = 512, 1 << 15
NARROWEST = 8
CROWDED = 1024  # lines at a distance, in bytes, that is a multiple of this are


def copy_into(out, array):
    """``out[...] = array`` for arrays of one shape."""
    if out.size < MANY or out.ndim < 2 or out.flags.c_contiguous and array.flags.c_contiguous:
        out[...] = array
        return
    if not out.flags.c_contiguous:
        order = sorted(range(out.ndim), key=lambda d: -abs(out.strides[d]))
        out, array = out.transpose(order), array.transpose(order)
    step, inner = abs(array.strides[-1]), min(map(abs, array.strides))
    if out.size <= BLOCK:
        copy_block(out, array)
        return
    if step == inner and out.size < PARALLEL:
        out[...] = array
        return
    if step > inner and out.shape[-1] > WIDE:
        width = NARROW if step % CROWDED == 0 else STRIP

        def copy_strip(i):
            out[..., i * width : (i + 1) * width] = array[..., i * width : (i + 1) * width]

        run(copy_strip, -(-out.shape[-1] // width))
    else:
        rows = max(1, BLOCK * out.shape[0] // out.size)
        run(
            lambda i: copy_block(out[i * rows : (i + 1) * rows], array[i * rows : (i + 1) * rows]),
            -(-out.shape[0] // rows),
        )


def copy_block(out, array):
    """Copy some elements, in strips if their lines are mapped to the same cache sets."""
    step, width = abs(array.strides[-1]), out.shape[-1]
    if step % SETS == 0 and step > min(map(abs, array.strides)):
        width = max(NARROWEST, CACHE // step)
    for i in range(0, out.shape[-1], width):
        out[..., i : i + width] = array[..., i : i + width]
