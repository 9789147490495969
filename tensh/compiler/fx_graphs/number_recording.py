"""Numbers that vary between calls, as inputs of a graph for a back end: integers, and floats as tensors of one element.

Note [Dynamic numbers]
Guards find the numbers that a call may read: in arguments and their items, attributes, global variables and variables of
enclosing functions. While the call is recorded, those that have varied are replaced, where they are, by numbers that
record what is computed of them. The program sees no difference, and guards never see the replacement: it is undone
while they look, and at the end. What the call assigns is recorded like a result.
"""

import contextlib

import numpy as np

from tensh.compiler.capture.paths import Paths
from tensh.compiler.fx_graphs.sources import Sources
from tensh.engine import find_public
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.dtype import float64
from tensh.engine.dtypes.symbols import SymInt
from tensh.tracing.sizes.numbers import TracedFloat, TracedInt, plain_number

__all__ = ["DynamicFloat", "DynamicInt", "NumberRecorder"]


class DynamicInt(TracedInt):
    """A dynamic number at the path of a guard: an input of the graph on first use."""

    def __new__(cls, value, path, recorder):
        made = int.__new__(cls, value)
        made.path, made.recorder, made.placed, made.symbol = path, recorder, None, None
        return made

    def __repr__(self):
        return self.symbol or int.__repr__(self)

    __str__ = __repr__

    @property
    def node(self):
        """The input."""
        if self.placed is None:
            with self.recorder.outermost():
                self.placed = self.recorder.add_number(self)
        return self.placed


DynamicInt.__name__ = "SymInt"  # the type that back ends print


class DynamicFloat(TracedFloat):
    """A dynamic float at the path of a guard: an input of the graph on first use, as a tensor whose element is read."""

    def __new__(cls, value, path, recorder):
        made = float.__new__(cls, value)
        made.path, made.recorder, made.placed = path, recorder, None
        return made

    @property
    def node(self):
        """The node that reads the element."""
        if self.placed is None:
            with self.recorder.outermost():
                self.placed = self.recorder.add_float(self)
        return self.placed


def compare_number(name):
    """Return a comparison of a dynamic float, which is an input from then on."""
    plain = getattr(float, name)

    def compare(self, *other):
        _ = self.node
        return plain(self, *other)

    return compare


for _name in ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__", "__bool__"):
    setattr(DynamicFloat, _name, compare_number(_name))
DynamicFloat.__hash__ = float.__hash__

KINDS = {int: DynamicInt, float: DynamicFloat}
"""Type of a number -> that of the one which replaces it."""


class NumberRecorder:
    """The part of a ``FunctionRecorder`` that records numbers, once it has a ``policy`` and ``guards``."""

    def start_numbers(self):
        """Begin without dynamic numbers."""
        self.paths, self.numbers, self.replaced = None, {}, []
        self.judged = 0  # how many of the numbers that guards have found were looked at
        self.floats = {}  # id of the tensor of a dynamic float -> its path

    @contextlib.contextmanager
    def replacing_numbers(self, function, args, kwargs):
        """A context in which the program reads dynamic numbers; it gets the arguments of the call with such numbers."""
        self.function, self.paths = function, Paths(self.guards.namespace | {"args": args, "kwargs": kwargs})
        self.replace_numbers()
        try:
            yield self.paths.scope["args"], self.paths.scope["kwargs"]
        finally:
            self.restore_numbers()
            self.paths = None

    @contextlib.contextmanager
    def showing_numbers(self, frame):
        """A context in which numbers are those from outside, so that guards can be added before a frame runs."""
        if self.paths is None:
            yield
            return
        self.restore_numbers()
        try:
            yield
        finally:
            if self.watch.reason is None:
                self.replace_numbers()
            _ = frame.f_locals  # read again, because Python before 3.13 writes these values back after a report

    def replace_numbers(self):
        """Replace the dynamic numbers that guards have found so far."""
        self.paths.scope |= self.guards.namespace
        found = list(self.guards.numbers.items())
        sources = Sources(self.guards, self.function) if len(found) > self.judged else None
        for path, value in found[self.judged :]:
            source = sources.write(path)
            if self.policy.is_dynamic(source, value, sources.is_fixed(path, source)):
                self.numbers[path] = KINDS[type(value)](value, path, self)
        self.judged = len(found)
        for path, number in list(self.numbers.items()):
            self.replace_number(path, number)

    def replace_number(self, path, number):
        """Replace a number, unless it has been assigned, or cannot be replaced."""
        try:
            before = self.paths.read(path)
            if type(before) in KINDS and before == plain_number(number):
                self.paths.replace(path, number)
                self.replaced.append((path, before))
        except (TypeError, AttributeError, LookupError, ValueError):
            del self.numbers[path]

    def restore_numbers(self):
        """Undo the replacement of numbers that have not been assigned since."""
        for path, before in reversed(self.replaced):
            with contextlib.suppress(TypeError, AttributeError, LookupError, ValueError):
                if self.paths.read(path) is self.numbers.get(path):
                    self.paths.replace(path, before)
        self.replaced.clear()

    def node_of_number(self, number):
        """Return the node of a number that the call returns or assigns: floats are returned as tensors."""
        if isinstance(number, TracedInt):
            return number.node
        node = self.graph.call_function(find_public("scalar_tensor"), (number.node,), {"dtype": float64})
        node.meta["example_value"] = wrap(np.array(float(number)))
        return node

    def add_number(self, number):
        """Make a dynamic number an input of the graph; return its node."""
        node = self.insert_input(f"L_number{len(self.used)}_", SymInt)
        node.meta.update(val=int(number), example_value=number)
        self.used.append(number)
        self.inputs.append(node)
        self.dynamic = True
        return node

    def add_float(self, number):
        """Make a dynamic float an input of the graph, a tensor without dimensions; return the node that reads it."""
        tensor = wrap(np.array(float(number)))
        self.floats[id(tensor)] = number.path
        node = self.insert_input(f"L_float{len(self.used)}_", Tensor)
        node.meta["example_value"] = tensor
        self.remember(tensor)
        self.used.append(tensor)
        self.inputs.append(node)
        self.dims[id(tensor)], self.dynamic = frozenset(), True
        read = self.graph.call_method("item", (node,))
        read.meta.update(val=float(number), example_value=number)
        return read
