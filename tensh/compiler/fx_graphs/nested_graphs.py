"""Graphs within a graph for a back end: those of functions that custom functions and checkpoints call.

Note [Scopes]
While such a function runs, the recorder has a ``Scope``: another graph, and other nodes of tensors. A value from outside is
lifted when it is first used: the inner graph gets an input for it, and the call of the outer graph an argument.
"""

import operator
from contextlib import contextmanager

from tensh._subclasses.fake_tensor import FakeTensor
from tensh.compiler.breaks import Break
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule
from tensh.nn.modules.module import Module

__all__ = ["NestedRecorder", "Scope"]

STATE = ("graph", "nodes", "parts", "pending", "grad", "scope", "modules")
"""Attributes of a recorder that belong to one graph."""


class Scope:
    """The graph of a function within another one.

    ``lifted`` maps nodes of the outer graph to inputs, ``sources`` inputs to the nodes for which they stand in the end.
    """

    def __init__(self, name, kind=FakeTensor):
        self.name, self.kind, self.graph, self.lifted, self.sources, self.modules = name, kind, Graph(), {}, {}, {}
        self.inner = None  # what the recorder has while it is in this scope
        self.outer = None  # what it has around the scope

    def make_module(self):
        """Return the module of the graph, with inputs named as those of the whole graph for which they stand."""
        for placed, node in self.sources.items():
            if node.op == "placeholder" and placed.target != node.name:
                placed._rename(node.name)
                placed.target = placed.name
        return GraphModule(make_root(self.modules), self.graph)


def make_root(scopes):
    """Return a module with the modules of scopes as its members."""
    root = Module()
    for name, scope in scopes.items():
        root.add_module(name, scope.make_module())
    return root


class NestedRecorder:
    """The part of a ``FunctionRecorder`` that records graphs within its graph: see Note [Scopes]."""

    def start_scopes(self):
        """Begin in the outermost graph; ``modules`` has the scopes of the graph by name."""
        self.scope, self.modules, self.counts, self.sources = None, {}, {}, {}

    @contextmanager
    def within(self, scope):
        """A context in which calls are recorded in a scope; it may be entered several times."""
        scope.outer = self.read_state()
        inner = scope.inner or {
            "graph": scope.graph, "nodes": {}, "parts": [], "pending": None, "grad": self.grad, "scope": scope, "modules": scope.modules
        }  # fmt: skip
        vars(self).update(inner)
        try:
            yield scope
            self.name_pending()
        finally:
            scope.inner = self.read_state()
            vars(self).update(scope.outer)

    @contextmanager
    def around(self):
        """A context in which calls are recorded in the graph around the scope."""
        scope, inner = self.scope, self.read_state()
        vars(self).update(scope.outer)
        try:
            yield
        finally:
            scope.outer = self.read_state()
            vars(self).update(inner)

    @contextmanager
    def outermost(self):
        """A context in which calls are recorded in the outermost graph."""
        if self.scope is None:
            yield
        else:
            with self.around(), self.outermost():
                yield

    def read_state(self):
        """Return the attributes that belong to the current graph."""
        return {name: getattr(self, name) for name in STATE}

    # ── values ───────────────────────────────────────────────────────────────
    def lift_tensor(self, tensor):
        """Return the input of the scope for a tensor from outside."""
        with self.around():
            outer = self.node_of(tensor)
        node = self.lift(outer)
        self.keep(tensor, node)
        return node

    def lift(self, outer):
        """Return the input of the scope for a node of a graph around it."""
        scope = self.scope
        if scope is None:
            raise Break("a number that was computed within an operator is used outside of it")
        if outer.graph is not scope.outer["graph"]:
            with self.around():
                outer = self.lift(outer)
        if outer not in scope.lifted:
            source = self.sources.get(outer, outer)
            node = self.insert_input(source.name, scope.kind if "val" not in outer.meta else None)
            node.meta.update(outer.meta)
            scope.lifted[outer] = node
            self.sources[node] = scope.sources[node] = source
        return scope.lifted[outer]

    # ── calls ────────────────────────────────────────────────────────────────
    def finish_scope(self, outputs):
        """Add the outputs of the current scope."""
        self.name_pending()
        self.graph.output(outputs)
        for each in self.parts:
            if not each.users:
                self.graph.erase_node(each)

    def add_module(self, scope):
        """Add a scope to the current graph as the next module of its name; return the node that reads it."""
        number = self.counts[scope.name] = self.counts.get(scope.name, -1) + 1
        name = f"{scope.name}_{number}"
        self.modules[name] = scope
        return self.graph.get_attr(name)

    def add_call(self, called, scopes, options, tensors):
        """Add the call of an operator on graphs, whose results are ``tensors``."""
        given = [self.add_module(each) for each in scopes]
        lifted = scopes[0].lifted
        node = self.graph.call_function(called, (*given, *lifted), options)
        node.meta["example_value"] = tuple(tensors)
        for place, tensor in enumerate(tensors):
            item = self.graph.call_function(operator.getitem, (node, place))
            item.meta["example_value"] = tensor
            self.keep(tensor, item)
            self.parts.append(item)
