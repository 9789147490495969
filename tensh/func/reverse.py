"""torch.func.grad, grad_and_value, vjp: derivatives by the backward pass."""

import functools

from tensh.engine import find_public
from tensh.engine.autograd import gradients
from tensh.engine.core.clock import mode
from tensh.engine.core.nodes import uses_gradient
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.vmap.batched import value_of
from tensh.func import stepping
from tensh.func.checks import (
    only_tensors,
    output_and_aux,
    replace_arguments,
    require_differentiable,
    require_scalar,
    select_argnums,
    select_arguments,
)
from tensh.func.tape import Tape, reaches, show_outside
from tensh.func.trees import flatten, map_leaves, unflatten


def grad(func, argnums=0, has_aux=False):
    """Return a function that computes the gradient of ``func``, whose result has no dimensions, by an argument.

    ``argnums`` is the number of the argument, or a tuple of numbers: then the result is a tuple.  The argument may be tensors
    nested in tuples, lists and dictionaries; so is the gradient.  With ``has_aux`` ``func`` returns ``(output, aux)`` and the
    new function ``(gradient, aux)``.  The gradient can be differentiated again, by another transform or by
    ``backward``. Raise RuntimeError unless the result is a tensor [] of floating point numbers, and for an ``argnums``
    that is not there.

    >>> import tensh as torch
    >>> sine = torch.sin
    >>> torch.func.grad(torch.func.grad(sine))(torch.tensor(1.0))
    tensor(-0.8415)
    """

    def wrapper(*args, **kwargs):
        result, value = _grad_and_value(func, argnums, has_aux, args, kwargs)
        return (result, value[1]) if has_aux else result

    return functools.wraps(func)(wrapper)


def grad_and_value(func, argnums=0, has_aux=False):
    """A function that returns the gradient of ``func``, as ``grad`` does, and its value; with ``has_aux`` also ``aux``.

    Raise RuntimeError as ``grad`` does.

    >>> import tensh as torch
    >>> torch.func.grad_and_value(lambda x: (x ** 2).sum())(torch.tensor([1.0, 2.0]))
    (tensor([2., 4.]), tensor(5.))
    """

    def wrapper(*args, **kwargs):
        return _grad_and_value(func, argnums, has_aux, args, kwargs)

    return functools.wraps(func)(wrapper)


CALL = "grad_and_value(f)(*args)"


def _grad_and_value(func, argnums, has_aux, args, kwargs):
    if stepping.now.transforms is not None:
        return stepping.now.transforms.run("grad_and_value", func, argnums, has_aux, args, kwargs, CALL)
    with Tape() as tape:
        numbers = select_argnums(args, argnums)
        fresh = [map_leaves(tape.leaf, args[n]) for n in numbers]
        output = func(*replace_arguments(args, numbers, fresh), **kwargs)
        if has_aux:
            output, aux = output_and_aux(output, CALL)
        require_scalar(output, CALL)
        leaves, spec = flatten(fresh if isinstance(argnums, tuple) else fresh[0])
        wanted = tape.is_wanted_outside(output)
        result = compute_gradients([output], leaves, None, wanted, wanted)
        result = unflatten(map(tape.export_result, result), spec)
        value = tape.export_result(output)
        if has_aux:
            value = value, map_leaves(tape.export_result, aux)
    return tuple(result) if isinstance(argnums, tuple) else result, value


def compute_gradients(outputs, leaves, weights, keep, graph):
    """Return the gradients of the outputs; zeros for the leaves that none of them depends on."""
    weights = [None] * len(outputs) if weights is None else weights
    pairs = [
        (t, w) for t, w in zip(outputs, weights, strict=True) if uses_gradient(value_of(t).node) or t.requires_grad
    ]
    if not pairs:
        return [find_public("zeros_like")(t) for t in leaves]
    outputs, weights = zip(*pairs)
    found = gradients.grad(outputs, leaves, weights, keep, graph, allow_unused=True)
    return [find_public("zeros_like")(t) if g is None else g for t, g in zip(leaves, found, strict=True)]


def vjp(func, *primals, has_aux=False):
    """Return (the result of ``func(*primals)``, a function of weights that gives the gradient of the weighted result).

    The function takes weights nested as the result is, and returns a tuple with one gradient, nested as it is, for every
    primal.  It may be called repeatedly.  With ``has_aux`` ``func`` returns ``(output, aux)``, and ``aux`` is the
    third. Raise RuntimeError for results that are not tensors, and for weights of another structure or shape.

    >>> import tensh as torch
    >>> value, pull = torch.func.vjp(torch.exp, torch.zeros(2))
    >>> pull(torch.tensor([1.0, 2.0]))
    (tensor([1., 2.]),)
    """
    return vjp_by(func, primals, None, has_aux)


def vjp_by(func, primals, argnums, has_aux):
    """Return the result and its gradients by the arguments ``argnums``: all of them, if it is None."""
    if stepping.now.transforms is not None:
        return stepping.now.transforms.run("vjp_by", func, primals, argnums, has_aux)
    call = "vjp(f, *primals)"
    with Tape() as tape:
        numbers = tuple(range(len(primals))) if argnums is None else select_argnums(primals, argnums)
        fresh = tuple(map_leaves(tape.leaf, primals[n]) for n in numbers)
        outputs = func(*replace_arguments(primals, numbers, fresh))
        aux = ()
        if has_aux:
            outputs, aux = output_and_aux(outputs, call)
            aux = (map_leaves(tape.export_result, aux),)
        flat, spec = flatten(outputs)
        only_tensors(flat, call)
        results = unflatten(map(tape.export_result, flat), spec)
        require_differentiable(flat)
    leaves, structure = flatten(fresh if argnums is None else select_arguments(fresh, argnums, range(len(fresh))))
    return results, make_pullback(flat, spec, leaves, structure), *aux


def make_pullback(outputs, expected, leaves, structure):
    """Make the function from weights to gradients that ``vjp`` returns."""

    def wrapper(cotangents, retain_graph=True, create_graph=None):
        weights, spec = flatten(cotangents)
        if spec != expected:
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the function. "
                f"cotangents: {spec.pretty()}, primal output: {expected.pretty()}"
            )
        recording = mode.grad is True and create_graph is not False
        roots = [value_of(t).node for t in (*outputs, *weights) if isinstance(t, Tensor)]
        graph = recording and reaches(roots)
        result = compute_gradients(outputs, leaves, weights, retain_graph, graph)
        return unflatten([show_outside(g, graph) for g in result], structure)

    return wrapper
