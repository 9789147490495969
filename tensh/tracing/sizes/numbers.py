"""Sizes followed through a trace: integers that know their node in the graph."""

import functools
import operator
import sys
from typing import Any, NamedTuple

from tensh.engine.dispatch.capture.exporting import exporting
from tensh.engine.dtypes.symbols import CHOICES, SymBool, SymFloat, SymInt, sym_max, sym_min
from tensh.engine.errors.warnings import is_tensh_file


class Decision(NamedTuple):
    """A comparison of sizes by the program: nodes or numbers, and its outcome."""

    name: str
    left: Any
    right: Any
    outcome: bool


class TracedInt(int):
    """An int of a trace: a size, or a number computed from sizes. In the graph its node represents it.

    Arithmetic between integers is recorded; other operations see a plain int. So do comparisons, which the graph notes:
    those of the program one by one (``decisions``), others as a fact (``decided``).
    """

    symbolic = SymInt

    def __new__(cls, value, node):
        made = int.__new__(cls, value)
        made.node = node
        return made

    def __reduce__(self):
        return int, (int(self),)

    def __deepcopy__(self, memo):
        return self


class TracedFloat(float):
    """A float of a trace, which its node represents in the graph."""

    symbolic = SymFloat

    def __new__(cls, value, node):
        made = float.__new__(cls, value)
        made.node = node
        return made

    def __reduce__(self):
        return float, (float(self),)

    def __deepcopy__(self, memo):
        return self


def plain_number(value):
    """Return a traced number as a number of the example; other values unchanged."""
    if isinstance(value, TracedInt):
        return int(value)
    if isinstance(value, Comparison):
        return value.plain()
    return float(value) if isinstance(value, TracedFloat) else value


def define(name, reflected=False):
    function = getattr(operator, name)

    def calculate(self, *others):
        if not all(type(each) is int or isinstance(each, TracedInt) for each in others):
            if is_written(self, others) and (
                made := record_float(function, (*others, self) if reflected else (self, *others))
            ):
                return made
            return getattr(int, method)(int(self), *others)
        pair = (*others, self) if reflected else (self, *others)
        value = function(*map(int, pair))
        if type(value) is not int:  # 2 ** -1
            return value
        node = record_arithmetic(function, pair, value)
        if "calls" in self.node.meta:  # computed where the size was read
            node.meta["calls"] = self.node.meta["calls"]
        return TracedInt(value, node)

    method = f"__{'r' if reflected else ''}{name}__"
    calculate.__name__ = method
    setattr(TracedInt, method, calculate)


def define_float(name, reflected=False):
    function = getattr(operator, name)

    def calculate(self, *others):
        pair = (*others, self) if reflected else (self, *others)
        made = record_float(function, pair) if is_written(self, others) else None
        return getattr(float, method)(float(self), *map(plain_number, others)) if made is None else made

    method = f"__{'r' if reflected else ''}{name}__"
    calculate.__name__ = method
    setattr(TracedFloat, method, calculate)


def is_written(number, others):
    """Return True if a trace writes arithmetic with floats: where numbers are tensors."""
    are_numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in others)
    return are_numbers and getattr(number.node.graph, "reading", None) is not None


def record_float(function, pair):
    """Record arithmetic of which the result is a float; return None if it is another."""
    value = function(*map(plain_number, pair))
    return TracedFloat(value, record_arithmetic(function, pair, value)) if type(value) is float else None


def record_arithmetic(function, operands, value):
    """Record an operator of Python on numbers; return the node."""
    graph = next(each for each in operands if hasattr(each, "node")).node.graph
    node = graph.call_function(function, tuple(getattr(each, "node", each) for each in operands))
    node.meta["val"] = value
    if (note := getattr(graph, "note_number", None)) is not None:
        note(node, operands)
    return node


def record_choice(self, name, a, b):
    """Record the largest or the smallest of two numbers, and return it."""
    value = CHOICES[name](*(plain_number(each) for each in (a, b)))
    node = self.node.graph.call_function(EXTREMES[name], tuple(getattr(each, "node", each) for each in (a, b)))
    node.meta["val"] = value
    return TracedInt(value, node)


class Comparison:
    """A comparison of a trace's numbers, with a ``node`` once an operator takes it; ``plain()`` is the example's outcome."""

    symbolic = SymBool


class TracedBool(Comparison, int):
    """The outcome of a comparison during an export, which becomes a decision once Python needs it.

    Before that it is a condition that ``torch.cond`` records: its node is made on demand. The comparison has a
    ``number`` in its trace.
    """

    __class__ = property(lambda self: bool)  # so that it passes for one, where a bool is required

    def __new__(cls, outcome, name, left, right, number=None):
        made = int.__new__(cls, outcome)
        made.name, made.left, made.right, made.number = name, left, right, number
        made.before = next(reversed(left.node.graph.nodes))
        return made

    @functools.cached_property
    def node(self):
        """Return the node of the comparison."""
        nodes = tuple(each.node if isinstance(each, TracedInt) else each for each in (self.left, self.right))
        with self.before.graph.inserting_after(self.before):
            made = self.before.graph.call_function(getattr(operator, self.name), nodes)
        made.meta = {**self.left.node.meta, "val": self.plain(), "comparison": self.number}
        return made

    def plain(self):
        """Return the outcome for the example."""
        return int(self) != 0

    def __bool__(self):
        note_decision(self.left.node.graph, self.name, self.left, self.right, self.plain())
        return self.plain()

    def __repr__(self):
        return repr(bool(self))

    def __and__(self, other):
        return bool(self) & other

    def __or__(self, other):
        return bool(self) | other

    def __xor__(self, other):
        return bool(self) ^ other

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __reduce__(self):
        return bool, (bool(self),)

    def __deepcopy__(self, memo):
        return self


def define_comparison(name):
    method = f"__{name}__"
    plain = getattr(int, method)

    def compare(self, other):
        outcome = plain(self, other)
        if (
            outcome is NotImplemented
            or not isinstance(other, int)
            or is_tensh_file(sys._getframe(1).f_code.co_filename)
        ):
            if type(other) is int and (outcome is True and name == "eq" or outcome is False and name == "ne"):
                fix(self.node.graph, int(self))
            self.node.graph.decided = True
            return outcome
        if exporting.now:
            graph = self.node.graph
            graph.comparisons = getattr(graph, "comparisons", 0) + 1
            if graph.comparisons not in exporting.fixed:
                return TracedBool(outcome, name, self, other, graph.comparisons)
        note_decision(self.node.graph, name, self, other, outcome)
        return outcome

    compare.__name__ = method
    setattr(TracedInt, method, compare)


def note_reading(graph, kind):
    """Report that Python reads a number of a graph in which numbers are tensors."""
    if (report := getattr(graph, "reading", None)) is not None:
        report(kind, None)


def note_decision(graph, name, left, right, outcome):
    """Note a comparison on which Python decides."""
    note_reading(graph, "boolean")
    if (name == "eq") == outcome and name in ("eq", "ne") and type(right) is int:
        fix(graph, int(left))
    nodes = (each.node if isinstance(each, TracedInt) else each for each in (left, right))
    graph.decisions = [*getattr(graph, "decisions", ()), Decision(name, *nodes, outcome)]


def fix(graph, value):
    """Note that the program takes no other number here than that of the example."""
    graph.fixed = [*getattr(graph, "fixed", ()), value]


def to_int(self):
    """Return a plain int, and note that Python asked for it."""
    if not is_tensh_file(sys._getframe(1).f_code.co_filename):
        note_reading(self.node.graph, "integer")
        fix(self.node.graph, int.__int__(self))
    return int.__int__(self)


def to_float(self):
    """Return a plain float, and note that Python asked for it."""
    if not is_tensh_file(sys._getframe(1).f_code.co_filename):
        note_reading(self.node.graph, "float")
    return float(int.__int__(self))


def divide(self, other):
    """Record a true division of sizes."""
    if type(other) is int or isinstance(other, TracedInt) or is_written(self, (other,)):
        return record_float(operator.truediv, (self, other))
    return int.__truediv__(int(self), plain_number(other))


def divide_by(self, other):
    """Record a true division by a size, where numbers are tensors."""
    if is_written(self, (other,)):
        return record_float(operator.truediv, (other, self))
    return int.__rtruediv__(int(self), plain_number(other))


def is_true(self):
    """Return whether a number is not zero, and note that Python asked."""
    outcome = int.__bool__(self)
    note_decision(self.node.graph, "ne", self, 0, outcome)
    return outcome


TracedInt.record_choice = record_choice
TracedInt.__bool__, TracedInt.__int__, TracedInt.__float__ = is_true, to_int, to_float
TracedInt.__truediv__, TracedInt.__rtruediv__ = divide, divide_by
ARITHMETIC = tuple(getattr(operator, name) for name in ("add", "sub", "mul", "floordiv", "mod", "pow", "neg"))
"""Records the arithmetic of sizes."""
TRUE_DIVISION = operator.truediv
EXTREMES = {"max": sym_max, "min": sym_min}
"""The functions by which graphs compute the largest and the smallest of two numbers."""
for each in ARITHMETIC:
    define(each.__name__)
    if each is not operator.neg:
        define(each.__name__, reflected=True)
for each in ("lt", "le", "gt", "ge", "eq", "ne"):
    define_comparison(each)
for each in ("add", "sub", "mul", "truediv", "neg", "pow", "floordiv", "mod"):
    define_float(each)
    if each != "neg":
        define_float(each, reflected=True)
TracedInt.__hash__ = int.__hash__
