"""Guards that parts of tensors make of sizes: a slice begins and ends within a dimension, or not, as in the example."""

from tensh.fx.branches import walk_nodes
from tensh.tracing.sizes.decisions import Unexpressed, parse

END = 2**63 - 1


def list_parts(graph):
    """Yield (node, dimension, its size, a size to compare it with) for the constants by which parts of tensors are taken."""
    for node in walk_nodes(graph):
        name = getattr(node.target, "_opname", "")
        if name not in ("slice", "select", "narrow"):
            continue
        source, dim, *numbers = node.args
        dim %= source.meta["val"].dim()
        if name == "narrow":
            numbers = [sum(numbers)] if all(type(each) is int for each in numbers) else []
        elif name == "select":
            numbers = [each + 1 if each >= 0 else each for each in numbers if type(each) is int]
        for each in numbers[:2]:
            if type(each) is int and each not in (0, 1, END):
                yield node, dim, source.meta["val"].shape[dim], abs(each)


def list_part_guards(program):
    """Return the guards (comparison, expression, number) of the parts that a trace takes."""
    found = []
    for node, dim, size, least in list_parts(program.graph):
        sizes = node.args[0].meta.get("sizes")
        if sizes and isinstance(sizes[dim], str):
            try:
                found.append(("ge" if size >= least else "lt", parse(sizes[dim]), least))
            except Unexpressed:
                continue
    return found
