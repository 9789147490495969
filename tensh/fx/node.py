"""A node of a graph: what is called, with which arguments, and which nodes use the result."""

import operator
from collections.abc import Callable
from typing import Any

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device, layout, memory_format
from tensh.engine.dtypes.dtype import dtype
from tensh.engine.errors.assertions import _assert
from tensh.engine.methods.attributes import typename
from tensh.fx.immutable_collections import immutable_dict, immutable_list
from tensh.fx.names import qualified_name, type_name

__all__ = ["Node", "has_side_effect", "map_aggregate", "map_arg"]

Target = Callable | str
"""Annotation of a node's target: a function, or the name of a method, module, attribute or input."""
Argument = Any
"""Annotation of an argument of a node."""
base_types = (str, int, float, bool, complex, dtype, Tensor, device, memory_format, layout)
"""Types of values that arguments of a node may contain unchanged."""
OPS = ("placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root")
_side_effectful_functions = {operator.setitem, _assert}


def has_side_effect(fn):
    """Keep calls of ``fn`` when dead code is eliminated; return ``fn``.

    >>> import tensh as torch
    >>> torch.fx.has_side_effect(print) is print
    True
    """
    _side_effectful_functions.add(fn)
    return fn


def map_aggregate(a, fn):
    """Apply ``fn`` to all values in tuples, lists, dictionaries and slices.

    >>> from tensh.fx.node import map_aggregate
    >>> map_aggregate((1, [2, {"three": 3}]), lambda each: 10 * each)
    (10, [20, {'three': 30}])
    """
    if isinstance(a, tuple):
        values = [map_aggregate(each, fn) for each in a]
        return type(a)(*values) if hasattr(a, "_fields") else tuple(values)
    if isinstance(a, list):
        return immutable_list(map_aggregate(each, fn) for each in a)
    if isinstance(a, dict):
        return immutable_dict((key, map_aggregate(value, fn)) for key, value in a.items())
    if isinstance(a, slice):
        return slice(*(map_aggregate(each, fn) for each in (a.start, a.stop, a.step)))
    return fn(a)


def map_arg(a, fn):
    """Apply ``fn`` to all nodes in tuples, lists, dictionaries and slices; other values stay unchanged.

    >>> import tensh as torch
    >>> x = torch.fx.Graph().placeholder("x")
    >>> torch.fx.map_arg((x, 1), lambda node: node.name)
    ('x', 1)
    """
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda each: fn(each) if isinstance(each, Node) else each)


def format_arg(arg):
    """Format an argument as in the printed graph, with a percent sign before nodes."""
    if isinstance(arg, list):
        return f"[{', '.join(map(format_arg, arg))}]"
    if isinstance(arg, tuple):
        return f"({', '.join(map(format_arg, arg))}{',' if len(arg) == 1 else ''})"
    if isinstance(arg, dict):
        return f"{{{', '.join(f'{key}: {format_arg(value)}' for key, value in arg.items())}}}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


class Node:
    """One value of a ``Graph``: an input, an attribute, the result of a call, or the output.

    ``op`` is the kind: ``placeholder``, ``get_attr``, ``call_function``, ``call_method``, ``call_module`` or
    ``output``; ``target`` is the function, or the name of the input, attribute, method or module. Nodes among ``args``
    and ``kwargs`` are the input values; ``users`` are the nodes that use this one. Assigning ``args`` or ``kwargs``
    updates both. ``meta`` is free for passes. Raise ValueError for a target of the wrong kind for ``op``.

    >>> import tensh as torch
    >>> graph = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1).graph
    >>> [(node.op, node.name) for node in graph.nodes]
    [('placeholder', 'x'), ('call_function', 'relu'), ('call_function', 'add'), ('output', 'output')]
    """

    def __init__(self, graph, name, op, target, args, kwargs, return_type=None):
        if op not in OPS:
            raise AssertionError(f"op '{op}' is not in _legal_ops")
        if not (callable(target) if op == "call_function" else isinstance(target, str)):
            expected = "Callable" if op == "call_function" else "str"
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type {typename(target)} but a {expected} is expected"
            )
        self.graph, self.name, self.op, self.target, self.type = graph, name, op, target, return_type
        self.users, self._input_nodes, self.meta = {}, {}, {}
        self._repr_fn, self._erased = None, False
        self._prev = self._next = self
        self._update_args_kwargs(args, kwargs)

    def _rename(self, candidate):
        """Set another name, with a number if it is used."""
        if candidate != self.name:
            self.name = self.graph._graph_namespace.create_name(candidate, None)
            self.graph._graph_namespace.rename(self, self.name)

    # ── arguments ────────────────────────────────────────────────────────────

    def _update_args_kwargs(self, args, kwargs):
        """Set other arguments, and update the users of the old and the new ones."""
        for node in self._input_nodes:
            node.users.pop(self, None)
        self._input_nodes = {}

        def use(node):
            self._input_nodes.setdefault(node)
            node.users.setdefault(self)
            return node

        self._args, self._kwargs = map_arg(tuple(args), use), map_arg(kwargs, use)

    @property
    def args(self):
        """The positional arguments, a tuple; to change them, assign another tuple."""
        return self._args

    @args.setter
    def args(self, args):
        self._update_args_kwargs(args, self._kwargs)

    @property
    def kwargs(self):
        """The keyword arguments, a dictionary; to change them, assign another dictionary."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, kwargs):
        self._update_args_kwargs(self._args, kwargs)

    @property
    def all_input_nodes(self):
        """The nodes among the arguments, each once."""
        return list(self._input_nodes)

    def update_arg(self, idx, arg):
        """Replace the argument at position ``idx``."""
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx, arg):
        """Insert an argument before position ``idx``; raise AssertionError for a position out of range."""
        if not 0 <= idx <= len(self.args):
            raise AssertionError(f"insert_args index must be between 0 and len(self.args), got {idx}")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key, arg):
        """Replace or add the argument with the keyword ``key``."""
        self.kwargs = {**self.kwargs, key: arg}

    def replace_input_with(self, old_input, new_input):
        """Replace ``old_input`` by ``new_input`` in the arguments."""

        def replace(node):
            return new_input if node is old_input else node

        self._update_args_kwargs(map_arg(self._args, replace), map_arg(self._kwargs, replace))

    def replace_all_uses_with(self, replace_with, delete_user_cb=None, *, propagate_meta=False):
        """Replace this node by ``replace_with`` in all its users; return the users that changed.

        ``delete_user_cb(user)`` returns True for users to change, by default all. ``propagate_meta`` copies ``meta`` to
        the other node, whose own must be empty.
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = [user for user in self.users if delete_user_cb is None or delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    # ── place ────────────────────────────────────────────────────────────────

    @property
    def next(self):
        """The node after this one."""
        return self._next

    @property
    def prev(self):
        """The node before this one."""
        return self._prev

    def prepend(self, x):
        """Move ``x``, a node of the same graph, before this one."""
        if x.graph is not self.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if x is self:
            return
        x._remove_from_list()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x):
        """Move ``x``, a node of the same graph, after this one."""
        self._next.prepend(x)

    def _remove_from_list(self):
        before, after = self._prev, self._next
        before._next, after._prev = after, before

    def __lt__(self, other):
        order = {node: place for place, node in enumerate(self.graph.nodes)}
        return order[self] < order[other]

    def __gt__(self, other):
        return other < self

    def __le__(self, other):
        return not other < self

    def __ge__(self, other):
        return not self < other

    # ── properties ───────────────────────────────────────────────────────────

    @property
    def stack_trace(self):
        """The place where the node was traced, if the tracer recorded it."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace):
        self.meta["stack_trace"] = trace

    def normalized_arguments(self, root, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
        """Return the arguments of a call with defaults, as an ``ArgsKwargsPair``, as keywords if these are wanted.

        None for nodes of other kinds, and for unknown functions. Raise RuntimeError for several overloads without types.
        """
        from tensh.fx.operator_schemas import normalize_function, normalize_module

        if self.op == "call_function":
            types = arg_types, kwarg_types
            return normalize_function(self.target, self.args, self.kwargs, *types, normalize_to_only_use_kwargs)
        if self.op == "call_module":
            return normalize_module(root, self.target, self.args, self.kwargs, normalize_to_only_use_kwargs)
        return None

    def is_impure(self, impure_random=True):
        """Return True if the node must stay even when unused: inputs, output, and calls with side effects."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_module":
            if self.graph.owning_module is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return getattr(self.graph.owning_module.get_submodule(self.target), "_is_impure", False)
        if self.op == "call_function":
            drawing = self.target.__module__ == "torch" and self.target.__name__ in RANDOM
            return drawing or self.target in _side_effectful_functions
        return False

    def __repr__(self):
        return self._repr_fn(self) if self._repr_fn else self.name

    def __deepcopy__(self, memo):
        return memo.get(self) or self  # a graph copies its nodes itself

    def format_node(self, placeholder_names=None, maybe_return_typename=None, *, include_tensor_metadata=False):
        """Format the node as a line of the printed graph; an input is added to ``placeholder_names`` instead."""
        kind = f"{type_name(self.type)} " if self.type is not None else ""
        head = f"%{self.name} : {kind}[num_users={len(self.users)}] = {self.op}"
        if self.op == "placeholder":
            if placeholder_names is not None and placeholder_names:
                placeholder_names.append(self.target)
                return None
            return f"{head}[target={self.target}]{f'(default={self.args[0]})' if self.args else ''}"
        if self.op == "output":
            return f"return {self.args[0]}"
        head = f"{head}[target={self._pretty_print_target(self.target)}]"
        if self.op == "get_attr":
            return head
        return f"{head}(args = {format_arg(self.args)}, kwargs = {format_arg(self.kwargs)})"

    @staticmethod
    def _pretty_print_target(target):
        """Format a target as in the printed graph: Python functions with their module."""
        if isinstance(target, str):
            return target
        if target.__module__ in ("builtins", "_operator"):
            return f"{target.__module__.lstrip('_')}.{target.__name__}"
        return qualified_name(target)


RANDOM = frozenset(
    "rand randn randint randperm rand_like randn_like randint_like normal poisson bernoulli multinomial".split()
)
"""Functions that draw random numbers: removing a call would change all later draws."""
