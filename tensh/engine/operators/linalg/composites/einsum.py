"""Einstein summation: products of tensors with named dimensions, summed over some of them.

All operands are permuted to one common order of letters, those of the output first, with size 1 where a letter is
absent.  Then they are multiplied two by two, each time as one product of stacks of matrices.
"""

import math
from functools import lru_cache

from tensh.engine.arguments.mismatches import type_name
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
    arrangements, products, free = plan(inputs, output, tuple([t.array.shape for t in operands]))
    result, *rest = [arrange(t, *each) for t, each in zip(operands, arrangements)]
    for t, each in zip(rest, products):
        result = multiply(result, t, *each)
    summed = tuple(range(free, result.array.ndim))
    if not summed:
        return result
    return result.reshape(result.array.shape[:free]) if products else result.sum(summed)


# ── views that modes see ─────────────────────────────────────────────────────
# Once somebody overrides functions these are public ones.
def unsqueeze_seen(t, dim):
    return t.unsqueeze(dim) if armed.now else unsqueeze.fn(t, dim)


def permute_seen(t, dims):
    return t.permute(dims) if armed.now else permute.fn(t, dims)


def reshape_seen(t, shape):
    return t.reshape(shape) if armed.now else reshape_to(t, shape)


# ── steps ────────────────────────────────────────────────────────────────────
def arrange(t, diagonals, added, dims):
    """Return an operand with the dimensions of all, in the common order: those that it lacks have size 1."""
    for first, second in diagonals:
        t = t.diagonal(0, first, second).movedim(-1, first)
    for _ in range(added):
        t = unsqueeze_seen(t, t.array.ndim)
    return permute_seen(t, dims)


def multiply(left, right, summed_left, summed_right, stacks):
    """Multiply two operands, as stacks of matrices unless that is None, after sums over dimensions that only one has."""
    left = left.sum(summed_left, True) if summed_left else left
    right = right.sum(summed_right, True) if summed_right else right
    if stacks is None:
        return left * right
    first, second, sizes, back = stacks
    result = stack_matrices(left, *first).bmm(stack_matrices(right, *second))
    return permute_seen(reshape_seen(result, sizes), back)


def stack_matrices(t, dims, shape):
    return reshape_seen(permute_seen(t, dims), shape)


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
        inputs.append(read_letters(part, position, f"for operand {number}"))
        position += len(part) + 1
    output = read_letters(right, position + 1, "in the output") if arrow else None
    return tuple(inputs), output


def read_letters(part, position, where):
    """Return the subscripts of a term, with one letter for an ellipsis; raise PyTorch's errors for other characters."""
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


def check_labels(labels, ndim, number):
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


def check_sizes(own, shape, seen, number):
    """Raise unless each dimension has size 1 or the one that was ``seen`` before, and repeated letters have one size."""
    for dim, (c, n) in enumerate(zip(own, shape)):
        first = own.index(c)
        if first < dim and n != shape[first]:
            raise RuntimeError(
                f"einsum(): subscript {c} is repeated for operand {number} but the sizes don't match, {n} != {shape[first]}"
            )
        size = seen.setdefault(c, n) if n != 1 else 1
        if size == n:
            continue
        if isinstance(c, tuple):
            dim = len(set(own[:dim]))  # after diagonals
            raise RuntimeError(
                f"einsum(): dimension {dim} covered by ellipsis in operand {number}has size {n} which does not broadcast "
                f"with previously seen ellipsis with size {size} for the respective dimension"
            )
        raise RuntimeError(
            f"einsum(): subscript {c} has size {n} for operand {number} which does not broadcast with previously seen size "
            f"{size}"
        )


# ── the plan: everything that depends on the equation and on shapes alone ──────
@lru_cache(KEPT)
def plan(inputs, output, shapes):
    """Return (how each operand is arranged, how each after the first is multiplied, the number of output dimensions).

    The first two are the arguments of ``arrange`` and ``multiply`` that follow the operands.
    """
    dots = max([len(shape) - len(labels) + 1 for labels, shape in zip(inputs, shapes) if ELLIPSIS in labels], default=0)
    for number, (labels, shape) in enumerate(zip(inputs, shapes)):
        check_labels(labels, len(shape), number)
    places, free = order_letters(inputs, output, dots)
    arrangements, aligned, seen = [], [], {}
    for number, (labels, shape) in enumerate(zip(inputs, shapes)):
        own = spell_ellipsis(labels, len(shape), dots)
        check_sizes(own, shape, seen, number)
        arrangement, shape = plan_arrangement(own, shape, places)
        arrangements.append(arrangement)
        aligned.append(shape)
    return arrangements, plan_products(aligned, free), free


def order_letters(inputs, output, dots):
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


def spell_ellipsis(labels, ndim, dots):
    """Return the letters of an operand's dimensions: those of an ellipsis are ``(".", i)``, counted from the longest one."""
    here = ndim - len(labels) + 1
    return [
        each for c in labels for each in ([(ELLIPSIS, dots - here + i) for i in range(here)] if c == ELLIPSIS else [c])
    ]


def plan_arrangement(own, shape, places):
    """Return (pairs of dimensions for diagonals, number of dimensions to add, the order of all) and the resulting shape."""
    diagonals, own, shape = [], list(own), list(shape)
    for c in dict.fromkeys(own):
        while own.count(c) > 1:
            first = own.index(c)
            second = own.index(c, first + 1)
            diagonals.append((first, second))
            del own[second], shape[second]
    at = {places[c[0]] + c[1] if isinstance(c, tuple) else places[c]: i for i, c in enumerate(own)}
    absent = [place for place in range(places["end"]) if place not in at]
    at.update(zip(absent, range(len(own), places["end"])))
    dims = tuple([at[place] for place in range(places["end"])])
    shape += [1] * len(absent)
    return (diagonals, len(absent), dims), tuple([shape[dim] for dim in dims])


def plan_products(aligned, free):
    """Return for each operand after the first: (sums of the product so far, sums of the operand, stacks of matrices).

    A dimension from ``free`` on is summed over as soon as only two operands have it.
    """
    open_for = {d: sum(shape[d] != 1 for shape in aligned) for d in range(free, len(aligned[0]))}
    products, (sofar, *rest) = [], aligned
    for shape in rest:
        both, left, right = [], [], []
        for d, count in open_for.items():
            here, there = sofar[d] != 1, shape[d] != 1
            if here and there:
                open_for[d] = count - 1
                if count == 2:
                    both.append(d)
                    open_for[d] = 0
            elif count == 1 and (here or there):
                (left if here else right).append(d)
                open_for[d] = 0
        products.append((tuple(left), tuple(right), plan_stacks(sofar, shape, {*left, *right}, both)))
        done = {*left, *right, *both}
        sofar = tuple([1 if d in done else m if n == 1 else n for d, (n, m) in enumerate(zip(sofar, shape))])
    return products


def plan_stacks(shape, other, done, summed):
    """Return how two aligned operands become stacks of matrices, and their product has the common order again.

    ``done`` are the dimensions that were summed over before, ``summed`` those that the product sums over: None without any.
    """
    if not summed:
        return None
    left, right = ([1 if d in done else n for d, n in enumerate(sizes)] for sizes in (shape, other))
    dims = [d for d in range(len(left)) if d not in summed]
    shared = [d for d in dims if left[d] != 1 and right[d] != 1]
    of_left = [d for d in dims if left[d] != 1 and right[d] == 1]
    of_right = [d for d in dims if left[d] == 1]
    size = math.prod(left[d] for d in summed)
    batch = math.prod(left[d] for d in shared)
    rows, columns = math.prod(left[d] for d in of_left), math.prod(right[d] for d in of_right)
    order = (*shared, *of_left, *summed, *of_right)
    sizes = (*[left[d] for d in shared + of_left], *[1] * len(summed), *[right[d] for d in of_right])
    back = tuple(sorted(range(len(order)), key=order.__getitem__))
    return (order, (batch, rows, size)), ((*shared, *summed, *of_right, *of_left), (batch, size, columns)), sizes, back
