"""Checks inside functions transformed by torch.func, and the printed form of tensors there, as in PyTorch."""

import os
import sys
from textwrap import indent

from tensh.engine.core.clock import mode
from tensh.engine.core.nodes import uses_gradient
from tensh.engine.core.tensor import wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.errors.warnings import PACKAGE, is_tensh_file

FUNC = os.path.join(PACKAGE, "func") + os.sep

INSTEAD = {
    "backward()": (
        "backward() called inside a functorch transform. This is not supported, please use functorch.grad or functorch.vjp "
        "instead or call backward() outside of functorch transforms."
    ),
    "requires_grad_()": (
        "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) inside of a "
        "function being transformed by a functorch transform. This is unsupported, please attempt to use the functorch "
        "transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being "
        "transformed instead."
    ),
    "retain_grad()": (
        "You are attempting to call Tensor.retain_grad() inside of a function being transformed by a functorch transform. "
        "This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or "
        "call retain_grad() outside of a function being transformed instead."
    ),
}


BY_TENSOR = ("add_", "sub_", "mul_", "div_")  # operators that error messages name with the kind of their operand


class Call:
    """One running call of a transform, and the tensors that it made for its function.

    ``leaves`` maps the nodes of its new tensors to the nodes of the tensors they represent; ``level`` is its level of
    forward accumulation, if it has one.
    """

    def __init__(self, level=None):
        self.leaves, self.level = {}, level

    def refuse(self, what):
        """Raise the error for a method that was called inside a transformed function."""
        raise RuntimeError(INSTEAD[what])

    def refuse_capture(self, t, name):
        """Raise if a transformed value is written into ``t``, a tensor from outside the transformed function."""
        if is_captured(t):
            raise RuntimeError(
                f"During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
                f"(aten::{name + '.Tensor' * (name in BY_TENSOR)}) that would mutate a captured Tensor. This is not supported; please rewrite the function "
                "being transformed to explicitly accept the mutated Tensor(s) as inputs."
            )

    def text(self, t, plain):
        """Return the text of a tensor inside transforms; ``plain(tensor)`` is that of one outside."""
        return text(t, plain)

    def line(self, number, dims):
        """Return the text of a tensor inside the call; ``dims`` are the batch dimensions, by the calls of ``vmap``."""
        return f"GradTrackingTensor(lvl={number}, value="

    def holds(self, t, node, nodes):
        """Return True if ``t``, whose node leads to ``nodes``, comes from a tensor that the call made."""
        return (
            any(n in self.leaves for n in nodes) or self.level is not None and self.level.find_tangent(node) is not None
        )


class VmapCall(Call):
    """A running call of ``vmap``, with its number.

    ``expanded`` is True once a transform inside has made a tensor vary with the samples that did not.
    """

    def __init__(self, number):
        super().__init__()
        self.number, self.expanded = number, False

    def line(self, number, dims):
        return f"BatchedTensor(lvl={number}, bdim={dims.get(self.number, 0)}, value="

    def refuse_capture(self, t, name):
        """Allow the write: a write of samples into a tensor without batch dimensions is refused elsewhere."""

    def holds(self, t, node, nodes):
        return self.number in getattr(t, "levels", ())


def is_captured(t):
    """Return True if ``t`` is a variable outside of the function that the innermost transform calls, such as a global one."""
    own, frame, inside = t if t._base is None else t._base, sys._getframe(), True
    while frame is not None:
        filename = frame.f_code.co_filename
        if filename.startswith(FUNC):
            inside = False
        elif not is_tensh_file(filename):
            names, scope = (frame.f_code.co_names, frame.f_globals) if inside else (frame.f_locals, frame.f_locals)
            if any(scope.get(name) is own for name in names):
                return True
        frame = frame.f_back
    return False


def find_given_tensor(t):
    """Return (the tensor that the caller of ``vmap`` gave, or the value of a batch; the batch dimensions by the calls)."""
    dims = {}
    while (source := getattr(t, "source", None)) is not None:
        dims[t.levels[-1]], t = source[1], source[0]
    return getattr(t, "value", t), dims


def text(t, plain):
    """Return the text of a tensor inside transforms, one line for each.

    ``plain(tensor)`` is the text of one outside.
    """
    value, dims = find_given_tensor(t)
    calls, mode.transforms = mode.transforms, ()
    levels, mode.levels = mode.levels, ()
    try:
        node = refresh_node(value)
        nodes = find_reached(node, calls)
        holders = [(number, call) for number, call in enumerate(calls, 1) if call.holds(t, node, nodes)]
        mode.levels = type(levels)([level for level in levels if all(call.level is not level for call in calls)])
        shown = plain(find_outside(value, node, calls) if holders else t)
    finally:
        mode.transforms, mode.levels = calls, levels
    for number, call in holders:
        shown = f"{call.line(number, dims)}\n{indent(shown, '    ')}\n)"
    return shown


def find_reached(node, calls):
    """Return all ancestors of ``node``, through the leaves of running calls to the nodes that they represent."""
    seen, stack = {node}, [node]
    while stack:
        n = stack.pop()
        further = () if n is None else (*n.inputs, *[call.leaves.get(n) for call in calls])
        stack += [each for each in further if each not in seen]
        seen.update(further)
    return seen


def find_outside(value, node, calls):
    """Return the tensor outside of all calls."""
    for call in reversed(calls):
        node = call.leaves.get(node) or node
    shown = wrap(value.array)
    ends = [n for n in find_reached(node, calls) if uses_gradient(n) and not n.inputs]
    if any(all(n not in call.leaves for call in calls) for n in ends):
        shown.node = node
    return shown
