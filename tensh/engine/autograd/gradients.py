"""``backward`` and ``grad``: check the arguments and start one backward pass."""

from collections.abc import Mapping
from operator import index
from weakref import WeakSet

import numpy as np

from tensh.engine.arrays.absent import Absent, make_like
from tensh.engine.autograd.edges import GradientEdge
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.core import ports
from tensh.engine.core.backward import accumulate, fit
from tensh.engine.core.backward import run as run_pass
from tensh.engine.core.clock import mode
from tensh.engine.core.lift import Lift
from tensh.engine.core.nodes import AccumulateGrad, NoGradView, uses_gradient
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.override.dispatch import answer_gradients
from tensh.engine.dispatch.override.points import is_overriding
from tensh.engine.dtypes.device import preserve_format
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.engine.errors.messages import Misfit, invalid, too_large
from tensh.engine.errors.warnings import warn, warn_once

on_tensors = WeakSet()
"""Nodes that keep tensors of a wrapper subclass in place of arrays: see Note [History of wrappers]."""


CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient which can cause "
    "a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you have to use this function, make "
    "sure to reset the .grad fields of your parameters to None after use to break the cycle and avoid the leak."
)


def run(grads, graph, keep, wanted=None, record=None, through=False):
    """Run the pass; restore its modes once more, because ^C may arrive in the moment before the pass itself does."""
    before, outer = mode.grad, mode.running
    try:
        run_pass(grads, graph, keep, wanted, record, through)
    except MemoryError as error:
        raise too_large(error) from None
    finally:
        mode.grad, mode.running = before, outer


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None):
    """Add the gradients of ``tensors`` to the ``.grad`` of the leaves they were computed from.

    ``grad_tensors`` has a gradient of the same shape for every tensor; None is allowed for tensors of one element.
    ``retain_graph`` keeps the graph for another pass (default: ``create_graph``); ``create_graph`` records the pass
    itself; ``inputs`` limits accumulation to these tensors. Raise RuntimeError for a tensor that requires no grad, a
    gradient of another shape, one left out for several elements, and values that were freed or written since.

    >>> import tensh as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> torch.autograd.backward([(x * x).sum()])
    >>> x.grad
    tensor([2., 4.])
    """
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                "Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    if mode.transforms:
        mode.transforms[-1].refuse("backward()")
    if inputs is not None:
        inputs = _list_inputs(inputs, "backward")
    tensors = _sequence(tensors)
    if is_overriding():
        rest = {
            "grad_tensors": grad_tensors,
            "retain_graph": retain_graph,
            "create_graph": create_graph,
            "inputs": inputs,
        }
        if answer_gradients(backward, (*tensors, *(inputs or ())), (tuple(tensors),), rest):
            return
    absent = _check_outputs(tensors)
    if on_tensors.data and mode.watch is None and reaches_tensors(tensors):  # the truth of a WeakSet takes 0.2 µs
        ports.run_watched(backward, tensors, grad_tensors, retain_graph, create_graph, None, inputs)
        return
    if create_graph:
        warn_once(CYCLE)
    gradients = [None] * len(tensors) if grad_tensors is None else _sequence(grad_tensors)
    keep = index(create_graph if retain_graph is None else retain_graph)
    graph = bool(create_graph) or mode.off  # only computations on tensors carry tangents
    record = None
    if absent or mode.watch is not None:
        graph, record = True, bool(create_graph)
    grads = _roots(tensors, gradients, graph)
    if inputs is None:
        run(grads, graph, keep, None, record)
        return
    for t in inputs:
        if isinstance(t, Tensor):
            t.retain_grad()
    wanted = dict.fromkeys([edge_of(t) for t in inputs])
    run(grads, graph, keep, wanted, record, through=True)
    for node, g in wanted.items():
        if g is not None and type(node) is AccumulateGrad:
            accumulate(node, g if graph else g.copy(), graph)


def _check_outputs(outputs):
    """Raise AssertionError for anything but tensors and edges; return True if a tensor has no elements.

    Derivatives of such tensors are computed on tensors.
    """
    absent = False
    for t in outputs:
        if isinstance(t, Tensor):
            absent = absent or type(t.array) is Absent
        elif not isinstance(t, GradientEdge):
            raise AssertionError("Expected output to be a torch.Tensor")
    return absent


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    """Return the gradients of ``outputs`` with respect to ``inputs``, as a tuple or dict of them; ``.grad`` does not change.

    ``grad_outputs`` weights the outputs.  An input that the outputs do not depend on is an error, or None with
    ``allow_unused``, or zeros with ``materialize_grads``.  ``create_graph`` makes the result differentiable.
    ``is_grads_batched`` takes a leading dimension of ``grad_outputs`` as a batch of weights. Raise RuntimeError as
    ``backward`` does.

    >>> import tensh as torch
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> torch.autograd.grad(x ** 2, x)
    (tensor(6.),)
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if allow_unused is None:
        allow_unused = materialize_grads
    if not only_inputs:
        warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts of "
            "the graph, please use torch.autograd.backward.",
            FutureWarning,
        )
    if type(inputs) is dict:
        rest = grad_outputs, retain_graph, create_graph, True, allow_unused, is_grads_batched, materialize_grads
        return dict(zip(inputs, grad(outputs, _list_inputs(inputs, "grad"), *rest)))
    outputs, inputs = _sequence(outputs), _list_inputs(inputs, "grad")
    if is_overriding():
        rest = {
            "grad_outputs": grad_outputs, "retain_graph": retain_graph, "create_graph": create_graph, "only_inputs": only_inputs,
            "allow_unused": allow_unused, "is_grads_batched": is_grads_batched, "materialize_grads": materialize_grads,
        }  # fmt: skip
        if answer := answer_gradients(grad, (*outputs, *inputs), (tuple(outputs), tuple(inputs)), rest):
            return answer[0]
    weights = [None] * len(outputs) if grad_outputs is None else _sequence(grad_outputs)
    absent = _check_outputs(outputs)
    for t in inputs:
        if not isinstance(t, (Tensor, GradientEdge)):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(t).__name__}")
    keep, allow_unused = index(create_graph if retain_graph is None else retain_graph), index(allow_unused)
    if on_tensors.data and mode.watch is None and reaches_tensors(outputs):
        options = only_inputs, allow_unused, is_grads_batched, materialize_grads
        return ports.run_watched(grad, outputs, inputs, grad_outputs, retain_graph, create_graph, *options)
    options = keep, bool(create_graph), allow_unused
    if is_grads_batched:
        found = _grad_of_batch(outputs, inputs, weights, *options)
    else:
        found = _grad_once(outputs, inputs, weights, *options, absent)
    return _replace_missing(found, inputs, bool(create_graph)) if materialize_grads else found


def _grad_once(outputs, inputs, weights, keep, create_graph, allow_unused, absent):
    """Run one pass; return the gradients, None where none arrived."""
    graph, record = create_graph or mode.off, None
    try:
        if absent or mode.watch is not None:
            graph, record = True, create_graph
        roots = _roots(outputs, weights, graph)
        nodes = [edge_of(t) for t in inputs]
    except Lift:
        return ports.batched_grad(outputs, inputs, weights, keep, create_graph, allow_unused)
    wanted = dict.fromkeys(nodes)
    run(roots, graph, keep, wanted, record)
    return tuple(
        finish_gradient(number, t, wanted[node], allow_unused) for number, (t, node) in enumerate(zip(inputs, nodes))
    )


def finish_gradient(number, t, g, allow_unused):
    if g is None:
        if not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {number} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )
        return None
    g = g if isinstance(g, Tensor) else wrap(g)
    return g if type(t) is Tensor else getattr(type(t), "_gradient_like", keep_gradient)(t, g)


def _replace_missing(found, inputs, requires_grad):
    """Zeros in place of gradients that are None."""
    if any([g is None and type(t) is GradientEdge for g, t in zip(found, inputs)]):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    zeros = PUBLIC["zeros_like"]
    return tuple([zeros(t, requires_grad=requires_grad) if g is None else g for g, t in zip(found, inputs)])


def keep_gradient(t, g):
    """Return the gradient unchanged, as for most tensors."""
    return g


def _grad_of_batch(outputs, inputs, weights, *options):
    """Run one pass for all weights, whose first dimension is a batch."""
    for number, (t, w) in enumerate(zip(outputs, weights)):
        if w is None:
            continue
        if not w.array.ndim:
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
                "0-dim tensor to a number"
            )
        if not w.array.shape[0]:
            raise IndexError("index 0 is out of bounds for dimension 0 with size 0")
        if w.array.shape[1:] != t.array.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The "
                "sizes of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch "
                f"was detected: grad_output[{number}] has a shape of {w.shape[2:]} and output[{number}] has a shape of "
                f"{t.shape}. If you only want some tensors in `grad_output` to be considered batched, consider using vmap."
            )
    return ports.grad_by_batches(outputs, inputs, weights, *options)


def _sequence(value):
    return [value] if isinstance(value, (Tensor, GradientEdge)) else list(value)


def _list_inputs(inputs, name):
    """Return a list of the tensors that gradients are wanted for; raise RuntimeError if there is none."""
    if isinstance(inputs, Mapping):
        if type(inputs) is not dict:
            raise TypeError(
                f"`inputs` argument to `{name}()` must be a dict, not {type(inputs).__name__}. "
                "Other Mapping types are not supported."
            )
        inputs = inputs.values()
    if not (listed := _sequence(inputs)):
        raise RuntimeError(f"`inputs` argument to `{name}()` cannot be empty.")
    return listed


def edge_of(t):
    node = t.place if type(t) is GradientEdge else refresh_node(t)
    if not uses_gradient(node):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    return node if type(node) is not NoGradView else NoGradView(t.array)  # no gradient arrives here


def _roots(tensors, gradients, graph):
    """Return node -> initial gradient."""
    if len(tensors) > len(gradients):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(gradients)} gradients")
    grads = {}
    for number, (t, g) in enumerate(zip(tensors, gradients)):
        node = t.place if type(t) is GradientEdge else refresh_node(t)
        if not uses_gradient(node) or type(node) is NoGradView:
            _check_all(tensors, gradients)
            raise RuntimeError(f"element {number} of tensors does not require grad and does not have a grad_fn")
        g = _one(t, graph) if g is None else check_given(number, t, g)
        if not graph:
            g = g.array.copy() if type(node) is AccumulateGrad else g.array
        if type(t) is Tensor and t.array.shape != node.shape:  # ``t.data = x`` has changed the size
            try:
                g = fit(g, node, graph)
            except Misfit as misfit:
                raise RuntimeError(invalid(f"invalid gradient at index {number}", *misfit.args)) from None
        grads[node] = g if node not in grads else grads[node] + g
    return grads


def _check_all(tensors, gradients):
    """Raise for a gradient that does not fit its tensor, or cannot be made for it; the first check, as in PyTorch."""
    for number, (t, g) in enumerate(zip(tensors, gradients)):
        if isinstance(t, Tensor) and g is not None:
            check_given(number, t, g)
        elif isinstance(t, Tensor) and uses_gradient(refresh_node(t)):
            _one(t, True)


def reaches_tensors(tensors):
    """Return True if a node of ``on_tensors`` is an ancestor of one of the tensors."""
    try:
        stack = [t.place if type(t) is GradientEdge else refresh_node(t) for t in tensors]
    except Lift:  # batched tensors: asked again of the tensors that they hold
        return False
    seen = set()
    while stack:
        node = stack.pop()
        if node in on_tensors:
            return True
        if node is not None and node not in seen:
            seen.add(node)
            stack += node.inputs
    return False


def require_real_scalar(t):
    """Raise unless ``t`` is one real number, whose gradient with respect to itself is 1."""
    if t.array.size != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if t.array.dtype.kind not in "fV":
        raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {t.dtype}")


def _one(t, graph):
    """Return the gradient of a tensor of one element with respect to itself; a mode that watches sees it made (``graph``)."""
    require_real_scalar(t)
    array = t.array
    if type(array) is Absent:
        return wrap(make_like(array))
    if type(t) is not Tensor and getattr(type(t), "__torch_dispatch__", None) is not None or graph and mode.watch:
        return ports.dispatch_lifted("ones_like", (t,), {"pin_memory": False, "memory_format": preserve_format})
    one = np.empty(array.shape, array.dtype)  # and fill it: a quarter of the time of np.ones
    one.fill(1)
    return wrap(one)


def check_given(number, t, g):
    """Return the gradient that the user gave for ``t``, checked against it."""
    if not isinstance(g, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    node = refresh_node(g)
    if g.array.shape != t.array.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{number}] has a shape of {g.shape} and output[{number}] has a shape of {t.shape}."
        )
    if (g.array.dtype.kind in "cW") != (t.array.dtype.kind in "cW"):
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. "
            f"Mismatch in dtype: grad_output[{number}] has a dtype of {g.dtype} and output[{number}] has a dtype of {t.dtype}."
        )
    if type(g.array) is not type(t.array) and g.device != t.device:
        raise RuntimeError(f"invalid gradient at index {number} - expected device {t.device} but got {g.device}")
    if g.array.dtype != t.array.dtype:
        return wrap(g.array.astype(t.array.dtype)) if node is None else g.to(BY_NUMPY[t.array.dtype])
    return g
