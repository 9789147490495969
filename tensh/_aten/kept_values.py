"""Operands and results that nodes keep for the backward pass, and what PyTorch does to them below autograd."""

import weakref

from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.clock import mode
from tensh.engine.core.nodes import Output, uses_gradient
from tensh.engine.core.tensor import Tensor


def loses_operand(overload, args):
    """Return True if a write destroys what its own derivative reads, so that PyTorch copies it before."""
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


SIDE_RESULTS = weakref.WeakKeyDictionary()
"""Node -> the results of its operator after the first: PyTorch's derivatives read some that those here compute again."""


RESULTS_READ = {
    "native_layer_norm": (), "native_group_norm": (1, 2), "native_batch_norm": (), "nll_loss_forward": (),
    "nll_loss2d_forward": (), "_scaled_dot_product_flash_attention_for_cpu": (0,), "_ctc_loss": (0,), "leaky_relu": (),
    "kthvalue": (), "masked_select": (), "clamp_min": (), "clamp_max": (), "index_put": (), "linalg_inv_ex": (0,),
}  # fmt: skip
"""Operator whose derivative PyTorch computes by an operator that reads results -> the places of those that are detached."""


def side_result(node, number):
    """Return a result after the first of the operator that a node stands for; None if it is unknown."""
    results = SIDE_RESULTS.get(getattr(node, "whole", node), ())
    return results[number - 1] if number <= len(results) else None


def takes_out_results():
    """Return True if dispatch modes see a call of ``detach`` for each result that a node keeps.

    Within a transform of ``torch.func`` PyTorch does that above the tensors that record the calls.
    """
    return mode.grad and not mode.transforms


def results_kept(overload, result):
    """Return the results that the node of the first one keeps, in the order of their names."""
    if overload._opname in KEPT:
        return result[KEPT[overload._opname]] if isinstance(result, tuple) and uses_gradient(result[0].node) else ()
    results = result if isinstance(result, (tuple, list)) else (result,)
    kept = [results[-1 - role] for role in roles_kept(results)] if results else ()
    return [each for each in kept if each.array.dtype.kind not in "iub"]  # others have no history


def roles_kept(results):
    """Return the places of results that their node keeps for the backward pass, as negative numbers: -1 is the first."""
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
