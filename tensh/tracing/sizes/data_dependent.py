"""Sizes that depend on elements: how many are not zero, are selected by a mask, or differ.

Note [Sizes that depend on elements]
Such a size is a node of the graph wherever the program uses it, and so is every size of a value that is computed from it:
what the example has says nothing about other inputs.
"""

import operator

from tensh._aten.overloads import schemas
from tensh.engine.core.tensor import Tensor
from tensh.fx.data_dependent import dimension_of, name_of
from tensh.tracing.sizes.decisions import name_result
from tensh.tracing.sizes.numbers import ARITHMETIC

LARGEST = 2**63 - 2
"""The largest size that PyTorch allows where nothing limits one."""
SHAPING = frozenset("expand new_empty new_full new_ones new_zeros repeat reshape view".split())
"""Operators that take the shape of their result as numbers."""


def is_arithmetic(node):
    return node.op == "call_function" and node.target in ARITHMETIC


def find_dependent(graph, source=None):
    """Return the nodes with sizes that may depend on elements, or those that depend on the node ``source``."""
    found = set()
    for node in graph.nodes:
        first = dimension_of(node) is not None if source is None else node is source
        if node.op != "output" and (first or any(each in found for each in node.all_input_nodes)):
            found.add(node)
    return found


def name_data_sizes(program):
    """Name sizes that depend on elements, for what the graph shows; check their ranges, and add the largest values."""
    known = {}  # node -> (size in the example, its name, its text in traces with other sizes)
    sources = []  # (node, dimension, the name of its size)
    counts = {}  # tensor -> the name of the number of its elements other than zero, which PyTorch counts once
    for node in program.graph.nodes:
        value, dim = node.meta.get("val"), dimension_of(node)
        if dim is not None:
            name = counts.get(node.args[0]) if name_of(node) == "nonzero" else None
            if name is None:
                name = f"u{sum(each.startswith('u') for each in program.ranges)}"
                program.ranges[name] = (
                    find_branch_sizes(node, dim) if "varying" in node.meta else (0, find_largest(node))
                )
                sources.append((node, dim, name))
            if name_of(node) == "nonzero":
                counts[node.args[0]] = name
            first = next((each for each in parts_of(value) if isinstance(each, Tensor)), None)
            if first is not None and first.dim() > dim:
                known[node] = first.shape[dim], name, text_of(node, dim)
        else:
            found = next((known[each] for each in node.all_input_nodes if each in known), None)
            if found is not None:
                known[node] = found
        if node in known and isinstance(value, Tensor):
            size, name, text = known[node]
            texts = node.meta.get("sizes") or value.shape
            sizes = [
                name if n == size and each in (n, text) and not is_explained(node, place, known) else each
                for place, (n, each) in enumerate(zip(value.shape, texts))
            ]
            if name in sizes:
                node.meta["sizes"] = sizes
        elif is_arithmetic(node) and node in known:
            node.meta["sizes"] = name_result(node) or "?"
        elif name_of(node) == "sym_size" and node in known:
            node.meta["sizes"] = (node.args[0].meta.get("sizes") or node.args[0].meta["val"].shape)[node.args[1]]
    check_sizes(program, sources)


def find_largest(node):
    """Return how many elements a node selects from or counts.

    That is ``LARGEST`` if the number is dynamic, and None where the result is as long as the largest element says.
    """
    if name_of(node) == "bincount":
        return None
    counted = next(each for each in reversed(node.all_input_nodes) if "val" in each.meta)
    is_dynamic = any(isinstance(each, str) for each in counted.meta.get("sizes", ()))
    return LARGEST if is_dynamic else counted.meta["val"].numel()


def find_branch_sizes(item, dim):
    """Return the (smallest, largest) size that two branches give a result; unknown ones are 0 and ``LARGEST``."""
    call, place = item.args
    graphs = [branch.meta["val"].graph for branch in call.args[1:3]]
    results = [graph.output_node().args[0][place] for graph in graphs]
    sizes = [(node.meta.get("sizes") or node.meta["val"].shape)[dim] for node in results]
    known = [
        type(size) is int and node not in find_dependent(graph) for node, size, graph in zip(results, sizes, graphs)
    ]
    if not all(known):
        return 0, LARGEST
    return min(sizes), max(sizes)


def is_explained(node, place, known):
    """Return True if an operand has a size, too, that does not depend on elements, as in a sum with a number that does."""
    shape = node.meta["val"].shape
    back = place - len(shape)
    return dimension_of(node) is None and any(
        isinstance(each.meta.get("val"), Tensor)
        and each not in known
        and each.meta["val"].dim() >= -back
        and each.meta["val"].shape[back] == shape[back] != 1
        and name_of(node) not in SHAPING
        for each in node.all_input_nodes
    )


def forget_data_sizes(program):
    """Mark sizes that depend on elements as unknown, where two traces have given them an expression by chance."""
    for node in program.graph.nodes:
        dim = dimension_of(node)
        text = None if dim is None else text_of(node, dim)
        if text is None or text == "?":
            continue
        found = find_dependent(program.graph, node)
        for each in [each for each in program.graph.nodes if each in found]:
            operands = [
                operand for operand in each.all_input_nodes if isinstance(operand.meta.get("val"), (Tensor, tuple))
            ]
            if each is not node and not (operands and all(operand in found for operand in operands)):
                continue
            sizes = each.meta.get("sizes")
            if isinstance(sizes, list):
                each.meta["sizes"] = ["?" if size == text else size for size in sizes]
            elif sizes == text:
                each.meta["sizes"] = "?"


def text_of(node, dim):
    """Return the text that traces with other sizes gave to a size that depends on elements; None without such traces."""
    whole = node if isinstance(node.meta["val"], Tensor) else next(iter(node.users), node)
    sizes = whole.meta.get("sizes")
    return sizes[dim] if isinstance(sizes, list) else None


def check_sizes(program, sources):
    """Check the ranges of sizes that depend on elements after their nodes, unless a replayed graph does so already."""
    graph, size_of = program.graph, schemas()["sym_size"]["int"]
    places = []  # (node, its value, dimension, the name of its size, nodes that read it)
    for source, dim, name in sources:
        part = next((each for each in source.users if each.target is operator.getitem and each.args[1] == 0), None)
        whole = source if isinstance(source.meta["val"], Tensor) else part
        reads = (
            [] if whole is None else [each for each in whole.users if (each.target, each.args[1:]) == (size_of, (dim,))]
        )
        if whole is not None and not any(user.target is operator.ge for each in reads for user in each.users):
            places.append((source, whole, dim, name, reads))
    sliced = [dim in whole.meta.get("compared", ()) for _, whole, dim, *_ in places]
    for _ in filter(None, sliced):  # PyTorch compares such a size with the end of the slice
        graph._graph_namespace.create_name("le", None)
    count = program.counted + sum(max(len(reads), compared) for (*_, reads), compared in zip(places, sliced))
    for number, (source, whole, dim, name, reads) in enumerate(places, count):
        notes = {key: each for key, each in whole.meta.items() if key not in ("val", "sizes", "tensor_meta")}
        if whole is not source:  # PyTorch takes out such a part again
            whole.name = graph._graph_namespace.create_name("getitem", None)
        with graph.inserting_after(whole):
            size = graph.call_function(size_of, (whole, dim))
        size.name = f"sym_size_int_{number}" if number else "sym_size_int"
        size.meta = notes | {"val": whole.meta["val"].shape[dim], "sizes": name}
        for each in reads:
            each.replace_all_uses_with(size)
            graph.erase_node(each)
        check_range(graph, size, name, program.ranges[name], notes)


def drop_checks(program):
    """Remove the checks of sizes that depend on elements from a replayed program; new ones follow, with other names."""
    graph = program.graph
    for node in reversed(list(graph.nodes)):
        name = name_of(node)
        checked = node.args[0] if name == "_assert_scalar" else node
        if not node.users and (name == "sym_size" or is_data_size(checked)):
            graph.erase_node(node)
        program.counted += name == "sym_size"


def is_data_size(node):
    """Return True for a comparison of a size that depends on elements with a number."""
    if getattr(node, "target", None) not in (operator.ge, operator.le) or name_of(node.args[0]) != "sym_size":
        return False
    value, dim = node.args[0].args
    source = value.args[0] if value.target is operator.getitem else value
    return type(node.args[1]) is int and dimension_of(source) == dim


def check_range(graph, size, name, limits, notes):
    """Add the checks of a size by its smallest and largest number."""
    place = size
    for compare, symbol, limit in zip((operator.ge, operator.le), (">=", "<="), limits):
        if limit in (None, LARGEST):
            continue
        with graph.inserting_after(place):
            made = graph.call_function(compare, (size, limit))
        made.meta = notes | {"val": True, "sizes": f"{name} {symbol} {limit}"}
        text = f"Runtime assertion failed for expression {made.meta['sizes']} on node '{made.name}'"
        with graph.inserting_after(made):
            assertion = schemas()["_assert_scalar"]["default"]
            place = graph.call_function(assertion, (made, text), name="_assert_scalar_default")
        place.meta = notes | {"val": None}


def parts_of(value):
    return value if isinstance(value, (tuple, list)) else [value]
