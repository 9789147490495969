"""Sizes that depend on elements: how many are not zero, are selected by a mask, or differ.

Note [Sizes that depend on elements]
Such a size is a node of the graph wherever the program uses it, and so is every size of a value that is computed from it:
what the example has says nothing about other inputs.
"""

import operator

from tensh._aten.overloads import schemas
from tensh.engine.codegen.public_forms import name_in_space
from tensh.engine.core.tensor import Tensor

SOURCES = {
    "nonzero": 0, "argwhere": 0, "masked_select": 0, "unique": 0, "_unique2": 0, "unique_consecutive": 0, "unique_dim": 0,
}  # fmt: skip
"""Operator, or function without one -> the dimension of its results whose size depends on elements."""


def name_of(node):
    target = node.target
    return getattr(target, "_opname", None) or (target if isinstance(target, str) else name_in_space(target))


def dimension_of(node):
    """Return the dimension of a node's result whose size depends on elements; None if there is none."""
    name = name_of(node)
    if node.op not in ("call_function", "call_method"):
        return None
    if name == "where" and len(node.args) == 1:
        return 0
    if name == "index":
        return next((place for place, each in enumerate(node.args[1]) if is_mask(each)), None)
    return SOURCES.get(name)


def is_mask(node):
    value = getattr(node, "meta", {}).get("val")
    return isinstance(value, Tensor) and str(value.dtype) in ("torch.bool", "torch.uint8")


def find_dependent(graph):
    """Return the nodes whose values may have a size that depends on elements."""
    found = set()
    for node in graph.nodes:
        if node.op != "output" and (
            dimension_of(node) is not None or any(each in found for each in node.all_input_nodes)
        ):
            found.add(node)
    return found


def name_data_sizes(program):
    """Name sizes that depend on elements, for what the graph shows; check their ranges, and add the largest values."""
    known = {}  # node -> (size in the example, its name)
    sources = []  # (node, dimension, the name of its size)
    for node in program.graph.nodes:
        value, dim = node.meta.get("val"), dimension_of(node)
        if dim is not None:
            counted = next(each.meta["val"] for each in reversed(node.all_input_nodes) if "val" in each.meta)
            name = f"u{sum(each.startswith('u') for each in program.ranges)}"
            program.ranges[name] = 0, counted.numel()
            sources.append((node, dim, name))
            first = next((each for each in parts_of(value) if isinstance(each, Tensor)), None)
            if first is not None and first.dim() > dim:
                known[node] = first.shape[dim], name
        else:
            found = next((known[each] for each in node.all_input_nodes if each in known), None)
            if found is not None:
                known[node] = found
        if node in known and isinstance(value, Tensor) and "sizes" not in node.meta:
            size, name = known[node]
            sizes = [name if n == size else n for n in value.shape]
            if name in sizes:
                node.meta["sizes"] = sizes
    check_sizes(program, sources)


def check_sizes(program, sources):
    """Check the ranges of sizes that depend on elements after their nodes, unless a replayed graph does so already."""
    graph, size_of = program.graph, schemas()["sym_size"]["int"]
    places = []  # (node of the value, dimension, the name of its size, nodes that read it)
    for source, dim, name in sources:
        part = next((each for each in source.users if each.target is operator.getitem and each.args[1] == 0), None)
        whole = source if isinstance(source.meta["val"], Tensor) else part
        reads = (
            [] if whole is None else [each for each in whole.users if (each.target, each.args[1:]) == (size_of, (dim,))]
        )
        if whole is not None and not any(user.target is operator.ge for each in reads for user in each.users):
            places.append((whole, dim, name, reads))
    count = sum(len(reads) for *_, reads in places)
    for number, (whole, dim, name, reads) in enumerate(places, count):
        notes = {key: each for key, each in whole.meta.items() if key not in ("val", "sizes", "tensor_meta")}
        with graph.inserting_after(whole):
            size = graph.call_function(size_of, (whole, dim))
        size.name = f"sym_size_int_{number}" if number else "sym_size_int"
        size.meta = notes | {"val": whole.meta["val"].shape[dim], "sizes": name}
        for each in reads:
            each.replace_all_uses_with(size)
            graph.erase_node(each)
        check_range(graph, size, name, program.ranges[name], notes)


def check_range(graph, size, name, limits, notes):
    """Add the checks of a size by its smallest and largest number."""
    place = size
    for compare, symbol, limit in zip((operator.ge, operator.le), (">=", "<="), limits):
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
