"""Gradient checks by finite differences: the root is computed again from a slightly changed tensor.

The expressions that the user assigned to the root and to the computed tensors in it are evaluated again.  Nothing is
assigned, printed or recorded, and the state of the random number generator is restored.
"""

import ast
import contextlib
import io
from typing import NamedTuple

import numpy as np

from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.device import strided
from tensh.engine.random.generator import default_generator
from tensh.graph.assignments import find_last
from tensh.support.language import _

ENTRIES = 5  # number of elements of a tensor to check
NEAR = {"float64": 1e-6, "complex128": 1e-6}  # tolerated relative error; 2e-2 for less exact dtypes
STEPS = {"float64": 1e-6}  # relative step; 1e-3 for less exact dtypes


class CheckResult(NamedTuple):
    """The result of a gradient check: the step, (index, difference, gradient) of entries, the worst error."""

    step: float
    entries: list
    worst: float
    agrees: bool


class UncheckedError(ValueError):
    """The reason why a gradient cannot be checked."""


def check_gradient(target, gradient, root, root_name, found, names):
    """Check the gradient of ``root`` with respect to the leaf ``target``; ``found`` are the assignments.

    Raise UncheckedError if the root cannot be computed again.
    """
    if root.layout is not strided or target.layout is not strided or root.is_meta or target.is_meta:
        raise UncheckedError(_("differences need dense tensors with elements"))
    if root.array.size != 1 or target.array.dtype.kind != "f":
        raise UncheckedError(_("differences need real tensors and a root that is a single number"))
    expressions = slice_program(root_name, found, names)
    with leave_no_trace():
        again = value(expressions, names)
        if not np.allclose(again, root.array.item(), rtol=1e-4, atol=1e-6, equal_nan=True):
            raise UncheckedError(
                _("{root_name} has a different value when computed again: {again:.4g}").format(
                    root_name=root_name, again=again
                )
            )
        return compare_entries(target, gradient, lambda: value(expressions, names))


def compare_entries(target, gradient, function):
    """Compare central differences in some entries of ``target`` with the gradient."""
    array = target.array
    kind = str(array.dtype)
    chosen = np.random.default_rng(0).permutation(array.size)[:ENTRIES]
    entries, worst = [], 0.0
    step = STEPS.get(kind, 1e-3)
    for position in sorted(map(int, chosen)):
        index = np.unravel_index(position, array.shape)
        expected, error = float(gradient[index]), np.inf
        for each in (step, 10 * step):  # small differences may be lost in rounding, as after cancellation
            if error > NEAR.get(kind, 2e-2):
                quotient = central_difference(array, index, each * max(1.0, abs(float(array[index]))), function)
                error = abs(quotient - expected) / max(abs(quotient), abs(expected), 1e-2)
        worst = max(worst, error)
        entries.append((tuple(map(int, index)), quotient, expected))
    return CheckResult(step, entries, worst, worst <= NEAR.get(kind, 2e-2))


def central_difference(array, index, h, function):
    """Return the difference quotient of a function in one element of an array, which is restored afterwards."""
    before = array[index]
    try:
        array[index] = before + h
        above, up = function(), float(array[index])
        array[index] = before - h
        below, down = function(), float(array[index])
    finally:
        array[index] = before
    return (above - below) / (up - down)


def slice_program(name, found, names, before=None, done=None):
    """Return [(name, code)] of the expressions that compute ``name`` from leaves, in the order of evaluation."""
    done = {} if done is None else done
    made = find_last(found, name, before)
    if made is None or made.within:
        raise UncheckedError(_("{name} was not assigned in a single plain assignment").format(name=name))
    for node in ast.walk(made.value):
        if isinstance(node, ast.Name) and node.id not in done and is_computed(names.get(node.id)):
            if node.id == name:
                raise UncheckedError(_("{name} was assigned from itself").format(name=name))
            slice_program(node.id, found, names, made.order, done)
    done[name] = compile(ast.Expression(made.value), made.filename, "eval")
    return done


def is_computed(value):
    """Return True for a tensor with a history."""
    if not isinstance(value, Tensor):
        return False
    node = refresh_node(value)
    return node is not None and type(node) is not AccumulateGrad


def value(expressions, names):
    """Return the value of the last expression."""
    scope = dict(names)
    try:
        for name, code in expressions.items():
            scope[name] = eval(code, scope)
        return float(scope[name])
    except Exception as error:
        raise UncheckedError(
            _("computing it again failed: {name}: {error}").format(name=type(error).__name__, error=error)
        ) from None


@contextlib.contextmanager
def leave_no_trace():
    """Record and print nothing within the context, and restore the random number generator."""
    state = default_generator.get_state()
    try:
        with no_grad(), contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        default_generator.set_state(state)
