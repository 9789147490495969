"""The making of a script's graph: lines in the current block, the values of variables, branches and loops.

Variables are kept in single assignment form: an assignment changes only which value a name stands for. A branch runs
both of its blocks from the same names, and gives a new value for each name that stands for different values afterwards;
a loop takes in and gives back each name that its body assigns.
"""

import enum

from tensh.engine.dtypes.device import device, memory_format
from tensh.engine.dtypes.device import layout as layout_type
from tensh.engine.dtypes.dtype import dtype
from tensh.jit.graphs.code_text import quote
from tensh.jit.language.constants import as_number, float_text
from tensh.jit.language.types import class_path
from tensh.jit.scripting.graphs.blocks import Block, Line, ScriptGraph, ScriptValue
from tensh.jit.scripting.kinds import FunctionKind, fits, join, none

__all__ = ["Builder", "Left", "Raised"]


class Builder:
    """Builds a graph: ``names`` maps variables to values, ``block`` receives the lines."""

    def __init__(self, source):
        self.source = source
        self.graph = self.block = ScriptGraph()
        self.names, self.numbers, self.count, self.literals = {}, {}, 0, {}
        self.absent_values = {}  # type -> the value of it that nothing reads
        self.declared = {}  # names with a declared type

    # ── values and lines ─────────────────────────────────────────────────────
    def number(self):
        self.count += 1
        return f"{self.count}"

    def unused_name(self, name):
        """Return an unused name: the given one with a number, or a number alone without a name in the source."""
        if name.startswith("@") or name == "_":
            return self.number()
        self.numbers[name] = self.numbers.get(name, 0) + 1
        return f"{name}.{self.numbers[name]}"

    def emit(self, kind, inputs=(), gives=(), at=None, attribute=None):
        """Append a line; ``gives`` are the types of its results.  Return the only result, or a list of them."""
        line = Line(self.block, kind, [], self.source.place(at), attribute)
        line.taken = list(inputs)
        for each in gives:
            line.given.append(ScriptValue(f"%{self.number()}", each, line))
        self.block.lines.append(line)
        return line.given[0] if len(line.given) == 1 else line.given

    def constant(self, value, at=None):
        """Return a constant."""
        value = as_number(value) if isinstance(value, (dtype, layout_type, memory_format)) else value
        kind = kind_of_constant(value)
        attribute = None if value is None else ("value", value, f"[value={text_of_constant(value)}]")
        return self.emit("prim::Constant", (), [kind], at, attribute)

    def literal(self, value, at):
        """Return a number of the source; it stands before all other lines, once."""
        if type(value) not in (int, float, complex):
            return self.constant(value, at)
        key = type(value), repr(value)
        if key not in self.literals:
            outer, self.block = self.block, self.graph
            self.literals[key] = self.constant(value, at)
            self.graph.lines.insert(0, self.graph.lines.pop())
            self.block = outer
        return self.literals[key]

    def function_constant(self, name, path):
        """Return a function as a constant; ``path`` is its full name, by which code calls it."""
        made = self.emit("prim::Constant", (), [FunctionKind], None, ("name", name, f'[name="{name}"]'))
        made.node().path = path
        return made

    def get_attribute(self, owner, name, kind):
        made = self.emit("prim::GetAttr", [owner], [kind], None, ("name", name, f'[name="{name}"]'))
        made.name = f"%{self.unused_name(f'_{name}' if name.isdigit() else name)}"
        return made

    def assign(self, name, value):
        """Let a name stand for a value, and name the value after it unless it has a name."""
        if isinstance(value, ScriptValue):
            value.assigned = True
            nameless = value.named or value.literal or name == "_"
            if value.node().owner is self.block and not nameless:
                value.name = f"%{self.unused_name(name)}"
        self.names[name] = value

    def cast(self, name, kind):
        """Let a name stand for its value with a narrower type."""
        value = self.emit("prim::unchecked_cast", [self.names[name]], [kind])
        self.assign(name, value)

    # ── branches ─────────────────────────────────────────────────────────────
    def branch(self, condition, arms, at):
        """Emit a branch of two arms, functions that return the values that they give, or None if they never end.

        Return the given values, or None if neither arm ends. Names are those that both arms leave.
        """
        line = Line(self.block, "prim::If", [], self.source.place(at))
        line.taken = [condition]
        before, outer, given, left = self.names, self.block, [], []
        self.block.lines.append(line)
        for arm in arms:
            self.block, self.names = Block(line), dict(before)
            line.within.append(self.block)
            given.append(run_to_raise(arm))
            left.append(self.names)
        self.block = outer
        ends = [each is not None for each in given]
        if not any(ends):
            self.names = before
            return None
        width = len(next(each for each in given if each is not None))
        results = [self.choose(line, [each and each[place] for each in given], at) for place in range(width)]
        self.names = self.merge_names(line, left, ends, before, at)
        return results

    def choose(self, line, values, at):
        """Return what two arms give: the value, if both give it, or if one arm raises and the other made nothing."""
        for one, other in (values, values[::-1]):
            if one is None and (is_constant(other) or not is_within(other.node(), line)):
                return other
        return values[0] if values[0] is values[1] or same_constant(*values) else self.merge(line, values, at)

    def merge_names(self, line, left, ends, before, at):
        """Return the names after a branch."""
        ends = [end and not isinstance(names, Left) for names, end in zip(left, ends)]
        alive = [names for names, end in zip(left, ends) if end]
        if not alive:
            return Left(before)
        found = {}
        for name in sorted(set.intersection(*map(set, alive))):
            values = [names.get(name) for names in left]
            chosen = [value for value, end in zip(values, ends) if end]
            if (
                all(each is chosen[0] for each in chosen)
                and (all(ends) or name in before and chosen[0] is before[name])
                or len(chosen) == 1
                and is_constant(chosen[0])
            ):
                found[name] = chosen[0]
            elif all(isinstance(each, ScriptValue) for each in chosen):
                kinds = [each.value_kind for each in chosen]
                wide = self.declared.get(name)
                joined = kinds[0] if len(kinds) == 1 else join(*kinds)
                wide = wide if joined is None and wide is not None and all(fits(each, wide) for each in kinds) else None
                if joined is not None or wide is not None:
                    ending = [v if end else None for v, end in zip(values, ends)]
                    found[name] = self.merge(line, ending, at, name, wide)
        return found

    def merge(self, line, values, at, name=None, kind=None):
        """Return a value of a branch, from one of each arm; None is that of an arm that never ends."""
        known = [each.value_kind for each in values if each is not None]
        kind = kind or (known[0] if len(known) == 1 else join(*known))
        if kind is None:
            one, other = known
            self.source.refuse(at, f"a value has the type {one} in one branch and {other} in the other")
        for block, value in zip(line.within, values):
            if value is None:
                value = self.absent_value(kind)
            block.left.append(value)
        made = ScriptValue(f"%{self.unused_name(name) if name else self.number()}", kind, line)
        line.given.append(made)
        return made

    def absent_value(self, kind):
        """Return a value of a type that is never read; the line is the first one of the graph, once for each type."""
        if kind not in self.absent_values:
            outer, self.block = self.block, self.graph
            self.absent_values[kind] = self.emit("prim::Uninitialized", (), [kind])
            self.graph.lines.insert(0, self.graph.lines.pop())
            self.block = outer
        return self.absent_values[kind]

    # ── loops ────────────────────────────────────────────────────────────────
    def kind_in_loop(self, name):
        """Return the declared type of a name in a loop, which may be wider than that of its value."""
        return self.declared.get(name) or self.names[name].value_kind

    def loop(self, trips, condition, carried, index, body, at):
        """Emit a loop; ``carried`` are the names that its body assigns.

        ``body`` gets the number of the pass and returns [whether to go on, values of the carried names].
        """
        line = Line(self.block, "prim::Loop", [], self.source.place(at))
        line.taken = [trips, condition, *(self.names[name] for name in carried)]
        self.block.lines.append(line)
        before, outer = self.names, self.block
        self.block, self.names = Block(line), dict(before)
        line.within.append(self.block)
        counter = self.block.add_input(self.unused_name(index) if index else self.number(), int)
        kinds = [self.kind_in_loop(name) for name in carried]
        for name, kind in zip(carried, kinds):
            self.names[name] = self.block.add_input(self.unused_name(name), kind)
        block = self.block
        block.left = body(counter)
        self.block, self.names = outer, dict(before)
        for name, kind, value in zip(carried, kinds, block.left[1:]):
            if value.value_kind != kind and join(value.value_kind, kind) != kind:
                self.source.refuse(at, f"{name} has the type {kind} before the loop and {value.value_kind} in it")
            made = ScriptValue(f"%{self.unused_name(name)}", kind, line)
            line.given.append(made)
            self.names[name] = made


class Left(dict):
    """The names of an arm that has returned, which nothing reads afterwards."""


def is_within(line, outer):
    """Return True if a line stands in a block of another one."""
    while line is not None and line is not outer:
        line = line.owner.owner
    return line is outer


def is_constant(value):
    """Return True for a constant, which stands before all branches in the end."""
    return isinstance(value, ScriptValue) and value.node().kind() == "prim::Constant"


def same_constant(one, other):
    """Return True for two equal constants."""
    known = one is not None and other is not None and is_constant(one) and is_constant(other)
    return (
        known
        and one.value_kind == other.value_kind
        and one.node().attribute == other.node().attribute
        and one.node().path is None
    )


class Raised(Exception):
    """Raised where a block ends because it raises in the middle of an expression."""


def run_to_raise(arm):
    """Return what an arm of a branch gives; None if it raises."""
    try:
        return arm()
    except Raised:
        return None


def kind_of_constant(value):
    """Return the type of a constant."""
    if value is None:
        return none
    if isinstance(value, list):
        return list[kind_of_constant(value[0])] if value else list[int]
    if isinstance(value, tuple):
        return tuple[tuple(map(kind_of_constant, value))]
    return device if isinstance(value, device) else type(value)


def text_of_constant(value):
    """Return a constant as graphs print it."""
    if isinstance(value, bool):
        return f"{int(value)}"
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, enum.Enum):
        return f"{class_path(type(value))}.{value.name}"
    if isinstance(value, (str, device)):
        return quote(str(value))
    if isinstance(value, (list, tuple)):
        left, right = "[]" if isinstance(value, list) else "()"
        return f"{left}{', '.join(str(each) if each is None or each is True or each is False else text_of_constant(each) for each in value)}{right}"
    return f"{value}"
