"""torch.export.unflatten: an exported program as a hierarchy of modules, like the module that was exported."""

import itertools
import operator

from tensh.engine.core.tensor import Tensor
from tensh.export import descriptions
from tensh.export.exported_module import as_plain
from tensh.export.input_sizes import require_sizes
from tensh.export.preserved import write_body, write_call
from tensh.func.trees import flatten
from tensh.func.trees import unflatten as unflatten_tree
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule, write_class
from tensh.fx.interpreter import Interpreter
from tensh.fx.node import map_arg
from tensh.nn.modules.module import Module
from tensh.nn.parameter import is_parameter
from tensh.tracing.program import Place

__all__ = ["FlatArgsAdapter", "InterpreterModule", "UnflattenedModule", "unflatten"]


class FlatArgsAdapter:
    """Adapter of the arguments of a call to the structure of an exported program: subclasses define ``adapt``."""

    __module__ = "torch.export.unflatten"

    def adapt(self, target_spec, input_spec, input_args, metadata=None, obj=None):
        """Return the flat arguments of ``target_spec`` for those of ``input_spec``."""
        raise NotImplementedError


class InterpreterModule(Module):
    """A module that runs the nodes of ``graph``."""

    __module__ = "torch.export.unflatten"

    def __init__(self, graph=None):
        super().__init__()
        self.graph = graph or Graph()

    def forward(self, *args, **kwargs):
        """Run the graph."""
        if kwargs:
            args = (*args, *(kwargs[node.target] for node in self.graph.find_nodes(op="placeholder")[len(args) :]))
        return Interpreter(self, graph=self.graph).run(*args, enable_io_processing=False)

    def print_readable(self, print_output=True, include_stride=False, include_device=False, colored=False):
        """Print the code as a class, with shapes if known, and return it."""
        options = {"include_stride": include_stride, "include_device": include_device, "colored": colored}
        text = write_class(self.graph, type(self).__name__, **options)
        if print_output:
            print(text)
        return text


class UnflattenedModule(InterpreterModule):
    """An exported program as modules; called like the module that was exported, it checks its arguments."""

    __module__ = "torch.export.unflatten"

    def __init__(self, export_module, flat_args_adapter=None):
        super().__init__()
        self.graph_signature, self.module_call_graph = export_module.graph_signature, []
        self.adapter, program = flat_args_adapter, export_module._traced
        self.__dict__.update(_program=program, _spec=export_module.call_spec)
        for path in export_module._paths:
            find(self, path)
        for path, value in (export_module.state_dict | export_module.constants).items():
            set_state(self, path, value, path in export_module.constants)
        inputs, paths = dict(enumerate(program.inputs)), {}
        for path, value in (export_module.state_dict | export_module.constants).items():
            paths.setdefault(id(value), []).append(path)
        level = Level(self, "", 0, paths, program.signatures)
        for name, leaf in program.leaves:
            node = level.graph.placeholder(name)
            level.made[inputs[leaf] if isinstance(leaf, Place) else node] = node
            if isinstance(leaf, Place):
                node.meta["val"] = descriptions.describe(inputs[leaf])
        level.add([node for node in program.graph.nodes if node.op not in ("placeholder", "get_attr", "output")])
        results = flatten(as_plain(program.graph.output_node().args[0]))[0]
        level.graph.output(map_arg(tuple(results), level.read))

    def forward(self, *args, **kwargs):
        """Run the program.  Raise TypeError for arguments of another structure, RuntimeError for other sizes."""
        leaves, spec = flatten((args, kwargs))
        wanted = self._spec.in_spec
        if spec != wanted:
            print(
                f"Input treespec does not match with exported module's: \nInput treespec: {spec}.  Exported module treespec: {wanted}"
            )
            print("Adapting flat arg to match exported module's treespec")
            if self.adapter is None:
                raise TypeError(
                    "There is no flat args adapter specified. Are you sure you are calling this with the right arguments? "
                )
            leaves = self.adapter.adapt(target_spec=wanted, input_spec=spec, input_args=leaves, obj=self)
        require_sizes(self._program, leaves)
        return unflatten_tree(list(super().forward(*leaves)), self._spec.out_spec)


class Level:
    """A module being written: ``made`` maps nodes of the program to those of the graph, whose inputs are ``inputs``.

    ``paths`` maps ids of parameters, buffers and constants to their paths, of which a shared one has several;
    ``signatures`` are those that the program keeps.
    """

    def __init__(self, module, path, depth, paths, signatures):
        self.module, self.path, self.depth, self.paths, self.signatures = module, path, depth, paths, signatures
        self.graph, self.made, self.inputs, self.last = Graph(), {}, [], None
        module.graph = self.graph

    def read(self, node):
        """Return the node of a value: made here, a member, or an input."""
        if node not in self.made:
            if isinstance(node.meta.get("val"), GraphModule):
                return self.made.setdefault(node, self.add_member(node, f"{self.path}{node.target}"))
            known = [node.target, *self.paths.get(id(node.meta["val"]), ())] if node.op == "get_attr" else ()
            own = next((path for path in known if path.startswith(self.path)), None)
            self.made[node] = self.add_input(node) if own is None else self.add_member(node, own)
            self.made[node].meta = dict(node.meta)
        return self.made[node]

    def add_input(self, node):
        self.inputs.insert(0, node)
        with self.graph.inserting_before():
            return self.graph.placeholder(node.name)

    def add_member(self, node, path):
        if isinstance(node.meta["val"], GraphModule):
            self.module.add_module(node.target, node.meta["val"])
        place = self.last or next(iter(self.graph.find_nodes(op="placeholder")[::-1]), None)
        with self.graph.inserting_after(place) if place else self.graph.inserting_before():
            made = self.graph.get_attr(path.removeprefix(self.path))
        self.last = made if self.path else None  # in the outermost graph, before those that are there
        return made

    def add(self, nodes):
        """Add nodes; those of a module that is called here become one call of the module."""
        for called, group in itertools.groupby(nodes, key=self.find_call):
            group = list(group)
            if called is not None:
                self.add_call(*called, group)
                continue
            for node in group:
                self.made[node] = self.graph.node_copy(node, self.read)

    def find_call(self, node):
        """Return (key, path) of the call of a module here that made a node, or None."""
        stack = [(key, path) for key, (path, _) in node.meta.get("nn_module_stack", {}).items()]
        return stack[self.depth] if len(stack) > self.depth else None

    def add_call(self, key, path, nodes):
        """Add a call of a module for its nodes, and the module unless an equal one has been called."""
        level = Level(InterpreterModule(), f"{path}.", self.depth + 1, self.paths, self.signatures)
        results = [node for node in nodes if any(user not in nodes for user in node.users)]
        if key in self.signatures:
            write_body(level, self.signatures[key], nodes)
            write_call(self, self.signatures[key], self.place(path.removeprefix(self.path), level.module), results)
            return
        level.add(nodes)
        copies = [level.made[node] for node in results]
        level.graph.output(copies[0] if len(copies) == 1 else copies)
        name = self.place(path.removeprefix(self.path), level.module)
        call = self.graph.call_module(name, tuple(map(self.read, level.inputs)))
        for number, node in enumerate(results):
            self.made[node] = call if len(results) == 1 else self.graph.call_function(operator.getitem, (call, number))
            self.made[node].meta = dict(node.meta)

    def place(self, name, module):
        """Add a module, and return its name: that of one with the same graph, or a new one with the state of the first."""
        for count in itertools.count():
            own = f"{name}@{count}" if count else name
            known = interpret(self.module, own)
            if len(known.graph.nodes) and describe(known.graph) != describe(module.graph):
                continue
            if count:
                share_state(interpret(self.module, name), known)
            take_graphs(known, module)
            return own


def take_graphs(module, made):
    """Move the graphs of ``made``, modules without state, into ``module``, which has the state."""
    if isinstance(made, InterpreterModule) and not len(module.graph.nodes):
        module.graph = made.graph
        vars(module).update({name: value for name, value in vars(made).items() if name.startswith("_spec_")})
    for name, child in made._modules.items():
        if name in module._modules and isinstance(child, InterpreterModule):
            take_graphs(interpret(module, name), child)
        else:
            module._modules[name] = child


def share_state(first, other):
    """Give another module for the same path the parameters, buffers and constants of the first, at any depth."""
    other._parameters, other._buffers = first._parameters, first._buffers
    vars(other).update({name: value for name, value in vars(first).items() if isinstance(value, Tensor)})
    for name, child in first._modules.items():
        if isinstance(child, InterpreterModule):
            share_state(child, interpret(other, name))


def describe(graph):
    """Describe the nodes of a graph with numbers for names: equal graphs have equal descriptions."""
    numbers = {node: number for number, node in enumerate(graph.nodes)}
    return [
        (node.op, str(node.target) if node.op != "placeholder" else "", str(map_arg((node.args, node.kwargs), lambda each: f"%{numbers[each]}")))
        for node in graph.nodes
    ]  # fmt: skip


def find(module, path):
    """Return the module at a path; make one without a graph if there is none."""
    for part in path.split(".") if path else ():
        if part not in module._modules:
            module.add_module(part, Module())
        module = module._modules[part]
    return module


def interpret(module, path):
    """Return the module at a path, made to run a graph, which may be empty; so are the modules on the way."""
    for part in path.split("."):
        known = find(module, part)
        if not isinstance(known, InterpreterModule):
            made = InterpreterModule()
            vars(made).update(vars(known))
            module._modules[part] = known = made
        module = known
    return module


def set_state(root, path, value, is_constant):
    """Set a parameter, a buffer, or a constant at a path."""
    *parents, name = path.split(".")
    owner = find(root, ".".join(parents)) if parents else root
    if is_parameter(value):
        owner.register_parameter(name, value)
    elif is_constant:
        setattr(owner, name, value)
    else:
        owner.register_buffer(name, value)


def unflatten(module, flat_args_adapter=None):
    """Return an exported program as modules with the names and the nesting of the original, whose graphs can be changed.

    ``flat_args_adapter`` makes arguments of another structure fit.

    >>> import tensh as torch
    >>> program = torch.export.export(torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU()), (torch.ones(1, 2),))
    >>> torch.export.unflatten(program)
    UnflattenedModule(
      (0): InterpreterModule()
      (1): InterpreterModule()
    )
    """
    return UnflattenedModule(module, flat_args_adapter)
