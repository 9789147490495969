"""Numbers that a program reads from tensors: in a graph they are nodes, in Python they decide nothing.

Note [Numbers without a hint]
``x.item()`` becomes a node, and a number that knows it. Arithmetic is recorded; a comparison is a condition that
``torch._check`` records, and that Python cannot decide on. What Python computes of such a number in another way would
be a constant of the graph: a second trace, on another number, finds it.
"""

import functools
import operator

from tensh.engine.dtypes.symbols import CHOICES, sym_not
from tensh.tracing.deciding import decide
from tensh.tracing.reading import GuardOnDataDependentSymNode, describe_reading
from tensh.tracing.sizes.numbers import EXTREMES, Comparison, TracedFloat, TracedInt

ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "truediv": "/", "pow": "**"}
NEGATED = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}
COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}


class Unbacked:
    """A number that is known when the program runs; ``text`` is its expression, ``ranges`` has those of all symbols."""

    def __bool__(self):
        text = f"Ne({self.text}, 0)"
        return decide(text, bool(self.plain()), lambda: guard(text))

    def __neg__(self):
        return make(self, -self.plain(), operator.neg, (self.node,), f"-{self.text}")

    def record_choice(self, name, a, b):
        """Record the largest or the smallest of two numbers, and return it."""
        values = [each.plain() if isinstance(each, Unbacked) else each for each in (a, b)]
        text = f"{name.capitalize()}({', '.join(sorted(map(text_of, (a, b)), key=lambda each: not each.isdigit()))})"
        return make(self, CHOICES[name](*values), EXTREMES[name], (node_of(a), node_of(b)), text)

    def plain(self):
        """Return the number of the example."""
        return int(self) if isinstance(self, int) else float(self)

    __hash__ = object.__hash__


class UnbackedInt(Unbacked, TracedInt):
    """A whole number read from a tensor."""


class UnbackedFloat(Unbacked, TracedFloat):
    """A floating point number read from a tensor."""


class Condition(Comparison):
    """A comparison of such a number, on which Python cannot decide; ``torch._check`` makes it part of the program."""

    def __init__(self, number, name, other):
        self.number, self.name, self.other = number, name, other
        self.text = write_comparison(number.text, name, text_of(other))

    def __bool__(self):
        outcome = decide(self.text, self.plain(), lambda: guard(self.text))
        holds = self if outcome else Condition(self.number, NEGATED[self.name], self.other)
        holds.record_check()  # the draft has one branch, and refuses other numbers
        return outcome

    def plain(self):
        """Return the outcome for the example."""
        other = self.other.plain() if isinstance(self.other, Unbacked) else self.other
        return getattr(operator, self.name)(self.number.plain(), other)

    @functools.cached_property
    def node(self):
        """Return the node of the comparison."""
        made = self.number.node.graph.call_function(
            getattr(operator, self.name), (self.number.node, node_of(self.other))
        )
        self.number.recorder.describe(made, self.plain())
        made.meta["sizes"] = self.text
        return made

    def record_check(self):
        """Record the condition, and that it must hold."""
        number, name = self.number, "eq" if self.name == "ne" else self.name
        node = number.node.graph.call_function(getattr(operator, name), (number.node, node_of(self.other)))
        number.recorder.describe(node, None)
        node.meta["sizes"] = write_comparison(number.text, name, text_of(self.other))
        if self.name == "ne":
            node = number.node.graph.call_function(sym_not, (node,))
            number.recorder.describe(node, None)
            node.meta["sizes"] = self.text
        number.recorder.assert_scalar(node, self.text)
        if number.text in number.ranges and type(self.other) is int and isinstance(number, int):
            number.ranges[number.text] = narrow(*number.ranges[number.text], self.name, self.other)


def write_comparison(first, name, second):
    """Return the text of a comparison."""
    return (
        f"{name.capitalize()}({first}, {second})" if name in ("eq", "ne") else f"{first} {COMPARISONS[name]} {second}"
    )


def narrow(low, high, name, other):
    """Return the (smallest, largest) whole number of a range that a comparison with another leaves."""
    least = {"ge": other, "gt": other + 1, "eq": other}.get(name)
    most = {"le": other, "lt": other - 1, "eq": other}.get(name)
    low = max((each for each in (low, least) if each is not None), default=None)
    return low, min((each for each in (high, most) if each is not None), default=None)


def guard(text):
    """Return the error of a decision on a condition."""
    return GuardOnDataDependentSymNode(
        f"Could not guard on data-dependent expression {text} (unhinted: {text}).  (Size-like symbols: none)\n\n"
        f"consider using data-dependent friendly APIs such as guard_or_false, guard_or_true and statically_known_true.\n"
        f"{describe_reading()}"
    )


def read_number(recorder, tensor, ranges, shift):
    """Record that a program reads the only element of a tensor, and return the number.

    ``ranges`` receives its symbol; ``shift`` is added to the number, for a second trace.
    """
    value = tensor.array.item()
    if isinstance(value, bool):
        text = f"Eq(u{count(ranges, 'u')}, 1)"
        return decide(text, value, lambda: guard(text))
    value += shift if isinstance(value, int) else 2.5 * shift  # so that its whole part is another one, too
    letter = "u" if isinstance(value, int) else "zuf"
    symbol = f"{letter}{count(ranges, letter)}"
    ranges[symbol] = None, None
    node = recorder.record_item(tensor, value)
    node.meta["sizes"] = symbol
    return build(value, node, symbol, ranges, recorder)


def count(ranges, letter):
    """Return how many symbols have a letter."""
    return sum(each.rstrip("0123456789") == letter for each in ranges)


def build(value, node, text, ranges, recorder):
    """Return the number of a node."""
    made = (UnbackedInt if isinstance(value, int) else UnbackedFloat)(value, node)
    made.text, made.ranges, made.recorder = text, ranges, recorder
    return made


def make(number, value, function, nodes, text):
    """Record an operation on a number, and return its result."""
    node = number.node.graph.call_function(function, nodes)
    number.recorder.describe(node, value)
    node.meta["sizes"] = text
    return build(value, node, text, number.ranges, number.recorder)


def node_of(value):
    return value.node if isinstance(value, (TracedInt, TracedFloat)) else value


def text_of(value):
    return value.text if isinstance(value, Unbacked) else str(value)


def write(symbol, first, second):
    """Return the expression of an operation as PyTorch writes it, with a factor before a name."""
    if symbol == "*" and second.replace(".", "").isdigit():
        first, second = second, first
    first, second = (f"({each})" if " " in each and symbol != "+" else each for each in (first, second))
    return f"{first}*{second}" if symbol == "*" else f"{first} {symbol} {second}"


def define(name, symbol, reflected):
    function = getattr(operator, name)

    def apply(self, other):
        if not isinstance(other, (int, float)) or isinstance(other, bool):
            return NotImplemented
        if isinstance(self, float) and type(other) is int:
            other = float(other)
        one, two = (other, self) if reflected else (self, other)
        values = [each.plain() if isinstance(each, Unbacked) else each for each in (one, two)]
        return make(self, function(*values), function, (node_of(one), node_of(two)), write(symbol, text_of(one), text_of(two)))  # fmt: skip

    apply.__name__ = f"__{'r' if reflected else ''}{name}__"
    setattr(Unbacked, apply.__name__, apply)


def define_comparison(name):
    def compare(self, other):
        if not isinstance(other, (int, float)):
            return NotImplemented
        return Condition(self, name, other)

    compare.__name__ = f"__{name}__"
    setattr(Unbacked, compare.__name__, compare)


for _name, _symbol in ARITHMETIC.items():
    define(_name, _symbol, False)
    define(_name, _symbol, True)
for _name in COMPARISONS:
    define_comparison(_name)
