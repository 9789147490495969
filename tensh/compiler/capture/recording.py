"""The recorder of a function that becomes a graph, which notes the elements that Python reads."""

import contextlib
import functools
import sys
import types
from typing import NamedTuple

import numpy as np

from tensh.compiler.breaks import Break
from tensh.compiler.capture.reads import Reads
from tensh.compiler.programs.steps import CHECK, HALF, READ, SLOPES
from tensh.engine.arrays.halves import HalfNumber, make_half_number
from tensh.engine.codegen.derivatives import computes
from tensh.engine.codegen.mixing import promote
from tensh.engine.codegen.node_classes import derive_once, is_half
from tensh.engine.codegen.vocabulary import ARRAYS, OPS, TENSORS
from tensh.engine.core.clock import clock, mode
from tensh.engine.core.nodes import Parts
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.capture import points
from tensh.engine.dispatch.capture.lines import Line, Value, list_values, map_tensors
from tensh.engine.dispatch.capture.places import find_place
from tensh.engine.dispatch.capture.recorder import READS, Paused, Recorder, state
from tensh.engine.dispatch.override.points import checks, watch_operator
from tensh.engine.dtypes.dtype import BY_NUMPY
from tensh.support.temporary import temporarily

OF_FORM = ("_as", "_like", "_as_", "to", "_type", "_tensors", "size", "shape")
"""Endings of functions that read the shape or the dtype of an argument, not its elements."""


def cast_operands(op, first, second):
    """Cast two tensors of different dtypes to the dtype in which an operator computes."""
    try:
        common = promote(*(np.empty((0,) * t.array.ndim, t.array.dtype) for t in (first, second)), op.name)
    except RuntimeError:  # the operator raises this error itself
        return first, second
    return tuple(cast_operand(*each) for each in zip((first, second), common, strict=True))


def cast_operand(t, example):
    """Cast a tensor to the dtype of an array; a 0-d tensor keeps its digits where the array is a ``HalfNumber``."""
    if t.array.dtype is example.dtype:
        return t
    made = t.to(BY_NUMPY[example.dtype])
    if type(example) is HalfNumber:
        state.recorder.use_half_number(made, make_half_number(t.array, example.dtype), t)
    return made


class GraphRecorder(Recorder):
    """A recorder that notes the elements that Python reads."""

    def __init__(self):
        super().__init__()
        self.reason, self.slopes, self.reads = None, {}, Reads()
        self.branch = None  # the reason why PyTorch has no graph, where one of tensh compares an element

    def call(self, point, args, options):
        """Cast operands of different dtypes first, because the internal copies of operators are not recorded."""
        if (result := self.call_with_autocast(point, args, options)) is not NotImplemented:
            return result
        op = point.operator
        if point.name == "grad" and op is None and self.reason is None:
            place, _ = find_place()
            self.reason = Break("the gradient of a tensor is read", place)
        if point.function in self.slopes:
            return self.call_slope(point, args, options)
        if op is not None and op.pointwise and len(op.inputs) == 2 and not options and not points.writes(point.name):
            dense = [each for each in args if isinstance(each, Tensor) and type(each.array) is np.ndarray]
            if len(args) == len(dense) == 2 and args[0].dtype is not args[1].dtype:
                args = cast_operands(op, *args)
        if op is not None or point.name in READS or point.function in checks:
            return super().call(point, args, options)
        count = len(self.lines)
        result = super().call(point, args, options)
        self.guard_unread(point, count, args, options, result)
        return result

    def call_with_autocast(self, point, args, options):
        """Cast the arguments as autocast does, then call the function; return NotImplemented where it casts nothing."""
        casting = sys.modules.get("tensh.amp.casting")
        if casting is None or casting.state.lower is None or options.get("out") is not None:
            return NotImplemented
        go_on = functools.partial(self.call, point)
        return casting.cast_apart(point.function, args, options, contextlib.nullcontext(), go_on)

    def guard_unread(self, point, count, args, options, result):
        """Guard the arguments of a call that none of its lines reads: Python has read their elements, as in ``x[t]``."""
        given, made, read = [], [], set()
        map_tensors(given.append, (args, options))
        if not given or point.name.endswith(OF_FORM) or point.name.startswith("new_"):
            return
        map_tensors(made.append, result)
        if not made:
            return
        for line in self.lines[count:]:
            if line.name != CHECK or line.result is not None:
                slices = line.name == "__getitem__" and type(line.args[1]) in (slice, tuple)
                inputs = line.inputs if not slices else line.inputs[:1]
                read.update(each.array.ctypes.data for each in inputs if type(each.array) is np.ndarray)
        for each in given:
            array = each.array
            if type(array) is np.ndarray and not any(each is one for one in made) and array.ctypes.data not in read:
                self.guard_elements(point, each)

    def guard_elements(self, point, tensor):
        """Compare the element of a tensor in later calls; note a break for several elements."""
        place, _ = find_place()
        value, array = self.value_of(tensor), tensor.array
        if not array.size or array.dtype.kind not in "iubf":
            return
        if array.size > 1 or not np.isfinite(array).all():
            self.reason = self.reason or Break(f"{point.name} reads the elements of a tensor", place)
            return
        self.require_repeatable(f"{point.name} reads an element", place)
        line = Line(int, READ, None, (value,), {})
        line.result, line.place = array.item(), place
        self.lines.append(line)

    def use_half_number(self, tensor, number, original):
        """Give a tensor, a cast of the original, a ``HalfNumber`` as its array; derivatives read its exact number."""
        value, tensor.array = self.find(tensor), number
        self.add_array(number, value)
        self.add_array(number.exact, self.find(original))

    def call_slope(self, point, args, options):
        """Record a primitive of derivatives as one line: see SLOPES."""
        with Paused():
            result = point.twin(*args, **options)
        self.written = clock.last_write  # ignore writes within
        return self.add_line(point.function, self.slopes[point.function], args, options, result)

    def add_line(self, function, name, args, options, result):
        """Add a line for a call, whatever it called; return its result."""
        line = Line(function, name, None, *self.describe(args, options))
        line.result = map_tensors(lambda each: self.add_value(Value(each, line)), result)
        line.outputs = tuple(list_values(line.result))
        self.lines.append(line)
        return result

    def taking_steps(self):
        """Return a context in which primitives of derivatives are recorded as the operators that they consist of."""
        return temporarily(self, slopes={})

    def record_slopes(self):
        """Record calls of the primitives that end as in SLOPES from now on."""
        for name, function in list(dict.items(TENSORS)):
            own = name.endswith(SLOPES) and not dict.__contains__(OPS, name) and dict.get(ARRAYS, name) is not function
            if own and type(function) is types.FunctionType:
                self.slopes[function] = name
                watch_operator(function, None)

    def check(self, point, args, options, answer):
        line = Line(point.twin, CHECK, None, *self.describe(args, options))
        line.place, line.modules = find_place()
        line.result = answer
        if answer is not None:
            self.require_repeatable(f"{point.function.__name__} asks about elements", line.place)
        self.lines.append(line)

    def require_repeatable(self, what, place):
        """Note a break if the lines so far cannot run twice, as they would if elements differ from what was read."""
        if any(line.random or line.writes for line in self.lines):
            self.reason = self.reason or Break(f"{what} after a write or a random draw", place)

    def read(self, point, args, result):
        place, _ = find_place()
        if type(result) in (bool, int) and len(args) == 1 and args[0].tensor.array.size == 1:
            self.require_repeatable(f"{point.name} reads an element", place)
            reason = f"{point.name} reads an element"
            self.branch = self.branch or self.reads.find_break(point.name, args[0].tensor, place, reason)
            line = Line(type(result), READ, None, args, {})
            line.result, line.place = result, place
            self.lines.append(line)
        elif self.reason is None:
            reason = f"{point.name} reads the elements of a tensor"
            found = self.reads.find_break(point.name, args[0].tensor if args else None, place, reason)
            self.reason = found or Break(reason, place)


# ── derivatives of 16 bit numbers ────────────────────────────────────────────
class HalfDerivative:
    """The derivative of a node, on arrays, where it is one kernel in PyTorch: it is computed in float32 and rounded once."""

    def __init__(self, node):
        self.kind, self.shape = type(node), node.shape
        self.inputs = tuple(None if each is None else Edge(each.dtype) for each in node.inputs)

    def __call__(self, g, *saved):
        node = object.__new__(self.kind)
        node.saved, node.inputs, node.shape = saved, self.inputs, self.shape
        return derive_once(node, g)


class Edge(NamedTuple):
    """The facts that a derivative asks of a node that its gradient goes to."""

    dtype: object


class HalfPass:
    """A backward pass on tensors in which the derivatives of 16 bit numbers are rounded as in one on arrays."""

    word = staticmethod(TENSORS.__getitem__)

    def __init__(self, *_):
        self.recorder = state.recorder

    def derive(self, node, g):
        """Return the gradients of a node; those of ``HalfDerivative`` are one line."""
        op = getattr(node, "op", None)
        if op is None or type(g) is Parts or not is_half(g.array) or not computes(op, type(node).derivatives):
            return node.backward_graph(g)
        if not op.fused:
            with self.recorder.taking_steps():
                return node.backward_graph(g)
        saved, function = node.unpack(), HalfDerivative(node)
        arrays = [each.array if isinstance(each, Tensor) else each for each in saved]
        with Paused():
            found = tuple(None if each is None else wrap(each) for each in function(g.array, *arrays))
        return self.recorder.add_line(function, HALF, (g, *saved), {}, found)


def rounding_once():
    """Return a context in which backward passes on tensors are ``HalfPass``es."""
    return temporarily(mode, watch=HalfPass)
