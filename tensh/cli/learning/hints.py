"""Hints: how an answer differs from the truth, without revealing it."""

import math
import re

import numpy as np

from tensh.support.language import _

# ── shapes ───────────────────────────────────────────────────────────────────


def hint_at_shape(answered, true):
    """Describe how a shape differs from the true one."""
    if len(answered) == 1 and not true and answered == (1,):
        return _("[1] is a list of one number; a single number has no dimensions")
    if not true and answered == (0,):
        return _("[0] is an empty list; a single number has no dimensions")
    if len(answered) == 1 and len(true) > 1 and answered[0] == math.prod(true):
        return _("that is how many elements there are; how are they arranged?")
    if len(answered) == 1 and len(true) > 1 and answered[0] == len(true):
        return ask_for_sizes()
    if answered == true[::-1] and len(true) > 1:
        return _("transposed: the sizes are in reverse order")
    if sorted(answered) == sorted(true):
        return _("the right sizes, in another order")
    if len(answered) == len(true):
        return hint_at_sizes(answered, true)
    return hint_at_dimensions(answered, true)


def ask_for_sizes():
    return _("that is how many dimensions there are; how large is each?")


def hint_at_sizes(answered, true):
    """Describe differing sizes in shapes with equally many dimensions."""
    wrong = [place for place in range(len(true)) if answered[place] != true[place]]
    first = wrong[0]
    place = _("dimension {number}").format(number=first)
    if answered[first] == 1:
        return _("{place} is larger than 1: is something stretched there?").format(place=place)
    if true[first] == 1:
        return _("{place}: one dimension is kept with size 1").format(place=place)
    if abs(answered[first] - true[first]) == 1:
        return _("{place}: off by one").format(place=place)
    if len(true) == 1:
        return _("{place} has another size").format(place=place)
    if len(wrong) == 1:
        return _("{place} has another size; the others are right").format(place=place)
    if math.prod(answered) == math.prod(true):
        return _("the right number of elements, arranged in another way")
    return _("the right number of dimensions, but other sizes")


def hint_at_dimensions(answered, true):
    """Describe a wrong number of dimensions."""
    difference = len(answered) - len(true)
    if [size for size in answered if size != 1] == [size for size in true if size != 1]:
        if difference > 0:
            return _("dimensions of size 1 are gone")
        return _("there are dimensions of size 1, too")
    if difference == 1:
        return _("one dimension too many: which one disappears?")
    if difference == -1:
        return _("one dimension too few: which one is still there?")
    return _("too many dimensions") if difference > 0 else _("too few dimensions")


# ── dtypes ───────────────────────────────────────────────────────────────────


def family(dtype):
    """Return the kind of a dtype's numbers, and its number of bits."""
    name, bits = re.match(r"([a-z]*)(\d*)", dtype).groups()
    return name, int(bits or 8)


def hint_at_dtype(answered, true):
    """Describe how a dtype differs from the true one."""
    (kind, bits), (true_kind, true_bits) = family(answered), family(true)
    if kind == true_kind or {kind, true_kind} == {"float", "bfloat"}:
        if bits == true_bits:
            return _("the right number of bits, divided in another way")
        if kind == "float":
            return _("floating point, but of another width: what does Python's number become here?")
        return _("the right kind of number, with another number of bits")
    if true == "bool":
        return _("the answer to each comparison is yes or no")
    if true_kind == "complex":
        return _("it has an imaginary part")
    if true_kind in ("float", "bfloat"):
        return _("it has decimal places")
    if kind == "bool":
        return _("it counts: more than yes or no")
    if kind in ("float", "bfloat", "complex"):
        return _("these are whole numbers")
    return _("another kind of whole number: can it be negative?")


# ── values ───────────────────────────────────────────────────────────────────


def hint_at_value(answered, true, is_close):
    """Describe how an array of numbers differs from the true one."""
    if answered.shape != true.shape:
        return hint_at_arrangement(answered, true, is_close)
    if answered.dtype == bool and true.dtype == bool:
        return _("the other way round") if true.ndim == 0 else hint_at_elements(answered, true, is_close)
    if answered.dtype == bool or true.dtype == bool and true.ndim == 0:
        return _("the answer is yes or no") if true.dtype == bool else _("the answer is a number")
    if np.all(is_close(-answered, true)):
        return _("check the sign")
    if true.ndim == 2 and true.shape[0] == true.shape[1] and np.all(is_close(answered.T, true)):
        return _("transposed: rows are columns")
    if true.ndim == 1 and true.size > 1 and np.all(is_close(answered[::-1], true)):
        return _("the right numbers, in the reverse order")
    return hint_at_factor(answered, true) or hint_at_elements(answered, true, is_close)


def hint_at_arrangement(answered, true, is_close):
    """Describe a value with another shape."""
    if answered.size == true.size == 1 and np.all(is_close(answered.ravel(), true.ravel())):
        if true.ndim:
            return _("the right number, but in a list: how many brackets?")
        return _("the right number, but a single one has no brackets")
    if answered.T.shape == true.shape and np.all(is_close(answered.T, true)):
        return _("transposed: rows are columns")
    if answered.size == true.size and np.all(is_close(answered.ravel(), true.ravel())):
        return _("the right numbers, in another shape")
    if true.ndim and answered.size == 1:
        return _("the result has more than one number")
    if not true.ndim:
        return _("the result is a single number")
    if true.shape == (1,):
        return _("the result is a list of one number")
    if answered.ndim == true.ndim == 1:
        return _("{count} numbers were expected").format(count=true.size)
    differ = hint_at_sizes if answered.ndim == true.ndim else hint_at_dimensions
    return _("the shape is {shape}: {hint}").format(shape=list(true.shape), hint=differ(answered.shape, true.shape))


def hint_at_factor(answered, true):
    """Describe numbers that are all off by the same factor or difference; "" for others."""
    if not (np.all(np.isfinite(answered)) and np.all(np.isfinite(true))) or not true.size:
        return ""
    answered, true = answered.ravel().astype(complex), true.ravel().astype(complex)
    if np.all(true == 0):
        return _("the result is 0") if true.size == 1 else ""
    if np.all(answered == 0):
        return _("it is not 0")
    is_there = true != 0
    if np.array_equal(answered != 0, is_there):
        factors = answered[is_there] / true[is_there]
        factor = factors[0]
        is_constant = np.allclose(factors, factor, rtol=1e-3) and abs(factor.imag) < 1e-9
        for count in (2, 3, 4, 5, 6, 8, 10, 100):
            if is_constant and math.isclose(abs(factor.real), count, rel_tol=5e-3):
                return _("off by a factor: {count} times too large").format(count=count)
            if is_constant and math.isclose(abs(factor.real) * count, 1, rel_tol=5e-3):
                return _("off by a factor: {count} times too small").format(count=count)
    differences = answered - true
    if np.allclose(np.abs(differences), 1):
        return _("off by one")
    if true.size == 1 and abs(differences[0]) < 0.15 * abs(true[0]):
        return _("close: add a digit, or calculate exactly")
    if true.size == 1 and math.isclose(abs(answered[0] * true[0]), 1, rel_tol=5e-3):
        return _("upside down: it is one over that")
    return ""


def hint_at_elements(answered, true, is_close):
    """Describe which elements are wrong."""
    right = np.asarray(is_close(answered, true))
    if right.size > 1 and 0 < right.sum() < right.size:
        return _("{right} of {all} are right").format(right=int(right.sum()), all=right.size)
    if true.ndim == 0 and np.isrealobj(answered) and np.isrealobj(true) and true.dtype != bool:
        return _("too large") if answered > true else _("too small")
    return _("not these numbers")
