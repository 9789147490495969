"""Conversion between float16 and float32 by integer arithmetic on bits, and sums and products of float16.

NumPy converts numbers one after the other: a million take 1.4 ms to float32 and 2.7 ms back, here 0.3 and 1.2 ms, with
the same bits.
"""

import numpy as np

F2, F4 = np.dtype(np.float16), np.dtype(np.float32)
I2, I4, U2 = np.dtype(np.int16), np.dtype(np.int32), np.dtype(np.uint16)
MANY = 1 << 12  # elements from which this is faster
BLOCK = 1 << 15  # elements
# float32 computes these exactly enough: rounded once more
ARITHMETIC = frozenset((np.add, np.subtract, np.multiply, np.divide))

# ── to float32 ───────────────────────────────────────────────────────────────
SHIFT = np.int32(13)  # a float32 has this many more bits in the fraction
SIGN_AND_NUMBER = np.array(0x8FFFE000, np.uint32).view(I4)
REBIAS = np.float32(2.0**112)  # the difference of the exponents' biases
TOO_LARGE = 65536.0


def widen_block(x, out):
    """Write float16 numbers as float32: shifted bits have another bias, which a product corrects.

    inf and nan become numbers that no float16 holds.
    """
    bits = out.view(I4)
    bits[...] = x.view(I2)
    np.left_shift(bits, SHIFT, bits)
    np.bitwise_and(bits, SIGN_AND_NUMBER, bits)
    np.multiply(out, REBIAS, out)
    if max(np.maximum.reduce(out), -np.minimum.reduce(out)) >= TOO_LARGE:
        out[...] = x


# ── from float32 ─────────────────────────────────────────────────────────────
CLIP = getattr(getattr(np, "_core", None), "umath", np).clip  # the ufunc: np.clip takes 1 us to call it
SIZE = np.array(0x7FFFFFFF, I4)
EXPONENT = np.array(23, I4)  # where a float32's exponent begins
LEAST, MOST = np.array(113, I4), np.array(142, I4)  # the exponents of the smallest and the largest normal float16
TWICE = np.array(1 << 23 | 1 << 10, I4)  # writes an exponent where float32 has it, and where float16 does
UP = np.array((13 << 23) - (113 << 10), I4)
SIGN, HALF = np.array(0x8000, U2), np.array(16, I4)
OVERFLOW = 0x477FF000  # the bits of the smallest float32 that rounds to infinity, 65520


def narrow_block(x, out, size, unit):
    """Write float32 numbers as float16, rounded to even; ``size`` and ``unit`` are rooms of int32.

    Adding 2**13 times the number's power of two leaves the digits of a float16 in the last bits of the sum, subnormal ones
    included.  The exponent of the float16 is added with it: it lies among the bits of the power that are zero.
    """
    np.bitwise_and(x.view(I4), SIZE, size)
    if np.maximum.reduce(size) >= OVERFLOW:
        out[...] = x
        return
    np.right_shift(size, EXPONENT, unit)
    CLIP(unit, LEAST, MOST, unit)  # a third of the time of ``maximum``
    np.multiply(unit, TWICE, unit)
    np.add(unit, UP, unit)
    total = size.view(F4)
    np.add(total, unit.view(F4), total)
    bits, signs = out.view(U2), unit.view(U2)[: x.size]
    bits[...] = size
    np.right_shift(x.view(I4), HALF, size)  # reading every second half of x takes longer
    signs[...] = size
    np.bitwise_and(signs, SIGN, signs)
    np.bitwise_or(bits, signs, bits)


# ── numbers ──────────────────────────────────────────────────────────────────
class HalfNumber(np.ndarray):
    """A 0-d array of a 16 bit dtype with its number in float32, ``exact``, which products and quotients use.

    PyTorch rounds a number beside a tensor of float16 or bfloat16 to that dtype, except where it multiplies or divides.
    """

    exact = None

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        first = inputs[0] is self
        array = inputs[-1] if first else inputs[0]
        if type(array) is np.ndarray and array.dtype is self.dtype and ufunc in EXACT and method == "__call__":
            wide = convert(array, F4)
            result = convert(ufunc(self.exact, wide, wide) if first else ufunc(wide, self.exact, wide), self.dtype)
            if out is None:
                return result
            out[0][...] = result
            return out[0]
        if any([isinstance(each, np.ndarray) and type(each) not in (np.ndarray, HalfNumber) for each in inputs]):
            return NotImplemented
        plain = [each.view(np.ndarray) if type(each) is HalfNumber else each for each in inputs]
        return getattr(ufunc, method)(*plain, **options, **({} if out is None else {"out": out}))


EXACT = frozenset((np.multiply, np.true_divide))


def make_half_number(number, dtype):
    """Return the 0-d array of a number in a 16 bit dtype, as an operand of products and quotients."""
    exact = np.array(number, F4)
    made = exact.astype(dtype).view(HalfNumber)
    made.exact = exact
    if not (isinstance(number, np.ndarray) and number.flags.writeable):  # read-only marks numbers
        made.flags.writeable = exact.flags.writeable = False
    return made


# ── arrays ───────────────────────────────────────────────────────────────────
def convert(array, dtype):
    """``array.astype(dtype)``, in a fraction of the time for many float16 or float32 numbers that become the other."""
    quick = array.dtype is F4 and dtype is F2 or array.dtype is F2 and dtype is F4
    if not quick or array.size < MANY or 0 in array.strides:  # expanded numbers have no order in memory
        return array.astype(dtype, "C" if 0 in array.strides else "K")
    if not array.flags.c_contiguous:
        if array.flags.f_contiguous:
            return convert(array.T, dtype).T
        if not is_in_rows(array):
            return array.astype(dtype, "K")
        array = np.ascontiguousarray(array)
    out = np.empty(array.shape, dtype)
    source, target = array.reshape(-1), out.reshape(-1)
    rooms = make_rooms(array.size)
    for start in range(0, array.size, BLOCK):
        place = slice(start, start + BLOCK)
        if dtype is F4:
            widen_block(source[place], target[place])
        else:
            narrow_block(source[place], target[place], *[room[: array.size - start] for room in rooms])
    return out


def is_in_rows(array):
    """Return True for elements of which the last dimension is the nearest in memory, the first the farthest."""
    steps = [abs(step) for step, n in zip(array.strides, array.shape, strict=True) if n != 1]
    return steps == sorted(steps, reverse=True)


def make_rooms(size):
    return [np.empty(min(size, BLOCK), I4) for _ in range(2)]


def fits(kernel, arrays, into):
    """Return True if ``compute`` knows the function and the arrays."""
    first = arrays[0]
    dtype = first.dtype
    if kernel not in ARITHMETIC or into is not None or dtype.itemsize != 2 or dtype.kind not in "fV":
        return False
    if any([a.dtype is not dtype for a in arrays]):
        return False
    return dtype is F2 or are_aligned(arrays, first.shape)


def are_aligned(arrays, shape):
    """Return True for arrays that are numbers, or rows of this shape."""
    return all([not a.ndim or a.shape == shape and a.flags.c_contiguous for a in arrays])


def compute(kernel, one, two):
    """Return a sum or product of float16 or bfloat16 numbers: computed in float32 and rounded, as NumPy and ``ml_dtypes`` do.

    A million sums take 0.6 of their time, and a tenth where float16 numbers are broadcast.
    """
    if not are_aligned((one, two), one.shape):
        return convert(kernel(convert(one, F4), convert(two, F4)), one.dtype)
    out = np.empty(one.shape, one.dtype)
    widen, narrow = (widen_block, narrow_block) if one.dtype is F2 else (copy_block, copy_block)
    rows, target = [a.reshape(-1) if a.ndim else a.astype(F4) for a in (one, two)], out.reshape(-1)
    rooms, wide = make_rooms(out.size), [np.empty(min(out.size, BLOCK), F4) for _ in rows]
    for start in range(0, out.size, BLOCK):
        place, length = slice(start, start + BLOCK), out.size - start
        given = []
        for row, room in zip(rows, wide, strict=True):
            if row.ndim:
                widen(row[place], room := room[:length])
                row = room
            given.append(row)
        room = wide[0][:length]
        kernel(*given, room)
        narrow(room, target[place], *[each[:length] for each in rooms])
    return out


def compute_many(kernel, one, two):
    """Return a sum or product by ``compute`` where that knows the arrays and takes less time, or else by NumPy."""
    many = max(one.size, two.size) >= MANY and fits(kernel, (one, two), None)
    return compute(kernel, one, two) if many else kernel(one, two)


def copy_block(x, out, *rooms):
    out[...] = x
