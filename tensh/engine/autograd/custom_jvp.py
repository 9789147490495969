"""Forward accumulation through a custom function: its ``jvp``."""

import numpy as np

from tensh.engine.autograd.tangent_levels import call_at_levels, check_size, placeholder
from tensh.engine.core.clock import mode, owner
from tensh.engine.core.nodes import uses_gradient
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.dtype import DIFFERENTIABLE


def carry(node, args, returned, outputs):
    """Compute the tangents of the outputs of a custom function at every open level.

    ``returned`` is the result of ``forward``, ``outputs`` are the tensors that the user receives.
    """
    for depth, level in enumerate(mode.levels):
        tangents = [level.find_tangent(n) for n in node.edges]
        if tangents.count(None) == len(tangents):
            continue
        results = call_at_levels(mode.levels[:depth], mode.grad, call_jvp, node, tangents)
        if len(results) != len(outputs):
            raise RuntimeError(
                "Function's jvp returned an invalid number of forward gradients "
                f"(expected {len(outputs)} but got {len(results)})"
            )
        given = dict(zip(node.places, tangents, strict=True))
        for number, (t, tangent) in enumerate(zip(outputs, results, strict=True)):
            if isinstance(t, Tensor) and check_tangent(number, t, tangent):
                check_memory(node, args, returned[number], t, tangent, given)
                if not uses_gradient(t.node):
                    t.node = placeholder(t, t.node)
        keep(node, level, outputs, results)


def call_jvp(node, tangents):
    """Call ``jvp`` with the tangents of the tensors among the arguments; return a tuple."""
    arguments = [None] * len(node.facts)
    for place, tangent in zip(node.places, tangents, strict=True):
        if tangent is None and node.materialize_grads:
            tangent = wrap(np.zeros(*node.facts[place]))
        arguments[place] = tangent
    node.forwards = True
    try:
        results = node.function.jvp(node.context(node), *arguments)
    finally:
        node.forwards = False
    return results if isinstance(results, tuple) else (results,)


def check_tangent(number, t, tangent):
    """Return True if there is a tangent; raise RuntimeError if it does not fit ``t``."""
    if tangent is None:
        return False
    if not isinstance(tangent, Tensor):
        raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {number}.")
    if t.array.dtype.kind not in DIFFERENTIABLE:
        return False
    check_size(t, tangent)
    return True


def check_memory(node, args, returned, t, tangent, given):
    """Raise unless the tangent shares memory with an input's tangent if the output shares memory with the input."""
    dirty = [
        place
        for place in node.places
        if args[place] is returned and any(d is returned for d in node.dirty_tensors or ())
    ]
    if dirty:
        if tangent is not given[dirty[0]]:
            raise RuntimeError(
                "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying "
                "an input inplace, then the jvp function must modify the corresponding gradient inplace."
            )
        return
    shared = [given[place] for place in node.places if owner(args[place].array) is owner(t.array)]
    if shared and not any(each is not None and owner(each.array) is owner(tangent.array) for each in shared):
        raise RuntimeError(
            "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view."
        )


def keep(node, level, outputs, results):
    """Store the tangents of the outputs under their nodes."""
    tangents = [
        tangent if isinstance(t, Tensor) and t.array.dtype.kind in DIFFERENTIABLE else None
        for t, tangent in zip(outputs, results)
    ]
    for t, tangent in zip(outputs, tangents):
        if tangent is not None and t.node is not None:
            if uses_gradient(t.node):
                level.tangents[node] = tangents if node.op.many else tangent
            else:
                level.tangents[t.node] = tangent
