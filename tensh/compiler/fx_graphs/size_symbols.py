"""The symbols of a graph's dynamic sizes: separate inputs, from which other sizes are computed.

Note [Trial sizes]
A recorded graph runs again on inputs of other sizes. Where it fails, an operator demands a size, which stays a number;
where it runs, the sizes of its values show how they follow from those of the inputs.
"""

import hashlib
import operator

import numpy as np

from tensh.compiler.fx_graphs.number_recording import DynamicInt
from tensh.compiler.fx_graphs.size_recording import LEAST, Symbol
from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.symbols import SymInt, sym_sum
from tensh.engine.operators.indexing.index import index_select
from tensh.engine.random.generator import default_generator
from tensh.fx.experimental.size_names import changes
from tensh.fx.node import Node, map_arg
from tensh.tracing.sizes.decisions import Unexpressed, evaluate, parse
from tensh.tracing.sizes.dims import ConstraintViolationError
from tensh.tracing.sizes.operands import describe_size


class Group:
    """Sizes that are one symbol, or a number among the arguments; ``places`` are (index of an input, dimension)."""

    def __init__(self, size, place):
        self.size, self.places, self.name = size, [place], f"s{place[0]}_{place[1]}"
        self.is_free, self.node = True, None
        self.fixed_at = None  # the node that demands the size, then its number


class SizeTable:
    """The sizes of a graph's inputs in ``groups``, fixed or free, and ``checks`` of sizes computed from them."""

    def __init__(self, groups):
        self.groups, self.checks = groups, []

    def fits(self, inputs, nodes):
        """Return True if the graph of another call, whose record is the same, has sizes that fit."""
        values = {}
        for group in self.groups:
            sizes = {read_size(inputs, place) for place in group.places}
            is_size = group.places[0][1] is not None
            if len(sizes) > 1 or is_size and min(sizes) < LEAST or not group.is_free and sizes != {group.size}:
                return False
            values[group.name] = sizes.pop()
        return all(evaluate(expression, values) == nodes[number].meta["val"] for number, expression in self.checks)


def read_size(inputs, place):
    """Return the size at a place, or the number."""
    number, dim = place
    return int(inputs[number]) if dim is None else inputs[number].array.shape[dim]


def resolve_sizes(recorder, sources):
    """Replace the recorded sizes of a graph by symbols, and return its ``SizeTable``.

    ``sources`` are PyTorch's texts for the inputs. Raise ConstraintViolationError for a size that is marked as dynamic
    and fixed by the function.
    """
    table = SizeTable(group_sizes(recorder))
    inputs, nodes = recorder.raw, list(recorder.graph.nodes)
    fix_decided(recorder.graph, recorder.inputs, table.groups)
    samples = try_sizes(recorder, inputs, table.groups)
    require_free(inputs, table.groups, sources)
    texts = name_groups(table.groups, sources)
    for group in table.groups:
        if group.is_free and group.places[0][1] is not None:
            add_symbol(recorder, inputs, group, texts[group.name])
        elif group.places[0][1] is None:
            number = inputs[group.places[0][0]]
            group.node, number.symbol = number.node, texts[group.name] if group.is_free else None
    for group in table.groups:
        group.fixed_at = nodes.index(group.fixed_at) if group.fixed_at is not None else None
    known = {group.name: group.node for group in table.groups if group.is_free}
    for number, node in enumerate(nodes):
        if is_size_leaf(node):
            replace_leaf(recorder, node, number, samples, table, known)
        elif "val" in node.meta and node.op == "call_function" and node.args and not node.all_input_nodes:
            replace(node, node.target(*node.args) if node.users else None)
    return table


# ── groups ───────────────────────────────────────────────────────────────────
def group_sizes(recorder):
    """Return the groups of the dynamic sizes of a graph's inputs: equal sizes are one symbol, unless they are marked."""
    groups, known = [], {}
    for number, each in enumerate(recorder.used):
        if isinstance(each, DynamicInt):
            groups.append(Group(int(each), (number, None)))
            continue
        marked = each.__dict__.get("_dynamo_dynamic_indices", ())
        for dim in sorted(recorder.dims[id(each)]):
            size = each.array.shape[dim]
            if dim not in marked and size in known:
                known[size].places.append((number, dim))
                continue
            groups.append(Group(size, (number, dim)))
            if dim not in marked:
                known[size] = groups[-1]
    return groups


def fix_decided(graph, inputs, groups):
    """Fix the sizes that Python has found equal to a number."""
    for each in getattr(graph, "decisions", ()):
        if (each.name == "eq") == each.outcome and each.name in ("eq", "ne") and type(each.right) is int:
            place = find_place(each.left, inputs)
            for group in groups:
                if place in group.places:
                    group.is_free = False


def find_place(node, inputs):
    """Return the (index of an input, dimension) that a node reads; None for another node."""
    if not isinstance(node, Node) or not is_size_leaf(node):
        return (inputs.index(node), None) if node in inputs else None
    source, dim = (
        (node.args[0].args[0], node.args[1]) if node.target is operator.getitem else (node.args[0], node.args[-1])
    )
    if source not in inputs or node.target in ("numel", "nelement"):
        return None
    return inputs.index(source), dim % len(source.meta["example_value"].shape)


def is_size_leaf(node):
    """Return True for the node of one size of a tensor."""
    if node.op == "call_method":
        return node.target == "size" and len(node.args) > 1
    return node.target is operator.getitem and isinstance(node.args[0], Node) and node.args[0].target == "size"


def require_free(inputs, groups, sources):
    """Raise ConstraintViolationError for a fixed size that is marked as dynamic."""
    wrong = [
        f"{sources[number]}.size()[{dim}]"
        for group in groups if not group.is_free
        for number, dim in group.places if dim is not None and dim in inputs[number].__dict__.get("_dynamo_dynamic_indices", ())
    ]  # fmt: skip
    if wrong:
        text = f'Constraints violated ({", ".join(wrong)})! For more information, run with TORCH_LOGS="+dynamic".'
        for each in wrong:
            size = next(group.size for group in groups if not group.is_free)
            text += (
                f"\n  - You marked {each} as dynamic but your code specialized it to be a constant ({size}). If you're using "
                "mark_dynamic, either remove it or use maybe_mark_dynamic. If you're using Dim.DYNAMIC, replace it with "
                "either Dim.STATIC or Dim.AUTO."
            )
        raise ConstraintViolationError(text)


# ── trials ───────────────────────────────────────────────────────────────────
def try_sizes(recorder, inputs, groups):
    """Run a graph with other sizes; return lists of (name -> size, node -> number), first those that were recorded.

    Groups whose sizes the graph demands are no longer free.
    """
    values = {node: node.meta["val"] for node in recorder.graph.nodes if "val" in node.meta}
    samples = [({group.name: group.size for group in groups}, values)]
    state, grad_mode = default_generator.get_state(), no_grad()
    written = set(map(id, recorder.written()))
    modules = {name: each.make_module().forward for name, each in recorder.modules.items()}

    def attempt(free, change):
        sizes = {group.name: change(group.size, free.index(group)) if group in free else group.size for group in groups}
        try:
            with grad_mode:
                samples.append((sizes, run_graph(recorder.graph, modules, resize(inputs, groups, sizes, written))))
        except Exception as error:  # an operator that demands other sizes
            for group in free:
                group.fixed_at = getattr(error, "node", None)
            return False
        return True

    alike = [lambda size, number, change=change: change(size, 0) for change in changes(0)]
    try:
        free = [group for group in groups if group.is_free]
        if free and not [change for change in changes(1) if attempt(free, change)]:
            for group in free:
                group.is_free = any(attempt([group], change) for change in changes(1))
            join_equal(groups, lambda several: any(attempt(several, change) for change in alike))
            free = [group for group in groups if group.is_free]
            for change in changes(1) if len(free) > 1 else ():
                attempt(free, change)
    finally:
        default_generator.set_state(state)
    return samples


def join_equal(groups, attempt):
    """Join groups of equal sizes that are free only together; ``attempt(groups)`` tells whether some are."""
    for first in [group for group in groups if not group.is_free]:
        for second in groups[groups.index(first) + 1 :] if first in groups and not first.is_free else ():
            if not second.is_free and first.size == second.size and attempt([first, second]):
                first.places += second.places
                first.is_free = True
                groups.remove(second)


def resize(inputs, groups, sizes, written):
    """Return inputs with other sizes; their elements are repeated."""
    made = list(inputs)
    for group in groups:
        for number, dim in group.places:
            size = sizes[group.name]
            if dim is None:
                made[number] = size
            elif size != group.size:
                made[number] = index_select.fn(made[number].detach(), dim, repeat(size, group.size))
    for number, each in enumerate(inputs):
        if isinstance(each, Tensor):
            made[number] = made[number].detach().clone() if id(each) in written else made[number].detach()
    return made


def repeat(size, period):
    """Return a tensor of ``size`` indices that are less than ``period``."""
    return wrap(np.arange(size) % period)


def run_graph(graph, modules, inputs):
    """Run a graph with functions of its modules by name; return node -> number of its sizes."""
    given, values = iter(inputs), {}
    for node in graph.nodes:
        args, kwargs = (map_arg(each, values.__getitem__) for each in (node.args, node.kwargs))
        try:
            if node.op == "placeholder":
                values[node] = next(given)
            elif node.op == "get_attr":
                values[node] = modules[node.target]
            elif node.op == "call_method":
                values[node] = getattr(args[0], node.target)(*args[1:], **kwargs)
            elif node.op == "call_function":
                values[node] = node.target(*args, **kwargs)
        except Exception as error:
            error.node = node
            raise
    return {node: values[node] for node in values if "val" in node.meta}


# ── nodes ────────────────────────────────────────────────────────────────────
def name_groups(groups, sources):
    """Return name of a group -> PyTorch's symbol: ``s`` and a number from its source."""
    found, taken = {}, set()
    for group in groups:
        (place, dim) = group.places[0]
        text = sources[place] if dim is None else f"{sources[place]}.size()[{dim}]"
        number = int(hashlib.sha256(text.encode()).hexdigest(), 16) % 100
        while number in taken:
            number += 1
        taken.add(number)
        found[group.name] = f"s{number}"
    return found


def add_symbol(recorder, inputs, group, name):
    """Add the input of a symbol before the first tensor that has its size."""
    owners = [inputs[number] for number, _ in group.places]
    place = next(n for n, each in enumerate(recorder.used) if each is owners[0])
    with recorder.graph.inserting_before(recorder.inputs[place]):
        group.node = recorder.graph.placeholder(name, SymInt)
    symbol = Symbol(group.size, group.node, group.places, owners)
    group.node.meta.update(val=group.size, example_value=symbol)
    recorder.used.insert(place, symbol)
    recorder.inputs.insert(place, group.node)


def replace_leaf(recorder, node, number, samples, table, known):
    """Replace the node of a size by its symbol, by what computes it from symbols, or by a number; else it stays."""
    place = find_place(node, recorder.inputs)
    if place is not None:
        place = next(n for n, each in enumerate(recorder.raw) if each is recorder.used[place[0]]), place[1]
        group = next((each for each in table.groups if place in each.places), None)
        if group is None:
            replace(node, node.meta["val"])
        elif group.is_free:
            replace(node, group.node)
        elif group.fixed_at is not None and group.fixed_at < number:  # from there on PyTorch has a number
            replace(node, node.meta["val"])
        return
    numbers = tuple(values[node] for _, values in samples)
    if len(samples) < 3:
        return
    if len(set(numbers)) == 1:
        table.checks.append((number, numbers[0]))
        replace(node, numbers[0])
        return
    free = [each for each in table.groups if each.is_free]
    columns = [(tuple(sizes[each.name] for sizes, _ in samples), each.name) for each in free]
    text = next((name for column, name in columns if column == numbers), None) or describe_size(numbers, columns, True)
    try:
        expression = parse(text or "?")
    except Unexpressed:
        return
    table.checks.append((number, expression))
    if node.users and expression not in known:
        with recorder.graph.inserting_before(node):
            known[expression] = compute(recorder.graph, expression, known)
    replace(node, known.get(expression))


def replace(node, value):
    """Replace a node by a value or by another node, and erase it."""
    for user in list(node.users):
        user.args, user.kwargs = (
            map_arg(each, lambda one: value if one is node else one) for each in (user.args, user.kwargs)
        )
    node.graph.erase_node(node)


def compute(graph, expression, known):
    """Return the node, or the number, of an expression; as PyTorch does, constants come first, and sums are one call."""
    if not isinstance(expression, tuple):
        return known[expression] if isinstance(expression, str) else expression
    name, first, second = expression
    if name in ("add", "sub"):
        terms = [compute(graph, each, known) for each in list_terms(expression)]
        node = graph.call_function(sym_sum, (sorted(terms, key=lambda each: (isinstance(each, Node), str(each))),))
    else:
        operands = [
            compute(graph, each, known)
            for each in ((second, first) if name == "mul" and isinstance(second, int) else (first, second))
        ]
        node = graph.call_function(getattr(operator, name), tuple(operands))
    value = node.target(*map_arg(node.args, lambda each: each.meta["val"]))
    node.meta.update(val=value, example_value=value)
    return node


def list_terms(expression):
    """Return the terms of a sum."""
    match expression:
        case ("add", first, second):
            return [*list_terms(first), *list_terms(second)]
        case ("sub", first, second):
            return [*list_terms(first), -second if isinstance(second, int) else ("mul", -1, second)]
    return [expression]
