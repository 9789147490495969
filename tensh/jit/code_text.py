"""The code of a traced graph as TorchScript prints it: nested expressions, and a line for what is used more than once.

Note [Nested expressions]
From the last line back, the value of an operator becomes part of the line that uses it if nothing else does, nobody has named it, and
nothing comes between the two.  Where an expression is longer than a line may be, it and all before it get lines of their own.
"""

import keyword

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.jit.constants import float_text

LONGEST = 38  # characters of an expression on a line
FEW = 64  # elements of a constant that is compared with others
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
    """Prints the lines of a graph."""

    def __init__(self, lines):
        self.lines = [each for each in lines.lines if each.kind() != "prim::Constant"]
        self.inlined, self.texts, self.used, self.numbers = set(), {}, set(), {}
        self.places = {line: place for place, line in enumerate(self.lines)}
        self.constants, self.out = {}, []
        self.pending = []  # lines whose expressions are not part of another one yet

    def write(self, inputs):
        """Return (names of the inputs, the lines of the body)."""
        for line in reversed(self.lines):
            self.scan(line)
        names = []
        for each in inputs:
            self.texts[each] = self.make_name(each)
            names.append(self.texts[each])
        for line in self.lines:
            self.print_line(line)
        return names, self.out

    # ── what becomes part of another line ────────────────────────────────────
    def scan(self, line):
        """Find what becomes part of a line; return the place in the list from which on it was found."""
        place = self.places[line]
        return place if line in self.inlined else self.scan_inside(line, place)

    def scan_inside(self, line, place):
        place -= 1
        for value in reversed(line.taken):
            made = value.node()
            if place >= 0 and self.lines[place] is made and self.can_inline(value):
                self.inlined.add(made)
                place = self.scan_inside(made, place)
        return place

    @staticmethod
    def can_inline(value):
        if len(value.node().given) != 1 or len(value.users) != 1:
            return False
        return not value.named or value.users[0].user.kind() == "prim::Return"

    # ── names ────────────────────────────────────────────────────────────────
    def make_name(self, value):
        """Return a new name for a value, from its own."""
        base = value.base if value.named else "_"
        base = base if base.isidentifier() else f"_{base}"
        name = base
        while name in self.used or name in RESERVED:
            count = self.numbers.get(base, 0)
            name, self.numbers[base] = f"{base}{count}", count + 1
        self.used.add(name)
        return name

    # ── lines ────────────────────────────────────────────────────────────────
    def print_line(self, line):
        self.split_long(line.taken)
        if line.kind() == "prim::Return":
            self.out.append(f"return {self.text(line.taken[0])}")
        elif line in self.inlined:
            self.texts[line.given[0]] = self.expression(line)
            self.pending.append(line)
        else:
            self.assign(line, self.expression(line))

    def split_long(self, values):
        """Give lines of their own to long expressions among operands, and to all that is computed before them."""
        parts = [each.node() for each in values if each.node() in self.inlined]
        long = [self.pending.index(each) for each in parts if len(self.texts[each.given[0]]) >= LONGEST]
        for each in self.pending[: max(long) + 1] if long else ():
            self.inlined.discard(each)
            self.assign(each, self.texts[each.given[0]])
        self.pending = [each for each in self.pending if each in self.inlined and each not in parts]

    def assign(self, line, expression):
        for each in line.given:
            self.texts[each] = self.make_name(each)
        names = ", ".join(self.texts[each] for each in line.given)
        comma = "," if line.kind() in ("prim::ListUnpack", "prim::TupleUnpack") else ""
        self.out.append(f"{names}{comma} = {expression}")

    # ── expressions ──────────────────────────────────────────────────────────
    def text(self, value):
        """Return the code of a value."""
        if value.node().kind() == "prim::Constant":
            return self.constant(value.node().constant)
        return self.texts[value]

    def constant(self, value):
        if isinstance(value, Tensor):
            return f"CONSTANTS.c{self.place_of(value)}"
        if isinstance(value, device):
            return f'torch.device("{value}")'
        if isinstance(value, float):
            return float_text(value)
        if isinstance(value, str):
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return repr(value)

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
            case "prim::ListConstruct":
                return self.list_text(line, f"[{', '.join(taken)}]")
            case "prim::TupleConstruct":
                return f"({', '.join(taken)}{',' if len(taken) == 1 else ''})"
            case "prim::DictConstruct":
                return f"{{{', '.join(f'{key}: {value}' for key, value in zip(taken[::2], taken[1::2]))}}}"
            case "prim::ListUnpack" | "prim::TupleUnpack":
                return taken[0]
            case "prim::NumToTensor":
                return f"ops.prim.NumToTensor({taken[0]})"
            case "aten::Int":
                return f"int({taken[0]})"
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
    default = REDUCTIONS.get(str(default).lower(), default) if parameter.name == "reduction" else default
    if isinstance(constant, Tensor) or isinstance(default, str) != isinstance(constant, str):
        return False
    return constant is None if default is None else constant is not None and constant == default


def write_code(lines, name, result, owned):
    """Return the code of a function, or with ``owned`` of a method, whose result has the type ``result``."""
    printer = CodePrinter(lines)
    inputs = lines.inputs
    if owned:
        printer.used.add("self")
        printer.texts[inputs[0]] = "self"
        inputs = inputs[1:]
    names, body = printer.write(inputs)
    kinds = [each.type().annotation_str for each in inputs]
    parameters = [*(["self"] if owned else []), *(f"{each}: {kind}" for each, kind in zip(names, kinds))]
    text = "\n".join(f"  {line}" for line in body)
    return f"def {name}({(',' + chr(10) + '    ').join(parameters)}) -> {result}:\n{text}\n"
