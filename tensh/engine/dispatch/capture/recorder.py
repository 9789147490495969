"""The recorder: while it is entered, calls become lines.

It sees the innermost calls: declared operators, and functions that are not made of operators.  It also sees a backward
pass that runs on tensors (``run(..., graph=True)`` in core/backward).  The recorder in tensh/tracing sees the outermost
calls, those of PyTorch's public functions, through the same override points.
"""

import itertools
import threading

import numpy as np

from tensh.engine.core.clock import clock, is_written_after, mode
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.capture import points
from tensh.engine.dispatch.capture.lines import ArrayOf, Line, Value, list_values, map_parts, map_tensors
from tensh.engine.dispatch.capture.places import find_place
from tensh.engine.dispatch.override.points import checks
from tensh.engine.random.generator import Generator

READS = frozenset(
    """__bool__ __int__ __float__ __complex__ __index__ __contains__ __array__ __repr__ __format__ item tolist numpy is_nonzero
    equal allclose""".split()
)
"""Functions that convert elements to Python values."""


NAMES = frozenset(("detach", "data", "alias"))
"""Functions that return the same elements under another name."""


class State(threading.local):
    recorder = None


state = State()


class Recorder:
    """A recorder: while it is entered, calls of this thread are appended to ``lines``.

    ``inputs`` are the values added by ``add_input``, ``constants`` those of other existing tensors. Recorders nest: the
    innermost sees a call.  A subclass may override ``read``, called when Python reads elements, and ``append``, called
    with every line.

    >>> import tensh as torch
    >>> from tensh.engine.dispatch.capture.recorder import Recorder
    >>> recorder, x = Recorder(), torch.ones(2)
    >>> _ = recorder.add_input(x)
    >>> with recorder:
    ...     y = (x * 2).softmax(0)
    >>> [line.name for line in recorder.lines]
    ['mul', 'softmax_dim']
    """

    def __init__(self):
        self.lines, self.inputs, self.constants = [], [], []
        self.by_tensor = {}  # id of a tensor -> Value, which keeps the tensor alive
        self.by_array = {}  # id of an array -> (the array, Value)
        self.by_write = {}  # id of an array -> the Value last written into it
        self.drawn, self.written, self.count = False, 0, itertools.count()

    # ── entering and leaving ─────────────────────────────────────────────────
    def __enter__(self):
        self.outer, self.written = state.recorder, clock.last_write
        points.enter(call)
        if Generator.before_draw is not note_draw:
            note_draw.before, Generator.before_draw = Generator.before_draw, staticmethod(note_draw)
        state.recorder = self
        return self

    def __exit__(self, *failure):
        state.recorder = self.outer
        points.leave()

    # ── values ───────────────────────────────────────────────────────────────
    def add_input(self, tensor):
        """Add a tensor that the graph takes as an input; return its value."""
        value = self.add_value(Value(tensor))
        self.inputs.append(value)
        return value

    def add_value(self, value):
        """Register a value as the current one of its tensor and array."""
        value.time = next(self.count)
        self.by_tensor[id(value.tensor)] = value
        self.add_array(value.tensor.array, value)
        if value.line is not None and value.line.writes:
            self.by_write[id(value.tensor.array)] = value
        return value

    def add_array(self, array, value):
        """Store the value of an array, and the array, so that its id is not reused."""
        self.by_array[id(array)] = array, value

    def find_array(self, array):
        """Return the value of an array, or None."""
        return self.by_array.get(id(array), (None, None))[1]

    def find(self, tensor):
        """Return the value of a tensor, or of another one with the same array; None if no line has produced it."""
        found, written = self.by_tensor.get(id(tensor)), self.by_write.get(id(tensor.array))
        if found is None or found.tensor.array is not tensor.array:
            return self.find_array(tensor.array)
        return found if written is None or written.time <= found.time else written

    def value_of(self, tensor):
        """Return the value of a tensor, which becomes a constant if no line has produced it."""
        value = self.find(tensor)
        if value is None:
            value = self.add_value(Value(tensor))
            self.constants.append(value)
        return value

    # ── calls ────────────────────────────────────────────────────────────────
    def call(self, point, args, options):
        """Call a function, and add a line for the call unless lines within it have produced the result."""
        name = point.name
        if hides_batches((args, options)):  # vmap computes on the values inside, and records those calls
            return point.twin(*args, **options)
        if point.function in checks:
            return self.call_check(point, args, options)
        if name in READS:
            return self.call_read(point, args, options)
        if name == "copy_array":  # a saved copy keeps the value of its original
            copied = point.twin(*args)
            if (value := self.find_array(args[0])) is not None:
                self.add_array(copied, find_named(value))
            return copied
        writes = is_write(name, args, options)
        given = self.describe(args, options) if writes else None
        count, constants, grad = len(self.lines), len(self.constants), mode.grad
        drawn, self.drawn = self.drawn, False
        result = point.twin(*args, **options)
        if result is NotImplemented or hides_batches(result):
            return result
        found = []
        map_tensors(found.append, result)
        hidden = not writes and self.has_hidden_write(args, options, result)
        known = all([id(each) in self.by_tensor for each in found])
        if (
            not writes
            and not hidden
            and known
            and (point.operator or not self.drawn and not self.has_stray(constants, args, options))
        ):
            self.drawn = self.drawn or drawn
            return result
        if count < len(self.lines):
            self.forget(count, constants)
        args, options = given or self.describe(args, options)
        line = Line(point.function, name, point.operator, args, options)
        line.grad, line.random, line.writes = grad, self.drawn or has_generator(args, options), writes or hidden
        line.place, line.modules = find_place()
        if writes:
            found = found or [value.tensor for value in list_values(line.target)]
            line.outputs = tuple(self.add_value(Value(each, line)) for each in found)
            line.result = map_tensors(self.value_of, result)
        else:
            line.result = map_tensors(lambda each: self.find_own(each) or self.add_value(Value(each, line)), result)
            line.outputs = tuple(value for value in map(self.find, found) if value.line is line)
        self.drawn, self.written = drawn, clock.last_write
        self.append(line)
        return result

    def has_hidden_write(self, *given):
        """Return True if a tensor of a call or of a line was written unseen; all threads share ``clock.last_write``."""
        if clock.last_write <= self.written:
            return False
        arrays = [array for array, _ in self.by_array.values()]
        map_tensors(lambda each: arrays.append(each.array), given)
        return any(is_written_after(self.written, each) for each in arrays if isinstance(each, np.ndarray))

    def has_stray(self, constants, args, options):
        """Return True if a call met tensors from neither arguments nor lines, such as those made from arrays."""
        if len(self.constants) == constants:
            return False
        given = set()
        map_tensors(lambda each: given.add(id(each.array)), (args, options))
        return any(id(value.tensor.array) not in given for value in self.constants[constants:])

    def describe(self, args, options):
        """Return the arguments of a call with values in place of tensors and of their arrays."""
        args, options = map_tensors(self.value_of, (args, options))
        return map_parts(self.array_of, np.ndarray, (args, options))

    def array_of(self, array):
        value = self.find_array(array)
        return array if value is None or value.tensor.array is not array else ArrayOf(value)

    def find_own(self, tensor):
        """Return the value of exactly this tensor."""
        return self.find(tensor) if id(tensor) in self.by_tensor else None

    def call_read(self, point, args, options):
        """Call a function that converts elements to Python values."""
        state.recorder = None
        try:
            result = point.twin(*args, **options)
        finally:
            state.recorder = self
        if result is not NotImplemented:
            self.read(point, map_tensors(self.value_of, args), result)
        return result

    def call_check(self, point, args, options):
        """Call a function that raises for elements of its arguments, or answers a question about them."""
        with Paused():
            answer = point.twin(*args, **options)
        self.check(point, args, options, answer)
        return answer

    def forget(self, count, constants):
        """Remove the lines within a call that becomes one line, and the values of those lines."""
        for line in self.lines[count:]:
            for value in line.outputs:
                self.drop_value(value)
        for value in self.constants[constants:]:
            self.drop_value(value)
        del self.lines[count:], self.constants[constants:]

    def drop_value(self, value):
        """Remove a value from the tables."""
        if self.by_tensor.get(id(value.tensor)) is value:
            del self.by_tensor[id(value.tensor)]
        if self.find_array(value.array) is value:
            del self.by_array[id(value.array)]

    # ── hooks for subclasses ─────────────────────────────────────────────────
    def append(self, line):
        """Append a line; subclasses may override this."""
        self.lines.append(line)

    def check(self, point, args, options, answer):
        """Handle a call of a function that raises for elements of ``args``, and has not; ``answer`` is what it returned."""

    def read(self, point, args, result):
        """Handle a read of elements by Python: ``point.name`` of the values in ``args`` gave ``result``."""


def hides_batches(structure):
    """Return True if a tensor in ``structure`` is one sample of a batch within ``vmap``."""
    found = []
    map_tensors(lambda each: found.append(getattr(each, "hides_batches", False)), structure)
    return any(found)


def call(point, args, options):
    """Call a function whose code is replaced, through the recorder of this thread if there is one."""
    recorder = state.recorder
    return point.twin(*args, **options) if recorder is None else recorder.call(point, args, options)


def note_draw():
    """Record that random numbers are drawn; after the first capture, ``Generator`` calls this before every draw."""
    if state.recorder is not None:
        state.recorder.drawn = True
    if note_draw.before is not None:
        note_draw.before()


class Paused:
    """A pause, in which no recorder of this thread sees calls."""

    def __enter__(self):
        self.recorder, state.recorder = state.recorder, None

    def __exit__(self, *failure):
        state.recorder = self.recorder


def find_named(value):
    """Return the value of which another is only another name: a saved copy does not share what is written under that name."""
    while value.line is not None and value.line.name in NAMES and isinstance(value.line.args[0], Value):
        value = value.line.args[0]
    return value


def is_write(name, args, options):
    """Return True if a call writes into one of its arguments."""
    if options.get("out") is not None or name == "__setitem__":
        return True
    return bool(args) and isinstance(args[0], Tensor) and points.writes(name)


def has_generator(args, options):
    """Return True if a random number generator is among the arguments."""
    return any(isinstance(each, Generator) for each in (*args, *options.values()))
