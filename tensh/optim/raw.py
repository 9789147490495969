"""Arrays with the methods of tensors, for updates that are not recorded.

Note [One rule, two readings]
The rule of an optimizer is written once, in the methods of tensors (``exp_avg.lerp_(grad, 1 - beta1)``).  With
``differentiable=True`` it runs on tensors, and is recorded.  Otherwise it runs on ``Raw`` arrays, which have the
methods that rules use and compute as PyTorch does: a Python number counts as one of the array's dtype, products and
quotients are formed from the left.  The averages of Adam take 10 µs for 2,000 elements, and 28 on tensors that record
nothing.

Rules are elementwise, so large parameters are updated in pieces, on several cores.  Temporary arrays are then small,
too, and cheap to allocate.
"""

import numpy as np

from tensh.engine.arrays.absent import is_absent
from tensh.engine.arrays.threads import PARALLEL_HEAVY, map_rows
from tensh.engine.operators.elementwise.arithmetic import add_scaled


class Raw:
    """An array with the methods of tensors; methods that end in ``_`` write and return it."""

    __slots__ = ("array",)

    def __init__(self, array):
        self.array = array

    # ── in place ─────────────────────────────────────────────────────────────
    def add_(self, other, alpha=1):
        if type(other) is Raw:
            other = other.array
            if alpha != 1:
                other = np.multiply(other, alpha)
        self.array += other
        return self

    def mul_(self, other):
        self.array *= other.array if type(other) is Raw else other
        return self

    def div_(self, other):
        self.array /= other.array if type(other) is Raw else other
        return self

    def sqrt_(self):
        np.sqrt(self.array, self.array)
        return self

    def copy_(self, other):
        self.array[...] = other.array
        return self

    def lerp_(self, end, weight):
        """Interpolate towards ``end`` by ``weight``, from the nearer end for accuracy."""
        way = np.subtract(end.array, self.array)
        if weight < 0.5:
            way *= weight
            self.array += way
        else:
            way *= 1 - weight
            np.subtract(end.array, way, self.array)
        return self

    def addcmul_(self, one, other, value=1):
        product = np.multiply(one.array, value)
        product *= other.array
        self.array += product
        return self

    def addcdiv_(self, one, other, value=1):
        quotient = np.multiply(one.array, value)
        quotient /= other.array
        self.array += quotient
        return self

    def clamp_(self, low, high):
        np.clip(self.array, low, high, self.array)
        return self

    def masked_fill_(self, mask, value):
        self.array[mask] = value
        return self

    # ── new arrays ───────────────────────────────────────────────────────────
    def add(self, other, alpha=1):
        if type(other) is not Raw:
            return Raw(np.add(self.array, other))
        if alpha == 1:
            return Raw(np.add(self.array, other.array))
        total = np.multiply(other.array, alpha)
        total += self.array
        return Raw(total)

    def sub(self, other):
        return Raw(np.subtract(self.array, other.array))

    def mul(self, other):
        return Raw(np.multiply(self.array, other.array if type(other) is Raw else other))

    def div(self, other):
        return Raw(np.divide(self.array, other.array if type(other) is Raw else other))

    def reciprocal(self):
        return Raw(np.reciprocal(self.array))

    def __rtruediv__(self, number):
        return self.reciprocal().mul(number)

    def neg(self):
        return Raw(np.negative(self.array))

    def abs(self):
        return Raw(np.abs(self.array))

    def sqrt(self):
        return Raw(np.sqrt(self.array))

    def sign(self):
        """-1, 0 or 1; 0 for nan."""
        return Raw(np.nan_to_num(np.sign(self.array), copy=False))

    def maximum(self, other):
        return Raw(np.maximum(self.array, other.array))

    def addcmul(self, one, other, value=1):
        return Raw(self.array.copy()).addcmul_(one, other, value)

    def masked_fill(self, mask, value):
        return Raw(self.array.copy()).masked_fill_(mask, value)

    def clone(self):
        return Raw(self.array.copy())

    def detach(self):
        return self

    # ── questions ────────────────────────────────────────────────────────────
    def gt(self, number):
        return self.array > number

    def lt(self, number):
        return self.array < number

    def eq(self, number):
        return self.array == number


def _round_result(name):
    compute = getattr(Raw, name)

    def method(self, *args, **options):
        result = compute(_wide(self), *map(_wide, args), **options)
        if type(result) is not Raw:
            return result
        if not name.endswith("_"):
            return RoundedRule(result.array.astype(self.array.dtype))
        self.array[...] = result.array
        return self

    return method


def _wide(value):
    return Raw(value.array.astype(np.float32)) if type(value) is RoundedRule else value


_add = _round_result("add")


class RoundedRule:
    """Run each method for float16 and bfloat16 in float32 and round its result, as PyTorch does."""

    __slots__ = ("array",)

    def __init__(self, array):
        self.array = array

    def add(self, other, alpha=1):
        """Return the sum with a multiple of ``other``, rounded as that of tensors is."""
        if type(other) is RoundedRule and alpha != 1:
            return RoundedRule(add_scaled(self.array, other.array, float(alpha)))
        return _add(self, other, alpha=alpha)

    def add_(self, other, alpha=1):
        return self.copy_(self.add(other, alpha))

    __rtruediv__ = Raw.__rtruediv__


for _name in [name for name, value in vars(Raw).items() if callable(value) and name not in vars(RoundedRule)]:
    setattr(RoundedRule, _name, _round_result(_name))


def update_in_pieces(update, arrays, names):
    """Call ``update`` with the arrays, which have one shape, as ``Raw``; piece by piece if they are large.

    The last of them are given by ``names``.
    """
    first = arrays[0]
    if is_absent(first):
        return
    kind = RoundedRule if first.dtype.itemsize == 2 else Raw
    if not first.ndim:  # NumPy's results from 0-d arrays are not arrays
        arrays = [array.reshape(1) for array in arrays]
    plain = len(arrays) - len(names)
    if first.size < PARALLEL_HEAVY:
        given = [kind(array) for array in arrays]
        update(*given[:plain], **dict(zip(names, given[plain:]))) if names else update(*given)
        return
    if all([array.flags.c_contiguous for array in arrays]):
        arrays = [array.reshape(-1) for array in arrays]
    length = len(arrays[0])

    def work(part):
        given = [kind(array[part]) for array in arrays]
        update(*given[:plain], **dict(zip(names, given[plain:])))

    map_rows(work, length, first.size // length)
