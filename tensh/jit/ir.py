"""The printed form of a traced graph in TorchScript: a line for every operator, with types, places and modules."""

import operator

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device, layout, memory_format
from tensh.engine.dtypes.dtype import dtype
from tensh.fx.node import Node
from tensh.jit.codes import DTYPES, FORMATS

KINDS = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long", "int32": "Int", "int16": "Short",
    "int8": "Char", "uint8": "Byte", "bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip
SCALARS = {
    "add": "aten::add",
    "sub": "aten::sub",
    "mul": "aten::mul",
    "floordiv": "aten::floordiv",
    "pow": "aten::pow",
    "mod": "aten::remainder",
    "neg": "aten::neg",
}
"""Operators on sizes."""


def type_of(value):
    """Return the type of an example value."""
    if isinstance(value, Tensor):
        name = KINDS.get(str(value.dtype).partition(".")[2], "Tensor")
        sizes = [*map(str, value.shape)]
        strides = [f"strides=[{', '.join(map(str, value.stride()))}]"] if sizes else []
        return f"{name}({', '.join([*sizes, *strides, f'requires_grad={int(value.requires_grad)}', f'device={value.device}'])})"
    if isinstance(value, list):
        return "Tensor[]"
    if isinstance(value, tuple):
        return f"({', '.join(map(type_of, value))})"
    if isinstance(value, dict):
        return "Dict(str, Tensor)"
    return "NoneType" if value is None else type(value).__name__


class Printer:
    """Writes the lines of a graph; values get numbers, inputs and attributes keep their names."""

    def __init__(self, graph, owner):
        self.graph, self.owner = graph, owner
        self.lines, self.names, self.count = [], {}, 0

    def number(self):
        self.count += 1
        return f"%{self.count}"

    def write(self):
        """Return the text of the graph."""
        inputs = [f"%{node.target} : {type_of(node.meta['val'])}" for node in self.graph.find_nodes(op="placeholder")]
        if self.owner:
            inputs.insert(0, f"%self : {self.owner}")
        for node in self.graph.nodes:
            self.write_node(node)
        return "\n".join([f"graph({(',' + chr(10) + '      ').join(inputs)}):", *self.lines, ""])

    def write_node(self, node):
        if node.op == "placeholder":
            self.names[node] = f"%{node.target}"
        elif node.op == "get_attr":
            self.write_member(node)
        elif node.op == "output":
            self.lines.append(f"  return ({self.value(node.args[0], '')})")
        elif node.target is operator.getitem and isinstance(node.args[0].meta.get("val"), (tuple, list)):
            pass  # written with the node whose element it is
        else:
            self.write_call(node)

    def write_member(self, node):
        above = "%self"
        for part in node.target.split("."):
            name = self.names.setdefault((above, part), f"%{part}.{self.count}" if part.isdigit() else f"%{part}")
            if name not in self.names.values() or (above, part) not in self.names:
                continue
            if name in [each for key, each in self.names.items() if key != (above, part)]:
                name = self.names[above, part] = f"{name}.{len(self.names)}"
            line = f'  {name} = prim::GetAttr[name="{part}"]({above})'
            if line not in self.lines:
                self.lines.append(line)
            above = name
        self.names[node] = above

    def write_call(self, node):
        place = suffix(node)
        arguments = [self.value(each, place) for each in full_arguments(node)]
        name, value = operator_name(node), node.meta.get("val")
        if (
            isinstance(value, (tuple, list))
            and not isinstance(node.target, str)
            and all(isinstance(each, Tensor) for each in value)
        ):
            parts = {each.args[1]: each for each in node.users if each.target is operator.getitem}
            names = [self.number() for _ in value]
            self.names.update({parts[place]: each for place, each in enumerate(names) if place in parts})
            typed = ", ".join(f"{each} : {type_of(part)}" for each, part in zip(names, value))
            if isinstance(value, list) or name in LISTS:
                whole = self.number()
                self.lines.append(f"  {whole} : Tensor[] = {name}({', '.join(arguments)}){place}")
                self.lines.append(f"  {typed} = prim::ListUnpack({whole})")
            else:
                self.lines.append(f"  {typed} = {name}({', '.join(arguments)}){place}")
            return
        self.names[node] = self.number()
        self.lines.append(f"  {self.names[node]} : {type_of(value)} = {name}({', '.join(arguments)}){place}")

    def value(self, value, place):
        """Return the name of a value; constants and lists are written on a line first."""
        if isinstance(value, Node):
            return self.names[value]
        if isinstance(value, (list, tuple)):
            parts = [self.value(each, place) for each in value]
            name = self.number()
            kind = "prim::ListConstruct" if isinstance(value, list) else "prim::TupleConstruct"
            shown = list_type(value) if isinstance(value, list) else type_of(tuple(map(example, value)))
            self.lines.append(f"  {name} : {shown} = {kind}({', '.join(parts)}){place}")
            return name
        if isinstance(value, dict):
            parts = [self.value(each, place) for pair in value.items() for each in pair]
            name = self.number()
            self.lines.append(f"  {name} : Dict(str, Tensor) = prim::DictConstruct({', '.join(parts)}){place}")
            return name
        name = self.number()
        self.lines.append(f"  {name} : {constant_type(value)} = prim::Constant{constant_text(value)}(){place}")
        return name


LISTS = ("aten::chunk", "aten::split", "aten::split_with_sizes", "aten::unbind", "aten::tensor_split")


def example(value):
    return value.meta.get("val") if isinstance(value, Node) else value


def list_type(value):
    first = example(value[0]) if value else 0
    return "Tensor[]" if isinstance(first, Tensor) or first is None else f"{type(first).__name__}[]"


def constant_type(value):
    if value is None:
        return "NoneType"
    if isinstance(value, device):
        return "Device"
    return "int" if isinstance(value, (dtype, layout, memory_format)) else type(value).__name__


def float_text(value):
    """Format a float as TorchScript does: integers below 1e10 as ``2.``, others with up to 17 digits."""
    return f"{value:.0f}." if value.is_integer() and abs(value) < WHOLE else f"{value:.17g}"


WHOLE = 1e10  # larger integers have no point


def constant_text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return f"[value={int(value)}]"
    if isinstance(value, float):
        return f"[value={float_text(value)}]"
    if isinstance(value, (str, device)):
        return f'[value="{value}"]'
    if isinstance(value, dtype):
        return f"[value={DTYPES[str(value)[6:]]}]"
    return f"[value={FORMATS.get(str(value), value)}]"


def full_arguments(node):
    """Return all arguments of a call in the operator's order, including defaults."""
    if not hasattr(node.target, "_opname"):
        return [*node.args, *node.kwargs.values()]
    given = dict(zip([p.name for p in node.target.parameters if not p.named], node.args)) | node.kwargs
    from tensh._aten.overloads import REQUIRED

    return [given.get(p.name, None if p.default is REQUIRED else p.default) for p in node.target.parameters]


def operator_name(node):
    """Return a name such as ``aten::add``; for functions without an operator, their public name."""
    if hasattr(node.target, "_opname"):
        return {"sym_size": "aten::size"}.get(node.target._opname, f"aten::{node.target._opname}")
    if isinstance(node.target, str):
        return f"tensh::{node.target}"
    return SCALARS.get(node.target.__name__, f"tensh::{node.target.__name__}")


def suffix(node):
    """Return the comment with the module and the line of a node."""
    stack = node.meta.get("nn_module_stack")
    scope = f", scope: __module.{list(stack)[-1]}" if stack else ""
    place = node.meta.get("place")
    return f"{scope} # {place[0]}:{place[1]}:0" if place else scope


class Graph:
    """The graph of a traced program, printed as TorchScript prints it."""

    def __init__(self, program, owner=None):
        self.program, self.owner = program, owner

    def __str__(self):
        return Printer(self.program.graph, self.owner).write()

    __repr__ = __str__

    def nodes(self):
        """Return the calls."""
        return iter([node for node in self.program.graph.nodes if node.op.startswith("call")])

    def inputs(self):
        """Return the inputs."""
        return iter(self.program.graph.find_nodes(op="placeholder"))

    def outputs(self):
        """Return the output, in a list."""
        return iter([self.program.graph.output_node()])
