"""Gradients of batched tensors, and for batched weights, computed on the values, where operations are recorded.

A weight that varies with levels of ``vmap`` that its output lacks passes through the graph as a batched tensor, a
sample of which has the shape of the output's value: the derivatives, evaluated on tensors, compute the whole batch.
"""

import numpy as np

from tensh.engine.autograd.gradients import check_given, edge_of, finish_gradient, require_real_scalar
from tensh.engine.core import ports
from tensh.engine.core.backward import run
from tensh.engine.core.clock import mode
from tensh.engine.core.lift import Lift
from tensh.engine.core.nodes import uses_gradient
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.vmap import errors
from tensh.engine.dispatch.vmap.batched import BatchedTensor, enter, expand_batches, leave, make_batched, value_of
from tensh.engine.dispatch.vmap.levels import level
from tensh.engine.dispatch.vmap.rules.shared import levels_of, sizes_of
from tensh.engine.dtypes.device import preserve_format
from tensh.engine.operators.basic import cast
from tensh.engine.operators.shapes.views import permute


def grad(outputs, inputs, weights, keep, graph, allow_unused):
    """Compute ``autograd.grad`` if any of the tensors is batched."""
    sizes = sizes_of([*outputs, *inputs, *[w for w in weights if w is not None]])
    roots, extra = {}, ()
    for number, (t, w) in enumerate(zip(outputs, weights, strict=True)):
        value = value_of(t)
        node = refresh_node(value)
        if not uses_gradient(node):
            raise RuntimeError(f"element {number} of tensors does not require grad and does not have a grad_fn")
        g = weight(number, t, w, sizes)
        extra = levels_of((g,)) or extra
        roots[node] = roots[node] + g if node in roots else g
    nodes = [edge_of(value_of(t)) for t in inputs]
    wanted = dict.fromkeys(nodes)
    elementless = any([type(value_of(t)) is not Tensor for t in (*outputs, *inputs)])
    on_tensors = graph or bool(mode.off) or bool(extra) or elementless
    if not on_tensors:
        roots = {node: g.array for node, g in roots.items()}
    run(roots, on_tensors, keep, wanted, record=graph or mode.off)
    return tuple(
        gradient_with_levels(number, t, wanted[node], allow_unused)
        for number, (t, node) in enumerate(zip(inputs, nodes, strict=True))
    )


def differentiate_batches(outputs, inputs, weights, keep, graph, allow_unused):
    """Return the gradients for weights whose first dimension is a batch; so is the first dimension of the results."""
    sizes = [None if w is None else w.array.shape[0] for w in weights]
    if None in sizes:
        raise ValueError(
            "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of dimensionality 0 so "
            "expected in_dim to satisfy 0 <= in_dim < 0."
        )
    if len({*sizes}) > 1:
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped "
            "dimension"
        )
    try:
        with level(sizes[0], "error") as running:
            given = [enter(w, 0, running.number) for w in weights]
            found = grad(outputs, inputs, given, keep, graph, allow_unused)
            return tuple([None if g is None else leave(g, 0, running) for g in found])
    except Lift:  # a hook reads elements, for example to print them
        raise RuntimeError(errors.LEGACY_ELEMENTS) from None


def weight(number, t, w, sizes):
    """Return the gradient for the node of ``t``: shaped like its value, batched with the levels of ``w`` alone."""
    value, own = value_of(t), t.levels if type(t) is BatchedTensor else ()
    if w is None:
        require_real_scalar(t)
        if type(value) is not Tensor:  # a wrapper subclass sees the weight made
            return ports.dispatch_lifted("ones_like", (value,), {"pin_memory": False, "memory_format": preserve_format})
        return wrap(np.ones(value.array.shape, value.array.dtype))
    w = check_given(number, t, w) if type(t) is not BatchedTensor is not type(w) else check_weight(number, t, w)
    levels = levels_of((t, w))
    whole = expand_batches(w, levels, sizes)
    extra = tuple([each for each in levels if each not in own])
    if not extra:
        return whole
    order = [levels.index(each) for each in (*extra, *own)]
    ndim = whole.array.ndim
    if order != sorted(order):
        whole = permute.fn(whole, (*order, *range(len(levels), ndim)))
    return make_batched(whole, extra)


def check_weight(number, t, w):
    """Check the shape of a weight if it or the tensor is batched; return it in the tensor's dtype."""
    if w.array.shape != t.array.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{number}] has a shape of {w.shape} and output[{number}] has a shape of {t.shape}."
        )
    return w if w.array.dtype == t.array.dtype else cast.fn(w, t.array.dtype)


def gradient_with_levels(number, t, g, allow_unused):
    """Return the gradient of ``t``, with the levels of both."""
    own = t.levels if type(t) is BatchedTensor else ()
    value = finish_gradient(number, value_of(t), g, allow_unused)
    if value is None or not own:
        return value
    if type(value) is not BatchedTensor:
        return make_batched(value, own)
    levels = tuple(sorted({*own, *value.levels}))
    have = (*value.levels, *own)
    order = [have.index(each) for each in levels]
    whole = value.value
    if order != sorted(order):
        whole = permute.fn(whole, (*order, *range(len(levels), whole.array.ndim)))
    return make_batched(whole, levels)
