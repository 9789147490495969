"""Guards that operators make of the sizes of their operands and results, beside what the program itself compares.

Note [Guards of operators]
Sizes that operators align are equal, windows fit into what they move over, and no computed size is one, which would be
broadcast. A part of rows is no whole tensor: it has no full rows. PyTorch's operators compare these sizes where they
compute shapes and strides.
"""

from math import prod

from tensh.engine.core.tensor import Tensor
from tensh.fx.node import Node
from tensh.tracing.sizes.decisions import Unexpressed, parse
from tensh.tracing.sizes.operands import WINDOWS


def list_size_guards(program):
    """Return the guards (comparison, expression, expression) of the operators of a trace, whose values have named sizes."""
    found = []
    for node in program.graph.nodes:
        name = getattr(node.target, "_opname", None)
        if name is None or not isinstance(node.meta.get("val"), Tensor):
            continue
        sizes = sizes_of(node)
        limits = (
            *count_elements(node, name, sizes),
            *limit_sizes(node, name, sizes),
            *list_partial_rows(node, name, sizes),
        )
        for guard in (*align_sizes(node, name), *limits):
            try:
                found.append((guard[0], *(parse(each) if isinstance(each, str) else each for each in guard[1:])))
            except Unexpressed:
                continue
    return found


def sizes_of(node):
    """Return the sizes of a value: numbers, and texts of dynamic ones."""
    return node.meta.get("sizes") or list(node.meta["val"].shape)


def align_sizes(node, name):
    """Yield the guards that operands have equal sizes where an operator aligns them."""
    joined = node.args[1] if name == "cat" and len(node.args) > 1 else 0
    operands = node.args[0] if name == "cat" else node.all_input_nodes
    operands = [each for each in operands if isinstance(each.meta.get("val"), Tensor)]
    shapes = [sizes_of(each) for each in operands]
    result = node.meta["val"].dim()
    if name == "cat":
        dims = [dim for dim in range(result) if dim != joined % result]
    elif is_broadcast([each.meta["val"] for each in operands], node.meta["val"]):
        dims = range(-1, -result - 1, -1)
    else:
        return
    for dim in dims:
        texts = [each[dim] for each in shapes if dim >= -len(each) and isinstance(each[dim], str)]
        for text in texts[1:]:
            if text != texts[0]:
                yield ("eq", text, texts[0]) if name == "cat" else ("eq", texts[0], text)


def is_broadcast(operands, result):
    """Return True if the shape of a result is that of its operands, broadcast."""
    if len(operands) < 2 or any(each.dim() > result.dim() for each in operands):
        return False
    padded = [(1,) * (result.dim() - each.dim()) + tuple(each.shape) for each in operands]
    return all(size == max(sizes) and {*sizes} <= {1, size} for size, sizes in zip(result.shape, zip(*padded)))


def limit_sizes(node, name, sizes):
    """Yield the guards by which windows fit and computed sizes differ from one."""
    for text, size in zip(reversed(sizes), reversed(node.meta["val"].shape)):
        if isinstance(text, str) and any(sign in text for sign in "-/"):
            if any(each in name for each in WINDOWS):
                yield "ge", text, 1
            if size > 1:
                yield "ne", text, 1


def count_elements(node, name, sizes):
    """Yield the guard that a part with one dynamic dimension has several elements, or not, as in the example."""
    others = [each for each in sizes if each != 1]
    is_part = name in ("slice", "select", "diff") and len(others) == 1 and isinstance(others[0], str)
    if is_part and any(sign in others[0] for sign in "-/"):
        yield "ge" if node.meta["val"].numel() > 1 else "lt", others[0], 2


def list_partial_rows(node, name, sizes):
    """Yield the guard that a slice along an inner dimension has not all of its elements."""
    if name != "slice" or len(node.args) < 4 or not isinstance(node.args[3], Node):
        return
    source, dim = node.args[:2]
    whole = sizes_of(source)[dim]
    if isinstance(sizes[dim], str) and isinstance(whole, int) and prod(node.meta["val"].shape[:dim]) != 1:
        yield "ne", sizes[dim], whole
