"""Constant folding: the parts of a module that depend only on parameters and buffers are computed once."""

import operator

from tensh.engine.core.tensor import Tensor
from tensh.fx._symbolic_trace import symbolic_trace
from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule
from tensh.nn.modules.module import Module
from tensh.nn.modules.parameter_containers import ParameterList
from tensh.nn.parameter import Parameter

__all__ = ["FoldedGraphModule", "get_unique_attr_name_in_module", "split_const_subgraphs"]

FOLDED = "_FX_CONST_FOLDED_ATTRS"


class FoldedGraphModule(GraphModule):
    """A module whose constant part ``const_subgraph_module`` is computed in the first call, or by ``run_folding``."""

    def __init__(
        self, root, graph, const_subgraph=None, fx_const_folded_attrs_name=None, device_for_folded_attrs="cuda"
    ):
        super().__init__(root, graph)
        self.const_subgraph_module = None if const_subgraph is None else GraphModule(root, const_subgraph)
        self.has_folding_been_run = False
        self.fx_const_folded_attrs_name = fx_const_folded_attrs_name
        self.device_for_folded_attrs = device_for_folded_attrs

    def __call__(self, *args, **kwargs):
        if not self.has_folding_been_run:
            self.run_folding()
        return super().__call__(*args, **kwargs)

    def run_folding(self):
        """Compute the constant part, and store the values that the rest reads as parameters."""
        if self.const_subgraph_module is None or self.fx_const_folded_attrs_name is None:
            return
        if self.has_folding_been_run:
            raise AssertionError("Folding has already been run")
        self.has_folding_been_run = True
        values = self.const_subgraph_module()
        made = (
            ParameterList([to_parameter(each) for each in values])
            if isinstance(values, tuple)
            else to_parameter(values)
        )
        setattr(self, self.fx_const_folded_attrs_name, made)


def to_parameter(value):
    """Return a folded value as a parameter, which requires grad if the value did."""
    if isinstance(value, Tensor):
        return Parameter(value.detach().clone(), requires_grad=value.requires_grad)
    return Parameter(Tensor([value]), requires_grad=False)


def get_unique_attr_name_in_module(mod_traced, name):
    """Return ``name``, with a number appended if the module has such an attribute.

    >>> import tensh as torch
    >>> from tensh.fx.experimental.const_fold import get_unique_attr_name_in_module
    >>> get_unique_attr_name_in_module(torch.nn.Linear(1, 1), "weight")
    'weight_1'
    """
    name = "".join(each if each.isalnum() or each == "_" else "_" for each in name)
    name = f"_{name}" if name[:1].isdigit() else name
    found, number = name, 0
    while hasattr(mod_traced, found):
        number += 1
        found = f"{name}_{number}"
    return found


def split_const_subgraphs(module, skip_folding_node_fn=None, device_for_folded_attrs="cpu"):
    """Separate the part that depends only on the module's attributes; return a ``FoldedGraphModule``.

    ``skip_folding_node_fn(node)`` returns True for nodes that must not be folded.  Folded values are parameters, so
    gradients stop there.

    >>> import tensh as torch
    >>> from tensh.fx.experimental.const_fold import split_const_subgraphs
    >>> class Scaled(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.weight = torch.nn.Parameter(torch.ones(2))
    ...
    ...     def forward(self, x):
    ...         return x * (self.weight + 1)
    >>> folded = split_const_subgraphs(Scaled())
    >>> [node.name for node in folded.graph.nodes]
    ['x', '_fx_const_folded_attrs', 'mul', 'output']
    """
    traced = module if isinstance(module, GraphModule) else symbolic_trace(module)
    constant = find_constant(traced.graph, skip_folding_node_fn)
    if all(node.op == "get_attr" for node in constant):
        return FoldedGraphModule(traced, traced.graph)
    read = [node for node in constant if node.op != "get_attr" and any(user not in constant for user in node.users)]
    name = get_unique_attr_name_in_module(traced, FOLDED)
    inner = copy_part(traced.graph, constant)
    found = [inner[node] for node in read]
    first = next(iter(inner.values())).graph
    first.output(tuple(found) if len(found) > 1 else found[0])
    root = FoldingRoot(traced, name, len(found) > 1)
    return FoldedGraphModule(root, copy_rest(traced.graph, constant, read, name), first, name, device_for_folded_attrs)


class FoldingRoot(Module):
    """A module with the members of another, and attributes for folded values."""

    def __init__(self, traced, name, several):
        super().__init__()
        self.__dict__.update(
            {key: dict(value) if isinstance(value, dict) else value for key, value in vars(traced).items()}
        )
        setattr(self, name, ParameterList() if several else Parameter(Tensor()))


def find_constant(graph, skip):
    """Return the nodes, in order, that depend only on attributes and may be computed once."""
    found = {}
    for node in graph.nodes:
        depends = (
            node.op in ("placeholder", "output")
            or node.op != "get_attr"
            and not all(each in found for each in node.all_input_nodes)
        )
        if depends or skip is not None and skip(node) or node.is_impure():
            continue
        found[node] = None
    return found


def copy_part(graph, nodes):
    """Copy nodes that depend only on each other to a new graph; return a dict from node to copy."""
    made, known = Graph(), {}
    for node in graph.nodes:
        if node in nodes and (node.op != "get_attr" or any(user in nodes for user in node.users)):
            known[node] = made.node_copy(node, known.__getitem__)
    return known


def copy_rest(graph, constant, read, name):
    """Make the graph of the other nodes, which reads folded values as an attribute."""
    made, known = Graph(graph.owning_module), {}
    for node in graph.nodes:
        if node not in constant or node.op == "get_attr" and any(user not in constant for user in node.users):
            if read and read[0] not in known and node.op not in ("placeholder", "get_attr"):
                folded = made.create_node("get_attr", name, name=name.lower())
                many = range(len(read) if len(read) > 1 else 0)
                parts = [made.call_function(operator.getitem, (folded, place)) for place in many]
                known.update(zip(read, parts or [folded], strict=True))
            known[node] = made.node_copy(node, known.__getitem__)
    return made
