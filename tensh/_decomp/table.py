"""The table of decompositions: operators -> the functions that they consist of."""

from functools import cache

from tensh._aten.overloads import schemas
from tensh._decomp import (
    composed,
    convolutions,
    creation,
    einsum,
    elementwise,
    gradients,
    images,
    indexing,
    layers,
    linalg,
    losses,
    quantiles,
    ranks,
    recurrent,
    reductions,
    synonyms,
    views,
)
from tensh._decomp.further import FURTHER
from tensh._decomp.rules import RULES, VIEWS

FAMILIES = (
    composed, convolutions, creation, einsum, elementwise, gradients, images, indexing, layers, linalg, losses, quantiles,
    ranks, recurrent, reductions, views, synonyms,
)  # fmt: skip
"""The modules that declare rules."""


def overloads_of(rules):
    """Return overload -> rule; the rule of one overload goes before that of its name."""
    found = {}
    for name, overloads in schemas().items():
        for own, overload in overloads.items():
            known = rules.get(f"{name}.{own}") or rules.get(name)
            if known is not None:
                found[overload] = known
    return found


@cache
def view_decompositions():
    """Return the table of what a program without writes never contains."""
    return overloads_of(VIEWS)


decomposition_table = overloads_of(RULES) | view_decompositions()


def list_overloads(op):
    """Return the overloads of an operator of torch.ops, which may be the user's own.  Raise TypeError for other objects."""
    if hasattr(op, "_overloadname"):
        return [op]
    if not hasattr(op, "_qualified_op_name"):
        raise TypeError(f"expected an operator of torch.ops, got {op!r:.80}")
    return [getattr(op, name) for name in op.overloads()]


def core_aten_decompositions():
    """Return a new table of the decompositions that leave PyTorch's core operators.

    >>> import tensh as torch
    >>> table = torch._decomp.core_aten_decompositions()
    >>> torch.ops.aten.linear.default in table, torch.ops.aten.addmm.default in table
    (True, False)
    """
    return dict(decomposition_table)


def get_decompositions(aten_ops, type="post_autograd"):
    """Return the decompositions of operators, each an overload or an operator with all its overloads.

    >>> import tensh as torch
    >>> list(torch._decomp.get_decompositions([torch.ops.aten.t]))
    [<OpOverload(op='aten.t', overload='default')>]
    """
    wanted = [each for op in aten_ops for each in list_overloads(op)]
    known = overloads_of(FURTHER) | decomposition_table
    return {each: known[each] for each in wanted if each in known}


def register_decomposition(aten_op, registry=None, *, type="post_autograd", unsafe=False):
    """Decorate a function that decomposes an operator, or a list of operators.

    >>> import tensh as torch
    >>> @torch._decomp.register_decomposition(torch.ops.aten.erfinv, registry={})
    ... def decompose(x):
    ...     return x
    """
    table = decomposition_table if registry is None else registry

    def register(function):
        ops = aten_op if isinstance(aten_op, (list, tuple)) else [aten_op]
        for op in ops:
            table.update(dict.fromkeys(list_overloads(op), function))
        return function

    return register
