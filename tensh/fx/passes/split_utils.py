"""Splitting of a graph module by tags of its nodes."""

import operator
from dataclasses import dataclass, field
from typing import Any

from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule
from tensh.fx.node import map_arg
from tensh.fx.passes.utils.common import HolderModule, lift_subgraph_as_module
from tensh.nn.modules.containers import ModuleList
from tensh.switched_off import lookup

__all__ = ["Component", "getattr_recursive", "setattr_recursive", "split_by_tags"]

OUTSIDE = ("placeholder", "get_attr")


def getattr_recursive(obj, name):
    """Return the attribute at a path; None if there is none.

    >>> import tensh as torch
    >>> from tensh.fx.passes.split_utils import getattr_recursive
    >>> getattr_recursive(torch.nn.Sequential(torch.nn.ReLU()), "0.inplace")
    False
    """
    for part in name.split("."):
        obj = obj._modules.get(part) if isinstance(obj, ModuleList) else getattr(obj, part, None)
        if obj is None:
            return None
    return obj


def setattr_recursive(obj, attr, value):
    """Set the attribute at a path."""
    *parents, name = attr.split(".")
    for parent in parents:
        obj = getattr(obj, parent)
    setattr(obj, name, value)


@dataclass
class Component:
    """A part of a graph: its graph, its place in the order of tags, and its inputs and outputs in the original graph."""

    graph: Graph
    order: int
    name: str
    input_placeholders: list = field(default_factory=list)
    orig_inputs: list = field(default_factory=list)
    orig_outputs: list = field(default_factory=list)
    getattr_maps: dict = field(default_factory=dict)
    constructor_args: list = field(default_factory=list)
    gm: Any = None


class Split:
    """A split in progress: ``homes`` maps nodes to their components, ``copies`` to their nodes there."""

    def __init__(self, tags):
        self.parts = {tag: Component(Graph(), order, str(tag)) for order, tag in enumerate(tags)}
        self.homes, self.copies = {}, {}

    def add(self, node):
        """Copy a node into its tag's component.  Raise AssertionError for a node without a tag, or before its operands."""
        if not hasattr(node, "tag"):
            raise AssertionError(f"Node does not have tag: {node.format_node()}")
        part = self.homes[node] = self.parts[node.tag]
        last = max((self.homes[each].order for each in node.all_input_nodes if each.op not in OUTSIDE), default=0)
        if part.order < last:
            raise AssertionError(
                f"Component {part.name} order must be >= max of its upstream components, order={part.order} and max={last}"
            )
        self.copies[node] = part.graph.node_copy(node, lambda each: self.read(each, part))
        self.copies[node].tag = node.tag

    def read(self, node, part):
        """Return the node in a component that stands for an operand: an attribute, a node of the component, or an input."""
        if node.op == "get_attr":
            if node not in part.getattr_maps:
                part.getattr_maps[node] = part.graph.get_attr(node.target, type_expr=node.type)
                part.getattr_maps[node].meta = dict(node.meta)
            return part.getattr_maps[node]
        if self.homes.get(node) is part:
            return self.copies[node]
        if node not in part.orig_inputs:
            part.orig_inputs.append(node)
            part.input_placeholders.append(part.graph.placeholder(node.name, type_expr=node.type))
            part.input_placeholders[-1].meta = dict(node.meta)
            if node in self.homes:
                self.mark_output(node)
        return part.input_placeholders[part.orig_inputs.index(node)]

    def mark_output(self, node):
        outputs = self.homes[node].orig_outputs
        if node not in outputs:
            outputs.append(node)


def split_by_tags(gm, tags, return_fqn_mapping=False, return_tuple=False, GraphModuleCls=GraphModule):
    """Return a module that calls the parts of ``gm`` in the order of ``tags``; ``node.tag`` is that of a node.

    Args:
        return_fqn_mapping: return also path of a module or attribute -> its path after the split.
        return_tuple: parts return tuples, also of one value.

    >>> import tensh as torch
    >>> from tensh.fx.passes.split_utils import split_by_tags
    >>> gm = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> for node in gm.graph.nodes:
    ...     node.tag = "second" if node.name == "add" else "first"
    >>> [name for name, _ in split_by_tags(gm, ["first", "second"]).named_children()]
    ['first', 'second']
    """
    split, graph, made = Split(tags), Graph(), {}
    for node in gm.graph.nodes:
        if node.op == "placeholder":
            made[node] = graph.placeholder(node.name, type_expr=node.type)
            made[node].meta = dict(node.meta)
        elif node.op not in ("get_attr", "output"):
            split.add(node)
    output, paths = gm.graph.output_node(), {}
    for node in output.all_input_nodes:
        if node.op == "get_attr":
            made[node] = graph.get_attr(node.name, type_expr=node.type)
        elif node in split.homes:
            split.mark_output(node)
    for part in split.parts.values():
        results = tuple(split.copies[each] for each in part.orig_outputs)
        single = len(results) == 1 and not return_tuple
        part.graph.output(results[0] if single else results)
        part.gm, found = lift_subgraph_as_module(gm, part.graph, part.name)
        paths |= found
        call = graph.call_module(part.name, tuple(made[each] for each in part.orig_inputs))
        for place, node in enumerate(part.orig_outputs):
            made[node] = call if single else graph.call_function(operator.getitem, (call, place))
    graph.output(map_arg(output.args[0], made.__getitem__))
    holder = HolderModule({part.name: part.gm for part in split.parts.values()})
    result = GraphModuleCls(holder, graph)
    return (result, paths) if return_fqn_mapping else result


__getattr__ = lookup("torch.fx.passes.split_utils")
