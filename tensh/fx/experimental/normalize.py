"""One form for calls that mean the same: arguments by keyword, operators of Python for functions of torch."""

import operator

import tensh as torch
from tensh.fx.experimental.schema_type_annotation import AnnotateTypesWithSchema
from tensh.fx.interpreter import Transformer
from tensh.fx.node import Node, map_aggregate
from tensh.fx.operator_schemas import create_type_hint, normalize_function, normalize_module

__all__ = ["NormalizeArgs", "NormalizeOperators"]


class NormalizeArgs(Transformer):
    """A transformer that gives arguments by keyword, defaults included, where signatures are known.

    ``meta["type"]`` of a node, as ``ShapeProp`` notes it, decides between overloads.

    >>> import tensh as torch
    >>> from tensh.fx.experimental.normalize import NormalizeArgs
    >>> gm = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 1)))
    >>> [node.kwargs for node in NormalizeArgs(gm).transform().graph.find_nodes(op="call_module", target="0")]
    [{'input': input_1}]
    """

    def __init__(self, module, normalize_to_only_use_kwargs=True):
        super().__init__(module)
        self.node_map, self.normalize_to_only_use_kwargs = {}, normalize_to_only_use_kwargs

    def run_node(self, n):
        """Add a node to the new graph, with the notes of the original."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)

        def find_type(value):
            return n.meta.get("type") if isinstance(value, Node) else type(value)

        if n.op == "call_function":
            arg_types = tuple(map(create_type_hint, map_aggregate(n.args, find_type)))
            kwarg_types = {name: find_type(value) for name, value in kwargs.items()}
            made = self.call_function(n.target, args, kwargs, arg_types, kwarg_types)
        else:
            made = super().run_node(n)
        if n.op != "output":
            self.node_map[made] = n
            made.node.meta, made.node.type = n.meta, n.type
        return made

    def call_function(self, target, args, kwargs, arg_types=None, kwarg_types=None):
        """Add a call to the new graph."""
        found = normalize_function(target, args, kwargs, arg_types, kwarg_types, self.normalize_to_only_use_kwargs)
        return self.tracer.create_proxy("call_function", target, *(found or (args, kwargs)))

    def call_module(self, target, args, kwargs):
        """Add a call of a module to the new graph."""
        found = normalize_module(self.module, target, args, kwargs, self.normalize_to_only_use_kwargs)
        return super().call_module(target, *(found or (args, kwargs)))


class NormalizeOperators(AnnotateTypesWithSchema):
    """A transformer that replaces functions of torch by operators of Python, such as ``torch.add(x, y)`` by ``x + y``.

    >>> import tensh as torch
    >>> from tensh.fx.experimental.normalize import NormalizeOperators
    >>> gm = torch.fx.symbolic_trace(lambda x, y: torch.add(x, y))
    >>> [node.target for node in NormalizeOperators(gm).transform().graph.find_nodes(op="call_function")]
    [<built-in function add>]
    """

    binary_magic_method_remap = {
        torch.add: operator.add, torch.mul: operator.mul, torch.sub: operator.sub, torch.div: operator.truediv,
        torch.floor_divide: operator.floordiv, torch.remainder: operator.mod, torch.eq: operator.eq, torch.ne: operator.ne,
        torch.lt: operator.lt, torch.le: operator.le, torch.gt: operator.gt, torch.ge: operator.ge,
    }  # fmt: skip

    def call_function(self, target, args, kwargs):
        """Add a call to the new graph."""
        if len(args) == 2 and target in self.binary_magic_method_remap:
            target, kwargs = self.binary_magic_method_remap[target], {}
        return super().call_function(target, args, kwargs)
