"""The tangent of a node's output from the tangents of its inputs, by transposing the declared derivative.

Note [Forward from backward]
A node's derivative is the transposed Jacobian: it takes ``g``, the gradient of the output, to the gradients of the inputs.
Forward accumulation needs the Jacobian itself, and derives it:

- A real operator that works element by element has a diagonal Jacobian, equal to its transpose.  The declared text, read
  with the tangent of an input for ``g``, is that input's share of the tangent of the output.
- The derivative of any other operator is linear in ``g``; differentiate *it* backward at any ``g``: a tangent in place
of the input's gradient becomes, at ``g``, the tangent of the output.
"""

import functools
import re

import numpy as np

from tensh.engine.arrays import memory
from tensh.engine.codegen.derivatives import forward_source, words_of
from tensh.engine.codegen.node_classes import derivative_words
from tensh.engine.codegen.operator import Op
from tensh.engine.codegen.source import compile_source
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, on_tensors
from tensh.engine.core.backward import run
from tensh.engine.core.clock import mode
from tensh.engine.core.nodes import AccumulateGrad, Node, Parts
from tensh.engine.core.ports import batched_function
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import replay


def jvp(node, tangents, graph, recorded):
    """Return the tangent of the output of ``node``; ``tangents`` are those of its inputs, None where there is none.

    A list for a node with several outputs.  With ``graph`` all are tensors, without it they are arrays; ``recorded`` is
    ``mode.grad`` for what is computed: True if it can be differentiated again.
    """
    op = node.op
    if (
        op is None
        or not op.pointwise
        or node.dtype.kind in "cW"
        or any([t is not None and _complex(t) for t in tangents])
    ):
        return jvp_by_transposition(node if recorded else constant(node), tangents, graph, recorded)
    try:
        tangent = diagonal_jvp(type(node), graph)(node, tangents)
    except NotImplementedError as error:
        if UNDERIVED.match(str(error)):
            raise NotImplementedError(NO_TANGENT.format(op.name)) from None
        raise
    return fit_tangent(tangent, node.shape, node.dtype, graph)


def _complex(t):
    return (t.array if isinstance(t, Tensor) else t).dtype.kind in "cW"


# ── element by element ───────────────────────────────────────────────────────
@functools.cache
def diagonal_jvp(kind, graph):
    """The function that adds up the contributions of the inputs' tangents, generated from a node class's derivatives."""
    op, derivatives = kind.op, kind.derivatives
    namespace = derivative_words(op, TENSORS if graph else ARRAYS, derivatives)
    compile_source(forward_source(op, graph, derivatives), f"forward derivative of {op.name}", namespace)
    return namespace["forward"]


def value_of(t):
    """Return the tensor on which ``t`` is recorded: inside ``vmap`` the whole batch."""
    return t if type(t) is Tensor else getattr(t, "value", t)


def fit_tangent(t, shape, dtype, graph):
    """Broadcast ``t`` to a shape and cast it to a dtype: the transpose of fitting a gradient."""
    a = t.array if graph else t
    if a.shape != shape:
        t = on_tensors("expand")(t, shape) if graph else np.array(np.broadcast_to(a, shape))
    if a.dtype != dtype:
        t = (on_tensors("cast") if graph else ARRAYS["cast"])(t, dtype)
    return t


# ── anything else ────────────────────────────────────────────────────────────
def jvp_by_transposition(node, tangents, graph, recorded):
    """Return the tangent of the output by a backward pass through the derivative: see Note [Forward from backward]."""
    many = node.op is not None and node.op.many
    make = leaf if node.op is None or not looks_at_gradient(node.op) else generic_leaf
    seeds = [make(*facts) for facts in (node.shape if many else [(node.shape, node.dtype)])]
    grad, mode.grad = mode.grad, True
    try:
        gradients = node.backward_graph(Parts(enumerate(seeds)) if many else seeds[0])
        sent = {}
        for g, t in zip(gradients, tangents):
            if g is not None and t is not None and g.node is not None:
                t = fit_tangent(t, g.array.shape, g.array.dtype, graph)
                sent[g.node] = sent[g.node] + t if g.node in sent else t
        arrived = {seed.node: None for seed in seeds}
        run(sent, graph, True, arrived, record=recorded)
    except RuntimeError as error:
        if found := UNDERIVED.match(str(error)):
            raise NotImplementedError(NO_TANGENT.format(found[1].removesuffix("_backward"))) from None
        raise
    finally:
        mode.grad = grad
    results = [take_gradient(seed, arrived[seed.node], graph) for seed in seeds]
    return results if many else results[0]


NO_TANGENT = (
    "Trying to use forward AD with {} that does not support it because it has not been implemented yet.\nPlease file an issue "
    "to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml so that we can prioritize its "
    "implementation or submit a PR adding the implementation to derivatives.yaml"
)


UNDERIVED = re.compile(r"(?:derivative for aten::|the derivative for ')(\w+)")
"""The start of PyTorch's messages for a missing second derivative, and for a missing first one."""


def leaf(shape, dtype):
    """Return zeros that receive a gradient."""
    t = wrap(np.zeros(shape, dtype))
    t.node = AccumulateGrad(t)
    return t


@functools.cache
def looks_at_gradient(op):
    """Return True if the derivative skips zeros in the gradient, so that it must not be transposed at a zero gradient."""
    return any("only" in words_of(text) for text in (*op.derivatives.values(), *op.let.values()))


def generic_leaf(shape, dtype):
    """Return arbitrary nonzero numbers that receive a gradient, in place of zeros."""
    t = leaf(shape, dtype)
    numbers = np.random.default_rng(0).standard_normal((2, *shape))
    t.array[...] = numbers[0] + 1j * numbers[1] if dtype.kind == "c" else numbers[0]
    return t


def take_gradient(seed, t, graph):
    """Return the gradient that arrived at a seed; None arrives where the output does not depend on the inputs."""
    if t is not None:
        return t
    zeros = np.zeros_like(seed.array)
    return wrap(zeros) if graph else zeros


def constant(node):
    """Return a copy of the node whose saved values receive no gradient; a custom function's node is returned unchanged."""
    if not isinstance(node.op, Op | None):
        return node
    twin = object.__new__(make_constant_kind(type(node)))
    twin.inputs, twin.saved, twin.time, twin.hooks = node.inputs, node.saved, node.time, None
    twin.shape, twin.dtype = node.shape, node.dtype
    return twin


@functools.cache
def make_constant_kind(kind):
    """Return the class of nodes whose saved values are tensors without a history."""
    return type(kind.__name__, (kind,), {"__slots__": (), "unpack": Node.constants})


# ── writes through views ─────────────────────────────────────────────────────
def jvp_of_region(region, base, value, graph):
    """Return the tangent of a tensor written through a view: ``base`` with ``value`` in place of the write.

    ``region`` consists of the steps to the view, and the shape, strides and dtype of the tensor.
    """
    if any([t is not None and value_of(t) is not t for t in (base, value)]):  # batches: sample by sample
        return batched_function(
            "region_pushed", lambda base, value: jvp_of_region(region, base, value, graph), (base, value), {}
        )
    steps, shape, strides, dtype = region
    if base is None:
        base = wrap(np.zeros(shape, dtype))
    if graph:
        whole = on_tensors("laid_out")(base, strides)
        part = replay(whole, steps)
        part.zero_() if value is None else part.copy_(value)
        return whole
    whole = wrap(memory.empty_strided(shape, strides, dtype))
    whole.array[...] = base.array
    replay(whole, steps).array[...] = 0 if value is None else value.array
    return whole
