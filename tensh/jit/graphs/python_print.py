"""A traced graph as TorchScript code, which PyTorch can read: ``torch.add(x, y)`` line by line."""

import keyword
import operator

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device, layout, memory_format
from tensh.engine.dtypes.dtype import dtype
from tensh.fx.node import Node, map_aggregate
from tensh.jit.graphs.nested_inputs import write_parameters
from tensh.jit.language.codes import DTYPES, FORMATS
from tensh.jit.language.constants import float_text

SCALARS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "floordiv": "floordiv",
    "mod": "remainder",
    "pow": "pow",
    "neg": "neg",
    "truediv": "div",
}
TAKEN = {"self", "torch", "ops", "CONSTANTS", "Tensor", "int", "float", "bool", "annotate", "List", "inf", "nan"}


class Unwritable(RuntimeError):
    """Raised for a line of a graph without a form in TorchScript."""


class Written:
    """An operand whose code is known."""

    def __init__(self, text):
        self.text = text


class Writer:
    """Writes the body of a function; ``constants`` (a list) receives tensors that are not members."""

    def __init__(self, program, constants):
        self.graph, self.members, self.constants = program.graph, program.constants, constants
        self.lines, self.names, self.used = [], {}, set(TAKEN)
        self.parts, self.calls, self.done = getattr(program, "parts", {}), getattr(program, "calls", ()), set()

    def name(self, candidate):
        """Return an unused name."""
        name = candidate if candidate.isidentifier() and not keyword.iskeyword(candidate) else f"_{candidate}"
        number = 0
        while name in self.used:
            name, number = f"{candidate}_{number}", number + 1
        self.used.add(name)
        return name

    def write(self):
        """Return the lines of the body."""
        for node in self.graph.nodes:
            part = self.part_of(node)
            if node.op == "get_attr":
                if not node.users or any(self.part_of(each) is None for each in node.users):
                    self.write_member(node)
            elif part is not None:
                self.write_part(part)
            elif node.op == "output":
                self.lines.append(f"return {self.value(map_aggregate(node.args[0], self.number_as_tensor))}")
            elif node.op != "placeholder":
                self.write_call(node)
        return self.lines

    def part_of(self, node):
        """Return the part of the trace that a node belongs to: the call of a submodule that the file has as a method."""
        calls = node.meta.get("calls", ())
        return self.parts.get(calls[len(self.calls)]) if len(calls) > len(self.calls) else None

    def write_part(self, part):
        """Write the call of a method of a submodule, at its first node."""
        if part in self.done:
            return
        self.done.add(part)
        path = part.path.removeprefix(f"{self.calls[-1].path}.") if self.calls else part.path
        text = f"({self.member(path)}).{part.method}({', '.join(map(self.value, part.taken))})"
        self.names.update({each: self.name(each.name) for each in part.given})
        names = ", ".join(self.names[each] for each in part.given)
        self.lines.append(f"{names}{',' if len(part.given) > 1 else ''} = {text}")

    def number_as_tensor(self, value):
        """Return an operand of the result; a number is a tensor there."""
        if isinstance(value, Node) and type(value.meta.get("val")) in (int, float):
            made = self.name(f"{value.name}_tensor")
            self.lines.append(f"{made} = ops.prim.NumToTensor({self.names[value]})")
            return Written(made)
        return value

    def write_member(self, node):
        if node.target in self.members:
            self.constants.append(self.members[node.target])
            self.names[node] = f"CONSTANTS.c{len(self.constants) - 1}"
            return
        self.names[node] = self.name(node.name)
        self.lines.append(f"{self.names[node]} = {self.member(node.target)}")

    @staticmethod
    def member(target):
        """Return the code of a member of the module."""
        path = "self"
        for part in target.split("."):
            plain = part.isidentifier() and not keyword.iskeyword(part)
            path = f"{path}.{part}" if plain else f'getattr({path}, "{part}")'
        return path

    def write_call(self, node):
        if node.target is operator.getitem and node in self.names:
            return
        text, value = self.call(node), node.meta.get("val")
        if isinstance(value, (tuple, list)):
            parts = {each.args[1]: each for each in node.users if each.target is operator.getitem}
            names = [
                self.name(parts[place].name if place in parts else f"_{node.name}_{place}")
                for place in range(len(value))
            ]
            self.names.update({part: names[place] for place, part in parts.items()})
            self.lines.append(f"{', '.join(names)}, = {text}")
            return
        self.names[node] = self.name(node.name)
        self.lines.append(f"{self.names[node]} = {text}")

    def call(self, node):
        """Return the text of a call."""
        if path := getattr(node.target, "script_path", None):
            options = [f"{name}={self.value(each)}" for name, each in node.kwargs.items()]
            return f"{path}({', '.join([*map(self.value, node.args), *options])})"
        if node.op == "call_module":  # a scripted module with branches or loops
            options = [f"{name}={self.value(each)}" for name, each in node.kwargs.items()]
            return f"({self.member(node.target)}).forward({', '.join([*map(self.value, node.args), *options])})"
        if not hasattr(node.target, "_opname"):
            if (
                getattr(operator, getattr(node.target, "__name__", ""), None) is node.target
                and node.target.__name__ in SCALARS
            ):
                return f"torch.{SCALARS[node.target.__name__]}({', '.join(map(self.value, node.args))})"
            shown = node.target if isinstance(node.target, str) else node.target.__name__
            place = node.meta.get("place")
            where = f", which {place[0]}:{place[1]} calls" if place else ""
            raise Unwritable(f"TorchScript has no operator for {shown}{where}")
        args = [self.value(each) for each in node.args]
        options = [f"{name}={self.value(each)}" for name, each in node.kwargs.items()]
        name = {"sym_size": "size"}.get(node.target._opname, node.target._opname)
        if name == "to" and len(args) == 2:
            args += ["False", "False"]
        return f"torch.{name}({', '.join([*args, *options])})"

    def value(self, value):
        """Return the code of a value."""
        if isinstance(value, Written):
            return value.text
        if isinstance(value, Node):
            return self.names[value]
        if isinstance(value, tuple):
            return f"({', '.join(map(self.value, value))}{',' if len(value) == 1 else ''})"
        if isinstance(value, list):
            return f"[{', '.join(map(self.value, value))}]" if value else "annotate(List[int], [])"
        if isinstance(value, dict):
            return f"{{{', '.join(f'{self.value(key)}: {self.value(each)}' for key, each in value.items())}}}"
        if isinstance(value, dtype):
            return str(DTYPES[str(value)[6:]])
        if isinstance(value, (layout, memory_format)):
            return str(FORMATS[str(value)])
        if isinstance(value, device):
            return f'torch.device("{value}")'
        if isinstance(value, str):
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        if isinstance(value, float):
            text = float_text(value)
            return text if not text.lstrip("-").isdigit() else repr(value)  # without a point it would be read as an int
        if isinstance(value, (bool, int, type(None))):
            return repr(value)
        raise Unwritable(f"TorchScript has no constant {value!r:.60}")


def result_type(value):
    """Return the code of a result's type."""
    if isinstance(value, Tensor):
        return "Tensor"
    if isinstance(value, tuple):
        return f"Tuple[{', '.join(map(result_type, value))}]"
    if isinstance(value, list):
        return f"List[{result_type(value[0]) if value else 'Tensor'}]"
    if isinstance(value, dict):
        key, each = next(iter(value.items()), ("", None))
        return f"Dict[{type(key).__name__}, {result_type(each)}]"
    return "NoneType" if value is None else type(value).__name__


def write_function(program, constants, name="forward", owner=None):
    """Return the code of a program as a function; with ``owner``, a class, as a method with typed ``self``."""
    writer = Writer(program, constants)
    inputs = write_parameters(writer, program.arguments, program.inputs, result_type)
    lines = writer.write()
    own = [] if name != "forward" and owner is None else [f"self: {owner}" if owner else "self"]
    parameters = f",\n{'  ' if owner else '    '}".join([*own, *inputs])  # within a class there are two spaces before
    body = "\n".join(f"  {line}" for line in lines)
    return f"def {name}({parameters}) -> {result_type(program.result)}:\n{body}\n"
