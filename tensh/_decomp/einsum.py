"""The decomposition of ``einsum``: products of two operands at a time, each of them one batch of matrix products."""

from tensh._aten.calls import aten
from tensh._aten.steps.shapes import product, reshape
from tensh._decomp.rules import rule


@rule("einsum")
def einsum(equation, tensors, *, path=None):
    if path is not None:
        return NotImplemented
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    terms = inputs.split(",")
    counts = [tensor.dim() - len(term) + 3 for term, tensor in zip(terms, tensors) if "." in term]
    extra = "".join(map(chr, range(max(counts, default=0))))  # letters for the dimensions of an ellipsis, in order
    letters = sorted({*inputs} - {*",."})
    if not arrow:
        output = extra + "".join(each for each in letters if inputs.count(each) == 1)
    output = output.replace("...", extra)
    order = [*output, *(each for each in (*extra, *letters) if each not in output)]
    operands = []
    for place, (tensor, term) in enumerate(zip(tensors, terms)):
        term = term.replace("...", extra[len(extra) - (tensor.dim() - len(term) + 3) :] if "." in term else "")
        tensor, terms[place] = take_diagonals(tensor, term)
        operands.append(arrange(tensor, terms[place], order))
    return contract(operands, terms, order, len(output))


def take_diagonals(tensor, term):
    """Return (tensor, term) with a dimension for each letter; letters that occur twice become diagonals."""
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            first = term.index(letter)
            second = term.index(letter, first + 1)
            tensor = aten("diagonal", tensor, 0, first, second)
            term = term[:second] + term[second + 1 :]
            rest = range(tensor.dim() - 1)
            tensor = aten("permute", tensor, [*rest[:first], tensor.dim() - 1, *rest[first:]])
    return tensor, term


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
