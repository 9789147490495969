"""Modules of an unflattened program that keep their signature: arguments and results in their original structure."""

import operator

from tensh.fx._pytree import tree_flatten_spec
from tensh.fx.node import Node
from tensh.utils._pytree import tree_unflatten

__all__ = ["write_body", "write_call"]


def write_body(level, signature, nodes):
    """Write the graph of a module: its arguments become the leaves that its nodes read, and its results their structure."""
    graph, made = level.graph, level.made
    positional, keywords = signature.in_spec.children()
    names = [f"_positional_arg_{place}" for place in range(positional.num_children)]
    arguments = [graph.placeholder(name) for name in (*names, *keywords.context)]
    count = len(names)
    whole = tuple(arguments[:count]), dict(zip(keywords.context, arguments[count:], strict=True))
    flat = graph.call_function(tree_flatten_spec, (whole, add_spec(level, signature.in_spec)))
    for place, each in enumerate(signature.inputs):
        is_node = isinstance(each, Node)
        part = graph.call_function(operator.getitem, (flat, place), name=each.name if is_node else f"_constant_{place}")
        if is_node:
            part.meta, made[each] = dict(each.meta), part
    level.add([node for node in nodes if not is_unused(node)])
    results = tuple(made.get(each) if isinstance(each, Node) else each for each in signature.outputs)
    graph.output(graph.call_function(tree_unflatten, (results, add_spec(level, signature.out_spec))))


def is_unused(node):
    """Return True for a value that nothing reads."""
    name = getattr(node.target, "_opname", "")
    return not node.users and not name.endswith("_") and "assert" not in name


def write_call(level, signature, name, results):
    """Write the call of such a module, whose ``results`` are read."""
    graph = level.graph
    leaves = [level.read(each) if isinstance(each, Node) else each for each in signature.inputs]
    whole = graph.call_function(tree_unflatten, (leaves, add_spec(level, signature.in_spec)))
    parts = [graph.call_function(operator.getitem, (whole, place)) for place in range(2)]
    positional, keywords = signature.in_spec.children()
    args = [graph.call_function(operator.getitem, (parts[0], place)) for place in range(positional.num_children)]
    kwargs = {key: graph.call_function(operator.getitem, (parts[1], key)) for key in keywords.context}
    call = graph.call_module(name, tuple(args), kwargs)
    flat = graph.call_function(tree_flatten_spec, (call, add_spec(level, signature.out_spec)))
    for place, each in enumerate(signature.outputs):
        if each in results:
            level.made[each] = graph.call_function(operator.getitem, (flat, place))
            level.made[each].meta = dict(each.meta)


def add_spec(level, spec):
    """Make a structure an attribute of a level's module, and return the node that reads it."""
    place = 0
    while hasattr(level.module, f"_spec_{place}"):
        place += 1
    setattr(level.module, f"_spec_{place}", spec)
    made = level.graph.get_attr(f"_spec_{place}")
    made.meta["val"] = None
    return made
