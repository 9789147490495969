"""``torch._dynamo.export``: a function as one graph module, with the structure of its arguments and result."""

import inspect
import re
from typing import NamedTuple

from tensh._aten.overloads import schemas
from tensh.compiler.backends import BackendFunction
from tensh.compiler.capture.results import InputRef, OutputRef, build
from tensh.compiler.fx_graphs.input_names import name_module, name_path, root_of, split_path
from tensh.compiler.fx_graphs.size_recording import Symbol
from tensh.engine.core.tensor import Tensor
from tensh.export.exported_module import ExportedCodeGen
from tensh.func.trees import flatten, leaves_of, unflatten
from tensh.fx.experimental.proxy_tensor import make_fx
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule
from tensh.fx.node import map_arg
from tensh.nn.modules.module import Module


class ExportResult(NamedTuple):
    """The graph module of a function, and the guards under which it was recorded."""

    graph_module: GraphModule
    guards: object


class GuardsSet(set):
    """The guards of an exported function, which tensh does not list."""


GuardsSet.__module__, ExportResult.__module__ = "torch._guards", "torch._dynamo.eval_frame"


class ExportedFunction(BackendFunction):
    """A function that keeps its only graph, its inputs, and the structure of its result."""

    keeps_containers = False  # results are flat

    def __init__(self, function):
        super().__init__(function, lambda module, inputs: module.forward, fullgraph=True, dynamic=True)

    def run_recorded(self, recorder, watch, args, kwargs):
        recorder.watch = watch
        with recorder.watching_numbers():
            return self.run_whole(watch, args, kwargs)

    def make_graph(self, recorder, guards, *rest):
        made = super().make_graph(recorder, guards, *rest)
        self.recorder, self.structure = recorder, made.rebuild.structure
        self.paths = {id(tensor): path for path, tensor in guards.tensors.values()}
        self.given = [tensor for _, tensor in guards.tensors.values()]
        return made


def export(f, *extra_args, aten_graph=False, pre_dispatch=False, decomposition_table=None, tracing_mode="symbolic",
           dynamic_shapes=None, specialize_float=True, assume_static_by_default=False, same_signature=True,
           disable_constraint_solver=False, prefer_deferred_runtime_asserts_over_guards=False, **extra_kwargs):  # fmt: skip
    """Return a function that runs ``f`` on its arguments and returns (graph module, guards).

    The module has the parameters of ``f``, and returns what ``f`` returns; the graph calls PyTorch's public functions,
    with ``aten_graph`` its operators, and computes with sizes of its inputs. With arguments of ``f``, the result itself
    is returned. Raise ``torch._dynamo.exc.Unsupported`` for a function that cannot be one graph.

    >>> import tensh as torch
    >>> module, guards = torch._dynamo.export(lambda x: {"y": x.sin()})(torch.zeros(2))
    >>> module(torch.zeros(2)), [node.op for node in module.graph.nodes]
    ({'y': tensor([0., 0.])}, ['placeholder', 'call_method', 'output'])
    """

    def run(*args, **kwargs):
        bound = inspect.signature(getattr(f, "forward", f)).bind(*args, **kwargs)
        made = ExportedFunction(f)
        made(args, kwargs)
        if made.reason is not None:
            raise made.refuse(made.reason)
        leaves, spec = flatten((args, kwargs))
        graph, members = GraphWriter(made, leaves).write(same_signature or aten_graph)
        if aten_graph:
            mode = "symbolic" if any(isinstance(each, Symbol) for each in made.recorder.used) else "real"
            call = lambda *leaves: call_flat(f, leaves, spec)  # noqa: E731
            members = make_fx(call, decomposition_table, mode, pre_dispatch=pre_dispatch)(*leaves)
            graph = members.graph
            for number, node in enumerate(graph.find_nodes(op="placeholder")):
                node.target = f"arg{number}"
        if same_signature:
            structure = flatten(build(made.structure, made.given, References(OutputRef), {}))[1]
            graph._codegen = ExportedCodeGen(list_names(bound, kwargs), list(kwargs), (spec, structure), None)
        return ExportResult(GraphModule(members, graph), GuardsSet())

    return run(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else run


def call_flat(f, leaves, spec):
    """Call a function with the leaves of its arguments; return those of its result."""
    args, kwargs = unflatten(list(leaves), spec)
    return leaves_of(f(*args, **kwargs))


def list_names(bound, kwargs):
    """Return the names of the positional arguments of a call; those of ``*args`` have numbers."""
    names = []
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            names += [f"{name}_{number}" for number in range(len(value))]
        elif kind is not inspect.Parameter.VAR_KEYWORD and name not in kwargs:
            names.append(name)
    return names


class GraphWriter:
    """Writes the graph of a recorded function with an input for each leaf of its arguments, and members for other tensors."""

    def __init__(self, made, leaves):
        self.made, self.leaves, self.members, self.graph = made, leaves, {}, Graph()

    def write(self, whole):
        """Return (the graph, name -> member); the inputs are all leaves if ``whole``, else those that the graph reads."""
        recorder = self.made.recorder
        used = {id(each): node for each, node in zip(recorder.used, recorder.inputs)}
        inputs = {}  # id of a tensor -> its input, that of the last leaf
        last = {id(each): number for number, each in enumerate(self.leaves) if isinstance(each, Tensor)}
        for number, each in enumerate(self.leaves):
            own = id(each) in used and last[id(each)] == number
            own = own or any(each is self.made.given[place] for place in list_given(self.made.structure))
            name = self.name_input(each, used) if own and last.get(id(each)) == number else None
            if whole or name is not None:
                target = f"arg{number}" if whole or id(each) not in used else used[id(each)].target
                kind = None if whole else type(each)
                inputs[id(each)] = self.graph.create_node("placeholder", target, name=name, type_expr=kind)
                inputs[id(each)].meta["val"] = each
        self.known = {node: inputs[number] for number, node in used.items() if number in inputs}
        self.add_sizes(recorder, inputs)
        for node in recorder.graph.nodes:
            if node.op == "output":
                results = [self.map_node(each) for each in node.args[0]]
            elif node.op != "placeholder":
                args, kwargs = (map_arg(each, self.map_node) for each in (node.args, node.kwargs))
                self.known[node] = self.graph.create_node(node.op, node.target, args, kwargs, node.name)
                self.known[node].meta = dict(node.meta)
        found = [self.find_result(each, results, inputs) for each in leaves_of_result(self.made)]
        self.graph.output(found if whole else tuple(found))
        return self.graph, self.members

    def name_input(self, tensor, used):
        """Return the name of an input that the graph reads."""
        node = used.get(id(tensor))
        return node.name if node is not None else name_path(self.made.paths[id(tensor)], self.made.function).lower()

    def add_sizes(self, recorder, inputs):
        """Add nodes that read the sizes of inputs from which the graph computes."""
        for each, node in zip(recorder.used, recorder.inputs):
            if isinstance(each, Symbol) and node.users:
                number, dim = each.places[0]
                source = inputs[id(recorder.raw[number])]
                made = self.graph.call_function(schemas()["sym_size"]["int"], (source, dim), name="sym_size_int")
                made.meta["val"], self.known[node] = int(each), made

    def map_node(self, node):
        """Return the new node of a recorded one: an input that is not an argument becomes a member where it is first used."""
        if node not in self.known:
            tensor = node.meta["example_value"]
            name = self.name_member(tensor)
            self.members[name] = tensor
            self.known[node] = self.graph.create_node("get_attr", name, name=name.lower())
        return self.known[node]

    def name_member(self, tensor):
        """Return PyTorch's name for a tensor that is not an argument, after its place in the module, or its variable."""
        function, root = self.made.function, root_of(self.made.function)
        if isinstance(root, Module):
            for name, value in [*root.named_parameters(), *root.named_buffers(), *list_attributes(root)]:
                if value is tensor:
                    return f"L__{name_module(function)}___{re.sub('[^a-zA-Z0-9_]', '_', name)}"
        local, parts = split_path(self.made.paths[id(tensor)], function)
        return "_".join(parts) + ("" if local else "_0")

    def find_result(self, part, results, inputs):
        """Return the node, or the value, of a leaf of the result."""
        if isinstance(part, InputRef):
            tensor = self.made.given[part]
            if id(tensor) in inputs:
                return inputs[id(tensor)]
            name = self.name_member(tensor)
            self.members[name] = tensor
            return self.graph.get_attr(name)
        return results[part] if isinstance(part, OutputRef) else part


def list_attributes(root):
    """Yield (path, value) of the tensors among the attributes of a module and its submodules."""
    for prefix, module in root.named_modules():
        for name, value in vars(module).items():
            yield f"{prefix}.{name}" if prefix else name, value


def list_given(part):
    """Yield the numbers of the tensors from outside that a result contains."""
    if isinstance(part, InputRef):
        yield part
    elif isinstance(part, tuple):
        for each in part[1]:
            yield from list_given(each[1] if isinstance(each, tuple) and isinstance(each[0], str) else each)


def leaves_of_result(made):
    """Return the leaves of a result: references to tensors, and values."""
    return leaves_of(build(made.structure, References(InputRef), References(OutputRef), {}))


class References:
    """Stands for tensors, each as a reference to its number."""

    def __init__(self, kind):
        self.kind = kind

    def __getitem__(self, number):
        return self.kind(number)
