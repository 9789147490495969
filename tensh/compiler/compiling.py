"""``torch.compile``: a function runs once as it is, and is captured; afterwards a graph runs in its place, while its guards hold."""

import functools
import inspect
import sys
import threading
import types
import weakref

import numpy as np

from tensh.compiler.breaks import Break, Missed, Unsupported
from tensh.compiler.guards import Guards
from tensh.compiler.node import CompiledFunctionBackward, Entry
from tensh.compiler.program import Program
from tensh.compiler.results import Result
from tensh.compiler.steps import READ, SLOPES, origin
from tensh.compiler.watching import Watch
from tensh.engine.codegen.mixing import promote
from tensh.engine.codegen.vocabulary import ARRAYS, OPS, TENSORS
from tensh.engine.core.backward import run
from tensh.engine.core.clock import announce, clock, listeners, mode, tick
from tensh.engine.core.nodes import AccumulateGrad, NoGradView, Output
from tensh.engine.core.tensor import Tensor, new, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.capture import points
from tensh.engine.dispatch.capture.lines import Line, Value, list_values, map_tensors
from tensh.engine.dispatch.capture.recorder import Paused, Recorder, find_place
from tensh.engine.dispatch.capture.recorder import state as capturing
from tensh.engine.dispatch.override.points import watch_operator
from tensh.engine.dispatch.override.state import state as overriding
from tensh.engine.dtypes.dtype import BY_NUMPY, get_default_dtype
from tensh.engine.errors.warnings import warn
from tensh.nn.modules.calls import AFTER, BACKWARD_AFTER, BACKWARD_BEFORE, BEFORE

LIMIT = 8
"""Graphs of one function: PyTorch's limit.  A function that needs more runs as it is."""


class Running(threading.local):
    """What is being captured in a thread."""

    capturing = None

    def stop(self, reason):
        """Say why what is being captured cannot be a graph, if something is."""
        if self.capturing is not None:
            self.capturing.stop(reason, sys._getframe(2))


running = Running()


# ── what holds around a call ─────────────────────────────────────────────────
def is_plain():
    """Is nothing at work that a graph would not see: transforms, tangents, modes, hooks for saved tensors, another recorder?"""
    return not (
        mode.levels or mode.transforms or mode.inference or mode.packing or mode.device is not None or mode.inspect is not None
        or overriding.modes or overriding.dispatch_modes or capturing.recorder is not None
        or BEFORE or AFTER or BACKWARD_BEFORE or BACKWARD_AFTER
    )  # fmt: skip


def surroundings():
    """The settings that decide what operators compute."""
    casting = sys.modules.get("tensh.amp.casting")
    return mode.grad, casting and casting.state.lower, get_default_dtype()


def cast_operands(op, first, second):
    """Two tensors of different dtypes in the dtype in which an operator computes with them."""
    try:
        common = promote(*(np.empty((0,) * t.array.ndim, t.array.dtype) for t in (first, second)), op.name)
    except RuntimeError:  # which the operator says itself
        return first, second
    return tuple(
        t if t.array.dtype is each.dtype else t.to(BY_NUMPY[each.dtype])
        for t, each in zip((first, second), common, strict=True)
    )


class Capturing(Recorder):
    """A recorder that notes what Python reads of elements."""

    def __init__(self):
        super().__init__()
        self.reason, self.slopes = None, {}

    def call(self, point, args, options):
        """Cast operands of different dtypes first: the copies that an operator makes itself, and keeps, are no values."""
        op = point.operator
        if point.name == "grad" and op is None and self.reason is None:
            place, _ = find_place()
            self.reason = Break("the gradient of a tensor is read", place and (place.filename, place.line))
        if point.function in self.slopes:
            return self.call_slope(point, args, options)
        if op is not None and op.pointwise and len(op.inputs) == 2 and not options and not points.writes(point.name):
            dense = [each for each in args if isinstance(each, Tensor) and type(each.array) is np.ndarray]
            if len(args) == len(dense) == 2 and args[0].dtype is not args[1].dtype:
                args = cast_operands(op, *args)
        return super().call(point, args, options)

    def call_slope(self, point, args, options):
        """A word of derivatives, which is one line: see SLOPES."""
        with Paused():
            result = point.twin(*args, **options)
        self.written = clock.last_write  # of what is its own
        line = Line(point.function, self.slopes[point.function], None, *self.describe(args, options))
        line.result = map_tensors(lambda each: self.know(Value(each, line)), result)
        line.outputs = tuple(list_values(line.result))
        self.lines.append(line)
        return result

    def know_slopes(self):
        """See calls of the words that end as SLOPES from now on."""
        for name, function in list(dict.items(TENSORS)):
            own = name.endswith(SLOPES) and not dict.__contains__(OPS, name) and dict.get(ARRAYS, name) is not function
            if own and type(function) is types.FunctionType:
                self.slopes[function] = name
                watch_operator(function, None)

    def read(self, point, args, result):
        place, _ = find_place()
        if type(result) in (bool, int) and len(args) == 1 and args[0].tensor.array.size == 1:
            if any(line.random or line.writes for line in self.lines):
                self.reason = self.reason or Break(
                    f"{point.name} reads an element after something was written or drawn",
                    place and (place.filename, place.line),
                )
            line = Line(type(result), READ, None, args, {})
            line.result, line.place = result, place
            self.lines.append(line)
        elif self.reason is None:
            self.reason = Break(f"{point.name} reads the elements of a tensor", place and (place.filename, place.line))


# ── one graph ────────────────────────────────────────────────────────────────
class Graph:
    """A program with its guard: what one call has become."""

    def __init__(self, program, guard, around, wanted, rebuild, title):
        self.program, self.guard, self.around, self.wanted, self.rebuild, self.title = (
            program,
            guard,
            around,
            wanted,
            rebuild,
            title,
        )

    def call(self, tensors):
        program = self.program
        arrays = [t.array for t in tensors]
        outs, saved = program.forward(*arrays)
        if not program.differentiable:
            return self.rebuild(tensors, [wrap(out) for out in outs])
        nodes = [
            (t.node if t._base is None else refresh_node(t)) if want else None
            for t, want in zip(tensors, self.wanted, strict=True)
        ]
        node = CompiledFunctionBackward(program, tuple(nodes), saved, arrays)
        made, places = [], program.places
        for number, out in enumerate(outs):
            t = new()
            t.array = out if type(out) is np.ndarray else np.asarray(out)
            t._base = t._kept = None
            t.node = node if places[number] is not None else None
            made.append(t)
        if len(program.facts) > 1:
            node.shape, node.dtype, node.time = program.facts, None, tick()
            for t, number in zip(made, places, strict=True):
                if number is not None:
                    t.node = Output(node, number, program.facts[number])
        else:
            (node.shape, node.dtype), node.time = program.facts[0], tick()
        if listeners:
            announce(node, made)
        return self.rebuild(tensors, made)


# ── the compiled function ────────────────────────────────────────────────────
class Compiled:
    """A function with the graphs that were made of it."""

    def __init__(self, function, fullgraph=False, dynamic=None):
        self.function, self.fullgraph, self.dynamic = function, fullgraph, dynamic
        self.graphs, self.off, self.reason = [], False, None
        self.title = (getattr(function, "__qualname__", None) or type(function).__name__).replace("<locals>.", "")

    def forget(self):
        """Forget the graphs, and why there were none."""
        self.graphs, self.off, self.reason = [], False, None

    def __call__(self, args, kwargs):
        if self.off or not is_plain():
            return self.function(*args, **kwargs)
        around = surroundings()
        for graph in self.graphs:
            if graph.around == around and (tensors := graph.guard(args, kwargs)) is not None:
                try:
                    return graph.call(tensors)
                except Missed:
                    continue
        if len(self.graphs) >= LIMIT:
            return self.give_up(Break(f"{LIMIT} graphs were made, and each call needs another"), args, kwargs)
        return self.capture(args, kwargs, around)

    def give_up(self, reason, args, kwargs):
        """Run the function as it is from now on, and say so once."""
        self.note(reason)
        return self.function(*args, **kwargs)

    def note(self, reason):
        if self.fullgraph:
            raise Unsupported(f"{self.title} cannot become one graph: {reason}")
        self.off, self.reason = True, reason
        warn(f"torch.compile runs {self.title} as it is: {reason}")

    def capture(self, args, kwargs, around):
        """Run the function as it is, and make a graph of it."""
        guards, recorder, entries, watch = Guards(self.title), Capturing(), [], None
        try:
            guards.require(f"len(args) == {len(args)}")
            for number, each in enumerate(args):
                guards.add(f"args[{number}]", each)
            guards.add("kwargs", kwargs)
            given = list(guards.tensors.values())
            for _, tensor in given:
                require_graphable(tensor)
            if around[0]:
                entries = [
                    (t, Entry(t))
                    for _, t in given
                    if refresh_node(t) is not None and type(t.node) is not AccumulateGrad
                ]
            for tensor, entry in entries:
                tensor.node = entry
            for path, tensor in given:
                recorder.add_input(tensor).name = name_of(path, self.function)
            guards.add_parts(getattr(self.function, "module", self.function), frozenset())
            watch = Watch(guards)
        except Break as reason:
            return self.give_up(reason, args, kwargs)
        running.capturing, before = watch, running.capturing
        try:
            with recorder, watch:
                result = self.function(*args, **kwargs)
        finally:
            running.capturing = before
            for tensor, entry in entries:
                if tensor.node is entry:
                    tensor.node = entry.was
        try:
            if watch.reason or recorder.reason:
                raise watch.reason or recorder.reason
            self.graphs.append(make_graph(self, recorder, guards, result, args, kwargs, around, entries))
        except Break as reason:
            self.note(reason)
        finally:
            for _, entry in entries:
                entry.connect()
        return result


def require_graphable(tensor):
    """Raise Break for a tensor that a graph is not made for."""
    if type(tensor.array) is not np.ndarray:
        raise Break("an argument has no dense array")
    if type(tensor.node) is NoGradView:
        raise Break("an argument is a view that was made under no_grad")


def name_of(path, function):
    """A name for what a path leads to."""
    head, _, rest = path.partition("[")
    if head == "args" and rest.endswith("]") and rest[:-1].isdigit():
        try:
            parameters = list(inspect.signature(getattr(function, "forward", function)).parameters)
            return parameters[int(rest[:-1])] if int(rest[:-1]) < len(parameters) else "x1"
        except (TypeError, ValueError):
            return "x1"
    return rest.rpartition("[")[2].strip("'[]") or rest.strip("'[]") or "x1"


def make_graph(compiled, recorder, guards, result, args, kwargs, around, entries):
    inputs, paths = list(recorder.inputs), [path for path, _ in guards.tensors.values()][: len(recorder.inputs)]
    known = {id(tensor): path for path, tensor in guards.tensors.values()}
    for value in recorder.constants:
        path = known.get(id(value.tensor))
        if path is None:
            raise Break("a tensor is read that was made outside of operators")
        require_graphable(value.tensor)
        if around[0] and value.tensor.node is not None and type(value.tensor.node) is not AccumulateGrad:
            raise Break("a tensor from outside is read that was computed and requires grad")
        value.name = module_name(value, recorder) or name_of(path, compiled.function)
        inputs.append(value)
        paths.append(path)
    structure = Result(result, recorder, inputs)
    outputs = [value for value, _ in structure.outputs]
    places, facts, starts = [], [], []
    for _, tensor in structure.outputs:
        node = refresh_node(tensor) if around[0] else None
        if type(node) is NoGradView:
            raise Break("the result is a view that was made under no_grad")
        places.append(len(facts) if node is not None else None)
        if node is not None:
            facts.append((tensor.array.shape, tensor.array.dtype))
            starts.append((tensor, node))
    tangents, gradients, wanted, count = [], [], [False] * len(inputs), len(recorder.lines)
    if starts:
        nodes = [value.tensor.node if around[0] else None for value in inputs]
        of_entries = {id(tensor): entry for tensor, entry in entries}
        nodes = [of_entries.get(id(value.tensor), node) for value, node in zip(inputs, nodes, strict=True)]
        roots = {}
        recorder.know_slopes()
        with recorder:
            for tensor, node in starts:
                weight = wrap(np.ones(tensor.array.shape, tensor.array.dtype))
                tangents.append(recorder.know(Value(weight)))
                if node in roots:
                    raise Break("two results are one")
                roots[node] = weight
            targets = {node: None for node in nodes if node is not None}
            try:
                run(roots, True, True, targets)  # recorded, since derivatives may differentiate themselves
            except RuntimeError as error:
                why = str(error).partition(":")[0]
                raise Break(f"the backward pass cannot be captured: {why}") from None
        for line in recorder.lines[count:]:
            line.place, line.modules = None, ()
        gradients = [None if node is None else targets[node] for node in nodes]
        wanted = [each is not None for each in gradients]
        gradients = [None if each is None else recorder.find(each) for each in gradients]
        if any(w and g is None for w, g in zip(wanted, gradients, strict=True)):
            raise Break("a gradient is made outside of operators")
    program = Program(compiled.title, recorder.lines, count, inputs, outputs, tangents, gradients)
    program.facts, program.places = facts, places
    writes = [line for line in recorder.lines if line.writes]
    if around[0] and any(is_recorded_write(line, inputs) for line in writes):
        raise Break("a tensor from outside is written while gradients are recorded")
    guard = guards.compile(
        [(path, value.tensor) for path, value in zip(paths, inputs, strict=True)], around[0], bool(writes)
    )
    if guard(args, kwargs) is None:
        raise Break("what the function reads is changed by it")
    structure.outputs = structure.views = None
    program.let_go()
    return Graph(program, guard, around, wanted, structure, compiled.title)


def make_program(recorder, tensor, names):
    """The program that leads to a tensor, of all that a recorder has seen; ``names`` (name -> value) are those of tensors."""
    value = recorder.find(tensor)
    if value is None or value.line is None:
        raise ValueError("it was not computed by operators")
    needed, lines = {value}, []
    for line in reversed(recorder.lines):
        if line.name == READ or not any(out in needed for out in line.outputs):
            continue
        if line.operator is None and not line.inputs:  # it makes a tensor: what follows is a function of that
            for out in line.outputs:
                out.line = None
        else:
            needed.update(line.inputs)
            lines.append(line)
    lines.reverse()
    inputs = list(dict.fromkeys(each for line in lines for each in line.inputs if each.line is None))
    called = {id(each): name for name, each in names.items() if isinstance(each, Tensor)}
    for each in inputs:
        each.name = called.get(id(each.tensor)) or module_name(each, recorder)
    count, node = len(lines), refresh_node(tensor)
    nodes = [each.tensor.node if type(each.tensor.node) is AccumulateGrad else None for each in inputs]
    tangents, gradients = [], [None] * len(inputs)
    if node is not None and any(nodes):
        recorder.lines = lines
        weight = wrap(np.ones(tensor.array.shape, tensor.array.dtype))
        targets = {node: None for node in nodes if node is not None}
        try:
            with recorder:
                tangents = [recorder.know(Value(weight))]
                run({node: weight}, True, True, targets, False)
        except RuntimeError:  # a backward pass has been through, and has taken what was saved
            tangents = []
            del lines[count:]
        for line in lines[count:]:
            line.place, line.modules = None, ()
        if tangents:
            gradients = [targets.get(node) for node in nodes]
            gradients = [None if each is None else recorder.find(each) for each in gradients]
    return Program("graph", lines, count, inputs, [value], tangents, gradients)


def is_recorded_write(line, inputs):
    """Does a line write into an argument something that requires grad?"""
    targets = [origin(value) for value in list_values(line.target)]
    return any(target in inputs for target in targets) and any(value.requires_grad for value in line.inputs)


def module_name(value, recorder):
    """``fc1_weight`` for a parameter of a module that a line was called in."""
    for line in recorder.lines:
        if value in line.inputs:
            for module in reversed(line.modules):
                for name, each in (*module._parameters.items(), *module._buffers.items()):
                    if each is value.tensor:
                        outer = line.modules[0]
                        path = next((path for path, m in outer.named_modules() if m is module), "")
                        return f"{path}.{name}".strip(".").replace(".", "_")
    return None


everything: "weakref.WeakSet" = weakref.WeakSet()
"""All that is compiled, for ``reset``."""


def start(function, fullgraph=False, off=False):
    """What runs a function as graphs; ``off`` if it is to run as it is."""
    made = Compiled(function, fullgraph)
    made.off = off
    everything.add(made)
    return made


def start_with(compiled, function):
    """A function that calls ``compiled`` in the place of ``function``."""

    def call(*args, **kwargs):
        return compiled(args, kwargs)

    if hasattr(function, "__name__"):
        functools.update_wrapper(call, function)
    call.compiled = compiled
    call._torchdynamo_orig_callable = function
    return call
