"""Matrix products with one right operand, merged into one product."""

import itertools
import operator

import tensh as torch
from tensh.fx._symbolic_trace import symbolic_trace
from tensh.fx.passes.tools_common import legalize_graph
from tensh.fx.proxy import Proxy

__all__ = ["are_nodes_independent", "may_depend_on", "merge_matmul", "split_result_tensors"]


def split_result_tensors(result, inputs):
    """Split the rows of a merged product into those of its inputs."""
    rows = [0] * len(inputs) if isinstance(result, Proxy) else [each.shape[0] for each in inputs]
    return torch.split(result, rows)


split_result_tensors.__module__ = "torch.fx.experimental.merge_matmul"  # as graphs write its name


def may_depend_on(a, b, search_depth=6):
    """Return True if node ``a`` is ``b``, depends on it, or has operands further away than ``search_depth``."""
    if a == b:
        return True
    if not a.all_input_nodes:
        return False
    return search_depth == 0 or any(may_depend_on(each, b, search_depth - 1) for each in a.all_input_nodes)


def are_nodes_independent(nodes):
    """Return True if no node depends on another."""
    return not any(may_depend_on(a, b) or may_depend_on(b, a) for a, b in itertools.combinations(nodes, 2))


def merge_matmul(in_mod):
    """Return the graph module of a module in which products ``A @ C`` and ``B @ C`` are one of the rows of both.

    >>> import tensh as torch
    >>> from tensh.fx.experimental.merge_matmul import merge_matmul
    >>> class Products(torch.nn.Module):
    ...     def forward(self, a, b, c):
    ...         return torch.matmul(a, c) + torch.matmul(b, c)
    >>> [node.name for node in merge_matmul(Products()).graph.nodes if "matmul" in node.name]
    ['matmul_2']
    """
    gm, users = symbolic_trace(in_mod), {}
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target is torch.matmul:
            right = node.args[1]
            users.setdefault(right.target if right.op == "get_attr" else right, []).append(node)
    for right, products in users.items():
        if len(products) > 1 and are_nodes_independent(products):
            merge(gm.graph, right, products)
            legalize_graph(gm)
    gm.recompile()
    gm.graph.lint()
    return gm


def merge(graph, right, products):
    """Replace products by parts of one product."""
    left = [
        graph.get_attr(each.target) if each.op == "get_attr" else each for each in (node.args[0] for node in products)
    ]
    right = graph.get_attr(right) if isinstance(right, str) else right
    rows = graph.call_function(torch.cat, (left,))
    parts = graph.call_function(split_result_tensors, (graph.call_function(torch.matmul, (rows, right)), left))
    made = [graph.call_function(operator.getitem, (parts, place)) for place in range(len(left))]
    for old, new in zip(products, made, strict=True):
        old.replace_all_uses_with(new)
        graph.erase_node(old)
