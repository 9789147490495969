"""torch.func.linearize: the derivative of a function at one point, as a function."""

from tensh.engine.autograd.context import BackwardCFunction
from tensh.engine.autograd.custom_jvp import call_jvp
from tensh.engine.autograd.tangent_levels import Level, carry
from tensh.engine.core.clock import clock, mode
from tensh.engine.core.nodes import Output
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.vmap.batched import value_of
from tensh.engine.inplace.copy_slices import CopySlices
from tensh.engine.inplace.writes import keys_while_growing
from tensh.func.forward import fill_tangent
from tensh.func.tape import Tape, show_outside
from tensh.func.trees import flatten, map_leaves, unflatten


def linearize(func, *primals):
    """Return (the result of ``func(*primals)``, a function of tangents that gives the derivative in their direction).

    ``func`` is called once; the function of tangents uses the recorded graph, and may be called repeatedly.
    Raise RuntimeError for tangents of another structure, shape or dtype than the primals.

    >>> import tensh as torch
    >>> value, push = torch.func.linearize(torch.exp, torch.zeros(2))
    >>> push(torch.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    with Tape() as tape:
        fresh = tuple(map_leaves(tape.leaf, x) for x in primals)
        outputs, structure = flatten(func(*fresh))
        results = unflatten([tape.export_result(t) if isinstance(t, Tensor) else t for t in outputs], structure)
    leaves, spec = flatten(fresh)
    nodes = find_nodes_between(outputs, tape.start)

    def push(*tangents):
        directions, given = flatten(tangents)
        if given != spec:
            raise RuntimeError(f"Expected the tangents {given} to have the same argspec as the primals {spec}")
        for number, (t, x) in enumerate(zip(directions, leaves, strict=True)):
            check(number, t, x)
        level = Level()
        for t, x in zip(directions, leaves, strict=True):
            level.tangents[value_of(x).node] = t
        for node in nodes:
            if node.time < clock.last_write:
                node.check()
            push_through(node, level)
        return unflatten([tangent_of(t, level) for t in outputs], structure)

    return results, push


def find_nodes_between(outputs, start):
    """Return the nodes that were recorded since ``start`` on the way to the outputs, oldest first."""
    found = {value_of(t).node: None for t in outputs if isinstance(t, Tensor)}
    for node in keys_while_growing(found):
        if node is not None:
            further = (*node.inputs, *([node.saved[3]] if type(node) is CopySlices else []))
            found.update(dict.fromkeys(n for n in further if n is not None and n.time > start))
    return sorted((n for n in found if n is not None and n.time > start), key=lambda n: n.time)


def push_through(node, level):
    """Compute the tangent of one node's value."""
    if isinstance(node, BackwardCFunction):
        tangents = [level.find_tangent(n) for n in node.inputs]
        if tangents.count(None) != len(tangents):
            results = call_jvp(node, tangents)
            level.tangents[node] = list(results) if node.op.many else results[0]
    elif type(node) is not Output:
        carry(node, level, mode.levels)


def check(number, t, x):
    """Raise unless ``t`` can be a tangent of the primal ``x``."""
    for what in ("shape", "device", "dtype"):
        if getattr(t, what) != getattr(x, what):
            raise RuntimeError(
                f"tangent:{number} with {what} {getattr(t, what)} in flattened pytree doesn't match the {what} "
                f"{getattr(x, what)} of the corresponding primal."
            )


def tangent_of(t, level):
    """Return the tangent of an output as seen outside; values other than tensors are unchanged."""
    if not isinstance(t, Tensor):
        return t
    return show_outside(fill_tangent(t, level.find_tangent(value_of(t).node), False), mode.grad is True)
