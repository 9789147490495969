"""The checks of numbers that an exported program reads, at PyTorch's places and with its names.

Note [Checks of ranges]
After a number is read, PyTorch checks its range, then the other conditions on numbers that are known by then.
Conditions that the range says are left out. A name counts the comparisons of the program of that kind before.
"""

import operator
from collections import Counter

from tensh._aten.overloads import schemas
from tensh.engine.dtypes.symbols import sym_not
from tensh.fx.node import Node
from tensh.tracing.sizes.unbacked import narrow, write_comparison

ORDER = ("ge", "le", "gt", "lt", "eq", "ne")
COMPARED = tuple(getattr(operator, name) for name in ORDER)
CREATING = frozenset("zeros ones empty full rand randn new_zeros new_ones new_empty new_full".split())
"""Operators whose list of numbers is the shape of their result."""


def place_checks(program):
    """Move a program's checks to where its numbers are read; leave those that check something other than order."""
    graph = program.graph
    checks = [(node.args[0], node) for node in graph.nodes if getattr(node.target, "_opname", "") == "_assert_scalar"]
    numbers = {
        node.meta["sizes"]: node for node in graph.nodes if is_read(node) and node.meta.get("sizes") in program.ranges
    }
    found = [read_check(condition, numbers) for condition, _ in checks]
    if None in found:
        return
    for name, symbol, other in found:  # a size that is fixed became a number after its check was recorded
        if symbol.startswith("u") and type(other) is int:
            program.ranges[symbol] = narrow(*program.ranges[symbol], name, other)
    for symbol, node in numbers.items():
        if any(is_size_of(node, user) for user in node.users):
            low, high = program.ranges[symbol]
            program.ranges[symbol] = max(low or 0, 0), high
    used = Counter(name for name, _, _ in found)
    fixed = {symbol: other for name, symbol, other in found if name == "eq" and type(other) is int}
    for condition, check in checks:
        graph.erase_node(check)
        compared = [condition, *(each for each in condition.all_input_nodes if condition.target is sym_not)]
        for each in compared:
            graph.erase_node(each)
    known, left = [], list(dict.fromkeys(found))
    for symbol, node in numbers.items():
        known.append(symbol)
        low, high = program.ranges[symbol]
        wanted = [("ge", symbol, low), ("le", symbol, high)] if symbol.startswith("u") else []
        wanted = [each for each in wanted if each[2] is not None]
        for each in list(left):
            if all(name in known for name in each[1:] if isinstance(name, str)):
                left.remove(each)
                if not is_range(each):
                    wanted.append(each)
        place = node
        for each in wanted:
            place = add_check(graph, each, numbers, used, place)
    fix_numbers(
        graph,
        {symbol: number for symbol, number in fixed.items() if program.ranges[symbol] == (number, number)},
        numbers,
    )


def fix_numbers(graph, fixed, numbers):
    """Write a number in place of each symbol that must be equal to one, except in the checks of the symbol."""
    for symbol, value in fixed.items():
        checks = set(COMPARED)
        for user in list(numbers[symbol].users):
            if user.target not in checks:
                user.replace_input_with(numbers[symbol], value)
            else:
                user.meta["sizes"] = "True"
        for node in graph.nodes:
            sizes = node.meta.get("sizes")
            if sizes == symbol:
                node.meta["sizes"] = str(value)
            elif isinstance(sizes, list):
                node.meta["sizes"] = [value if each == symbol else each for each in sizes]


def is_read(node):
    return getattr(node.target, "_opname", "") == "item"


def is_size_of(node, user):
    """Return True if a number is a size of the tensor that a node creates."""
    return getattr(user.target, "_opname", "") in CREATING and any(
        isinstance(each, (list, tuple)) and node in each for each in user.args
    )


def is_range(check):
    """Return True for a condition that the range of a number says."""
    name, _, other = check
    return name in ("ge", "le") and isinstance(other, int)


def read_check(condition, numbers):
    """Return (comparison, symbol, symbol or number) of a condition; None for another one."""
    name = getattr(getattr(condition, "target", None), "__name__", "")
    if name == "sym_not" and len(condition.users) == 1:
        condition, name = condition.args[0], "ne"
    if not isinstance(condition, Node) or name not in ORDER or len(condition.users) != 1:
        return None
    operands = [each.meta.get("sizes") if isinstance(each, Node) else each for each in condition.args]
    if operands[0] not in numbers or not (operands[1] in numbers or type(operands[1]) is int):
        return None
    return name, *operands


def take_name(name, used):
    """Return the next free name of a comparison."""
    used[name] += 1
    return f"{name}_{used[name] - 1}" if used[name] > 1 else name


def add_check(graph, check, numbers, used, place):
    """Add a check after a node, and return its last node."""
    name, symbol, other = check
    if isinstance(other, int) and not symbol.startswith("u"):
        other = float(other)
    text = write_comparison(symbol, name, other)
    compared = "eq" if name == "ne" else name
    with graph.inserting_after(place):
        made = graph.call_function(getattr(operator, compared), (numbers[symbol], numbers.get(other, other)))
    made.name = label = take_name(compared, used)
    made.meta = {**numbers[symbol].meta, "val": None, "sizes": write_comparison(symbol, compared, other)}
    if name == "ne":
        with graph.inserting_after(made):
            made = graph.call_function(sym_not, (made,))
        made.name = label = take_name("sym_not", used)
        made.meta = {**numbers[symbol].meta, "val": None, "sizes": text}
    shown = f"{other} < {symbol}" if name == "gt" and isinstance(other, int) else text
    with graph.inserting_after(made):
        text = f"Runtime assertion failed for expression {shown} on node '{label}'"
        last = graph.call_function(schemas()["_assert_scalar"]["default"], (made, text))
    last.name, last.meta["val"] = "_assert_scalar_default", None
    if used["_assert_scalar"]:
        last.name += f"_{used['_assert_scalar']}"
    used["_assert_scalar"] += 1
    return last
