"""Copies of large arrays whose elements change their order.

Note [Strips]
Where the memory of one array runs along another dimension than that of the other, either reading or writing jumps from
line to line of the cache.  In strips of some elements the lines of both stay in the cache until all of their elements
were used: a transposed copy of 4096 x 2048 float32 takes 9 ms in strips of 16, and 60 as a whole.
"""

from tensh.engine.arrays.threads import BLOCK, PARALLEL, run

WIDE = 512  # elements of a line from which the lines that it crosses do not stay in the cache by themselves
STRIP, NARROW = 64, 16  # elements; narrow where lines lie so that they take the same places in the cache
CROWDED = 1024  # they do if their distance in bytes is a multiple of this


def copy_into(out, array):
    """``out[...] = array`` for arrays of one shape."""
    if out.size <= BLOCK or out.ndim < 2 or out.flags.c_contiguous and array.flags.c_contiguous:
        out[...] = array
        return
    step, inner = abs(array.strides[-1]), min(map(abs, array.strides))
    if step == inner and out.size < PARALLEL:
        out[...] = array
        return
    if step > inner and out.shape[-1] > WIDE:
        width = NARROW if step % CROWDED == 0 else STRIP

        def part(i):
            return ..., slice(i * width, (i + 1) * width)

        blocks = -(-out.shape[-1] // width)
    else:
        rows = max(1, BLOCK * out.shape[0] // out.size)

        def part(i):
            return slice(i * rows, (i + 1) * rows)

        blocks = -(-out.shape[0] // rows)

    def work(i):
        place = part(i)
        out[place] = array[place]

    run(work, blocks)
