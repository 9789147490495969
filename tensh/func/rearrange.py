"""torch.func.rearrange: the dimensions of a tensor taken apart, reordered and put together, by a pattern of names."""

import re
from functools import lru_cache
from itertools import chain
from keyword import iskeyword
from math import prod

from tensh.engine import find_public
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn

ELLIPSIS = "…"
DOTS = "Expression may contain dots only inside ellipsis (...)"


class DimensionBindError(Exception):
    """A dimension that does not fit the pattern."""

    __module__ = "functorch.dim"


def rearrange(tensor, pattern, **axes_lengths):
    """Return the elements of ``tensor`` in the dimensions that ``pattern`` names.

    Left of its arrow a pattern has a name for each dimension, right of it the same names for those of the result.
    Several names in parentheses are one dimension, which is split on the left and merged on the right; all lengths but
    one must then be given.  ``...`` stands for any number of dimensions, ``1`` and ``()`` for one of a single element,
    which is added on the right and summed away on the left.  A sequence of tensors is stacked first.

    Differentiable; a view where strides allow it. Shapes: [*] to those of the pattern. Raise ValueError for a bad
    pattern, DimensionBindError where lengths do not fit.

    >>> import tensh as torch
    >>> images = torch.zeros(32, 30, 40, 3)
    >>> torch.func.rearrange(images, "b h w c -> b c h w").shape
    torch.Size([32, 3, 30, 40])
    >>> torch.func.rearrange(images, "b (h dh) (w dw) c -> b h w (c dh dw)", dh=2, dw=2).shape
    torch.Size([32, 15, 20, 12])
    """
    if not isinstance(tensor, Tensor):
        tensor = find_public("stack")(tensor)
    left, right = _sides(pattern, axes_lengths)
    _check(left, right, axes_lengths, tensor.ndim)
    lengths, places, summed = _take_apart(left, tensor.shape, axes_lengths)
    if len(lengths) != tensor.ndim:
        tensor = tensor.reshape(lengths)
    groups = [
        group
        for names in right.groups
        for group in ([[place] for place in places[ELLIPSIS]] if names == ELLIPSIS else [_join_places(names, places)])
    ]
    order = [*chain(*groups), *summed]
    if order != sorted(order):
        tensor = tensor.permute(order)
    shape = [prod([lengths[place] for place in group]) for group in groups]
    tensor = tensor.reshape(shape + [lengths[place] for place in summed])
    return tensor.sum(tuple(range(len(shape), tensor.ndim))) if summed else tensor


def _join_places(names, places):
    """Return the positions of all dimensions with these names."""
    return [place for name in names for place in places[name]]


def _take_apart(left, shape, axes_lengths):
    """Return (lengths of the dimensions that have names, name -> its places among them, places of those that have none)."""
    sizes, rest = iter(shape), len(shape) - len(left.groups) + 1
    lengths, places, summed = [], {}, []
    for group in left.groups:
        place = len(lengths)
        if group == ELLIPSIS:
            places[ELLIPSIS] = range(place, place + rest)
            lengths += [next(sizes) for _ in range(rest)]
        elif group:
            places |= {name: [place + i] for i, name in enumerate(group)}
            lengths += _lengths([axes_lengths.get(name) for name in group], next(sizes), place)
        else:
            summed.append(place)
            lengths.append(next(sizes))
    return lengths, places, summed


def _lengths(given, size, place):
    """The lengths of the dimensions that one of ``size`` is made of: those that are given, and at most one that is not."""
    pack = [f"d{place + i}" for i in range(len(given))]
    unknown = [name for name, length in zip(pack, given, strict=True) if length is None]
    known = prod([length for length in given if length is not None])
    if len(unknown) > 1:
        raise DimensionBindError(f"cannot infer the sizes of two dimensions at once {unknown[0]} and {unknown[1]}")
    if unknown and size % known:
        shown = tuple(["?" if length is None else length for length in given])
        raise DimensionBindError(f"inferred dimension does not evenly fit into larger dimension: {size} vs {shown}")
    if not unknown and size != known:
        shown = f"({', '.join(pack)}{',' * (len(pack) == 1)})"
        raise DimensionBindError(
            f"Dimension sizes to do not match ({size} != {known}) when matching dimension pack {shown}"
        )
    return [size // known if length is None else length for length in given]


# ── patterns ─────────────────────────────────────────────────────────────────
class Side:
    """One side of a pattern: ``groups`` are lists of names, and the ellipsis where it stands by itself."""

    def __init__(self, text):
        self.groups, self.names, self.numbered = [], set(), False
        if "." in text:
            if "..." not in text:
                raise ValueError(DOTS)
            if text.count("...") != 1 or text.count(".") != 3:
                raise ValueError(f"{DOTS}; only one ellipsis for tensor ")
            text = text.replace("...", ELLIPSIS)
        opened = None  # the group with an open parenthesis
        for word in re.findall(r"[()]|[^() ]+", text):
            if word == "(":
                if opened is not None:
                    raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
                opened = []
            elif word == ")":
                if opened is None:
                    raise ValueError("Brackets are not balanced")
                self.groups.append(opened)
                opened = None
            else:
                names = self._names(word)
                if opened is not None:
                    opened += names
                else:
                    self.groups.append(ELLIPSIS if word == ELLIPSIS else names)
        if opened is not None:
            raise ValueError(f"Imbalanced parentheses in expression: '{text}'")

    def _names(self, word):
        """Return the names that a word adds to its group: itself, or none if it is a 1."""
        if strange := [letter for letter in word if not (letter.isalnum() or letter in f"_{ELLIPSIS}")]:
            raise ValueError(f"Unknown character '{strange[0]}'")
        if word in self.names:
            raise ValueError(f"Indexing expression contains duplicate dimension '{word}'")
        if word.isdecimal():
            if int(word) < 1:
                raise ValueError(f"Anonymous axis should have positive length, not {int(word)}")
            self.numbered |= int(word) > 1
            return []
        if word != ELLIPSIS:
            _check_name(word)
        self.names.add(word)
        return [word]


def _check_name(name):
    if not name.isidentifier():
        raise ValueError(f"Invalid axis identifier: {name}\nnot a valid python identifier")
    if name[0] == "_" or name[-1] == "_":
        raise ValueError(f"Invalid axis identifier: {name}\naxis name should should not start or end with underscore")
    if iskeyword(name):
        warn(f"It is discouraged to use axes names that are keywords: {name}", RuntimeWarning)
    if name == "axis":
        warn("It is discouraged to use 'axis' as an axis name and will raise an error in future", FutureWarning)


def _sides(pattern, axes_lengths):
    """Return the expressions left and right of the arrow."""
    parts = pattern.split("->")
    if len(parts) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    if ELLIPSIS in axes_lengths:
        raise ValueError(f"'{ELLIPSIS}' is not an allowed axis identifier")
    return parse_pattern(pattern)


@lru_cache(256)
def parse_pattern(pattern):
    """Both sides of a pattern."""
    left, right = map(Side, pattern.split("->"))
    if ELLIPSIS in right.names and ELLIPSIS not in left.names:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if ELLIPSIS in left.names and ELLIPSIS not in left.groups:
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    return left, right


def _check(left, right, axes_lengths, ndim):
    """Raise unless both sides have the same names, the lengths are of names among them, and the number of dimensions fits."""
    for length in axes_lengths.values():
        if type(length) is not int:
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(length)}")
    if left.numbered or right.numbered:
        raise ValueError("rearrange only supports unnamed axes of size 1")
    if alone := left.names ^ right.names:
        raise ValueError(f"Identifiers only on one side of rearrange expression (should be on both): {alone}")
    if unknown := axes_lengths.keys() - left.names:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")
    count, more = len(left.groups), ELLIPSIS in left.names
    if more and count - 1 > ndim or not more and count != ndim:
        relation, count = ("less than or equal", count - 1) if more else ("equal", count)
        raise ValueError(
            f"Number of dimensions in pattern ({count}) must be {relation} to the number of dimensions in the tensor ({ndim})"
        )
