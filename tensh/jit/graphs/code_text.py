"""The code of a traced graph as TorchScript prints it: nested expressions, and a line for what is used more than once.

Note [Nested expressions] From the last line back, the value of an operator becomes part of the line that uses it if
nothing else does, nobody has named it, and nothing comes between the two.  Where an expression is longer than a line
may be, it and all before it get separate lines.
"""

import enum
import keyword

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.jit.language.constants import float_text
from tensh.jit.language.types import class_path, is_named_tuple

LONGEST = 40  # characters of an expression on a line, with the two spaces of each level before it
FEW = 64  # elements of a constant that is compared with others
IMPLICIT = {"aten::IntImplicit": "int", "aten::FloatImplicit": "float", "aten::ScalarImplicit": "number"}
"""Operators that read a number from a tensor where one is required -> the type of the number."""
UNPACKING = ("prim::ListUnpack", "prim::TupleUnpack")
"""Kinds of lines that take a value apart: they are never part of an expression."""
RESERVED = {
    "_",
    "as",
    "aten",
    "attribute",
    "CONSTANTS",
    "fork",
    "getattr",
    "inf",
    "nan",
    "ops",
    "__torch__",
    *keyword.kwlist,
}


class CodePrinter:
    """Prints the lines of a graph.  ``level`` is the depth of its first line within the text."""

    def __init__(self, lines, level=1):
        self.lines, self.level = [each for each in lines if each.kind() != "prim::Constant"], level
        self.inlined, self.texts, self.used, self.numbers = set(), {}, set(), {}
        self.before = {}  # line -> the one before it in its block
        self.constants, self.out = {}, []
        self.pending = []  # lines whose expressions are not part of another one yet

    def write(self, inputs):
        """Return (names of the inputs, the lines of the body)."""
        self.scan_block(self.lines)
        names = []
        for each in inputs:
            self.texts[each] = self.make_name(each)
            names.append(self.texts[each])
        self.print_first_lines()
        for line in self.lines:
            self.print_line(line)
        return names, self.out

    def print_first_lines(self):
        """Print the lines that precede those of the graph: none."""

    # ── what becomes part of another line ────────────────────────────────────
    def scan_block(self, lines):
        """Find what becomes part of another line in a block, from its end."""
        self.before.update(zip(lines[1:], lines))
        for line in reversed(lines):
            self.scan(line)

    def scan(self, line):
        if line not in self.inlined:
            self.scan_inside(line)

    def scan_inside(self, line):
        """Find what becomes part of a line; return the first line that does."""
        first = line
        for value in reversed(line.taken):
            made = value.node()
            if self.before.get(first) is made and self.can_inline(value):
                self.inlined.add(made)
                first = self.scan_inside(made)
        return first

    @staticmethod
    def can_inline(value):
        if len(value.node().given) != 1 or len(value.users) != 1 or value.node().kind() in UNPACKING:
            return False
        return not value.named or value.users[0].user.kind() == "prim::Return"

    # ── names ────────────────────────────────────────────────────────────────
    def make_name(self, value):
        """Return a new name for a value, from its own."""
        base = value.base if value.named else "_"
        return self.unused_name(base if base.isidentifier() else f"_{base}")

    def unused_name(self, base):
        """Return a name that nothing has yet."""
        name = base
        while name in self.used or name in RESERVED:
            count = self.numbers.get(name, 0)
            self.numbers[name], name = count + 1, f"{base}{count}"
        self.used.add(name)
        return name

    # ── lines ────────────────────────────────────────────────────────────────
    def print(self, text):
        self.out.append("  " * self.level + text)

    def is_long(self, text):
        return len(text) + 2 * self.level >= LONGEST

    def print_line(self, line):
        if line.kind() == "prim::CallFunction" and self.is_long(line.taken[0].node().constant):
            self.assign(line.taken[0].node(), line.taken[0].node().constant)
        self.split_long(line.taken)
        if line.kind() == "prim::Return":
            self.print(f"return {self.text(line.taken[0])}")
        elif line in self.inlined:
            self.texts[line.given[0]] = self.expression(line)
            self.pending.append(line)
        else:
            self.assign(line, self.expression(line))

    def split_long(self, values):
        """Give separate lines to long expressions among operands, and to all that is computed before them."""
        parts = [each.node() for each in values if each.node() in self.inlined]
        long = [self.pending.index(each) for each in parts if self.is_long(self.texts[each.given[0]])]
        for each in self.pending[: max(long) + 1] if long else ():
            self.inlined.discard(each)
            self.assign(each, self.texts[each.given[0]])
        self.pending = [each for each in self.pending if each in self.inlined and each not in parts]

    def assign(self, line, expression):
        for each in line.given:
            self.texts[each] = self.make_name(each)
        names = ", ".join(self.texts[each] for each in line.given)
        comma = "," if line.kind() in UNPACKING else ""
        self.print(f"{names}{comma} = {expression}" if names else expression)

    # ── expressions ──────────────────────────────────────────────────────────
    def text(self, value):
        """Return the code of a value."""
        if value.node().kind() == "prim::Constant":
            return self.constant(value.node().constant)
        return self.texts[value]

    def constant(self, value):
        return f"CONSTANTS.c{self.place_of(value)}" if isinstance(value, Tensor) else constant_code(value)

    def place_of(self, tensor):
        """Return the number of a constant; equal ones share it."""
        key = (tensor.dtype, repr(tensor.tolist())) if tensor.numel() < FEW else id(tensor)
        return self.constants.setdefault(key, len(self.constants))

    def expression(self, line):
        """Return the code of what a line computes."""
        kind, taken = line.kind(), [self.text(each) for each in line.taken]
        match kind:
            case "prim::GetAttr":
                name = line.constant
                plain = name.isidentifier() and not keyword.iskeyword(name)
                return f"{taken[0]}.{name}" if plain else f'getattr({taken[0]}, "{name}")'
            case "prim::CallMethod":
                return f"({taken[0]}).{line.constant}({''.join(f'{each}, ' for each in taken[1:])})"
            case "prim::CallFunction":
                called = self.texts.get(line.taken[0], line.taken[0].node().constant)
                return f"{called}({''.join(f'{each}, ' for each in taken[1:])})"
            case "prim::ModuleContainerIndex":
                return f"{taken[0]}[{taken[1]}]"
            case "prim::ListConstruct":
                return self.list_text(line, f"[{', '.join(taken)}]")
            case "prim::TupleConstruct":
                return f"({', '.join(taken)}{',' if len(taken) == 1 else ''})"
            case "prim::DictConstruct":
                return f"{{{', '.join(f'{key}: {value}' for key, value in zip(taken[::2], taken[1::2]))}}}"
            case kind if kind in UNPACKING:
                return taken[0]
            case "prim::NumToTensor":
                return f"ops.prim.NumToTensor({taken[0]})"
            case "aten::Int":
                return f"int({taken[0]})"
            case "aten::IntImplicit" | "aten::FloatImplicit" | "aten::ScalarImplicit":
                return f"annotate({IMPLICIT[kind]}, {taken[0]})"
            case "aten::__getitem__":
                return f"{taken[0]}[{taken[1]}]"
        space, _, name = kind.partition("::")
        head = f"torch.{name}" if space == "aten" else f"ops.{space}.{name}"
        return f"{head}({', '.join(self.arguments(line, taken))})"

    @staticmethod
    def list_text(line, text):
        kind = line.given[0].text
        if kind == "Tensor?[]":
            return f"annotate(List[Optional[Tensor]], {text})"
        return text if line.taken else f"annotate(List[{'Tensor' if kind == 'Tensor[]' else kind[:-2]}], [])"

    @staticmethod
    def arguments(line, taken):
        """Return the arguments of an operator without the last ones that are defaults."""
        parameters = line.parameters or [None] * len(taken)
        count = len(taken)
        while count and parameters[count - 1] is not None and is_default(parameters[count - 1], line.taken[count - 1]):
            count -= 1
        return [
            f"{parameter.name}={text}" if parameter is not None and parameter.named else text
            for parameter, text in zip(parameters[:count], taken)
        ]


def is_default(parameter, value):
    """Return True for a constant that is the default of a parameter."""
    from tensh._aten.overloads import REDUCTIONS

    node, default = value.node(), parameter.default
    if node.kind() != "prim::Constant":
        return node.kind() == "prim::ListConstruct" and not node.taken and default == ()
    constant = node.constant
    if isinstance(constant, list) and type(default) is int and parameter.list:
        return all(each == default for each in constant)
    default = REDUCTIONS.get(str(default).lower(), default) if parameter.name == "reduction" else default
    if isinstance(constant, Tensor) or isinstance(default, str) != isinstance(constant, str):
        return False
    return constant is None if default is None else constant is not None and constant == default


ESCAPES = {
    "\\": "\\\\",
    '"': '\\"',
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\v": "\\v",
    "'": "\\'",
}


def quote(text):
    """Return a text in quotes; bytes outside ASCII are written as octal numbers."""
    parts = (ESCAPES.get(chr(byte)) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in text.encode())
    return f'"{"".join(parts)}"'


def constant_code(value):
    """Return the code of a constant that is not a tensor."""
    if isinstance(value, (tuple, list)):
        parts = ", ".join(map(constant_code, value))
        if is_named_tuple(type(value)):
            return f"{class_path(type(value))}({parts})"
        return f"[{parts}]" if isinstance(value, list) else f"({parts}{',' if len(value) == 1 else ''})"
    if isinstance(value, device):
        return f'torch.device("{value}")'
    if isinstance(value, enum.Enum):
        return f"{class_path(type(value))}.{value.name}"
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, complex):
        return f"{float_text(value.real)}{'+' if value.imag >= 0 else ''}{float_text(value.imag)}j"
    return quote(value) if isinstance(value, str) else repr(value)


def write_code(lines, name, result, owned):
    """Return the code of a function, or with ``owned`` of a method, whose result has the type ``result``."""
    printer = CodePrinter(lines.lines)
    inputs = lines.inputs
    if owned:
        printer.used.add("self")
        printer.texts[inputs[0]] = "self"
        inputs = inputs[1:]
    names, body = printer.write(inputs)
    kinds = [each.type().annotation_str for each in inputs]
    parameters = [*(["self"] if owned else []), *(f"{each}: {kind}" for each, kind in zip(names, kinds))]
    return join_function(name, parameters, result, body)


def join_function(name, parameters, result, body, indent=""):
    """Return the text of a function; ``indent`` stands before its first line."""
    lines = (",\n    ".join(parameters), *body)
    return "\n".join([f"{indent}def {name}({lines[0]}) -> {result}:", *lines[1:], ""])
