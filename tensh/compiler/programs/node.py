"""The node of a compiled graph, whose backward pass is one generated function.

Note [Stale lines]
A graph saves other values than the operators of its function, so it cannot tell which later writes matter. When lines
are replayed, every value that was written since, or is computed from one that was, counts as written in the replay,
too: the operators' nodes raise if they have saved it, and derivatives read nothing else.
"""

import numpy as np

from tensh.compiler.breaks import ReadMismatch
from tensh.engine.core.backward import run
from tensh.engine.core.clock import is_written_after, mode, owner, stamp_write, stamps, tick, version, version_at
from tensh.engine.core.nodes import FOREIGN, AccumulateGrad, Node, Output, Parts
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.capture.lines import Value, map_values


class InputNode(Node):
    """A node before an input during a capture: gradients that arrive here are those of the input.

    Until the graph is made it passes them on, because a function that is captured may compute gradients itself.
    """

    __slots__ = ("was",)

    def __init__(self, tensor):
        self.inputs, self.saved, self.hooks, self.was = (), (), None, tensor.node
        self.time, self.shape, self.dtype = tick(), tensor.array.shape, tensor.array.dtype

    def backward(self, g):
        return (g,)

    backward_graph = backward

    def operation(self):
        """Return the name of the operation that made the input; None for a leaf."""
        return None if type(self.was) is AccumulateGrad else self.was.operation()

    def connect(self):
        """Pass gradients on to the original node from now on."""
        self.inputs = (self.was,)

    def disconnect(self):
        """Let gradients end here from now on."""
        self.inputs = ()


class CompiledFunctionBackward(Node):
    """One call of a compiled graph.  ``program`` has its backward pass, ``given`` the arrays of the call.

    ``stale`` are the places of saved arrays that were written since, ``changed`` (output -> array) the results among them:
    see Note [Stale lines].
    """

    __slots__ = ("program", "given", "changed", "stale")
    keeps_arrays = True
    __module__ = "builtins"

    def __init__(self, program, inputs, saved, given):
        self.program, self.inputs, self.saved, self.given, self.hooks = program, inputs, saved, given, None
        self.changed, self.stale = None, ()

    @property
    def roles(self):
        return (FOREIGN,) * len(self.saved or ())

    @property
    def next_functions(self):
        return tuple(
            (None, 0) if n is None else (n.inputs[0], n.index) if type(n) is Output else (n, 0) for n in self.inputs
        )

    def release(self):
        self.saved = self.given = None

    def check(self):
        """Note which saved arrays were written; raise if one is neither a result nor an argument."""
        self.stale = stale = [
            k for k, each in enumerate(self.saved) if type(each) is np.ndarray and is_written_after(self.time, each)
        ]
        if not stale:
            return
        results, memories = self.program.saved_outputs, {id(owner(array)) for array in self.given}
        if not all(results[k] or id(owner(self.saved[k])) in memories for k in stale):
            super().check()
        self.changed = {value: self.saved[k] for k in stale for value in results[k]}

    def reads_stale(self, g):
        """Return True if gradients of outputs are computed with arrays that were written."""
        outputs = set(g) if type(g) is Parts else {0}
        return any(not outputs.isdisjoint(self.program.readers[k]) for k in self.stale)

    def gradients(self, g):
        """Return the gradient of every output, with zeros where none arrived."""
        facts = self.program.facts
        if type(g) is not Parts:
            return [g]
        return [g[i] if i in g else np.zeros(*each) for i, each in enumerate(facts)]

    def backward(self, g):
        if self.stale and self.reads_stale(g):
            return self.run_lines_again(g)
        try:
            found = self.program.backward(self.saved, *self.gradients(g))
        except ReadMismatch:  # a derivative depends on elements, as that of ``prod`` does on zeros
            return self.run_lines_again(g)
        if type(g) is not Parts or len(g) == len(self.program.facts):
            return found
        return self.without_missing(g, found)

    def without_missing(self, g, found):
        """Return the gradients if some outputs have none: None for inputs that lead only to those outputs.

        Zeros were used for these outputs, which turn infinite derivatives into nan: in that case the lines are replayed
        without them.
        """
        reached = self.program.reached
        found = [None if each.isdisjoint(g) else array for each, array in zip(reached, found, strict=True)]
        mixed = [
            array for each, array in zip(reached, found, strict=True) if array is not None and not each <= g.keys()
        ]
        if not all([np.isfinite(array).all() for array in mixed]):
            return self.run_lines_again(g)
        return tuple(found)

    def run_lines_again(self, g):
        """Return the gradients as arrays, by the operators' own backward pass."""
        return tuple(None if each is None else each.array for each in self.backward_graph(g))

    def find_stale_inputs(self):
        """Return input -> array for inputs written since: see Note [Stale lines]."""
        pairs = zip(self.program.inputs, self.given, strict=True)
        return {value: array for value, array in pairs if is_written_after(self.time, array)}

    def backward_graph(self, g):
        """Return the gradients as recorded tensors: the captured lines are replayed on tensors, and differentiated."""
        gs = [each if isinstance(each, Tensor) else wrap(each) for each in self.gradients(g)]
        recording, mode.grad = mode.grad, True
        try:
            known, entries, stale = {}, [], self.find_stale_inputs()
            for value, array, node in zip(self.program.inputs, self.given, self.inputs, strict=True):
                known[value] = t = wrap(array.copy() if value in stale else array, node)
                entries.append(None)
                if node is not None:
                    t.node = entries[-1] = InputNode(t)
            replay(self.program.forward_lines, known, self.program.collect_draws(self.saved))
            changed = stale | (self.changed or {})
            for line in self.program.forward_lines if stale else ():
                changed.update((out, changed[each]) for each in line.inputs if each in changed for out in line.outputs)
            memories = {id(owner(known[value].array)): (array, known[value].array) for value, array in changed.items()}
            for written, replayed in memories.values():  # several values may be views of one memory
                continue_writes(self.time, written, replayed)
            roots = {}
            for value, number in zip(self.program.outputs, self.program.places, strict=True):
                node = refresh_node(known[value])
                if number is not None and node is not None and (type(g) is not Parts or number in g):
                    each = gs[number]
                    roots[node] = each if node not in roots else roots[node] + each
        finally:
            mode.grad = recording
        wanted = {entry: None for entry in entries if entry is not None}
        run(roots, True, True, wanted, recording)
        for entry in wanted:
            entry.connect()
        return tuple(None if entry is None else wanted[entry] for entry in entries)


def replay(lines, known, drawn):
    """Run lines on tensors and extend ``known`` (value -> tensor); ``drawn`` has their random numbers."""
    for line in lines:
        if line.random and all(value in drawn for value in line.outputs):
            known.update((value, wrap(drawn[value].copy())) for value in line.outputs)  # a line may write into it
            continue
        before, mode.grad = mode.grad, line.grad and mode.grad
        try:
            args, options = map_values(known.__getitem__, (line.args, line.options))
            result = line.function(*args, **options)
        finally:
            mode.grad = before
        pairs = []
        collect(line.result, result, pairs)
        known.update(pairs)
        if line.writes:
            target = options.get("out") if options.get("out") is not None else args[0]
            known.update(zip(line.outputs, [target], strict=False))
    return known


def collect(structure, result, pairs):
    """Append (value, tensor) for every value of a structure and its counterpart in ``result``."""
    if isinstance(structure, Value):
        pairs.append((structure, result))
    elif isinstance(structure, (tuple, list)):
        for each, other in zip(structure, result, strict=True):
            collect(each, other, pairs)


def continue_writes(time, before, array):
    """Stamp the memory of ``array`` with all writes to that of ``before`` after ``time``."""
    for _ in range(version(before) - version_at(time, before)):
        stamp_write(array)
    stamps[id(owner(array))].operation = stamps[id(owner(before))].operation
