"""Interpretation of a graph node by node: to observe it, to compute something else, or to make another graph."""

import inspect

from tensh.engine.dispatch.override.points import Search
from tensh.fx import traceback as fx_traceback
from tensh.fx.codegen import list_last_uses
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule
from tensh.fx.node import map_aggregate, map_arg
from tensh.fx.proxy import Proxy
from tensh.fx.tracer import Tracer

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs the graph of a module node by node; a subclass overrides the method of an ``op``.

    Values that are no longer needed are deleted, unless ``garbage_collect_values`` is False. ``graph`` replaces the
    graph of the module.

    >>> import tensh as torch
    >>> class NegSigmSwap(torch.fx.Interpreter):
    ...     def call_function(self, target, args, kwargs):
    ...         return super().call_function(torch.neg if target is torch.sigmoid else target, args, kwargs)
    >>> gm = torch.fx.symbolic_trace(lambda x: torch.sigmoid(x) + 1)
    >>> NegSigmSwap(gm).run(torch.tensor([2.]))
    tensor([-1.])
    """

    def __init__(self, module, garbage_collect_values=True, graph=None):
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph = module.graph if graph is None else graph
        self.env, self.name, self.extra_traceback = {}, "Interpreter", True
        self.garbage_collect_values = garbage_collect_values
        if garbage_collect_values:
            self.user_to_last_uses = list_last_uses(self.graph.nodes)

    def run(self, *args, initial_env=None, enable_io_processing=True):
        """Run the graph on ``args`` and return its output.  ``initial_env`` maps nodes to known values.

        Errors name the node.
        """
        self.env = {} if initial_env is None else initial_env
        self.args_iter = iter(self.graph.process_inputs(*args) if enable_io_processing else args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                if self.extra_traceback:
                    name_node(error, node)
                    if isinstance(error, KeyError):
                        raise RuntimeError(*error.args) from error
                raise
            if self.garbage_collect_values:
                for each in self.user_to_last_uses.get(node, ()):
                    del self.env[each]
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
        return None

    def boxed_run(self, args_list):
        """Run on a list of arguments and empty it, so that it keeps none of them alive."""
        inputs = [node for node in self.graph.nodes if node.op == "placeholder"]
        if len(args_list) != len(inputs):
            detail = "extra arguments" if len(args_list) > len(inputs) else "missing arguments"
            raise RuntimeError(
                f"Interpreter.boxed_run expected {len(inputs)} arguments for placeholders but received {len(args_list)} ({detail})"
            )
        values = dict(zip(inputs, args_list))
        args_list.clear()
        return self.run(initial_env=values)

    def run_node(self, n):
        """Compute the value of a node: call the method of its ``op`` with the target and argument values."""
        with fx_traceback.set_current_meta(n):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            return getattr(self, n.op)(n.target, args, kwargs)

    # ── one method for each op ───────────────────────────────────────────────

    def placeholder(self, target, args, kwargs):
        """Return the next argument, or the default; for ``*name``, all remaining ones."""
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration as error:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from error

    def get_attr(self, target, args, kwargs):
        """Return the attribute at the path ``target``."""
        return self.fetch_attr(target)

    def call_function(self, target, args, kwargs):
        """Call the function ``target``."""
        if isinstance(target, str):
            raise AssertionError("target should not be a string for call_function")
        return target(*args, **kwargs)

    def call_method(self, target, args, kwargs):
        """Call the method ``target`` of ``args[0]``."""
        owner, *args = args
        return getattr(owner, target)(*args, **kwargs)

    def call_module(self, target, args, kwargs):
        """Call the module at the path ``target``."""
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target, args, kwargs):
        """Return the output."""
        return args[0]

    # ── values ───────────────────────────────────────────────────────────────

    def fetch_attr(self, target):
        """Return the attribute of the module at a path.  Raise RuntimeError if there is none."""
        value, parts = self.module, target.split(".")
        for place, part in enumerate(parts):
            if not hasattr(value, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(parts[: place + 1])}")
            value = getattr(value, part)
        return value

    def fetch_args_kwargs_from_env(self, n):
        """Return (args, kwargs) of a node, with values in place of nodes."""
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args, n):
        """Replace the nodes in ``args`` by their values.  Raise RuntimeError for a node without a value."""

        def load(node):
            if node not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {node}! Run Graph.lint() to diagnose such issues"
                )
            return self.env[node]

        return map_arg(args, load)


def name_node(error, node):
    """Add the name of the failed node to an error."""
    text = f"While executing {node.format_node()}"
    text = f"{error.args[0]}\n\n{text}" if error.args else text
    text += (
        f"\nOriginal traceback:\n{node.stack_trace}\nUse tlparse to see full graph. "
        "(https://github.com/pytorch/tlparse?tab=readme-ov-file#tlparse-parse-structured-pt2-logs)"
    )
    error.args = (text, *error.args[1:])


class LeafTracer(Tracer):
    """The tracer of a transformed graph, in which all modules are leaves."""

    def __init__(self, graph, root):
        super().__init__()
        self.graph, self.root, self._attributes = graph, root, {}

    def is_leaf_module(self, m, module_qualified_name):
        return True


class Transformer(Interpreter):
    """Makes another graph by running one on proxies; a subclass determines what replaces a node.

    >>> import tensh as torch
    >>> class NegInPlaceOfRelu(torch.fx.Transformer):
    ...     def call_function(self, target, args, kwargs):
    ...         return super().call_function(torch.neg if target is torch.relu else target, args, kwargs)
    >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> NegInPlaceOfRelu(gm).transform()(torch.tensor([2.]))
    tensor([-1.])
    """

    def __init__(self, module):
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)
        self.tracer = LeafTracer(self.new_graph, module)

    def placeholder(self, target, args, kwargs):
        """Add an input to the new graph."""
        default = args[0] if args else inspect.Signature.empty
        return Proxy(self.new_graph.placeholder(target, default_value=default), self.tracer)

    def get_attr(self, target, args, kwargs):
        """Add a read of an attribute to the new graph."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_function(self, target, args, kwargs):
        """Add a call to the new graph."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def call_module(self, target, args, kwargs):
        """Add a call of a module to the new graph."""
        module = self.fetch_attr(target)
        return self.tracer.call_module(module, module.forward, args, kwargs)

    def transform(self):
        """Return the new ``GraphModule``."""
        with fx_traceback.preserve_node_meta(), Search():
            result = self.run(enable_io_processing=False)
        if result is not None:
            output = self.new_graph.output(
                map_aggregate(result, lambda each: each.node if isinstance(each, Proxy) else each)
            )
            output.meta.update(self.graph.output_node().meta)
        return GraphModule(self.module, self.new_graph)
