"""The decomposition of ``einsum``: products of two operands at a time, each of them one batch of matrix products."""

from tensh._aten.calls import aten
from tensh._aten.steps import product, reshape
from tensh._decomp.rules import rule


@rule("einsum")
def einsum(equation, tensors, *, path=None):
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if "." in equation or path is not None or any(len({*term}) < len(term) for term in terms):
        return NotImplemented
    letters = sorted({*inputs} - {","})
    output = output if arrow else "".join(each for each in letters if inputs.count(each) == 1)
    order = [*output, *(each for each in letters if each not in output)]
    operands = [arrange(tensor, term, order) for tensor, term in zip(tensors, terms)]
    return contract(operands, terms, order, len(output))


def arrange(tensor, term, order):
    """Give a tensor a dimension for each letter, in their order."""
    places = {letter: place for place, letter in enumerate(term)}
    for letter in order:
        if letter not in places:
            places[letter] = tensor.dim()
            tensor = aten("unsqueeze", tensor, tensor.dim())
    return aten("permute", tensor, [places[letter] for letter in order])


def contract(operands, terms, order, kept):
    """Multiply operands from left to right, and sum over dimensions as soon as no other operand has them."""
    left = {dim: sum(order[dim] in term for term in terms) for dim in range(kept, len(order))}
    first = operands[0]
    if len(operands) == 1:
        return aten("sum", first, list(left)) if left else first
    for other in operands[1:]:
        summed, alone = [], ([], [])
        for dim in left:
            wide = [each.array.shape[dim] != 1 for each in (first, other)]
            if all(wide):
                left[dim] -= 1
                if left[dim] == 1:
                    summed.append(dim)
                    left[dim] = 0
            elif left[dim] == 1 and any(wide):
                alone[wide.index(True)].append(dim)
                left[dim] = 0
        first, other = (aten("sum", each, dims, True) if dims else each for each, dims in zip((first, other), alone))
        first = multiply(first, other, summed) if summed else aten("mul", first, other)
    if not left:
        return first
    return reshape(first, list(first.shape[:kept]))


def multiply(one, two, summed):
    """Multiply two tensors of the same dimensions and sum over some of them, which have one element afterwards."""
    both, only_one, only_two = [], [], []
    for dim in range(one.dim()):
        if dim not in summed:
            wide = one.array.shape[dim] != 1, two.array.shape[dim] != 1
            (both if all(wide) else only_one if wide[0] else only_two).append(dim)
    sizes = [
        product([(one if dims is not only_two else two).shape[dim] for dim in dims])
        for dims in (both, only_one, summed, only_two)
    ]
    first = aten("permute", one, [*both, *only_one, *summed, *only_two])
    first = reshape(first, [sizes[0], sizes[1], sizes[2]])
    second = aten("permute", two, [*both, *summed, *only_two, *only_one])
    second = reshape(second, [sizes[0], sizes[2], sizes[3]])
    order = [*both, *only_one, *summed, *only_two]
    shape = [
        *(one.shape[dim] for dim in (*both, *only_one)),
        *(1 for _ in summed),
        *(two.shape[dim] for dim in only_two),
    ]
    found = aten("view", aten("bmm", first, second), shape)
    return aten("permute", found, [order.index(dim) for dim in range(len(order))])
