"""Dynamic dimensions: a program is traced twice, which shows whether any of their sizes is fixed.

Note [Two traces]
Sizes are followed as nodes of the graph. Other uses of a size in Python (``math.sqrt(x.size(0))``, a branch) produce a constant
or another graph. A second trace on examples of other sizes reveals them: both traces must have the same operations with the
same constants, and a difference is an error that names the line. Sizes that are equal in both are replaced by numbers. If
Python has compared a size, a third trace uses the smallest sizes.
"""

import inspect

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.fx.branches import walk_nodes
from tensh.fx.experimental.size_names import changes, name_size
from tensh.fx.node import Node, map_arg
from tensh.nn.modules.module import Module
from tensh.tracing.data_sizes import find_dependent
from tensh.tracing.dims import STATIC, UserError, read_derived
from tensh.tracing.numbers import ARITHMETIC
from tensh.tracing.program import flatten_like, list_leaves, trace_program
from tensh.tracing.reading import GuardOnDataDependentSymNode


def list_inputs(model, args, kwargs):
    """Return (path of the argument, name of the input, tensor) for each tensor among the arguments."""
    called = model.forward if isinstance(model, Module) else model
    try:
        bound = inspect.signature(called).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        bound = {f"args_{number}": each for number, each in enumerate(args)} | kwargs
    found = []

    def walk(value, name, path):
        if isinstance(value, Tensor):
            found.append((path, name, value))
        elif isinstance(value, (tuple, list)):
            for number, each in enumerate(value):
                walk(each, f"{name}_{number}", (*path, number))
        elif isinstance(value, dict):
            for key, each in value.items():
                walk(each, f"{name}_{key}", (*path, key))

    for name, value in bound.items():
        walk(value, name, (name,))
    return found


def read_dynamic_axes(model, args, kwargs, axes, input_names=None):
    """Read ``dynamic_axes``: return index of an input -> {dimension: name}."""
    inputs, dynamic = list_inputs(model, args, kwargs), {}
    names = [
        input_names[place] if input_names and place < len(input_names) else name
        for place, (_, name, _) in enumerate(inputs)
    ]
    for name, dims in axes.items():
        if name in names:
            place = names.index(name)
            table = (
                dims
                if isinstance(dims, dict)
                else {dim: f"{name}_dynamic_axes_{number + 1}" for number, dim in enumerate(dims)}
            )
            rank = inputs[place][2].dim()
            dynamic[place] = {dim % rank: str(text) for dim, text in table.items()}
    return dynamic


def read_dynamic_shapes(model, args, kwargs, shapes):
    """Read ``dynamic_shapes``, a table by argument or a tuple in their order: return index of an input -> {dimension:
    name}."""
    inputs = list_inputs(model, args, kwargs)
    dynamic, first = {}, {}
    if isinstance(shapes, (tuple, list)):
        names = list(dict.fromkeys(path[0] for path, _, _ in inputs))
        shapes = dict(zip(names, shapes))
    unnamed = iter(range(1000))
    for place, (path, _, tensor) in enumerate(inputs):
        said = shapes
        for step in path:
            if said is None:
                break
            if isinstance(said, dict) and step not in said and step == path[0]:
                said = None
            else:
                said = said[step] if not isinstance(said, dict) or step in said else None
        if not said:
            continue
        table = dict(enumerate(said)) if isinstance(said, (tuple, list)) else said
        for dim, name in table.items():
            if name is None or isinstance(name, int) or name is STATIC:
                continue
            text = getattr(name, "__name__", None) if not isinstance(name, str) else name
            if text in (None, "AUTO", "DYNAMIC"):
                kind, text = text, Unnamed(f"dim_{next(unnamed)}")
                text.kind = kind or "AUTO"
            size = tensor.shape[dim]
            if size < 2 and getattr(text, "kind", None) == "AUTO":
                continue  # sizes 0 and 1 are taken for constants
            check_range(name, size, path, dim)
            if read_derived(text) is not None:
                check_derived(text, size, path, dim, first)
            elif first.setdefault(text, size) != size:
                raise UserError(
                    f"the dimension {text} has the size {first[text]} in one argument of the example and {size} in another"
                )
            dynamic.setdefault(place, {})[dim % tensor.dim()] = text
    return dynamic


def check_derived(text, size, path, dim, first):
    """Raise UserError unless the size of a dimension follows from that of its root in the example."""
    root, factor, offset = read_derived(text)
    known = first.setdefault(root, (size - offset) // factor)
    if factor * known + offset != size:
        source = f"L{''.join(f'[{step!r}]' for step in path)}.size()[{dim}]"
        raise UserError(f"Expected input {source} to be equal to {text}, where {root} = {known}, but got {size}")


def root_of(name):
    """Return the name whose size decides that of a dimension: its own, or that from which it follows."""
    derived = read_derived(name)
    return name if derived is None else derived[0]


def follow_change(change, size, name):
    """Return the size of a dimension after a change of the one that decides it."""
    derived = read_derived(name)
    if derived is None:
        return change(size, name)
    root, factor, offset = derived
    return factor * change((size - offset) // factor, root) + offset


def check_range(name, size, path, dim):
    low, high = getattr(name, "min", None), getattr(name, "max", None)
    if low is not None and size < low or high is not None and size > high:
        raise UserError(
            f"dimension {dim} of {path[0]} has the size {size}, and {name.__name__} is from {low} to {high}"
        )


SMALLEST = 2  # default of a dynamic dimension, as in PyTorch


class Unnamed(str):
    """The generated name of a dimension that is ``Dim.AUTO`` or ``Dim.DYNAMIC``, stored in ``kind``."""

    kind = "AUTO"


def trace_resized(model, args, kwargs, program, dynamic, on_read, change, shift=None):
    """Trace a model with the sizes returned by ``change(size, name)``."""
    inputs = resize(flatten_like(program.structure, args, kwargs), dynamic, change)
    return trace_program(model, *fill(program.structure, inputs), sizes=True, on_read=on_read, shift=shift)


def trace_dynamic(model, args, kwargs, dynamic, on_read=None, ranges=None, apart=0, shift=None):
    """Return the ``Program`` of a model with free dynamic dimensions. Raise UserError if the program fixes one.

    ``ranges`` maps the names of dimensions to (smallest, largest) size. With ``apart`` = 1, names must be independent
    of each other; ``shift`` is that of ``trace_program``.
    """
    program = trace_program(model, args, kwargs, sizes=True, on_read=on_read, shift=shift)
    if not dynamic:
        return program

    def trace(change):
        return trace_resized(model, args, kwargs, program, dynamic, on_read, change, shift)

    return free_sizes(program, trace, dynamic, ranges, apart)


def free_sizes(program, trace, dynamic, ranges=None, apart=0):
    """Return a ``Program`` with free dynamic dimensions; ``trace(change)`` traces it with the sizes of ``change(size, name)``."""
    decided, other, failure = getattr(program.graph, "decided", False), None, None
    names = list(dict.fromkeys(root_of(name) for table in dynamic.values() for name in table.values()))
    for change in changes(apart):
        try:
            other = trace(lambda size, name: change(size, names.index(name)))  # noqa: B023
            break
        except Exception as error:
            failure = failure or error
    if other is None:
        raise UserError(f"the program does not run with other sizes of {sorted(names)}: {failure}")
    compare(program, other)
    if decided:
        try:
            smallest = trace(lambda size, name: max((ranges or {}).get(name, (0,))[0] or 0, SMALLEST))
        except Exception:  # the program does not take such small sizes
            smallest = program
        compare(program, smallest)
    name_sizes(program, other, dynamic)
    fold_sizes(program, other)
    program.output_dims = name_outputs(program, other, dynamic)
    return program


def resize(inputs, dynamic, change):
    """Return examples of other sizes, with elements of the given ones; a tensor that is given twice stays one tensor."""
    made, known = [], {}
    for place, value in enumerate(inputs):
        key = id(value), str(sorted(dynamic.get(place, {}).items()))
        if key in known:
            made.append(known[key])
            continue
        for dim in dynamic.get(place, ()):
            size = value.shape[dim]
            value = torch.index_select(
                value.detach(), dim, torch.arange(follow_change(change, size, dynamic[place][dim])) % max(size, 1)
            )
        known[key] = value
        made.append(value)
    return made


def fill(structure, inputs):
    """Return (args, kwargs) with tensors inserted into a program's structure."""
    from tensh.tracing.program import Place

    def put(form):
        if isinstance(form, Place):
            return inputs[form]
        if isinstance(form, tuple) and hasattr(form, "_fields"):
            return type(form)(*map(put, form))
        if isinstance(form, (tuple, list)):
            return type(form)(map(put, form))
        return {key: put(each) for key, each in form.items()} if isinstance(form, dict) else form

    return put(structure[0]), put(structure[1])


def compare(first, second):
    """Raise UserError, with the line, if two traces of a program differ."""
    ones, twos = list(walk_nodes(first.graph)), list(walk_nodes(second.graph))
    for one, two in zip(ones, twos):
        if (one.op, one.target) != (two.op, two.target) or constants(one) != constants(two):
            place = one.meta.get("place")
            where = f", at {place[0]}:{place[1]} in {place[2]}" if place else ""
            raise UserError(
                f"the program depends on a size that is marked as dynamic: {one.format_node()} became {two.format_node()}{where}"
            )
    if len(ones) != len(twos):
        raise UserError(
            f"the program depends on a size that is marked as dynamic: it has {len(ones)} steps, or {len(twos)}"
        )


def constants(node):
    """Return the arguments of a node as text, with names for nodes."""
    return repr(map_arg((node.args, node.kwargs), lambda each: each.name if isinstance(each, Node) else each))


def fold_sizes(first, second):
    """Replace sizes that are equal in both traces by numbers, unless they may depend on elements."""
    known, dependent = {}, find_dependent(first.graph)
    for one, two in zip(list(walk_nodes(first.graph)), list(walk_nodes(second.graph))):
        value = None if one in dependent else size_value(one, known)
        if value is not None and value == size_value(two, {}, fallback=two.meta.get("val")):
            known[one] = value
    for node, value in known.items():
        for user in list(node.users):
            user.args, user.kwargs = (
                map_arg(each, lambda n, node=node, value=value: value if n is node else n)
                for each in (user.args, user.kwargs)
            )
    for node in reversed(list(walk_nodes(first.graph))):
        if not node.users and (node in known or size_value(node, {}) is not None):
            node.graph.erase_node(node)


def size_value(node, known, fallback=None):
    """Return the number of a node that is a size; None for other nodes."""
    value = node.meta.get("val", fallback)
    return (
        value
        if type(value) is int and (getattr(node.target, "_opname", "") == "sym_size" or is_arithmetic(node))
        else None
    )


def is_arithmetic(node):
    return node.op == "call_function" and node.target in ARITHMETIC


def name_sizes(first, second, dynamic):
    """Set the shape of values with dynamic sizes in terms of names (``meta["sizes"]``)."""
    pairs = [(node.meta["val"].shape[dim], second.inputs[place].meta["val"].shape[dim], name)
             for place, node in enumerate(first.inputs) for dim, name in dynamic.get(place, {}).items()]  # fmt: skip
    for one, two, name in tuple(pairs):
        if (derived := read_derived(name)) is not None:
            root, factor, offset = derived
            pairs.append(((one - offset) // factor, (two - offset) // factor, root))
    name_values(first, second, pairs)


def name_values(first, second, pairs):
    """Set the sizes that differ between two traces; ``pairs`` are (one, the other, name) of those with names."""
    for one, two in zip(walk_nodes(first.graph), walk_nodes(second.graph)):
        a, b = one.meta.get("val"), two.meta.get("val")
        if isinstance(a, Tensor) and isinstance(b, Tensor) and a.shape != b.shape and a.dim() == b.dim():
            one.meta["sizes"] = [m if m == n else name_size(m, n, pairs) for m, n in zip(a.shape, b.shape)]
        elif type(a) is int and type(b) is int and a != b and "sizes" not in one.meta:
            one.meta["sizes"] = name_size(a, b, pairs)


def verify_numbers(program, trace):
    """Return the program with sizes made of the numbers that it reads; verify by another trace that it has these only as nodes.

    ``trace(shift, sizes)`` traces it with other numbers. Raise GuardOnDataDependentSymNode if Python computed a constant of one.
    """
    if not program.ranges:
        return program
    program = trace(0, True)
    for shift in (1, -1, 2):
        try:
            other = trace(shift, True)
            compare(program, other)
        except Exception:  # such as an index out of range
            continue
        pairs = [
            (one.meta["val"], two.meta["val"], one.meta["sizes"])
            for one, two in zip(program.graph.nodes, other.graph.nodes)
            if one.meta.get("sizes") in program.ranges
        ]
        name_values(program, other, pairs)
        fold_sizes(program, other)
        return program
    name = next(iter(program.ranges))
    raise GuardOnDataDependentSymNode(
        f"Could not extract specialized integer from data-dependent expression {name} (unhinted: {name}).  (Size-like symbols: none)"
        "\n\nPython computes something of the number that a program reads from a tensor, which would be a constant of the program"
    )


def name_outputs(first, second, dynamic):
    """Return index of an output -> {dimension: name}; a size without a name is named after its position."""

    def sizes(program):
        nodes = program.inputs
        return {
            name: nodes[place].meta["val"].shape[dim] for place, table in dynamic.items() for dim, name in table.items()
        }

    ones, twos, found = sizes(first), sizes(second), {}
    for place, (a, b) in enumerate(zip(list_leaves(first.result), list_leaves(second.result))):
        if not isinstance(a, Tensor):
            continue
        for dim, (m, n) in enumerate(zip(a.shape, b.shape)):
            if m != n:
                name = next((name for name in ones if (ones[name], twos[name]) == (m, n)), f"output_{place}_dim_{dim}")
                found.setdefault(place, {})[dim] = name
    return found
