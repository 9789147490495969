"""Passes over a graph: compute and pool constants, decide branches, and drop lines without effect."""

import itertools
import math
import operator

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.jit.language.classes import is_enum
from tensh.jit.language.types import is_named_tuple
from tensh.jit.scripting.graphs.blocks import blocks_of, lines_of
from tensh.jit.scripting.graphs.building import kind_of_constant, text_of_constant
from tensh.jit.scripting.kinds import ModuleKind, fits, none

__all__ = ["clean", "name_values", "pool", "replace"]

FOLDED = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "floordiv": operator.floordiv,
    "remainder": operator.mod, "neg": operator.neg, "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge, "__not__": operator.not_, "__is__": operator.is_, "__isnot__": operator.is_not,
    "Int": int, "Float": float, "Bool": bool, "str": str, "round": lambda value: float(round(value)), "sqrt": lambda value: value**0.5,
    "gcd": math.gcd, "factorial": math.factorial, "floor": math.floor, "ceil": math.ceil, "exp": math.exp, "log": math.log,
    "min": min, "max": max, "pow": lambda one, other: float(one**other), "len": len, "__range_length": lambda a, b, c: len(range(a, b, c)),
}  # fmt: skip
"""Operators on numbers and texts that are computed when the script is compiled."""
PLAIN = (bool, int, float, str)
UNNAMED = "%0"
"""The name of a value that gets a number in the end."""
EFFECTS = frozenset(
    "prim::ModuleContainerIndex aten::warn prim::Print prim::fork prim::RaiseException prim::SetAttr prim::CallMethod prim::CallFunction prim::Enter prim::Exit".split()
)


def clean(builder):
    """Simplify the graph of a builder."""
    graph = builder.graph
    changed = True
    while changed:
        renamed = {}
        changed = fold(graph, renamed)
        changed |= take_apart(graph, renamed)
        replace(graph, renamed)
        changed |= drop_unused(graph)
    pool(graph)
    order_results(graph)


def replace(graph, renamed):
    """Put values into the places of others."""

    def find(value):
        while value in renamed:
            value = renamed[value]
        return value

    def visit(block):
        block.left = [find(each) for each in block.left]
        for line in block.lines:
            line.taken = [find(each) for each in line.taken]
            for each in line.within:
                visit(each)

    if renamed:
        visit(graph)


# ── constants ────────────────────────────────────────────────────────────────
def fold(block, renamed):
    """Compute lines whose operands are constants, and take decided branches; return True if anything changed."""
    changed, lines = False, []
    for line in block.lines:
        line.taken = [renamed.get(each, each) for each in line.taken]
        for each in line.within:
            changed |= fold(each, renamed)
        known = all(each.node().kind() == "prim::Constant" for each in line.taken)
        if line.kind() == "prim::If" and known:
            chosen = line.within[0 if line.taken[0].node().constant else 1]
            for inner in chosen.lines:
                inner.owner = block
            lines += chosen.lines
            renamed.update(zip(line.given, (renamed.get(each, each) for each in chosen.left)))
            changed = True
            continue
        if line.kind() == "prim::If":
            changed |= share_constants(line, renamed)
        if line.kind() == "prim::Loop":
            changed |= fix_carried(line, renamed)
        if known and compute(line):
            changed = True
        lines.append(line)
    block.lines = lines
    return changed


def share_constants(line, renamed):
    """Put a constant in place of what both branches give alike; return True if there is one."""
    changed = False
    for value, *given in zip(line.given, *(block.left for block in line.within)):
        one, other = (renamed.get(each, each).node() for each in given)
        same = one.kind() == other.kind() == "prim::Constant" and one.attribute and other.attribute
        if same and value not in renamed and one.attribute[1:] == other.attribute[1:] and type(one.constant) in PLAIN:
            renamed[value] = renamed.get(given[0], given[0])
            changed = True
    return changed


def fix_carried(line, renamed):
    """Take from a loop the values that its body leaves as they are; return True if there are any."""
    (body,) = line.within
    left = [renamed.get(each, each) for each in body.left[1:]]
    fixed = [place for place, each in enumerate(left) if each is body.entering[place + 1]]
    for place in reversed(fixed):
        value = line.taken.pop(place + 2)
        renamed[line.given.pop(place)] = renamed[body.entering.pop(place + 1)] = value
        del body.left[place + 1]
    return bool(fixed)


def compute(line):
    """Turn a line on constants into a constant; return True if it could be."""
    space, _, name = line.kind().partition("::")
    values = [each.node().constant for each in line.taken]
    if line.kind() == "prim::TupleConstruct" and values:
        kind = line.given[0].value_kind
        result = kind(*values) if is_named_tuple(kind) else tuple(values)
        line.given[0].name = UNNAMED
    elif line.kind() == "aten::device" and len(values) == 1:
        result = device(values[0])
    elif line.kind() == "prim::unchecked_cast":
        result = values[0]
    elif name in FOLDED and space in ("aten", "prim") and len(line.given) == 1:
        if any(not isinstance(each, (bool, int, float, str, none)) for each in values) or not values:
            return False
        try:
            result = FOLDED[name](*values)
        except (TypeError, ValueError, ArithmeticError):
            return False
        if line.given[0].value_kind is float and type(result) is int:
            result = float(result)
        if kind_of_constant(result) != line.given[0].value_kind and not fits(
            kind_of_constant(result), line.given[0].value_kind
        ):
            return False
    else:
        return False
    line.name, line.taken, line.within, line.suffix = "prim::Constant", [], [], ""
    line.attribute = None if result is None else ("value", result, f"[value={text_of_constant(result)}]")
    return True


def pool(graph):
    """Move all constants to the start, each once; later ones come first. Those of a task stay in it."""
    found, renamed, top = {}, {}, []

    def visit(block):
        kept = []
        for line in block.lines:
            for each in line.within:
                (pool if line.kind() == "prim::fork" else visit)(each)
            if line.kind() != "prim::Constant":
                kept.append(line)
                continue
            key = (line.given[0].value_kind, line.attribute[2] if line.attribute else None, line.path)
            if is_enum(line.given[0].value_kind):
                key = line
            if isinstance(line.constant, Tensor):
                key = id(line.constant)
            if key in found:
                renamed[line.given[0]] = found[key]
            else:
                found[key] = line.given[0]
                line.owner = graph
                top.insert(0, line)
        block.lines = kept

    visit(graph)
    graph.lines = top + graph.lines
    replace(graph, renamed)


def take_apart(block, renamed):
    """Put the elements of tuples made in the graph into the places where they are read; return True if anything changed."""
    kept, changed = [], False
    for line in block.lines:
        for each in line.within:
            changed |= take_apart(each, renamed)
        made = line.taken[0].node() if line.kind() in ("prim::TupleUnpack", "prim::TupleIndex") else None
        if made is None or made.kind() != "prim::TupleConstruct" or made.taken and made.taken[0] in renamed:
            kept.append(line)
            continue
        parts = made.taken if line.kind() == "prim::TupleUnpack" else [made.taken[line.taken[1].node().constant]]
        renamed.update(zip(line.given, parts))
        changed = True
    block.lines = kept
    return changed


# ── lines without effect ─────────────────────────────────────────────────────
def has_effect(line):
    return (
        line.kind() in EFFECTS
        or line.kind().startswith("^")
        or line.writes
        or any(map(has_effect, (each for b in line.within for each in b.lines)))
    )


def drop_unused(graph):
    """Drop lines whose results nothing reads, and what branches and loops give in vain; return True if anything changed."""
    alive, used = find_alive(graph)
    changed = False

    def visit(block):
        nonlocal changed
        kept = []
        for line in block.lines:
            if line not in alive:
                changed = True
                kept += take_constants(line, alive, block)
                continue
            if line.kind() in ("prim::If", "prim::Loop"):
                changed |= drop_results(line, used)
            for each in line.within:
                visit(each)
            kept.append(line)
        block.lines = kept

    visit(graph)
    return changed


def take_constants(line, alive, block):
    """Take the constants that stay out of a line that does not; return them."""
    found = [each for inner in line.within for each in lines_of(inner) if each in alive]
    for each in found:
        each.owner = block
    return found


def drop_results(line, used):
    """Drop unread results of a branch or loop; a value that a loop carries must not be read in its body either."""
    loop = line.kind() == "prim::Loop"
    dead = [
        place
        for place, each in enumerate(line.given)
        if each not in used and not (loop and line.within[0].entering[place + 1] in used)
    ]
    for place in reversed(dead):
        del line.given[place]
        for block in line.within:
            del block.left[place + loop]
            if loop:
                del block.entering[place + 1]
        if loop:
            del line.taken[place + 2]
    return bool(dead)


def find_alive(graph):
    """Return the lines that stay, and the values that they read.

    A line stays that has an effect or gives a value that is read; a loop, if its condition is computed in its body, or a value
    that it carries.
    """
    read = {each for block in blocks_of(graph) for each in block.left}
    read.update(each for line in lines_of(graph) for each in line.taken)
    alive, used = set(), set(graph.left)

    def keep(line):
        while line is not None and line not in alive:
            alive.add(line)
            used.update(line.taken)
            line = line.owner.owner if line.kind() != "prim::Constant" else None

    def visit(block):
        for line in reversed(block.lines):
            loop = line.kind() == "prim::Loop"
            for inner in line.within:
                used.update(inner.left[:loop])
                for place, each in enumerate(line.given):
                    if each in used or loop and inner.entering[place + 1] in read:
                        used.add(inner.left[place + loop])
                visit(inner)
            if has_effect(line) or any(each in used for each in line.given):
                keep(line)

    count = -1
    while count != len(used):
        count = len(used)
        visit(graph)
    return alive, used


# ── order ──────────────────────────────────────────────────────────────────
def order_results(graph):
    """Sort the results of branches and loops by their first use; unused ones come last."""
    users = find_users(graph)

    def first_use(value):
        return min((place, (getattr(user, "taken", None) or user.left).index(value)) for place, user in users[value])

    def visit(block):
        for line in reversed(block.lines):  # the order of what an inner line gives depends on that of the outer one
            if line.kind() in ("prim::If", "prim::Loop"):
                uses = [(0, first_use(each)) if each in users else (1,) for each in line.given]
                order_given(line, sorted(range(len(uses)), key=uses.__getitem__))
            for each in line.within:
                visit(each)

    visit(graph)


def find_users(graph):
    """Return value -> [(place, line or block)] of its uses; a line stands before the lines of its blocks."""
    users, count = {}, itertools.count()

    def visit(block):
        for line in block.lines:
            place = next(count)
            for each in line.taken:
                users.setdefault(each, []).append((place, line))
            for each in line.within:
                visit(each)
        place = next(count)
        for each in block.left:
            users.setdefault(each, []).append((place, block))

    visit(graph)
    return users


def order_given(line, order):
    """Reorder the results of a branch or a loop, and the values that its blocks take and give."""
    loop = line.kind() == "prim::Loop"

    def sort(values, start):
        values[start:] = [values[start + each] for each in order]

    sort(line.given, 0)
    for block in line.within:
        sort(block.left, loop)
    if loop:
        sort(line.taken, 2)
        sort(line.within[0].entering, 1)


# ── names ────────────────────────────────────────────────────────────────────
def name_values(graph):
    """Give every value its own name.

    Of several with one name in the source, the last that a branch, a loop or a member gives keeps the name.
    """
    found, count = {}, 0
    for value in values_of(graph):
        if value.named:
            found.setdefault(value.base, []).append(value)
        else:
            count += 1
            value.name = f"%{count}"
    for base, values in found.items():
        for number, value in enumerate(values, 1):
            value.name = f"%{base}.{number}"
        if (
            values[-1].node().kind() in ("prim::If", "prim::Loop", "prim::GetAttr")
            or isinstance(values[-1].value_kind, ModuleKind)
            and values[-1].node() is graph.entry
        ):
            values[-1].name = f"%{base}"


def values_of(block):
    """Yield the values of a block in the order in which they are computed."""
    yield from block.entering
    for line in block.lines:
        for each in line.within:
            yield from values_of(each)
        yield from line.given
