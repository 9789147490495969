"""A compiled graph: recorded lines as a forward and a backward function of arrays."""

import numpy as np

from tensh.compiler.breaks import Break
from tensh.compiler.programs.kernels import BACKWARD_RULES, RULES, choose_kernels
from tensh.compiler.programs.passes import (
    drop_dead,
    fold_constants,
    fuse,
    merge_common,
    simplify,
    sink_expansions,
    split,
)
from tensh.compiler.programs.steps import EFFECT, KERNEL, READ, Lowering, Step, Var, is_number, memory_of, origin, place
from tensh.compiler.programs.writing import Writer, reusable_variables, write_function
from tensh.engine.arrays import owners
from tensh.engine.arrays.halves import HalfNumber
from tensh.engine.codegen.source import compile_source
from tensh.engine.core.clock import owner
from tensh.engine.dispatch.capture.lines import list_values

RESHAPING = frozenset(
    """
    resize_ resize_as_ set_ t_ transpose_ squeeze_ unsqueeze_ swapaxes_ swapdims_ as_strided_ unflatten_ detach_
""".split()
)
"""Writes that change a tensor's metadata, not its elements."""
DENSE = (np.ndarray, HalfNumber)
"""The classes of arrays that hold the elements of dense tensors."""


class Program:
    """``forward(*arrays)`` returns (outputs, saved), ``backward(saved, *gradients)`` gradients of the inputs.

    ``lines`` are the captured lines, of which the first ``count`` are the forward pass; ``before`` and ``after`` are
    the steps before and after optimization (forward, backward); ``text`` is the source of both functions.
    """

    def __init__(self, title, lines, count, inputs, outputs, tangents=(), gradients=()):
        self.forward_lines = lines[:count]
        self.title, self.lines, self.inputs, self.outputs = title, lines, inputs, outputs
        self.differentiable, self.gradients = bool(tangents), gradients
        # where Python first read an element
        self.decision = next((line.place for line in lines if line.name == READ), None)
        lowering = Lowering()
        self.check(lines, inputs, tangents)
        sharing = SharedMemory(lines, inputs, [*outputs, *gradients])
        for place_, line in enumerate(lines):
            lowering.lower(line, lambda value, now=place_: sharing.is_read_elsewhere(value, now))
            sharing.check(line, lowering.steps)
        self.written = {
            origin(value) for line in self.forward_lines if line.writes for value in list_values(line.target)
        }
        self.build(lowering, tangents)

    def check(self, lines, inputs, tangents):
        """Raise Break for lines that a graph cannot contain."""
        known = {*inputs, *tangents}
        for number, line in enumerate(lines):
            is_forward = number < len(self.forward_lines)
            for value in line.inputs:
                if value not in known and not is_number(value):
                    raise Break(f"{line.name} reads a tensor that no operator created", place(line))
            known.update(line.outputs)
            if line.writes and not line.outputs:
                raise Break(f"{line.name} writes into a tensor that was not passed to it", place(line))
            if line.writes and line.name in RESHAPING:
                raise Break(f"{line.name} changes the shape or the memory of a tensor", place(line))
            whole = line.operator is None and not line.writes and line.name not in ("__getitem__", "detach", "data")
            if whole and is_forward and line.grad and any(value.requires_grad for value in line.outputs):
                raise Break(f"{line.name} is not made of operators", place(line))
            if any(type(value.tensor.array) not in DENSE for value in (*line.inputs, *line.outputs)):
                raise Break(f"{line.name} uses a tensor without a dense array", place(line))

    def build(self, lowering, tangents):
        """Divide the steps into a forward and a backward pass, optimize both, and write them."""
        var = lowering.variable
        ins = [var(value) for value in self.inputs]
        outs = [var(value) for value in self.outputs]
        gradients = [None if value is None else var(value) for value in self.gradients]
        wanted_gradients = [each for each in gradients if each is not None]
        starts = [var(value) for value in tangents]
        steps = lowering.steps
        numbers = {
            var(v): v.tensor.array for line in self.lines for v in line.inputs if v.line is None and is_number(v)
        }
        written = {id(owners.memory_of(each.array)) for step in steps if step.kind is EFFECT for each in step.outs}
        kept = {*outs, *wanted_gradients}
        own = set(map(id, self.forward_lines))
        drawn = self.keep_draws(steps, var, written) if starts else {}
        self.before = split([step.copy() for step in steps], outs, wanted_gradients, own)
        self.results = outs
        count = len(steps)
        steps, constants = fold_constants(steps, numbers, kept, written)
        steps, same = simplify(steps, set(outs), wanted_gradients)
        gradients = [same.get(each, each) for each in gradients]
        wanted_gradients = [each for each in gradients if each is not None]
        kept = {*outs, *wanted_gradients}
        steps, merged = merge_common(steps, kept, written, set(outs), own)
        forward, backward = split(steps, outs, wanted_gradients, own)
        backward = drop_dead(sink_expansions(backward, kept), wanted_gradients)
        made = {out for step in forward for out in step.outs} | set(ins)
        reads = list(dict.fromkeys(each for step in backward for each in step.inputs))
        reads += [each for each in wanted_gradients if each in made]
        reads += drawn  # a recorded backward pass replays the lines, and must not draw again
        saved = [each for each in dict.fromkeys(reads) if each in made]
        self.drawn = {drawn[each]: place for place, each in enumerate(saved) if each in drawn}
        forward = drop_dead(forward, [*outs, *saved])
        self.saved_outputs = [
            [value for value, out in zip(self.outputs, outs, strict=True) if owner(out.array) is owner(each.array)]
            for each in saved
        ]
        self.folded, self.merged, self.dropped = len(constants), len(merged), count - len(forward) - len(backward)
        forward, backward = choose_kernels(forward, RULES), choose_kernels(backward, BACKWARD_RULES)
        self.after = fuse(forward, [*outs, *saved]), fuse(backward, wanted_gradients)
        self.reached = find_reached(backward, starts, gradients)
        self.readers = find_readers(backward, starts, saved)
        self.write(ins, outs, saved, starts, gradients, constants, set(merged.values()))

    def keep_draws(self, steps, var, written):
        """Return variable -> random numbers; copies where the graph later writes into them (``written`` memory)."""
        found = {}
        for line in self.forward_lines:
            for value in line.outputs if line.random else ():
                drawn = var(value)
                if id(owners.memory_of(drawn.array)) in written and not line.writes:
                    copied = Var(drawn.array.copy(), value)
                    at = next(place for place, step in enumerate(steps) if drawn in step.outs)
                    steps.insert(at + 1, Step(KERNEL, "copy", np.copy, (drawn,), [copied], line))
                    drawn = copied
                found[drawn] = value
        return found

    def write(self, ins, outs, saved, starts, gradients, constants, merged):
        """Write both passes as Python functions, and compile them."""
        namespace, taken, kept = {}, set(), {}
        for each, value in zip(ins, self.inputs, strict=True):
            each.name = None
            each.label = Writer(namespace, constants, taken, kept).name(each, value.name or "x1")
        for each, array in constants.items():
            each.label = str(array) if not array.ndim else "constant"
        writer = Writer(namespace, constants, taken, kept)
        results = [*outs, *saved]
        writer.write(self.after[0], results, reusable_variables(self.after[0], {*results, *merged}))
        out_texts = tuple_text([writer.text(each) for each in outs])
        saved_texts = tuple_text([writer.text(each) for each in saved])
        forward = write_function("forward", [writer.name(each) for each in ins], writer, f"{out_texts}, {saved_texts}")
        texts = [*writer.functions, forward]
        if starts:
            writer = Writer(namespace, constants, taken, kept)
            for each in starts:
                each.label = writer.name(each, "g")
            wanted = [each for each in gradients if each is not None]
            head = [f"{saved_texts} = saved"] if saved else []
            writer.lines += head
            writer.write(self.after[1], wanted, reusable_variables(self.after[1], {*wanted, *merged}))
            returned = tuple_text(["None" if each is None else writer.text(each) for each in gradients])
            backward = write_function("backward", ["saved", *(writer.name(each) for each in starts)], writer, returned)
            texts += [*writer.functions, backward]
        numbers = [f"{name} = {namespace[name]}" for name in kept.values() if is_scalar(namespace[name])]
        head = "".join(f"# {', '.join(numbers[i : i + 8])}\n" for i in range(0, len(numbers), 8))
        self.text = f"{head}\n\n" * bool(head) + "\n\n".join(texts)
        compile_source(self.text, f"compiled {self.title}", namespace)
        self.forward, self.backward, self.namespace = namespace["forward"], namespace.get("backward"), namespace

    def find_failure(self, error):
        """Return "line 3: x @ w", the function's own line of the step that raised an error; None if it is unknown."""
        found, traceback = None, error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_globals is self.namespace and traceback.tb_lineno:
                line = self.text.split("\n")[traceback.tb_lineno - 1]
                found = line.partition("  # ")[2] or found
            traceback = traceback.tb_next
        return found

    def collect_draws(self, saved):
        """Return value -> array for the random numbers that a call saved."""
        return {value: saved[place] for value, place in self.drawn.items()}

    def release_tensors(self):
        """Release the captured tensors: only their shapes and dtypes are still needed."""
        for line in self.lines:
            line.place = line.place and line.place._replace(trail=())
        for value in (*self.inputs, *self.outputs, *(v for line in self.lines for v in (*line.inputs, *line.outputs))):
            value.tensor = value.array = None
        for step in (*self.before[0], *self.before[1], *self.after[0], *self.after[1]):
            for each in (*step.inputs, *step.outs, *(out for part in getattr(step, "steps", ()) for out in part.outs)):
                each.array = None


def find_reached(steps, starts, gradients):
    """Return for each gradient the outputs on whose gradients it depends, also through shared memory."""
    known = {}  # memory -> indices of the outputs

    def reach(var):
        return known.setdefault(id(owners.memory_of(var.array)), set())

    for number, each in enumerate(starts):
        reach(each).add(number)
    for step in steps:
        read = set().union(*map(reach, step.inputs))
        for out in step.outs:
            reach(out).update(read)
    return [set() if each is None else set(reach(each)) for each in gradients]


def find_readers(steps, starts, saved):
    """Return, for each saved variable, the outputs whose gradients are computed with it, or with what follows from it."""
    outputs, sources = {}, {}  # memory -> indices of the outputs, or of the saved variables, from which it was computed
    readers = [set() for _ in saved]
    for known, variables in ((outputs, starts), (sources, saved)):
        for number, each in enumerate(variables):
            known.setdefault(id(owners.memory_of(each.array)), set()).add(number)
    for step in steps:
        memories = [id(owners.memory_of(each.array)) for each in step.inputs]
        reached = set().union(*(outputs.get(each, ()) for each in memories))
        read = set().union(*(sources.get(each, ()) for each in memories if each not in outputs))
        for number in read if reached else ():
            readers[number] |= reached
        for out in step.outs:
            made = outputs if reached else sources
            made.setdefault(id(owners.memory_of(out.array)), set()).update(reached or read)
    return readers


class SharedMemory:
    """Values that share memory with others, and the last line that reads each."""

    def __init__(self, lines, inputs, results):
        self.last, self.by_owner, self.overwritten = {}, {}, set()
        for number, line in enumerate(lines):
            self.last.update((value, number) for value in line.inputs)
            for value in (*line.inputs, *line.outputs):
                self.by_owner.setdefault(memory_of(value), {})[value] = None
        self.last.update((value, len(lines)) for value in (*inputs, *results) if value is not None)

    def is_read_elsewhere(self, value, now):
        """Return True if another value in the same memory is read after line ``now``."""
        tensor = value.tensor
        return any(
            other.tensor is not tensor and self.last.get(other, -1) > now and overlap(other.tensor.array, tensor.array)
            for other in self.by_owner[memory_of(value)]
        )

    def check(self, line, steps):
        """Raise Break if a line reads a value that an effect has overwritten."""
        if any(value in self.overwritten for value in line.inputs):
            raise Break(f"{line.name} reads a value that was overwritten later", place(line))
        if line.writes and steps and steps[-1].kind is EFFECT and steps[-1].line is line:
            self.overwritten.update(list_values(line.target))


def overlap(a, b):
    """Return True if two arrays may share an element, by a quick check."""
    try:
        return np.shares_memory(a, b, max_work=10000)
    except np.exceptions.TooHardError:
        return True


def is_scalar(value):
    """Return True if a constant of a generated function is a number."""
    return isinstance(value, np.ndarray) and not value.ndim


def tuple_text(texts):
    return f"({', '.join(texts)}{',' * (len(texts) == 1)})"
