"""An exported program: a graph whose inputs are weights and arguments, the weights, and the signature."""

from collections import namedtuple
from dataclasses import dataclass

from tensh.engine.core.tensor import Tensor
from tensh.export.descriptions import note_value
from tensh.export.dimensions.symbols import Symbol
from tensh.export.exported_module import ExportedModule, as_plain, match_structure, name_arguments
from tensh.export.graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)
from tensh.export.input_sizes import require_sizes
from tensh.export.notes import name_class
from tensh.func.trees import flatten, leaves_of
from tensh.fx.branches import list_members, rename_inputs
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule
from tensh.fx.node import Node, map_arg
from tensh.nn.parameter import is_parameter
from tensh.tracing.program import Place
from tensh.tracing.sizes.dims import read_derived

__all__ = ["ExportedProgram", "ModuleCallEntry", "ModuleCallSignature"]

LETTERS = {InputKind.PARAMETER: "p", InputKind.BUFFER: "b", InputKind.CONSTANT_TENSOR: "c"}


class Range:
    """The range of sizes of a dimension."""

    def __init__(self, lower, upper):
        self.lower, self.upper = lower, upper

    def __repr__(self):
        return f"VR[{self.lower}, {'int_oo' if self.upper is None else self.upper}]"


class Number(Range):
    """The range of a number that a program reads from a tensor."""

    def __init__(self, name, lower, upper):
        super().__init__(lower, upper)
        self.infinity = "int_oo" if name.startswith("u") else "oo"

    def __repr__(self):
        low, high = (
            each if each is not None else f"{sign}{self.infinity}"
            for each, sign in ((self.lower, "-"), (self.upper, ""))
        )
        return f"VR[{low}, {high}]"


CallSpec = namedtuple("CallSpec", "in_spec out_spec")
"""The structures of a program's positional arguments, keywords and result."""


@dataclass
class ModuleCallSignature:
    """The arguments and results of a module, their structures, and the names of its arguments."""

    inputs: list
    outputs: list
    in_spec: object
    out_spec: object
    forward_arg_names: list | None = None


@dataclass
class ModuleCallEntry:
    """A module of an exported program, by its path; with the signature of its calls, where that is kept."""

    fqn: str
    signature: ModuleCallSignature | None = None


class ExportedProgram:
    """A module as a complete program, made by ``torch.export.export``.

    ``graph_module`` has the graph, ``graph_signature`` describes its inputs, ``state_dict`` and ``constants`` hold the
    tensors, ``range_constraints`` the sizes of dynamic dimensions. ``module()`` returns a callable module.
    """

    __module__ = "torch.export.exported_program"
    dialect = "TRAINING"  # operators as called, without decomposition

    def __init__(self, graph_module, signature, state_dict, constants, ranges, example_inputs, traced):
        self.graph_module, self.graph_signature = graph_module, signature
        self.state_dict, self.constants, self.range_constraints = state_dict, constants, ranges
        self.example_inputs, self._traced = example_inputs, traced

    @classmethod
    def from_trace(cls, program, dynamic, ranges, example):
        """Make the exported program of a trace.  ``dynamic``: position of an input -> {dimension: name}."""
        root, modules = program.root, program.modules()
        name_constants(program, root)
        members = {path: value for path, value in program.attributes().items() if path not in modules}
        find_kind = make_kinds(root)
        kinds = {path: find_kind(path, value) for path, value in members.items()}
        graph, specs, lifted = lift_members(program, kinds, find_kind)
        output = graph.output_node()
        outputs = describe_outputs(leaves_of(output.args[0]), list(program.mutations.values()))
        module = GraphModule(list_members(graph), graph, "GraphModule")
        kept = root.state_dict(keep_vars=True)
        state = {path: value for path, value in members.items() if is_state(path, kinds[path], kept)}
        whole = {name: kept[name] for name in (*dict(root.named_parameters(remove_duplicate=False)), *kept)}
        unused = {path: value for path, value in root.named_buffers() if path not in members and path not in kept}
        constants = {path: value for path, value in (members | unused).items() if path not in state}
        names = dict.fromkeys(name for table in dynamic.values() for name in table.values())
        bounds = {}
        for name in names:
            root, factor, offset = read_derived(name) or (name, 1, 0)
            low, high = ranges.get(root) or (None, None)
            bounds[Symbol(name)] = Range(*(each if each is None else factor * each + offset for each in (low, high)))
        for name in names:  # those from which others follow, after these
            root = (read_derived(name) or (name,))[0]
            low, high = ranges.get(root) or (None, None)
            bounds.setdefault(Symbol(root), Range(max(low or 0, 2), high))
        for each in bounds.values():
            each.lower = 0 if each.lower is None else each.lower
        bounds = {Symbol(name): Number(name, *limits) for name, limits in program.ranges.items()} | bounds
        program.dynamic, program.bounds = dynamic, bounds
        made = cls(
            module, ExportGraphSignature(specs, outputs), {**whole, **state}, constants, bounds, example, program
        )
        made._names = {node: each.name for node, each in lifted.items()}
        made._paths = [path for path, _ in program.root.named_modules(remove_duplicate=False) if path]
        return made

    @property
    def graph(self):
        """The graph.  Raise RuntimeError for another one."""
        return self.graph_module.graph

    @graph.setter
    def graph(self, value):
        raise RuntimeError("Unable to set ExportedProgram's graph attribute.")

    @property
    def call_spec(self):
        """The structures of arguments and result, as trees."""
        program = self._traced  # a program from a file has no example result
        result = program.graph.output_node().args[0] if program.result is None else program.result
        spec = program.result_spec or flatten(as_plain(result))[1]
        return CallSpec(flatten(program.structure)[1], spec)

    @property
    def module_call_graph(self):
        """The entries of the whole program, with the structures of its arguments and result, and of each submodule."""
        positional, keywords = self._traced.structure
        names = [*name_arguments(self._traced, len(positional)), *keywords]
        entries = [ModuleCallEntry("", ModuleCallSignature([], [], *self.call_spec, names))]
        noted = self._traced.signatures
        for path in self._paths:
            keys = [key for key in noted if key.partition("@")[0] == path]
            entries += [ModuleCallEntry(key, self.describe_call(noted[key])) for key in keys] or [ModuleCallEntry(path)]
        return entries

    def describe_call(self, signature):
        """Return the signature of a call of a module, with names of nodes."""
        parts = [
            [
                TensorArgument(self._names.get(each, each.name))
                if isinstance(each, Node)
                else ConstantArgument("", each)
                for each in part
            ]
            for part in (signature.inputs, signature.outputs)
        ]
        return ModuleCallSignature(*parts, signature.in_spec, signature.out_spec)

    tensor_constants = property(lambda self: self.constants, doc="The tensors that are neither parameters nor buffers.")

    def parameters(self):
        """Return the parameters."""
        return iter([self.state_dict[path] for path in self.graph_signature.parameters])

    def named_parameters(self):
        """Yield (path, parameter) pairs."""
        return iter([(path, self.state_dict[path]) for path in self.graph_signature.parameters])

    def buffers(self):
        """Return the buffers."""
        return iter([each for _, each in self.named_buffers()])

    def named_buffers(self):
        """Yield (path, buffer) pairs."""
        known = self.constants | self.state_dict
        return iter([(path, known[path]) for path in self.graph_signature.buffers])

    def module(self, check_guards=True):
        """Return the program as a module that checks the sizes of its arguments."""
        members = {**self.state_dict, **self.constants}
        return ExportedModule(
            self._traced, members, self.constants, self.call_spec, check_guards, self.graph_signature.buffers
        )

    def _check_input_constraints(self, args, kwargs):
        """Raise RuntimeError unless the arguments of a call have sizes that the program takes."""
        require_sizes(self._traced, flatten((args, match_structure(self._traced.structure, args, kwargs)))[0])

    def validate(self):
        """Raise RuntimeError if the graph is not consistent, as it may be after changes by hand."""
        self.graph.lint()

    def run_decompositions(self, decomp_table=None, decompose_custom_triton_ops=False):
        """Return a program of fewer kinds of operators and without writes, which computes the same.

        Args:
            decomp_table: operator -> the function that it consists of; PyTorch's core operators are left by
                ``torch.export.default_decompositions()``, the default, all but views and writes by ``{}``.

        New values of buffers and inputs are outputs before those of the user, and are written after each call.

        >>> import tensh as torch
        >>> program = torch.export.export(torch.nn.Linear(3, 2), (torch.ones(1, 3),)).run_decompositions()
        >>> [node.name for node in program.graph.nodes]
        ['p_weight', 'p_bias', 'input', 'permute', 'addmm', 'output']
        """
        from tensh.export.decomposing import decompose

        program, ranges = decompose(self, decomp_table)
        made = type(self).from_trace(program, self._traced.dynamic, ranges, self.example_inputs)
        made.state_dict.update(self.state_dict)
        made.dialect = "ATEN"
        return made

    def print_readable(self, print_output=True):
        """Print the code with dtypes, shapes and lines, and return it."""
        return self.graph_module.print_readable(print_output)

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Unable to call ExportedProgram directly. You should use `exported_program.module()` instead."
        )

    def __str__(self):
        code = self.graph_module.print_readable(False).replace("\n", "\n    ")
        signature = str(self.graph_signature).replace("\n", "\n    ")
        return (
            f"ExportedProgram:\n    {code}\nGraph signature: {signature}\nRange constraints: {self.range_constraints}\n"
        )


def describe_outputs(values, mutations):
    """Return the output specs: new values of buffers and inputs, then results."""
    found = []
    for place, each in enumerate(values):
        argument = TensorArgument(each.name) if isinstance(each, Node) else ConstantArgument("", each)
        if place < len(mutations):
            member, target = mutations[place]
            kind = OutputKind.BUFFER_MUTATION if member else OutputKind.USER_INPUT_MUTATION
            found.append(OutputSpec(kind, argument, target))
        else:
            found.append(OutputSpec(OutputKind.USER_OUTPUT, argument))
    return found


def is_state(path, kind, kept):
    """Return True for members of the state dict, which has no constants and no non-persistent buffers."""
    return kind is InputKind.PARAMETER or kind is InputKind.BUFFER and path in kept


def name_constants(program, root):
    """Name constants: attributes of modules by their paths, others ``lifted_tensor_N`` after the path where they are read."""
    known = {
        id(value): f"{path}.{name}" if path else name
        for path, module in root.named_modules()
        for name, value in vars(module).items()
        if isinstance(value, Tensor)
    }
    number, renamed, readers = 0, {}, find_readers(program.graph)
    paths = sorted(program.constants, key=[*readers].index)
    for path in paths:
        owner = known.get(id(program.constants[path]))
        if owner is None:
            within = name_innermost(readers[path])
            owner, number = f"{within}lifted_tensor_{number}", number + 1
        renamed[path] = owner
    for node in program.graph.nodes:
        if node.op == "get_attr" and node.target in renamed:
            node.target = renamed[node.target]
    program.constants = {renamed[path]: program.constants[path] for path in paths}


def find_readers(graph):
    """Return path of a member -> the first node that reads it, in the order of the graph."""
    found = {}
    for node in graph.nodes:
        for each in node.all_input_nodes:
            if each.op == "get_attr":
                found.setdefault(each.target, node)
    return found


def name_innermost(node):
    """Return the path of the module that was being called at a node, with a full stop; an empty text outside of all."""
    stack = node.meta.get("nn_module_stack")
    path = next(reversed(stack.values()))[0] if stack else ""
    return path and f"{path}."


def make_kinds(root):
    """Return a function from the path and the value of a member to its kind."""
    parameters = {path for path, _ in root.named_parameters(remove_duplicate=False)}
    buffers = {path for path, _ in root.named_buffers(remove_duplicate=False)}

    def find_kind(path, value):
        if path in parameters and is_parameter(value):
            return InputKind.PARAMETER
        return InputKind.BUFFER if path in buffers else InputKind.CONSTANT_TENSOR

    return find_kind


def name_modules(root_class, stack):
    """Return the modules that were being called as PyTorch notes them: a name each -> (path, name of the class)."""
    modules = {"": ("", root_class)} | stack
    return {f"L__self__{key}": (path, name_class(cls)) for key, (path, cls) in modules.items()}


def lift_members(program, kinds, find_kind):
    """Return (graph, input specs, node -> copy), with members as inputs before the arguments, even if unused."""
    graph, made, specs = Graph(), {}, []
    add_members(program, kinds, find_kind, graph, made, specs)
    add_arguments(program, graph, made, specs)
    copy_operations(program, graph, made)
    rename_inputs(graph)
    return graph, specs, made


def add_members(program, kinds, find_kind, graph, made, specs):
    """Add an input for each parameter, buffer and constant of a program."""
    root = program.root
    own = dict(root.named_parameters(remove_duplicate=False)) | dict(root.named_buffers(remove_duplicate=False))
    order = {path: place for place, path in enumerate(dict.fromkeys([*own, *program.constants]))}
    nodes = {path: [] for path in own}
    for node in program.graph.nodes:
        if node.op == "get_attr" and isinstance(node.meta["val"], Tensor):
            nodes.setdefault(node.target, []).append(node)
    state = set(root.state_dict())
    for path in sorted(nodes, key=lambda each: order.get(each, len(order))):
        kind = kinds[path] if path in kinds else find_kind(path, own[path])
        placeholder = graph.placeholder(f"{LETTERS[kind]}_{path.removeprefix('self_').replace('.', '_').lower()}")
        note_value(nodes[path][0].meta["val"] if nodes[path] else own[path], placeholder)
        if path.startswith("lifted_tensor_") or kind is InputKind.CONSTANT_TENSOR:
            del placeholder.meta["tensor_meta"]
        made |= dict.fromkeys(nodes[path], placeholder)
        persistent = path in state if kind is InputKind.BUFFER else None
        specs.append(InputSpec(kind, TensorArgument(placeholder.name), path, persistent))


def add_arguments(program, graph, made, specs):
    """Add an input for each argument of a program: a tensor, or the value of the example."""
    inputs = program.inputs
    for name, leaf in program.leaves:
        if isinstance(leaf, Place):
            node = inputs[leaf]
            made[node] = graph.node_copy(node)
            made[node].name = node.target  # arguments keep their names, even those of builtins
            note_value(node.meta["val"], made[node], node.meta.get("sizes"))
            specs.append(InputSpec(InputKind.USER_INPUT, TensorArgument(made[node].name), None))
        else:
            constant = graph.placeholder(name)
            constant.meta["val"] = leaf
            specs.append(InputSpec(InputKind.USER_INPUT, ConstantArgument(constant.name, leaf), None))


def copy_operations(program, graph, made):
    """Copy the other nodes of a program; writes at its end become results, before those of the function."""
    new = []
    for node in program.graph.nodes:
        if node in made or node.op == "placeholder":
            continue
        if node in program.mutations:
            new.append(node.args[1])
            continue
        if node.op == "output":
            value = (*new, *leaves_of(node.args[0]))
            made[node] = graph.output(map_arg(value, lambda each: made[each]))
            continue
        made[node] = graph.node_copy(node, lambda each: made[each])
        made[node].meta.pop("place", None)
        note_value(node.meta.get("val"), made[node], node.meta.get("sizes"))
        if "stack_trace" in node.meta or "nn_module_stack" in node.meta:
            made[node].meta["nn_module_stack"] = name_modules(program.root_class, node.meta.get("nn_module_stack", {}))
