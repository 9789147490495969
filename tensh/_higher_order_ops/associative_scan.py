"""Running values along a dimension, by an associative function of the user's own.

Note [In pairs]
Neighbours are combined first, then the results of pairs, and so on: as many steps as the length has binary digits, as
in PyTorch. The values between the pairs come from those before them.
"""

import tensh as torch
from tensh.func.trees import flatten, leaves_of, unflatten
from tensh.switched_off import lookup

__all__ = ["associative_scan"]


def associative_scan(combine_fn, xs, dim, reverse=False, combine_mode="pointwise"):
    """Running values of ``combine_fn(left, right)`` along ``dim``, of tensors in any structure.

    ``combine_fn`` has to be associative, and gets many values at once, along the first dimension.

    >>> import tensh as torch
    >>> from tensh._higher_order_ops import associative_scan
    >>> associative_scan(torch.mul, torch.arange(1.0, 5.0), 0)
    tensor([ 1.,  2.,  6., 24.])
    """
    leaves, spec = flatten(xs)
    rows = [each.movedim(dim, 0) for each in leaves]
    rows = [each.flip([0]) for each in rows] if reverse else rows

    def combine_rows(a, b):
        return leaves_of(combine_fn(unflatten(list(a), spec), unflatten(list(b), spec)))

    def combine(left, right):
        if not len(left[0]):
            return [each[:0] for each in left]
        if not (torch.compiler.is_exporting() or torch.jit.is_tracing()):
            return list(torch.vmap(combine_rows)(left, right))
        made = [combine_rows([a[n] for a in left], [b[n] for b in right]) for n in range(len(left[0]))]
        return [torch.stack(each) for each in zip(*made, strict=True)]

    found = run_in_pairs(combine, rows)
    found = [each.flip([0]) for each in found] if reverse else found
    return unflatten([each.movedim(0, dim) for each in found], spec)


def run_in_pairs(combine, rows):
    """Return the running values along the first dimension."""
    size = len(rows[0])
    if size < 2:
        return rows
    pairs = combine([each[:-1:2] for each in rows], [each[1::2] for each in rows])
    odd = run_in_pairs(combine, pairs)
    before = [each[:-1] for each in odd] if size % 2 == 0 else odd
    even = combine(before, [each[2::2] for each in rows])
    even = [torch.cat([each[:1], rest]) for each, rest in zip(rows, even, strict=True)]
    return [interleave(one, other) for one, other in zip(even, odd, strict=True)]


def interleave(even, odd):
    """Return the rows of two tensors in turn; the first may have one more."""
    both = torch.stack([even[: len(odd)], odd], 1).flatten(0, 1)
    return both if len(even) == len(odd) else torch.cat([both, even[-1:]])


__getattr__ = lookup("torch._higher_order_ops.associative_scan")
