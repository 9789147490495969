"""Dynamic dimensions: a program is traced twice, which shows whether any of their sizes is fixed.

Note [Two traces]
Sizes are followed as nodes of the graph. Other uses of a size in Python (``math.sqrt(x.size(0))``, a branch) produce a
constant or another graph. A second trace on examples of other sizes reveals them: both traces must have the same
operations with the same constants, and a difference is an error that names the line. Sizes that are equal in both are
replaced by numbers. What the program compares holds for both (``decisions``). If a function of tensh has compared a
size, a third trace uses the smallest sizes. What is left of a division may be the same in both by chance: where a program
divides sizes, a number must also be equal in a trace with sizes that are not multiples of the given ones.
"""

import itertools
import operator
from functools import partial

import tensh as torch
from tensh.engine.core.tensor import Tensor
from tensh.func.trees import leaves_of
from tensh.fx.branches import walk_nodes
from tensh.fx.experimental.size_names import changes
from tensh.fx.node import Node, map_arg
from tensh.tracing.arguments import list_inputs
from tensh.tracing.deciding import drafting
from tensh.tracing.program import fill, flatten_like, trace_program
from tensh.tracing.reading import GuardOnDataDependentSymNode
from tensh.tracing.sizes.data_dependent import find_dependent, forget_data_sizes
from tensh.tracing.sizes.decisions import SMALLEST, list_guards, narrow, roots_of
from tensh.tracing.sizes.dims import UserError, read_derived
from tensh.tracing.sizes.numbers import EXTREMES
from tensh.tracing.sizes.operator_guards import list_size_guards
from tensh.tracing.sizes.part_guards import list_part_guards, list_parts
from tensh.tracing.sizes.texts import is_arithmetic, name_sizes, name_values


def read_dynamic_axes(model, args, kwargs, axes, input_names):
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


def root_of(name):
    """Return the name whose size decides a dimension: the dimension's own, or the one it is derived from."""
    derived = read_derived(name)
    return name if derived is None else derived[0]


def follow_change(change, size, name):
    """Return the size of a dimension after a change of the size that decides it."""
    derived = read_derived(name)
    if derived is None:
        return change(size, name)
    root, factor, offset = derived
    return factor * change((size - offset) // factor, root) + offset


def trace_resized(model, args, kwargs, program, dynamic, on_read, change, shift):
    """Trace a model with the sizes returned by ``change(size, name)``."""
    inputs = resize(flatten_like(program.structure, args, kwargs), dynamic, change)
    return trace_program(model, *fill(program.structure, inputs), sizes=True, on_read=on_read, shift=shift)


def trace_dynamic(model, args, kwargs, dynamic, on_read, ranges=None, apart=0, shift=None, preserved=(), resized=False):
    """Return the ``Program`` of a model with free dynamic dimensions. Raise UserError if the program fixes one.

    ``ranges`` maps the names of dimensions to (smallest, largest) size. With ``apart`` = 1, names must be independent
    of each other; ``shift`` and ``preserved`` are those of ``trace_program``. With ``resized``, nodes keep their
    values in the second trace.
    """
    program = trace_program(model, args, kwargs, sizes=True, on_read=on_read, shift=shift, preserved=preserved)
    if not dynamic:
        return program

    def trace(change):
        return trace_resized(model, args, kwargs, program, dynamic, on_read, change, shift)

    return free_sizes(program, trace, dynamic, ranges, apart, resized)


def free_sizes(program, trace, dynamic, ranges, apart, resized=False):
    """Return a ``Program`` with dynamic dimensions; ``trace(change)`` traces with the sizes ``change(size, name)``.

    Its ``guards`` are what it decides on sizes, its ``limits`` the ranges of dimensions by their names.
    """
    other, failure = None, None
    names = roots_of(name for table in dynamic.values() for name in table.values())
    ways = (*changes(apart), *steps(apart))
    for place, change in enumerate(ways):
        if other is None and place >= len(ways) - len(SHRINKING):  # a size that shrinks to one fits by chance
            break
        try:
            found = trace(lambda size, name: change(size, names.index(name)))  # noqa: B023
        except Exception as error:  # raised by the program, for sizes that do not fit together
            failure = failure or error
            continue
        if place and apart and len(names) > 1 and not runs_reversed(trace, ways[1 : -len(SHRINKING)], names):
            break
        other = other or found
        if list_outcomes(found) == list_outcomes(program):
            other = found
            break
    if other is None:
        raise UserError(f"the program does not run with other sizes of {', '.join(sorted(names))}: {failure}")
    compare(program, other)
    if resized:
        keep_resized(program.graph, other.graph)
    more = third_traces(trace, ways, names, program)
    further = list(itertools.islice(more, 1)) if divides_sizes(program) else []
    name_sizes([program, other], itertools.chain(further, more), dynamic)
    forget_data_sizes(program)
    declared = {name: (ranges or {}).get(name) or (None, None) for name in names}
    guards = [*list_guards(program, dynamic), *list_part_guards(program), *list_size_guards(program)]
    program.limits, program.guards = narrow(guards, declared)
    if getattr(program.graph, "decided", False):
        try:
            smallest = trace(lambda size, name: program.limits[name][0])
        except Exception:  # the program does not take such small sizes
            smallest = program
        if list_outcomes(smallest) == list_outcomes(program):
            compare(program, smallest)
    fold_sizes(program, other, *further)
    program.output_dims = name_outputs(program, other, dynamic)
    return program


def keep_resized(graph, other):
    """Note the values that the nodes of a graph have at other sizes (``meta["resized"]``)."""
    for one, two in zip(walk_nodes(graph), walk_nodes(other)):
        if "val" in two.meta:
            one.meta["resized"] = two.meta["val"]


def third_traces(trace, ways, names, program):
    """Yield traces with sizes in another order, which show the expressions of sizes that two traces leave open."""
    for change in ways[1:]:  # these ways change whether sizes are even
        try:
            found = trace(lambda size, name: change(size, len(names) - 1 - names.index(name)))  # noqa: B023
            compare(program, found)
        except Exception:  # whatever the program raises for such sizes
            continue
        yield found


def runs_reversed(trace, ways, names):
    """Return True if a program runs with other sizes in another order: the first ones may fit together by chance."""
    for change in ways:
        try:
            trace(lambda size, name: change(size, len(names) - 1 - names.index(name)))  # noqa: B023
            return True
        except Exception:  # whatever the program raises for such sizes
            continue
    return False


GROWING = 2, 4, 6
SHRINKING = -1, -2


def steps(apart, by=GROWING + SHRINKING):
    """Return functions (size, index of the name) -> other size, for programs that do not take most sizes."""
    return tuple(partial(add_step, step=step, apart=apart) for step in by)


def add_step(size, number, step, apart):
    """Return another size.  Raise ValueError where that is less than a dynamic size can be."""
    size += step * (1 + apart * number)
    if size < SMALLEST:
        raise ValueError(f"a dynamic size is at least {SMALLEST}")
    return size


def list_outcomes(program):
    """Return what the program decided on sizes."""
    decided = [(each.name, each.outcome) for each in getattr(program.graph, "decisions", ())]
    return decided, [size >= least for _, _, size, least in list_parts(program.graph)]


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
        if one.op == "get_attr" and differs(one.meta["val"], two.meta["val"]):
            raise UserError(
                "the program depends on a size that is marked as dynamic: it makes a tensor of numbers from it"
            )
        if getattr(one.target, "_opname", "") in ("view", "reshape") and fixes_size(one, two):
            raise UserError(f"the program depends on a size that is marked as dynamic: {one.format_node()} fixes it")
    fixed = [getattr(each.graph, "fixed", []) for each in (first, second)]
    if fixed[0] != fixed[1]:
        raise UserError(
            f"the program depends on a size that is marked as dynamic: Python reads numbers that are {fixed[0]}, or {fixed[1]}"
        )
    if len(ones) != len(twos):
        raise UserError(
            f"the program depends on a size that is marked as dynamic: it has {len(ones)} steps, or {len(twos)}"
        )


def differs(one, two):
    """Return True for two tensors with different elements: constants that a program makes from numbers."""
    if one is two or not (isinstance(one, Tensor) and isinstance(two, Tensor)) or one.layout is not torch.strided:
        return False
    return one.shape != two.shape or not bool(((one == two) | (one != one) & (two != two)).all())


def fixes_size(one, two):
    """Return True if a view sets a dimension to a number that is its size in one trace only.

    Leading sizes of operand and result are compared until they differ.
    """
    shapes = (each.meta["val"].shape for each in (one, one.args[0], two.args[0]))
    for wanted, size, before, after in zip(one.args[1], *shapes):
        if size != before:
            return False
        if type(wanted) is int and wanted == before != after:
            return True
    return False


def constants(node):
    """Return the arguments of a node as text, with names for nodes."""
    return repr(map_arg((node.args, node.kwargs), lambda each: each.name if isinstance(each, Node) else each))


def divides_sizes(program):
    """Return True if a program computes quotients or remainders of sizes."""
    return any(node.target in (operator.mod, operator.floordiv) for node in walk_nodes(program.graph))


def fold_sizes(first, *others):
    """Replace sizes that are equal in all traces by numbers, unless they may depend on elements."""
    known, dependent = {}, find_dependent(first.graph) | find_read_numbers(first.graph)
    for one, *rest in zip(*(list(walk_nodes(each.graph)) for each in (first, *others))):
        value = None if one in dependent or is_free_choice(one, known) else size_value(one, known)
        if value is not None and all(value == size_value(each, {}, fallback=each.meta.get("val")) for each in rest):
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


def find_read_numbers(graph):
    """Return the numbers that a graph reads from tensors, and those computed from them: elements may be equal by chance."""
    found = set()
    for node in walk_nodes(graph):
        read = getattr(node.target, "_opname", "") in READING
        if read or is_arithmetic(node) and any(each in found for each in node.all_input_nodes):
            found.add(node)
    return found


READING = "item", "_local_scalar_dense"
"""Operators that read a number from a tensor."""


def is_free_choice(node, known):
    """Return True for an extreme of sizes not ``known`` to be fixed: other sizes may have another extreme."""
    return node.target in EXTREMES.values() and any(each not in known for each in node.all_input_nodes)


def size_value(node, known, fallback=None):
    """Return the number of a node that is a size; None for other nodes."""
    value = node.meta.get("val", fallback)
    return (
        value
        if type(value) in (int, float)
        and (getattr(node.target, "_opname", "") in ("sym_size", "sym_numel") or is_arithmetic(node))
        else None
    )


def verify_numbers(program, trace):
    """Return the program with sizes made of the numbers that it reads; verify by a trace that it has them only as nodes.

    ``trace(shift, sizes)`` traces it with other numbers. Raise GuardOnDataDependentSymNode if Python computed a
    constant of one.
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
            (one.meta["sizes"], one.meta["val"], two.meta["val"])
            for one, two in zip(program.graph.nodes, other.graph.nodes)
            if one.meta.get("sizes") in program.ranges
        ]
        name_values([program, other], pairs)
        fold_sizes(program, other)
        return program
    name = next(iter(program.ranges))
    if drafting.decisions is not None:
        return program
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
    for place, (a, b) in enumerate(zip(leaves_of(first.result), leaves_of(second.result))):
        if not isinstance(a, Tensor):
            continue
        for dim, (m, n) in enumerate(zip(a.shape, b.shape)):
            if m != n:
                name = next((name for name in ones if (ones[name], twos[name]) == (m, n)), f"output_{place}_dim_{dim}")
                found.setdefault(place, {})[dim] = name
    return found
