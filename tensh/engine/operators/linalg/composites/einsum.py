"""Einstein summation: products of tensors with named dimensions, summed over some of them.

All operands are permuted to one common order of letters, those of the output first, with size 1 where a letter is
absent.  Then they are multiplied two by two, each time as one product of stacks of matrices.
"""

import math
from functools import lru_cache

from tensh.engine.arguments.signatures import type_name
from tensh.engine.codegen.composites import composite
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import armed
from tensh.engine.operators.shapes.composites.reshaping import reshape_to
from tensh.engine.operators.shapes.views import permute, unsqueeze

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ELLIPSIS = "."
KEPT = 256  # equations: to read one takes as long as to multiply small matrices


@composite(method=False)
def einsum(equation, *operands):
    """The sum of products of the operands' elements by the equation: ``"ij,jk->ik"`` is a matrix product.

    Without ``->`` the output has the letters that occur once, in alphabetical order.  ``...`` stands for dimensions
    that broadcast.  The letters may also be given as lists of numbers, one after each operand.  Differentiable.
    Shapes: [*], as the letters say. Raise RuntimeError where letter and size do not fit.

    >>> import tensh as torch
    >>> torch.einsum("ii->i", torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    if isinstance(equation, Tensor) and operands:
        equation, operands = from_lists((equation, *operands))
    if not operands or isinstance(operands[0], (list, tuple)) and not operands[0]:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type_name(equation)}")
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    for number, t in enumerate(operands):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {number} in argument 1, but got {type_name(t)}")
    inputs, output = parse_equation(equation)
    check_count(len(operands), len(inputs))
    dots = max([t.array.ndim - len(labels) + 1 for labels, t in zip(inputs, operands) if ELLIPSIS in labels], default=0)
    for number, (labels, t) in enumerate(zip(inputs, operands)):
        check_labels(labels, t, number)
    places, free = layout(inputs, output, dots)
    aligned = [align(labels, t, places, dots, number) for number, (labels, t) in enumerate(zip(inputs, operands))]
    check_sizes(aligned, inputs, places)
    return contract(aligned, free)


# ── views that modes see ─────────────────────────────────────────────────────
# Once somebody overrides functions these are public ones.
def unsqueeze_seen(t, dim):
    return t.unsqueeze(dim) if armed.now else unsqueeze.fn(t, dim)


def permute_seen(t, dims):
    return t.permute(dims) if armed.now else permute.fn(t, dims)


def reshape_seen(t, shape):
    return t.reshape(shape) if armed.now else reshape_to(t, shape)


# ── reading the equation ─────────────────────────────────────────────────────
def from_lists(arguments):
    """Return the equation and operands of ``einsum(t, [0, 1], …, [output])``."""
    operands, lists = arguments[0::2], arguments[1::2]
    output = None
    if len(arguments) % 2:
        *operands, output = operands
    text = ",".join(map(spell_dims, lists))
    return text if output is None else f"{text}->{spell_dims(output)}", operands


def spell_dims(numbers):
    if any(n is not Ellipsis and not 0 <= n < len(LETTERS) for n in numbers):
        raise ValueError(f"einsum(): subscript in subscript list is not within the valid range [0, {len(LETTERS)})")
    return "".join("..." if n is Ellipsis else LETTERS[n] for n in numbers)


@lru_cache(KEPT)
def parse_equation(equation):
    """Return (the letters of each operand, letters of the output or None), with one dot for an ellipsis."""
    left, arrow, right = equation.partition("->")
    inputs, position = [], 0
    for number, part in enumerate(left.split(",")):
        inputs.append(letters(part, position, f"for operand {number}"))
        position += len(part) + 1
    output = letters(right, position + 1, "in the output") if arrow else None
    return tuple(inputs), output


def letters(part, position, where):
    found, i = "", 0
    while i < len(part):
        c = part[i]
        if c == ".":
            if ELLIPSIS in found:
                raise RuntimeError(f"einsum(): found '.' {where} for which an ellipsis was already found")
            if part[i : i + 3] != "...":
                raise RuntimeError(f"einsum(): found '.' {where} that is not part of any ellipsis")
            i += 2
        elif c == " ":
            i += 1
            continue
        elif c not in LETTERS:
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {position + i} in the equation string, subscripts must be "
                "in [a-zA-Z]"
            )
        found += c
        i += 1
    return found


# ── checks ───────────────────────────────────────────────────────────────────
def check_count(given, wanted):
    if given == 0:
        raise RuntimeError("einsum(): must provide at least one operand")
    if given != wanted:
        raise RuntimeError(
            f"einsum(): {'fewer' if given < wanted else 'more'} operands were provided than specified in the equation"
        )


def check_labels(labels, t, number):
    ndim = t.array.ndim
    named = len(labels.replace(ELLIPSIS, ""))
    if ELLIPSIS in labels:
        if named > ndim:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) is more than the number of dimensions "
                f"({ndim}) for operand {number}"
            )
    elif named != ndim:
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({named}) does not match the number of dimensions "
            f"({ndim}) for operand {number} and no ellipsis was given"
        )


def check_sizes(aligned, inputs, places):
    """Raise unless every letter has one size (or 1) in all operands."""
    names = {place: name for name, place in places.items()}
    for dim in range(aligned[0].array.ndim):
        size = 1
        for number, t in enumerate(aligned):
            n = t.array.shape[dim]
            if n != 1 and size != 1 and n != size:
                raise RuntimeError(
                    f"einsum(): subscript {names.get(dim, '...')} has size {n} for operand {number} which does not "
                    f"broadcast with previously seen size {size}"
                )
            size = n if size == 1 else size


# ── a common order of dimensions ─────────────────────────────────────────────
def letter_order(inputs, output):
    """Return the output's letters (by default the ellipsis first), then the summed ones."""
    everything = "".join(inputs)
    if output is None:
        once = sorted(c for c in set(everything) - {ELLIPSIS} if everything.count(c) == 1)
        output = (ELLIPSIS if ELLIPSIS in everything else "") + "".join(once)
    for c in output:
        if c != ELLIPSIS and output.count(c) > 1:
            raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
        if c not in everything and c != ELLIPSIS:
            raise RuntimeError(f"einsum(): output subscript {c} does not appear in the equation for any input operand")
    return output, sorted(set(everything) - set(output), key=lambda c: (c == ELLIPSIS, LETTERS.find(c)))


@lru_cache(KEPT)
def layout(inputs, output, dots):
    """Return (letter -> its dimension in the common order, the number of output dimensions)."""
    kept, summed = letter_order(inputs, output)
    places, place = {}, 0
    for c in kept:
        places[c] = place
        place += dots if c == ELLIPSIS else 1
    free = place
    for c in summed:
        places[c] = place
        place += dots if c == ELLIPSIS else 1
    places["end"] = place
    return places, free


def align(labels, t, places, dots, number):
    """Return the operand in the common order of letters: the diagonal for repeated letters, size 1 for absent ones."""
    own = []  # the letters of the dimensions of t, an ellipsis written out as (".", i)
    for c in labels:
        if c == ELLIPSIS:
            here = t.array.ndim - len(labels) + 1
            own += [(ELLIPSIS, dots - here + i) for i in range(here)]
        else:
            own.append(c)
    for c in dict.fromkeys(own):
        while own.count(c) > 1:
            first = own.index(c)
            second = own.index(c, first + 1)
            a, b = t.array.shape[first], t.array.shape[second]
            if a != b:
                raise RuntimeError(
                    f"einsum(): subscript {c} is repeated for operand {number} but the sizes don't match, {b} != {a}"
                )
            t = t.diagonal(0, first, second)
            del own[second], own[first]
            t = t.movedim(-1, first)
            own.insert(first, c)
    at = {places[c[0]] + c[1] if isinstance(c, tuple) else places[c]: i for i, c in enumerate(own)}
    dims, last = [], len(own)
    for place in range(places["end"]):
        if place in at:
            dims.append(at[place])
        else:
            t = unsqueeze_seen(t, last)
            dims.append(last)
            last += 1
    return permute_seen(t, tuple(dims))


# ── products ─────────────────────────────────────────────────────────────────
def contract(operands, free):
    """Multiply all operands, and sum over each dimension from ``free`` on as soon as only two operands have it."""
    end = operands[0].array.ndim
    if len(operands) == 1:
        return operands[0].sum(tuple(range(free, end))) if end > free else operands[0]
    open_for = {d: sum(t.array.shape[d] != 1 for t in operands) for d in range(free, end)}
    result, *rest = operands
    for t in rest:
        both, left, right = [], [], []
        for d, count in open_for.items():
            here, there = result.array.shape[d] != 1, t.array.shape[d] != 1
            if here and there:
                open_for[d] = count - 1
                if count == 2:
                    both.append(d)
                    open_for[d] = 0
            elif count == 1 and (here or there):
                (left if here else right).append(d)
                open_for[d] = 0
        result = result.sum(tuple(left), True) if left else result
        t = t.sum(tuple(right), True) if right else t
        result = product(result, t, both)
    return result.reshape(result.array.shape[:free]) if end > free else result


def product(left, right, summed):
    """Multiply two aligned operands, and sum over the dimensions ``summed``, which both have."""
    if not summed:
        return left * right
    shape, other = left.array.shape, right.array.shape
    dims = [d for d in range(len(shape)) if d not in summed]
    shared = [d for d in dims if shape[d] != 1 and other[d] != 1]
    of_left = [d for d in dims if shape[d] != 1 and other[d] == 1]
    of_right = [d for d in dims if shape[d] == 1]
    size = math.prod(shape[d] for d in summed)
    batch = math.prod(shape[d] for d in shared)
    rows, columns = math.prod(shape[d] for d in of_left), math.prod(other[d] for d in of_right)
    one = reshape_seen(permute_seen(left, (*shared, *of_left, *summed, *of_right)), (batch, rows, size))
    two = reshape_seen(permute_seen(right, (*shared, *summed, *of_right, *of_left)), (batch, size, columns))
    order = [*shared, *of_left, *summed, *of_right]
    sizes = [shape[d] for d in shared + of_left] + [1] * len(summed) + [other[d] for d in of_right]
    back = sorted(range(len(order)), key=order.__getitem__)
    return permute_seen(reshape_seen(one.bmm(two), tuple(sizes)), tuple(back))
