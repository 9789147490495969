"""Operands and results that nodes keep for the backward pass, and what PyTorch does to them below autograd."""

from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.nodes import Output, uses_gradient
from tensh.engine.core.tensor import Tensor


def loses_operand(overload, args):
    """True if a write destroys what its own derivative reads, so that PyTorch copies it before."""
    op = OPS.get(overload._opname[:-1]) if overload._opname.endswith("_") else None
    if op is None or not args or overload._opname in RESULTS_SUFFICE:
        return False
    given = dict(zip(op.parameters, args))
    readers = [name for value, names in op.saves.items() if value == next(iter(op.parameters)) for name in names]
    return any(isinstance(given.get(name), Tensor) and uses_gradient(given[name].node) for name in readers)


RESULTS_SUFFICE = frozenset("elu_ celu_ leaky_relu_ relu_".split())
"""Writes whose derivatives read the result."""
KEPT = {"mkldnn_rnn_layer": slice(0, 3), "native_group_norm": slice(1, 3)}
"""Operators with several results that the node keeps though the derivative here does not read them."""


def results_kept(overload, result):
    """The results that the node of the first one keeps, in the order of their names."""
    if overload._opname in KEPT:
        return result[KEPT[overload._opname]] if isinstance(result, tuple) and uses_gradient(result[0].node) else ()
    results = result if isinstance(result, (tuple, list)) else (result,)
    return [results[-1 - role] for role in roles_kept(results)] if results else ()


def roles_kept(results):
    """The places of results that their node keeps for the backward pass, as negative numbers: -1 is the first."""
    first = results[0]
    node = first.node if isinstance(first, Tensor) else None
    node = node.inputs[0] if type(node) is Output else node
    if not uses_gradient(node) or node.op is None or node.op.sequence:
        return []
    inputs, saves = list(node.derivatives), node.op.saves
    return [
        role
        for role, read in zip(node.roles, node.reads)
        if type(role) is int
        and -len(results) <= role < 0
        and any(node.inputs[inputs.index(name)] is not None for name in saves[read])
    ]
