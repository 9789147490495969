"""Code of files whose branches and loops are recorded, where they depend on elements of tensors or on dynamic sizes.

Note [Variables of branches]
TorchScript's code assigns every variable once, but for those that leave a branch, which both branches assign, and those
that a loop carries, which have a value before it. So the statements of a body itself, without those within its inner
branches and loops, tell what a branch gives and what a loop carries.
"""

import ast
from contextlib import contextmanager

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.func.trees import flatten, unflatten
from tensh.fx.node import map_aggregate
from tensh.jit.files.interpreter import Frame
from tensh.jit.files.library import join_path
from tensh.jit.files.numbers import OPERATORS, READERS, Number, call_with_numbers, to_tensor
from tensh.jit.files.operators import BUILTINS, Unknown, call_operator
from tensh.overrides import _get_current_function_mode
from tensh.support.temporary import temporarily
from tensh.tracing.places import interpreted
from tensh.tracing.sizes.numbers import TracedInt

__all__ = ["BranchingFrame"]


class BranchingFrame(Frame):
    """A call frame whose branches and loops may depend on elements; ``recorded`` is True within one that does."""

    recorded = False
    trial = False  # True while bodies run for the shapes of their results alone

    def run(self, body):
        for each in body:
            place = self.library.place_of(self.tree, each)
            with temporarily(interpreted, place=place), note_place(place):
                getattr(self, f"do_{type(each).__name__}")(each)

    def leave(self, value):
        """Return a result; to Python outside of the file, numbers that depend on elements are tensors."""
        return (
            value
            if self.depth
            else map_aggregate(value, lambda each: each.tensor if isinstance(each, Number) else each)
        )

    # ── numbers ──────────────────────────────────────────────────────────────
    def call(self, func, name, args, kwargs):
        space, _, last = (name or "").rpartition(".")
        known = space in ("torch", "ops.prim") or name in BUILTINS and name not in self.variables
        if known and last in READERS and isinstance(args[0], (Tensor, Number)):
            return READERS[last](args[0])
        if known and last in OPERATORS and (last in COMPARISONS or any(isinstance(each, Tensor) for each in args)):
            args = [Number(to_tensor(each)) if isinstance(each, TracedInt) else each for each in args]
        if known and any(isinstance(each, Number) for each in (*args, *kwargs.values())) and last not in LISTS:
            return call_with_numbers(last, args, kwargs, call_operator)
        if last in CHANGES and self.recorded:
            raise Unknown(f"a list or a dictionary changes (aten::{last}) in a branch or a loop that is recorded")
        return super().call(func, name, args, kwargs)

    def get_Call(self, node):
        return UNSET if join_path(node.func) == "uninitialized" else super().get_Call(node)

    def assign(self, target, value):
        if self.recorded and isinstance(target, (ast.Attribute, ast.Subscript)):
            raise Unknown(f"{ast.unparse(target)} is assigned in a branch or a loop that is recorded")
        super().assign(target, value)

    # ── branches ─────────────────────────────────────────────────────────────
    def do_If(self, node):
        test = self.value(node.test)
        if not is_recorded(test):
            self.run(node.body if test else node.orelse)
        elif raises(node.body) or raises(node.orelse):  # ONNX and programs have no exceptions
            self.run(node.orelse if raises(node.body) else node.body)
        else:
            self.record_choice(test, node.body, node.orelse)

    def record_choice(self, test, first, second):
        """Record both branches, and give the variables that both assign their results."""
        names = [name for name in list_assigned(first) if name in list_assigned(second)]
        if self.trial:
            self.variables |= zip(names, map(prefer, self.try_body(first, names), self.try_body(second, names)))
            return
        examples, tied = self.find_examples(names, first, second), Leaves()

        def branch(body):
            def compute():
                with temporarily(self, variables=dict(self.variables), recorded=True):
                    self.run(body)
                    return tied.open([fill(self.variables[name], examples.get(name)) for name in names])

            return compute

        made = record(torch.cond, to_condition(test), branch(first), branch(second), ())
        self.variables |= zip(names, tied.close(made))

    # ── values that no line has set ──────────────────────────────────────────
    def find_examples(self, names, *bodies):
        """Return name -> example for the variables that a branch or a loop may leave unset, or {} without such values."""
        if not any(each is UNSET for each in self.variables.values()):
            return {}
        with _get_current_function_mode().plainly(), temporarily(self, trial=True):
            found = [self.try_body(body, names) for body in bodies]
        return {name: prefer(*values) if len(values) > 1 else values[0] for name, *values in zip(names, *found)}

    def try_body(self, body, names):
        """Return the values that a body gives to variables when it runs, without changing any."""
        with temporarily(self, variables=dict(self.variables), recorded=True):
            self.run(body)
            return [self.variables[name] for name in names]

    def get_IfExp(self, node):
        test = self.value(node.test)
        if is_recorded(test):
            raise Unknown("an expression chooses by elements of a tensor")
        return self.value(node.body if test else node.orelse)

    # ── loops ────────────────────────────────────────────────────────────────
    def do_While(self, node):
        while True:
            test = self.value(node.test)
            if is_recorded(test):
                return self.record_loop(node.body, lambda: self.value(node.test))
            if not test:
                return None
            self.run(node.body)

    def do_For(self, node):
        bounds = self.read_range(node.iter)
        if bounds is None:
            return super().do_For(node)
        start, stop, step = bounds
        self.variables[node] = start  # the number of the turn, under a name that no code has

        def advance():
            self.assign(node.target, self.variables[node])
            self.variables[node] = call_with_numbers("add", [self.variables[node], step], {}, call_operator)

        def goes_on():
            return call_with_numbers("lt", [self.variables[node], stop], {}, call_operator)

        return self.record_loop(node.body, goes_on, advance, (node,))

    def read_range(self, node):
        """Return (start, stop, step) of a loop whose number of turns depends on elements or on a dynamic size, or None."""
        if not isinstance(node, ast.Call) or join_path(node.func) != "range":
            return None
        given = [self.value(each) for each in node.args]
        if all(type(each) is int for each in given):
            return None
        start, stop, step = (0, *given, 1) if len(given) == 1 else (*given, 1)[:3]
        if type(step) is not int or step < 1:
            raise Unknown("a loop whose number of turns depends on elements goes forwards only")
        return start, Number(to_tensor(stop)), step

    def record_loop(self, body, goes_on, advance=None, more=()):
        """Record a loop; what it carries are the variables that its body assigns and that have a value before."""
        names = [*more, *(name for name in list_assigned(body) if name in self.variables and name not in more)]
        if self.trial:
            if advance is not None:
                advance()
            self.run(body)
            return
        examples, tied = self.find_examples(names, body), Leaves()
        carried = tied.open([fill(self.variables[name], examples.get(name)) for name in names])

        def enter(leaves):
            return temporarily(self, variables=self.variables | dict(zip(names, tied.close(leaves))), recorded=True)

        def test(*leaves):
            with enter(leaves):
                return to_condition(goes_on())

        def turn(*leaves):
            with enter(leaves):
                if advance is not None:
                    advance()
                self.run(body)
                return tuple(tied.open([fill(self.variables[name], examples.get(name)) for name in names]))

        made = record(torch.while_loop, test, turn, tuple(carried))
        self.variables |= zip(names, tied.close(made))


UNSET = object()
"""The value of a variable that TorchScript's code declares without setting it, since nothing will read it."""
COMPARISONS = frozenset("eq ne lt le gt ge".split())
LISTS = frozenset("append __getitem__ insert".split())
"""Operators that take numbers as elements of lists."""
CHANGES = frozenset(
    "append extend insert pop clear remove reverse sort _set_item Delete update setdefault popitem".split()
)
"""Operators that change a list or a dictionary."""


@contextmanager
def note_place(place):
    """Let errors for code that cannot be recorded have its place: the innermost."""
    try:
        yield
    except Unknown as error:
        error.place = error.place or place
        raise


def record(operator, *args):
    """Call an operator on functions. Raise Unknown for branches and loops that it refuses."""
    try:
        return operator(*args)
    except RuntimeError as error:
        if type(error) is not RuntimeError:
            raise
        raise Unknown(str(error)) from None


def prefer(value, other):
    """Return the first of two values that is set."""
    return other if value is UNSET else value


def fill(value, example):
    """Return a value, or zeros like its example where nothing sets it."""
    if value is not UNSET or example is UNSET:
        return value
    return map_aggregate(example, make_zeros)


def make_zeros(example):
    return torch.zeros(example.shape, dtype=example.dtype) if isinstance(example, Tensor) else example


class Leaves:
    """Values of variables as tensors: ``open`` makes them leaves, ``close`` makes values of such leaves again."""

    kinds = spec = None

    def open(self, values):
        """Return the leaves of values as tensors. Raise Unknown unless the values are like those before."""
        leaves, spec = flatten(values)
        kinds = [type(each) if isinstance(each, (int, float)) else find_kind(each) for each in leaves]
        if self.kinds not in (None, kinds) or self.spec not in (None, spec):
            raise Unknown("branches, or the turns of a loop, give values of different types")
        self.kinds, self.spec = kinds, spec
        return [each if isinstance(each, Tensor) else to_tensor(each) for each in leaves]

    def close(self, leaves):
        """Return the values with these leaves."""
        return unflatten(
            [each if kind is Tensor else Number(each) for each, kind in zip(leaves, self.kinds)], self.spec
        )


def find_kind(value):
    """Return the type of a leaf: that of a number is Python's."""
    if isinstance(value, Number):
        return {torch.bool: bool, torch.int64: int, torch.float64: float}[value.tensor.dtype]
    if isinstance(value, Tensor):
        return Tensor
    raise Unknown(f"a branch or a loop that is recorded gives a value of {type(value).__name__}")


def is_recorded(value):
    """Return True for a condition that depends on elements, or on dynamic sizes."""
    return isinstance(value, (Tensor, Number))


def to_condition(value):
    """Return a condition as a boolean tensor without dimensions."""
    return value.reshape(()).to(torch.bool) if isinstance(value, Tensor) else to_tensor(value)


def raises(body):
    """Return True for a body that ends with an exception."""
    last = body[-1] if body else None
    return isinstance(last, ast.Raise) or (
        isinstance(last, ast.Expr)
        and isinstance(last.value, ast.Call)
        and join_path(last.value.func) == "ops.prim.RaiseException"
    )


def list_assigned(body):
    """Return the names that the statements of a body assign, without those of inner branches and loops."""
    targets = [target for each in body if isinstance(each, ast.Assign) for target in each.targets]
    targets += [each.target for each in body if isinstance(each, ast.AnnAssign) and each.value is not None]
    names = [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
    return list(dict.fromkeys(names))
