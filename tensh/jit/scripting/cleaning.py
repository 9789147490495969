"""What happens to a graph after it is made: constants are computed and pooled, branches decided, and lines without effect dropped."""

import operator

from tensh.engine.dtypes.device import device
from tensh.jit.classes import is_enum
from tensh.jit.scripting.blocks import lines_of
from tensh.jit.scripting.building import kind_of_constant, text_of_constant
from tensh.jit.scripting.kinds import ModuleKind, fits, none
from tensh.jit.types import is_named_tuple

__all__ = ["clean", "name_values", "pool", "replace"]

FOLDED = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "floordiv": operator.floordiv,
    "remainder": operator.mod, "neg": operator.neg, "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
    "gt": operator.gt, "ge": operator.ge, "__not__": operator.not_, "__is__": operator.is_, "__isnot__": operator.is_not,
    "Int": int, "Float": float, "Bool": bool, "str": str, "round": lambda value: float(round(value)), "sqrt": lambda value: value**0.5,
    "min": min, "max": max, "pow": lambda one, other: float(one**other), "len": len, "__range_length": lambda a, b, c: len(range(a, b, c)),
}  # fmt: skip
"""Operators on numbers and texts that are computed when the script is compiled."""
UNNAMED = "%0"
"""The name of a value that gets a number in the end."""
EFFECTS = frozenset(
    "prim::Print prim::RaiseException prim::SetAttr prim::CallMethod prim::CallFunction prim::Enter prim::Exit".split()
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
        if known and compute(line):
            changed = True
        lines.append(line)
    block.lines = lines
    return changed


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
    """Move all constants to the start, each once; later ones come first."""
    found, renamed, top = {}, {}, []

    def visit(block):
        kept = []
        for line in block.lines:
            for each in line.within:
                visit(each)
            if line.kind() != "prim::Constant":
                kept.append(line)
                continue
            key = (line.given[0].value_kind, line.attribute[2] if line.attribute else None, line.path)
            if is_enum(line.given[0].value_kind):
                key = line
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
    used = find_used(graph)
    changed = False

    def visit(block):
        nonlocal changed
        kept = []
        for line in block.lines:
            if not has_effect(line) and not any(each in used for each in line.given):
                changed = True
                continue
            if line.kind() in ("prim::If", "prim::Loop"):
                changed |= drop_results(line, used)
            for each in line.within:
                visit(each)
            kept.append(line)
        block.lines = kept

    visit(graph)
    return changed


def drop_results(line, used):
    """Drop what a branch or a loop gives and nothing reads; a value that a loop carries must not be read in its body either."""
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


def find_used(graph):
    """Return the values that lines with an effect, or the result, need."""
    used = set(graph.left)
    count = -1
    while count != len(used):
        count = len(used)
        for line in list(lines_of(graph))[::-1]:
            if line.kind() not in ("prim::If", "prim::Loop"):
                if has_effect(line) or any(each in used for each in line.given):
                    used.update(line.taken)
                continue
            if not (has_effect(line) or any(each in used for each in line.given)):
                continue
            loop = line.kind() == "prim::Loop"
            used.update(line.taken[: 2 if loop else 1])
            for block in line.within:
                if loop:
                    used.add(block.left[0])
                for place, each in enumerate(line.given):
                    if each in used or loop and block.entering[place + 1] in used:
                        used.add(block.left[place + loop])
                        if loop:
                            used.add(line.taken[place + 2])
    return used


# ── names ────────────────────────────────────────────────────────────────────
def name_values(graph):
    """Give every value its own name; of several with one name in the source, the last that a branch, a loop or a member gives has it alone."""
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
