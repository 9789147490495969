"""A graph: a program as a list of nodes, which can be inserted, replaced and erased, and printed as Python code."""

import contextlib
import copy
import inspect

from tensh.engine.errors.warnings import warn
from tensh.engine.methods.attributes import typename
from tensh.fx.codegen import CodeGen, PythonCode
from tensh.fx.immutable_collections import immutable_dict
from tensh.fx.names import Namespace, name_of_function, snake_case
from tensh.fx.node import OPS, Node, map_arg
from tensh.nn.modules.module import Module
from tensh.nn.parameter import is_parameter

__all__ = ["Graph", "PythonCode"]


class NodeList:
    """The nodes of a graph in order.  Nodes can be erased and inserted during iteration."""

    def __init__(self, graph, direction="_next"):
        self.graph, self.direction = graph, direction

    def __len__(self):
        return self.graph._len

    def __iter__(self):
        root, node = self.graph._root, getattr(self.graph._root, self.direction)
        while node is not root:
            if not node._erased:
                yield node
            node = getattr(node, self.direction)

    def __reversed__(self):
        return iter(NodeList(self.graph, "_prev" if self.direction == "_next" else "_next"))


class InsertPoint:
    """The place at which a graph inserts nodes, from now on; as a context, until its end."""

    def __init__(self, graph, insert):
        self.graph, self.before = graph, graph._insert
        graph._insert = insert

    def __enter__(self):
        return None

    def __exit__(self, *failure):
        self.graph._insert = self.before


class Graph:
    """A program as data: nodes for its inputs, calls and output, in the order of execution.

    ``symbolic_trace`` makes one; so do the methods ``placeholder``, ``get_attr``, ``call_function``, ``call_method``,
    ``call_module`` and ``output``, each of which inserts a ``Node`` and returns it.

    >>> import tensh as torch
    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> _ = graph.output(graph.call_function(torch.relu, (x,)))
    >>> print(graph)
    graph():
        %x : [num_users=1] = placeholder[target=x]
        %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
        return relu
    """

    def __init__(self, owning_module=None, tracer_cls=None, tracer_extras=None):
        self._root = Node(self, "", "root", "", (), {})
        self._insert = self._root.prepend
        self._len = 0
        self._graph_namespace = Namespace()
        self.owning_module = owning_module
        self._tracer_cls, self._tracer_extras = tracer_cls, tracer_extras
        self._codegen = CodeGen()
        self._co_fields = {}

    # ── nodes ────────────────────────────────────────────────────────────────

    @property
    def nodes(self):
        """The nodes in order, with ``len`` and ``reversed``."""
        return NodeList(self)

    def output_node(self):
        """Return the last node, which is the output."""
        node = next(iter(reversed(self.nodes)))
        if node.op != "output":
            raise AssertionError(f"Expected output node, got op={node.op}")
        return node

    def find_nodes(self, *, op, target=None, sort=True):
        """Return the nodes with an ``op`` and, if given, a ``target``, in order."""
        return [node for node in self.nodes if node.op == op and (target is None or node.target == target)]

    def create_node(self, op, target, args=None, kwargs=None, name=None, type_expr=None):
        """Insert a node at the current insertion point, and return it.  Its name is derived from the target."""
        for given, kind, what in ((args, tuple, "args must be a tuple"), (kwargs, dict, "kwargs must be a dict")):
            if given and not isinstance(given, kind):
                raise AssertionError(f"{what}, got {type(given)}")
        candidate = name if name is not None else self._target_to_str(target)
        name = self._graph_namespace.create_name(candidate, None)
        node = Node(self, name, op, target, args or (), kwargs or immutable_dict(), type_expr)
        self._graph_namespace.associate_name_with_obj(name, node)
        self._insert(node)
        self._len += 1
        return node

    def _target_to_str(self, target):
        """Return the name of a node, derived from its target."""
        name = name_of_function(target) if callable(target) else target
        if name.startswith("__") and name.endswith("__"):
            name = name[2:-2]
        return snake_case(name)

    def placeholder(self, name, type_expr=None, default_value=inspect.Signature.empty):
        """Insert an input; ``*name`` and ``**name`` receive the remaining arguments."""
        args = () if default_value is inspect.Signature.empty else (default_value,)
        return self.create_node("placeholder", name, args=args, type_expr=type_expr)

    def get_attr(self, qualified_name, type_expr=None):
        """Insert a read of an attribute of the module, such as ``"linear.weight"``; warn if there is none."""
        if self.owning_module is not None and not has_member(self.owning_module, qualified_name):
            warn(
                "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! Call "
                "GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to add the necessary "
                "Parameter, or nn.Module.register_buffer to add the necessary buffer"
            )
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(self, module_name, args=None, kwargs=None, type_expr=None):
        """Insert a call of the submodule ``module_name``."""
        if self.owning_module is not None:
            self.owning_module.get_submodule(module_name)
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(self, method_name, args=None, kwargs=None, type_expr=None):
        """Insert a call of a method of ``args[0]``."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(self, the_function, args=None, kwargs=None, type_expr=None, name=None):
        """Insert a call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def output(self, result, type_expr=None):
        """Insert the output: a node, or a tuple, list or dictionary with nodes."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def erase_node(self, to_erase):
        """Erase a node.  Raise RuntimeError if others use it, and for a node of another graph."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: {to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warn(f"erase_node({to_erase}) on an already erased node")
            return
        to_erase._remove_from_list()
        to_erase._erased = True
        self._len -= 1
        to_erase._update_args_kwargs(*(map_arg(each, lambda node: None) for each in (to_erase._args, to_erase._kwargs)))

    # ── insertion points ─────────────────────────────────────────────────────

    def inserting_before(self, n=None):
        """Insert nodes before ``n`` within the context; without ``n``, before all others.

        >>> import tensh as torch
        >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x))
        >>> x, relu, output = gm.graph.nodes
        >>> with gm.graph.inserting_before(relu):
        ...     half = gm.graph.call_method("mul", (x, 0.5))
        >>> relu.args = (half,)
        >>> _ = gm.recompile()
        >>> gm(torch.tensor([2., -2.]))
        tensor([1., 0.])
        """
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return InsertPoint(self, n.prepend)

    def inserting_after(self, n=None):
        """Insert nodes after ``n`` within the context; without ``n``, after all others."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return InsertPoint(self, n.append)

    # ── copies ───────────────────────────────────────────────────────────────

    def node_copy(self, node, arg_transform=lambda x: x):
        """Insert a copy of a node of another graph; ``arg_transform`` maps the nodes among its arguments."""
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    def graph_copy(self, g, val_map, return_output_node=False):
        """Insert copies of all nodes of ``g`` except the output, and return the output value.

        ``val_map`` maps nodes of ``g`` to nodes here, and is extended by the copies.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda each: val_map[each])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda each: val_map[each])
        return None

    def __deepcopy__(self, memo=None):
        made = Graph(tracer_cls=self._tracer_cls)
        result = made.graph_copy(self, {} if memo is None else memo, return_output_node=True)
        made._codegen = copy.deepcopy(self._codegen)
        if result is not None:
            value, node = result
            output = made.output(value, type_expr=node.type)
            output.meta = copy.copy(node.meta)
        return made

    # ── code ─────────────────────────────────────────────────────────────────

    def python_code(self, root_module, **options):
        """Return the source of the graph as a function, in which ``root_module`` names the module: ``PythonCode``.

        Options: ``verbose``, ``include_stride``, ``include_device``, ``colored``, ``expanded_def``, ``additional_meta``.
        """
        namespace = Namespace()
        before = [(node, node._repr_fn) for node in self.nodes]
        for node, _ in before:
            node._repr_fn = lambda each: namespace.create_name(each.name, each)
        try:
            return self._codegen._gen_python_code(self.nodes, root_module, namespace, **options)
        finally:
            for node, function in before:
                node._repr_fn = function

    def set_codegen(self, codegen):
        """Generate the code with another ``CodeGen``."""
        self._codegen = codegen

    def on_generate_code(self, make_transformer):
        """Let ``make_transformer(previous)`` return the function that transforms the lines of generated code.

        The result is a context manager that restores the previous function on exit.
        """
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextlib.contextmanager
        def end():
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return end()

    def process_inputs(self, *args):
        """Return the graph's inputs for the arguments of the generated function."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out):
        """Return the result of the generated function for the graph's output."""
        return self._codegen.process_outputs(out)

    def __str__(self):
        return "\n    ".join(["graph():", *(node.format_node() for node in self.nodes)])

    def print_tabular(self):
        """Print the nodes as a table.  Raise ImportError if the library tabulate is missing."""
        try:
            from tabulate import tabulate
        except ImportError:
            print(
                "`print_tabular` relies on the library `tabulate`, which could not be found on this machine. Run `pip install "
                "tabulate` to install the library."
            )
            raise
        rows = [[node.op, node.name, node.target, node.args, node.kwargs] for node in self.nodes]
        print(tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"]))

    # ── checks ───────────────────────────────────────────────────────────────

    def lint(self):
        """Check that nodes are unique, in order, and refer to members of the module.  Raise RuntimeError otherwise."""
        seen, names = set(), set()
        for node in self.nodes:
            if node.op not in OPS[:-1]:
                raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for arg in node._input_nodes:
                self._check_input(arg, node, seen)
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            seen.add(node)
            names.add(node.name)
        if self.owning_module:
            for node in self.nodes:
                self._check_target(node)

    def _check_input(self, arg, node, seen):
        if arg.graph is not self:
            raise RuntimeError(
                f"Argument '{arg}' of Node '{node}' does not belong to this Graph, but was used as an argument! If you are copying "
                f"nodes from another graph, make sure to use ``arg_transform`` on node_copy() to remap values\n{self}"
            )
        if arg not in seen:
            raise RuntimeError(
                f"Argument '{arg}' of Node '{node}' was used before it has been defined! Please check that Nodes in the graph are "
                f"topologically ordered\n{self}"
            )

    def _check_target(self, node):
        if not (callable(node.target) if node.op == "call_function" else isinstance(node.target, str)):
            expected = "Callable" if node.op == "call_function" else "str"
            raise ValueError(
                f"Node {node} target {node.target} has type {typename(node.target)} but a {expected} is expected"
            )
        if node.op not in ("get_attr", "call_module"):
            return
        parts, owner = node.target.split("."), self.owning_module
        for place, part in enumerate(parts):
            value, path = getattr(owner, part, None), ".".join(parts[:place])
            if value is None:
                raise RuntimeError(
                    f"Node {node} target {node.target} references nonexistent attribute {part} of {path}"
                )
            if node.op == "call_module" and not isinstance(value, Module):
                raise RuntimeError(f"Node {node} target {node.target} {part} of {path} does not reference an nn.Module")
            owner = value

    def eliminate_dead_code(self, is_impure_node=None):
        """Erase unused nodes; return True if there were any.

        Inputs, and functions marked by ``has_side_effect``, stay. ``is_impure_node(node)`` replaces this rule.

        >>> import tensh as torch
        >>> def f(x):
        ...     torch.relu(x)
        ...     return x + 1
        >>> gm = torch.fx.symbolic_trace(f)
        >>> gm.graph.eliminate_dead_code(), len(gm.graph.nodes)
        (True, 3)
        """
        self.lint()
        erased = False
        for node in reversed(self.nodes):
            impure = is_impure_node(node) if is_impure_node is not None else node.is_impure()
            if not impure and not node.users:
                self.erase_node(node)
                erased = True
        return erased


def has_member(module, path):
    """Return True if a module has a parameter, buffer or submodule at a path.  Warn if its parent is missing."""
    parent, _, name = path.rpartition(".")
    try:
        owner = module.get_submodule(parent)
    except AttributeError:
        warn(f"Failed to fetch module {parent}!")
        return False
    value = getattr(owner, name, None)
    return isinstance(value, Module) or is_parameter(value) or name in owner._buffers
