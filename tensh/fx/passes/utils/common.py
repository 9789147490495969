"""Modules for parts of graphs, and the comparison of graphs."""

from tensh.fx.graph_module import GraphModule, get_member
from tensh.fx.passes.utils.matcher_utils import SubgraphMatcher
from tensh.nn.modules.module import Module

__all__ = ["HolderModule", "compare_graphs", "lift_subgraph_as_module"]


class HolderModule(Module):
    """A module that holds others, by name."""

    def __init__(self, d):
        super().__init__()
        for name, module in d.items():
            self.add_module(name, module)


def lift_subgraph_as_module(gm, subgraph, comp_name="", class_name="GraphModule"):
    """Return (the graph module of a part of ``gm`` with what it reads, path in ``gm`` -> path with the part's name).

    >>> import tensh as torch
    >>> from tensh.fx.passes.utils.common import lift_subgraph_as_module
    >>> gm = torch.fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 1)))
    >>> lift_subgraph_as_module(gm, gm.graph, "part")[1]
    {'0': 'part.0'}
    """
    root, paths = HolderModule({}), {}
    for node in subgraph.nodes:
        if node.op in ("call_module", "get_attr"):
            *parents, name = node.target.split(".")
            owner = root
            for parent in parents:
                if not hasattr(owner, parent):
                    owner.add_module(parent, HolderModule({}))
                owner = getattr(owner, parent)
            setattr(owner, name, get_member(gm, node.target))
            paths[node.target] = f"{comp_name}.{node.target}"
    return GraphModule(root, subgraph, class_name), paths


def compare_graphs(left, right):
    """Return True if two graphs have the same inputs, nodes and outputs, whatever the names.

    >>> import tensh as torch
    >>> from tensh.fx.passes.utils.common import compare_graphs
    >>> first, second = (torch.fx.symbolic_trace(f).graph for f in (lambda x: x + 1, lambda y: y + 1))
    >>> compare_graphs(first, second)
    True
    """
    return bool(SubgraphMatcher(left, match_output=True, match_placeholder=True).match(right))
