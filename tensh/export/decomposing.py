"""Exported programs of fewer kinds of operators: recorded again, with rules in place of operators, and without writes."""

import tensh as torch
from tensh._decomp.table import core_aten_decompositions, view_decompositions
from tensh._higher_order_ops.functionalized import auto_functionalized_v2
from tensh._higher_order_ops.wrappers import Wrapper
from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.tensor import Tensor
from tensh.export.custom_writes import FunctionalProgram
from tensh.fx.immutable_collections import to_plain
from tensh.fx.node import map_aggregate, map_arg
from tensh.tracing.program import Program, flatten_like
from tensh.tracing.recording.recorder import Recorder
from tensh.tracing.sizes.data_dependent import drop_checks, find_dependent, name_data_sizes
from tensh.tracing.sizes.dynamic import fold_sizes, free_sizes, resize, verify_numbers
from tensh.tracing.sizes.nodes import place_sizes
from tensh.tracing.sizes.numbers import TracedBool, TracedInt
from tensh.tracing.sizes.texts import COMPARISONS
from tensh.tracing.sizes.unbacked import read_number
from tensh.tracing.steps.casts import cast_operands
from tensh.tracing.translation import choose
from tensh.tracing.untouched import RestoredState

NOTES = ("stack_trace", "place", "nn_module_stack", "torch_fn")


def default_decompositions():
    """Return a new table of the decompositions that leave PyTorch's core operators: operator -> function.

    >>> import tensh as torch
    >>> table = torch.export.default_decompositions()
    >>> del table[torch.ops.aten.linear.default]
    >>> program = torch.export.export(torch.nn.Linear(3, 2), (torch.ones(1, 3),)).run_decompositions(table)
    >>> program.graph_signature.user_outputs
    ('linear',)
    """
    return core_aten_decompositions()


class Replay(Recorder):
    """Records the nodes of a graph again; a node's notes are those of the node that is replayed."""

    source = None

    def __init__(self, members, table, ranges, sizes, shift):
        self.stand_ins = {path: value.detach() for path, value in members.items()}  # weights that require no gradients
        super().__init__({id(value): path for path, value in self.stand_ins.items()}, sizes, strict=False)
        self.table = table
        if choose("item", (torch.ones(1),), {})[0] in table:
            self.reading = "_local_scalar_dense"
        self.read_item = lambda recorder, tensor: read_number(recorder, tensor, ranges, shift)

    def describe(self, node, value):
        node.meta["val"] = value
        if self.source is not None:
            node.meta.update((key, self.source.meta[key]) for key in NOTES if key in self.source.meta)
            node.meta["copies"] = is_copy(self.source)

    def replay(self, graph, known):
        """Compute the nodes of a graph, given the values of its inputs (node -> value); return its result."""
        for node in graph.nodes:
            if node.op == "get_attr":
                value = node.meta["val"]
                known[node] = self.stand_ins[node.target] if isinstance(value, Tensor) else value
            elif node.op == "output":
                return map_arg(node.args[0], known.__getitem__)
            elif node.op != "placeholder":
                self.source = node
                args, kwargs = map_arg((node.args, node.kwargs), known.__getitem__)
                known[node] = self.call(node, to_plain(args), to_plain(kwargs))
        raise AssertionError("a graph has an output")

    def call(self, node, args, kwargs):
        """Return the result of a node; a part with its own mode is replayed in it."""
        called = getattr(type(args[0]), node.target) if node.op == "call_method" else node.target
        if called is auto_functionalized_v2:
            with self.plainly():
                value = called(*args, **kwargs)
            if value[0] is None:
                self.graph._graph_namespace.create_name("getitem", None)  # the name of a part that nothing reads
            self.record(called, args, kwargs, value)
            return value
        if called in COMPARISONS and type(args[0]) is TracedInt:
            return TracedBool(called(*map(int, args)), called.__name__, *args)
        if not isinstance(called, Wrapper):
            return called(*args, **kwargs)
        graph = args[called.first].graph
        with called.make_context(*args[: called.first]):
            return self.replay(
                graph, dict(zip(graph.find_nodes(op="placeholder"), args[called.first + 1 :], strict=True))
            )

    def call_operator(self, overload, args, kwargs):
        """Record a call, under autocast after the casts of its operands."""
        return cast_operands(self, overload, args, kwargs, super().call_operator)


def is_copy(node):
    """Return True for a ``copy_`` of the program itself: others are how the new value of a buffer is written."""
    return getattr(node.target, "_opname", "") == "copy_" and not node.name.startswith("copy__default")


def record_again(source, table, inputs, shift=0):
    """Return the program of a graph on examples, with the rules of a table in place of operators.

    ``shift`` is added to the numbers that it reads.
    """
    members = {path: value for path, value in source.attributes().items() if isinstance(value, Tensor)}
    ranges, sizes = {}, bool(source.dynamic or source.ranges or find_dependent(source.graph))
    recorder = Replay(members, table, ranges, sizes, shift)
    known = {node: recorder.add_input(node.target, value) and value for node, value in zip(source.inputs, inputs)}
    with RestoredState(source.root, inputs), no_grad(), recorder:
        result = recorder.replay(source.graph, known)
    recorder.graph.output(map_aggregate(result, recorder.to_argument))
    signatures = {
        key: each.replace_nodes(lambda node: recorder.nodes.get(id(known.get(node)), node))
        for key, each in source.signatures.items()
    }
    for node in recorder.graph.find_nodes(op="get_attr"):
        node.meta["val"] = members.get(node.target, node.meta["val"])
    recorder.graph.output_node().meta["val"] = result
    made = replaced(source, recorder.graph, result, ranges)
    made.signatures = signatures
    return made


def replaced(source, graph, result, ranges):
    """Return a program with another graph."""
    made = Program(source.root, graph, source.structure, result, dict(source.constants), source.leaves)
    made.names, made.ranges, made.dynamic, made.guards = source.names, ranges, source.dynamic, source.guards
    made.result_spec, made.root_class = source.result_spec, source.root_class
    return made


def decompose(exported, table):
    """Return (program, ranges) of an exported program with a table's rules applied; None stands for the default table."""
    source, example = exported._traced, exported.example_inputs
    sizes = {place: {dim: str(name) for dim, name in each.items()} for place, each in source.dynamic.items()}
    inputs = flatten_like(source.structure, *example) if example else make_examples(source)
    ranges = {str(name): (each.lower, each.upper) for name, each in source.bounds.items()}
    views = view_decompositions()
    table = views | (core_aten_decompositions() if table is None else dict(table))

    def run(program, rules):
        def trace(change):
            return record_again(program, rules, resize(inputs, sizes, change))

        made = record_again(program, rules, inputs)
        if sizes:
            made = free_sizes(made, trace, sizes, ranges, apart=1)
            made.guards = program.guards
            return made
        if made.ranges:
            made = verify_numbers(made, lambda shift, sizes: record_again(program, rules, inputs, shift))
            made.ranges = dict(zip(made.ranges, program.ranges.values()))
        fold_sizes(made, made)
        return made

    changed = separate_writes(run(source, views), exported.graph_signature.buffers)
    names = changed.mutated
    program = run(changed, table)
    if source.dynamic:
        place_sizes(program, source.dynamic)
    write_mutations(program, names)
    drop_checks(program)
    name_data_sizes(program)
    return program, ranges


def make_examples(source):
    """Make examples of the inputs of a program that was read from a file."""
    made = []
    names = list(dict.fromkeys(str(name) for each in source.dynamic.values() for name in each.values()))
    for node in source.inputs:
        value = node.meta["val"]
        least = {str(name): each.lower or 0 for name, each in source.bounds.items()}
        shape = [n if isinstance(n, int) else max(least.get(str(n), 0), 3 + names.index(str(n))) for n in value.shape]
        made.append(torch.ones(shape, dtype=value.dtype))
    return made


def separate_writes(program, buffers):
    """Return a program without writes, whose first results are the new values of what it wrote to (``mutated``)."""
    functional = FunctionalProgram(program.graph)
    graph = functional.convert(clean=False)
    found = {(True, path): functional.buffers[path] for path in buffers if path in functional.buffers}
    found |= {(False, name): node for name, node in functional.arguments.items()}
    made = replaced(program, graph, program.result, program.ranges)
    made.signatures = {
        key: each.replace_nodes(lambda node: functional.cells[node].node) for key, each in program.signatures.items()
    }
    output = graph.output_node()
    output.args = ((tuple(found.values()), output.args[0]),)
    made.mutated = list(found)
    return made


def write_mutations(program, names):
    """Write the first results of a program to the members and inputs of these names, after everything else."""
    graph = program.graph
    output = graph.output_node()
    new, output.args = output.args[0][0], (output.args[0][1],)
    program.result = output.meta["val"] = program.result[1]
    with graph.inserting_before(output):
        for (member, name), node in zip(names, new):
            kind = "get_attr" if member else "placeholder"
            target = next((each for each in graph.find_nodes(op=kind) if each.target == name), None)
            if target is None:
                target = graph.get_attr(name)
                target.meta["val"] = program.root.get_buffer(name)
            if member and is_plain_copy(node):
                node = node.args[1]
            call = choose("copy_", (target.meta["val"], node.meta["val"]), {})[0]
            written = graph.call_function(call, (target, node))
            written.meta["val"] = target.meta["val"]
            program.mutations[written] = member, name
    graph.eliminate_dead_code(is_impure_node=lambda node: node in program.mutations or keeps(node))


def is_plain_copy(node):
    """Return True for a functional copy of a computed value with its shape and dtype, which is that value itself."""
    if getattr(node.target, "_opname", "") != "copy" or node.args[1].op == "placeholder":
        return False
    old, new = node.meta["val"], node.args[1].meta["val"]
    return (old.shape, old.dtype) == (new.shape, new.dtype)


def keeps(node):
    """Return True for nodes that stay although nothing reads them: inputs, the output and assertions."""
    return node.op in ("placeholder", "output") or "_assert" in getattr(node.target, "_opname", "")
