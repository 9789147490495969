"""The code of a script as TorchScript prints it: branches, loops and contexts around the expressions of their lines."""

import inspect

from tensh.jit.graphs.code_text import CodePrinter, join_function
from tensh.jit.language.types import is_named_tuple, name_of, optional_of, origin_of
from tensh.jit.scripting.calls.signatures import overloads_of
from tensh.jit.scripting.graphs.blocks import Line, lines_of
from tensh.jit.scripting.kinds import fits, none

__all__ = ["CONSTANTS", "annotation_of", "write_script"]

CASTS = {"aten::Bool": "bool", "aten::Float": "float", "aten::Int": "int", "aten::str": "str", "prim::Print": "print",
         "aten::sorted": "sorted", "aten::Complex": "complex"}  # fmt: skip
"""Operators that code calls by the name of a function of Python."""
TYPED = {"prim::unchecked_cast": "unchecked_cast", "prim::Uninitialized": "uninitialized"}
CONSTANTS = ("prim::Constant", "prim::Uninitialized")
STANDING = (
    "prim::If",
    "prim::Loop",
    "prim::fork",
    "prim::isinstance",
    "prim::Enter",
    "prim::Exit",
    "prim::Uninitialized",
)
"""Lines that never become part of another one."""
FOREVER = 2**63 - 1  # passes of a loop that only its condition ends


def annotation_of(kind):
    """Return a type as code writes it."""
    return name_of(kind).replace("Scalar", "number")


def is_open(kind):
    """Return True for a type whose values have one of several types."""
    return optional_of(kind) is not None or origin_of(kind) is not None and "Union" in name_of(kind)


class ScriptPrinter(CodePrinter):
    """Prints the graph of a script."""

    def __init__(self, graph, level=1, tensors=None):
        super().__init__([*graph.lines, leaving(graph)], level)
        self.tensors = tensors  # the constants of the file, if there is one
        self.graph, self.opened = graph, None  # ``opened``: how many lines there were when a context began

    def print_first_lines(self):
        self.print_long_constants(self.graph)

    def print_long_constants(self, block):
        """Give separate lines to constants that are too long to be part of an expression, and to absent values."""
        late, lines = [], [*lines_of(block, tasks=False), leaving(block)]
        for line in lines:
            for value in [*line.taken, *(each for block in line.within for each in block.left)]:
                made = value.node()
                if made.kind() == "prim::Uninitialized" or made.kind() != "prim::Constant" or value in self.texts:
                    continue
                self.texts[value] = self.constant(made.constant) if made.path is None else made.path
                if self.is_long(self.texts[value]):
                    self.assign(made, self.texts[value])
        absent = {}
        for line in lines:
            if line.kind() == "prim::Uninitialized" and line.given[0].users:
                (value,) = line.given
                late.append(value)
        for value in late:
            text = annotation_of(value.value_kind)
            if text not in absent:
                self.assign(value.node(), f"uninitialized({text})")
                absent[text] = self.texts[value]
            self.texts[value] = absent[text]

    def place_of(self, tensor):
        if self.tensors is None:
            return super().place_of(tensor)
        found = next((place for place, each in enumerate(self.tensors) if each is tensor), None)
        if found is None:
            self.tensors.append(tensor)
        return len(self.tensors) - 1 if found is None else found

    # ── what becomes part of another line ────────────────────────────────────
    def scan(self, line):
        if line in self.inlined:
            return
        for block in line.within:
            self.scan_block([*(each for each in block.lines if each.kind() not in CONSTANTS), leaving(block)])
        self.scan_inside(line)

    @staticmethod
    def can_inline(value):
        use = value.users[0] if value.users else None
        if value.node().kind() in STANDING or use and use.user.kind() == "prim::Loop" and use.offset >= 2:
            return False
        return CodePrinter.can_inline(value)

    # ── statements ───────────────────────────────────────────────────────────
    def print_line(self, line):
        match line.kind():
            case "prim::Uninitialized":
                pass
            case "prim::If":
                self.split_long(line.taken)
                self.print_branch(line)
            case "prim::Loop":
                self.split_long(line.taken)
                self.print_loop(line)
            case "prim::fork":
                self.print_task(line)
            case "prim::SetAttr":
                self.split_long(line.taken)
                self.print(f"{self.text(line.taken[0])}.{line.constant} = {self.text(line.taken[1])}")
            case "prim::Enter":
                self.print(f"with {self.text(line.taken[0])}:")
                self.level += 1
                self.opened = len(self.out)
            case "prim::ModuleContainerIndex":  # always under a name with its type
                (made,) = line.given
                self.texts[made] = self.make_name(made)
                note, value = annotation_of(made.value_kind), self.expression(line)
                self.print(f"{self.texts[made]} : {note} = {value}")
            case "prim::Exit":
                if len(self.out) == self.opened:
                    self.print("pass")
                self.level -= 1
            case _:
                super().print_line(line)

    def print_block(self, block, assigned, annotate=False):
        """Print the lines of a block, and the assignment of what it gives to ``assigned``."""
        self.level += 1
        start = len(self.out)
        for line in block.lines:
            if line.kind() != "prim::Constant":
                self.print_line(line)
        if assigned:
            given = block.left[len(block.left) - len(assigned) :]
            self.split_long(given)
            note = f" : {annotation_of(assigned[0].value_kind)}" if annotate else ""
            names, values = (", ".join(map(self.text, each)) for each in (assigned, given))
            self.print(f"{names}{note} = {values}")
        if len(self.out) == start:
            self.print("pass")
        self.level -= 1

    def print_branch(self, line):
        for each in line.given:
            self.texts[each] = self.make_name(each)
        one, other = line.within
        self.print(f"if {self.text(line.taken[0])}:")
        self.print_block(one, line.given, len(line.given) == 1 and is_open(line.given[0].value_kind))
        self.print("else:")
        self.print_block(other, line.given)

    def print_loop(self, line):
        (block,) = line.within
        trips, condition, *carried = line.taken
        counter, *entering = block.entering
        for outside, inside, value in zip(line.given, entering, carried):
            self.texts[outside] = self.texts[inside] = self.make_name(outside)
            note = f": {annotation_of(outside.value_kind)}" if is_open(outside.value_kind) else ""
            self.print(f"{self.texts[outside]}{note} = {self.text(value)}")
        self.texts[counter] = self.make_name(counter)
        if trips.node().kind() == "prim::Constant" and trips.node().constant == FOREVER:
            self.print(f"{self.texts[counter]} = {self.text(condition)}")
            self.print(f"while {self.texts[counter]}:")
            self.print_block(block, block.entering)
        else:
            self.print(f"for {self.texts[counter]} in range({self.text(trips)}):")
            self.print_block(block, entering)

    def print_task(self, line):
        """Print what a task computes as a function without parameters."""
        (block,) = line.within
        name = self.unused_name("__forked_function")
        self.print(f"def {name}():")
        self.level += 1
        self.print_long_constants(block)
        for each in [*block.lines, leaving(block)]:
            if each.kind() != "prim::Constant":
                self.print_line(each)
        self.level -= 1
        self.assign(line, f"fork({name})")

    # ── expressions ──────────────────────────────────────────────────────────
    def text(self, value):
        return self.texts[value] if value in self.texts else super().text(value)

    def expression(self, line):
        kind, taken = line.kind(), [self.text(each) for each in line.taken]
        given = line.given[0].value_kind if line.given else none
        if kind in CASTS:
            return f"{CASTS[kind]}({', '.join(taken)})"
        if kind.startswith("^"):
            return f"{kind.replace('[]', '')}({', '.join(taken)})"
        if kind in TYPED:
            return f"{TYPED[kind]}({', '.join([annotation_of(given), *taken])})"
        match kind:
            case "prim::CallFunction":
                return f"{taken[0]}({''.join(f'{each}, ' for each in taken[1:])})"
            case "prim::CreateObject":
                return f"{annotation_of(given)}.__new__({annotation_of(given)})"
            case "prim::EnumName" | "prim::EnumValue":
                return f"({taken[0]}).{kind.removeprefix('prim::Enum').lower()}"
            case "prim::tolist":
                return f"annotate({annotation_of(given)}, {taken[0]}.tolist())"
            case "prim::TupleIndex":
                return f"({taken[0]})[{taken[1]}]"
            case "prim::TupleConstruct" if is_named_tuple(given):
                return f"{annotation_of(given)}({', '.join(taken)})"
            case "prim::isinstance":
                return f"isinstance({taken[0]}, {line.constant})"
            case "aten::__getitem__":
                owner = taken[0] if taken[0].isidentifier() else f"({taken[0]})"
                return f"{owner}[{taken[1]}]"
            case "prim::DictConstruct" if not taken:
                return f"annotate({annotation_of(given)}, {{}})"
            case "prim::RaiseException" if taken[1:] == ["None"]:
                return f"ops.prim.RaiseException({taken[0]})"
        if line.parameters is None and kind.startswith("aten::"):
            overload = find_overload(line)
            line.parameters = overload.formals if overload is not None else None
        return super().expression(line)

    @staticmethod
    def list_text(line, text):
        kind = line.given[0].value_kind
        plain = line.taken and all(each.value_kind == kind.__args__[0] for each in line.taken)
        return text if plain else f"annotate({annotation_of(kind)}, {text})"


def find_overload(line):
    """Return the overload of the operator of a line, by the types of its arguments; None if it has no declaration."""
    for signature in overloads_of(line.kind().partition("::")[2]):
        formals = signature.formals
        if len(formals) == len(line.taken) and all(fits(v.value_kind, f.kind) for v, f in zip(line.taken, formals)):
            return signature
    return None


def leaving(block):
    """Return the line by which values leave a block."""
    made = Line(block, "prim::Return", [])
    made.taken = block.left
    return made


def write_script(compiled, owner=None, name=None, level=0, tensors=None):
    """Return the code of a compiled function or method; ``owner`` is its class name in a file, ``tensors`` its constants."""
    printer = ScriptPrinter(compiled.graph, level + 1, tensors)
    inputs, parameters = compiled.graph.entering, []
    if len(inputs) > len(compiled.kinds):
        own = printer.texts[inputs[0]] = printer.make_name(inputs[0])
        inputs, parameters = inputs[1:], [f"{own}: {owner}" if owner else own]
    names, body = printer.write(inputs)
    for shown, (parameter, kind) in zip(names, compiled.kinds.items()):
        default = compiled.signature.parameters[parameter].default
        given = "" if default is inspect.Parameter.empty else f"={printer.constant(default)}"
        parameters.append(f"{shown}: {annotation_of(kind)}{given}")
    return join_function(name or compiled.name, parameters, annotation_of(compiled.result), body, "  " * level)
