"""One graph of a function: a program and its guard, made from a recorded call."""

import contextlib
import inspect

import numpy as np

from tensh.compiler.breaks import Break
from tensh.compiler.capture.guard_code import compile_guards
from tensh.compiler.capture.recording import rounding_once
from tensh.compiler.capture.results import Result
from tensh.compiler.programs.node import CompiledFunctionBackward
from tensh.compiler.programs.program import Program
from tensh.compiler.programs.steps import READ, memory_of
from tensh.engine.core.backward import run
from tensh.engine.core.clock import announce, listeners, tick
from tensh.engine.core.nodes import AccumulateGrad, NoGradView, Output
from tensh.engine.core.tensor import Tensor, new, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.capture.lines import Value, list_values
from tensh.engine.errors.messages import too_large


class Graph:
    """A program with its guard, made from one call. Graphs of one ``kind`` differ only in the sizes of tensors."""

    def __init__(self, program, guard, around, wanted, rebuild, title, kind):
        self.program, self.guard, self.around, self.wanted = program, guard, around, wanted
        self.rebuild, self.title, self.kind, self.decision = rebuild, title, kind, program.decision

    def call(self, tensors):
        """Run the program on tensors that the guard has accepted; return what the function returns."""
        program, found = self.program, tensors
        if len(found) > len(self.wanted):  # containers that are returned follow
            tensors = found[: len(self.wanted)]
        arrays = given = [t.array for t in tensors]
        if program.written and program.differentiable:  # for a backward pass that replays the lines
            given = [
                array.copy() if value in program.written else array
                for value, array in zip(program.inputs, arrays, strict=True)
            ]
        try:
            outs, saved = program.forward(*arrays)
        except MemoryError as error:
            raise too_large(error) from None
        if not program.differentiable:
            return self.rebuild(found, [wrap(out) for out in outs])
        nodes = [
            (t.node if t._base is None else refresh_node(t)) if want else None
            for t, want in zip(tensors, self.wanted, strict=True)
        ]
        node = CompiledFunctionBackward(program, tuple(nodes), saved, given)
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
        return self.rebuild(found, made)


def require_graphable(tensor):
    """Raise Break for a tensor that graphs do not support."""
    if type(tensor.array) is not np.ndarray:
        raise Break("an argument has no dense array")
    if type(tensor.node) is NoGradView:
        raise Break("an argument is a view created under no_grad")


def name_input(path, function):
    """Choose a name for the value at a path."""
    head, _, rest = path.partition("[")
    if head == "args" and rest.endswith("]") and rest[:-1].isdigit():
        try:
            parameters = list(inspect.signature(getattr(function, "forward", function)).parameters)
            return parameters[int(rest[:-1])] if int(rest[:-1]) < len(parameters) else "x1"
        except (TypeError, ValueError):
            return "x1"
    return rest.rpartition("[")[2].strip("'[]") or rest.strip("'[]") or "x1"


def make_graph(compiled, recorder, guards, result, args, kwargs, around, entries):
    """Return the graph of a captured call; raise Break if it cannot be one."""
    guards.require_unchanged()
    inputs, paths = gather_inputs(compiled, recorder, guards, around)
    structure, count = Result(result, recorder, inputs, guards.contents), len(recorder.lines)
    facts, places, starts = find_starts(structure, around)
    tangents, gradients, wanted = [], [], [False] * len(inputs)
    if starts:
        tangents, gradients, wanted = capture_backward(recorder, inputs, starts, around, entries, count)
    outputs = [value for value, _ in structure.outputs]
    program = Program(compiled.title, recorder.lines, count, inputs, outputs, tangents, gradients)
    program.facts, program.places = facts, places
    writes = [line for line in recorder.lines if line.writes]
    if around[0] and (any(is_recorded_write(line, inputs) for line in writes) or is_written_again(writes, inputs)):
        raise Break("a tensor from outside the function is written while gradients are recorded")
    guard = compile_guards(
        guards,
        [(path, value.tensor) for path, value in zip(paths, inputs, strict=True)],
        around[0],
        structure.objects,
        bool(writes),
    )
    found = guard(args, kwargs)
    if found is None or any(tensor is not value.tensor for tensor, value in zip(found, inputs)):
        raise Break("the function changes a value that it reads")
    structure.outputs = structure.views = None
    kind = (
        around,
        guards.kind,
        tuple((path, value.array.ndim, value.dtype) for path, value in zip(paths, inputs, strict=True)),
    )
    program.release_tensors()
    return Graph(program, guard, around, wanted, structure, compiled.title, kind)


def gather_inputs(compiled, recorder, guards, around):
    """Return (the values from outside: arguments, then others that are read; the path to each)."""
    inputs, paths = list(recorder.inputs), [path for path, _ in guards.tensors.values()][: len(recorder.inputs)]
    known = {id(tensor): path for path, tensor in guards.tensors.values()}
    for value in recorder.constants:
        path = known.get(id(value.tensor))
        if path is None:
            raise Break("the function reads a tensor that no operator created")
        require_graphable(value.tensor)
        if around[0] and value.tensor.node is not None and type(value.tensor.node) is not AccumulateGrad:
            raise Break("a tensor from outside the function has a grad_fn")
        value.name = module_name(value, recorder) or name_input(path, compiled.function)
        inputs.append(value)
        paths.append(path)
    return inputs, paths


def find_starts(structure, around):
    """Return (metadata of outputs with a history, the index of each output there, tensors and nodes to start from)."""
    facts, places, starts = [], [], []
    for _, tensor in structure.outputs:
        node = refresh_node(tensor) if around[0] else None
        if type(node) is NoGradView:
            raise Break("the result is a view created under no_grad")
        places.append(len(facts) if node is not None else None)
        if node is not None:
            facts.append((tensor.array.shape, tensor.array.dtype))
            starts.append((tensor, node))
    return facts, places, starts


def capture_backward(recorder, inputs, starts, around, entries, count):
    """Record the backward pass of the first ``count`` lines: (weights, gradients of inputs, which have one)."""
    nodes = [value.tensor.node if around[0] else None for value in inputs]
    of_entries = {id(tensor): entry for tensor, entry in entries}
    for entry in of_entries.values():
        entry.disconnect()
    nodes = [of_entries.get(id(value.tensor), node) for value, node in zip(inputs, nodes, strict=True)]
    roots, tangents = {}, []
    recorder.record_slopes()
    with recorder:
        for tensor, node in starts:
            weight = wrap(np.ones(tensor.array.shape, tensor.array.dtype))
            tangents.append(recorder.add_value(Value(weight)))
            if node in roots:
                raise Break("two results have the same grad_fn")
            roots[node] = weight
        targets = {node: None for node in nodes if node is not None}
        try:
            with rounding_once(), without_hooks(targets):
                run(roots, True, True, targets)  # recorded, because derivatives may differentiate
        except RuntimeError as error:
            why = str(error).partition(":")[0]
            raise Break(f"the backward pass cannot be captured: {why}", wrong=True) from None
    for line in recorder.lines[count:]:
        line.place, line.modules = None, ()
    found = [None if node is None else targets[node] for node in nodes]
    wanted = [each is not None for each in found]
    gradients = [None if each is None else recorder.find(each) for each in found]
    if any(w and g is None for w, g in zip(wanted, gradients, strict=True)):
        raise Break("a gradient was not computed by an operator")
    return tangents, gradients, wanted


@contextlib.contextmanager
def without_hooks(nodes):
    """A context in which the nodes of inputs have no hooks.

    Hooks run in every backward pass, on what the graph has computed.
    """
    before = [(node, node.hooks) for node in nodes]
    for node in nodes:
        node.hooks = None
    try:
        yield
    finally:
        for node, hooks in before:
            node.hooks = hooks


def make_program(recorder, tensor, names):
    """Return the program that leads to a tensor, from all that a recorder saw; ``names`` maps names to tensors."""
    value = recorder.find(tensor)
    if value is None or value.line is None:
        raise ValueError("it was not computed by operators")
    lines = find_lines(recorder, value)
    if not lines:
        raise ValueError("it was not computed from other tensors")
    inputs = list(dict.fromkeys(each for line in lines for each in line.inputs if each.line is None))
    called = {id(each): name for name, each in names.items() if isinstance(each, Tensor)}
    for each in inputs:
        each.name = called.get(id(each.tensor)) or module_name(each, recorder)
    count = len(lines)
    tangents, gradients = record_backward(recorder, tensor, lines, inputs)
    return Program("graph", lines, count, inputs, [value], tangents, gradients)


def find_lines(recorder, value):
    """Return the lines that lead to a value, in order.

    They start from tensors that a line creates, and from leaves, whatever filled them with numbers.
    """
    needed, lines = {value}, []
    for line in reversed(recorder.lines):
        wanted = [out for out in line.outputs if out in needed]
        if line.name == READ or not wanted:
            continue
        creates = line.operator is None and not line.inputs
        if creates or all([type(out.tensor.node) is AccumulateGrad for out in wanted]):
            for out in line.outputs:
                out.line = None
        else:
            needed.update(line.inputs)
            lines.append(line)
    return lines[::-1]


def record_backward(recorder, tensor, lines, inputs):
    """Add the lines of the backward pass of a tensor; return its weights and the gradients of the inputs.

    There are no weights if no gradient reaches an input, or an earlier pass has freed the saved values.
    """
    count, node = len(lines), refresh_node(tensor)
    nodes = [each.tensor.node if type(each.tensor.node) is AccumulateGrad else None for each in inputs]
    nothing = [], [None] * len(inputs)
    if node is None or not any(nodes):
        return nothing
    recorder.lines = lines
    for each in (*inputs, *[out for line in lines for out in line.outputs]):
        recorder.add_value(each)  # as the current one: the recorder may have seen the arrays again since
    weight = wrap(np.ones(tensor.array.shape, tensor.array.dtype))
    targets = {node: None for node in nodes if node is not None}
    try:
        with recorder:
            tangents = [recorder.add_value(Value(weight))]
            run({node: weight}, True, True, targets, False)
    except RuntimeError:  # an earlier backward pass has freed the saved values
        del lines[count:]
        return nothing
    for line in lines[count:]:
        line.place, line.modules = None, ()
    gradients = [targets.get(node) for node in nodes]
    return tangents, [None if each is None else recorder.find(each) for each in gradients]


def is_recorded_write(line, inputs):
    """Return True if a line writes a value that requires grad into an argument."""
    targets = {memory_of(value) for value in list_values(line.target)}  # also through a view
    given = any(memory_of(each) in targets for each in inputs)
    return given and any(value.requires_grad for value in line.inputs)


def is_written_again(writes, inputs):
    """Return True if several lines write an argument that requires grad: one of them may do so under another name."""
    memories = [memory_of(each) for line in writes if line.grad for each in list_values(line.target)]
    return any(each.requires_grad and memories.count(memory_of(each)) > 1 for each in inputs)


def module_name(value, recorder):
    """Return ``fc1_weight`` for a parameter of a module in which a line was called."""
    for line in recorder.lines:
        for module in reversed(line.modules) if value in line.inputs else ():
            members = *module._parameters.items(), *module._buffers.items()
            name = next((name for name, each in members if each is value.tensor), None)
            if name is not None:
                path = next((path for path, each in line.modules[0].named_modules() if each is module), "")
                return f"{path}.{name}".strip(".").replace(".", "_")
    return None
