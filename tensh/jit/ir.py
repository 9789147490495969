"""The printed form of a traced graph in TorchScript: a line for every operator, with types, places and modules."""

import operator
from functools import cached_property

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device, layout, memory_format
from tensh.engine.dtypes.dtype import dtype
from tensh.fx.node import Node
from tensh.jit.codes import DTYPES, FORMATS
from tensh.jit.graph_objects import KINDS, Value
from tensh.jit.graph_objects import Node as Line

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


class Place:
    """The scope of a line, and the comment with the module and the place in the program."""

    def __init__(self, scope="", text=""):
        self.scope, self.text = scope, text


NOWHERE = Place()


def place_of(node, in_modules):
    """Return the place of a node: the scope that a library named, otherwise the module."""
    stack, place = node.meta.get("nn_module_stack"), node.meta.get("place")
    scope = node.meta.get("scope") or (f"__module.{list(stack)[-1]}" if stack and in_modules else "")
    shown = f", scope: {scope}" if scope else ""
    return Place(scope, f"{shown} # {place[0]}:{place[1]}:0" if place else shown)


def as_convolution(name, arguments):
    """Return a convolution as the operator that PyTorch traces, which has further arguments; other operators unchanged."""
    kind = name.removeprefix("aten::").rstrip("123d")
    if kind not in ("conv", "conv_transpose") or isinstance(arguments[4], str):
        return name, arguments
    given, settings, none = arguments[:3], arguments[3:], [0] * len(arguments[3])
    transposed = kind == "conv_transpose"
    stride, padding, extra, groups, dilation = (
        settings if transposed else (*settings[:2], none, settings[3], settings[2])
    )
    further = (transposed, extra, groups, False, False, True, True)
    return "aten::_convolution", [*given, stride, padding, dilation, *further]


class Lines:
    """The lines of a graph; values get numbers, inputs and attributes keep their names.

    ``members`` maps paths of members of the module to values, if those are inputs of the graph.
    """

    def __init__(self, graph, owner, members=None):
        self.graph, self.members = graph, members
        self.names, self.count = {}, 0 if members is None else -1
        self.values, self.lines, self.inputs = [], [], []
        self.found = {}  # name -> value
        self.entry = Line(self, "prim::Param", [])
        if owner:
            self.add_input("%self", owner, None)

    def add_input(self, name, text, example):
        self.inputs.append(self.add_value(name, text, example, self.entry))
        return name

    def add_value(self, name, text, example, line):
        made = Value(name, text, example, line)
        self.found[name] = made
        self.values.append(made)
        line.given.append(made)
        return made

    def emit(self, outputs, kind, inputs=(), place=NOWHERE, attribute=None):
        """Append a line; ``outputs`` are (name, type, example)."""
        line = Line(self, kind, [self.found[each] for each in inputs], place.scope, place.text, attribute)
        for each in outputs:
            self.add_value(*each, line)
        self.lines.append(line)

    def number(self):
        self.count += 1
        return f"%{self.count}"

    def write(self):
        """Make the lines of all nodes; return self."""
        for node in self.graph.find_nodes(op="placeholder"):
            name = f"%{node.target}" if self.members is None else self.number()
            self.names[node] = self.add_input(name, type_of(node.meta["val"]), node.meta["val"])
        if self.members is not None:
            numbers = {}
            for path, value in self.members.items():
                if id(value) not in numbers:
                    numbers[id(value)] = self.add_input(self.number(), type_of(value), value)
                self.names[path] = numbers[id(value)]
        for node in self.graph.nodes:
            self.write_node(node)
        return self

    def __str__(self):
        inputs = [f"{each.name} : {each.text}" for each in self.inputs]
        body = "".join(f"  {line}" for line in self.lines)
        return f"graph({(',' + chr(10) + '      ').join(inputs)}):\n{body}"

    def write_node(self, node):
        if node.op == "get_attr":
            self.write_member(node)
        elif node.op == "output":
            self.emit([], "prim::Return", [self.value(node.args[0], NOWHERE)])
        elif node.target is operator.getitem and isinstance(node.args[0].meta.get("val"), (tuple, list)):
            pass  # written with the node whose element it is
        elif node.op != "placeholder":
            self.write_call(node)

    def write_member(self, node):
        if self.members is not None:
            if node.target not in self.names:
                example = node.meta.get("val")
                self.names[node.target] = self.number()
                constant = ("value", example, "[value=<Tensor>]")
                self.emit([(self.names[node.target], type_of(example), example)], "prim::Constant", attribute=constant)
            self.names[node] = self.names[node.target]
            return
        above = "%self"
        for part in node.target.split("."):
            name = self.names.setdefault((above, part), f"%{part}.{self.count}" if part.isdigit() else f"%{part}")
            if name in [each for key, each in self.names.items() if key != (above, part)]:
                name = self.names[above, part] = f"{name}.{len(self.names)}"
            if name not in self.found:
                if above not in self.found:
                    self.add_value(above, None, None, self.entry)
                attribute = ("name", part, f'[name="{part}"]')
                self.emit([(name, None, None)], "prim::GetAttr", [above], attribute=attribute)
            above = name
        self.names[node] = above

    def write_call(self, node):
        place = place_of(node, self.members is None)
        name, arguments = as_convolution(operator_name(node), full_arguments(node))
        arguments, value = [self.value(each, place) for each in arguments], node.meta.get("val")
        if (
            isinstance(value, (tuple, list))
            and not isinstance(node.target, str)
            and all(isinstance(each, Tensor) for each in value)
        ):
            whole = self.number() if isinstance(value, list) or name in LISTS else None
            parts = {each.args[1]: each for each in node.users if each.target is operator.getitem}
            names = [self.number() for _ in value]
            self.names.update({parts[place]: each for place, each in enumerate(names) if place in parts})
            given = [(each, type_of(part), part) for each, part in zip(names, value)]
            if whole is not None:
                self.emit([(whole, "Tensor[]", None)], name, arguments, place)
                self.emit(given, "prim::ListUnpack", [whole])
            else:
                self.emit(given, name, arguments, place)
            return
        self.names[node] = self.number()
        self.emit([(self.names[node], type_of(value), value)], name, arguments, place)

    def value(self, value, place):
        """Return the name of a value; constants and lists are written on a line first."""
        if isinstance(value, Node):
            return self.names[value]
        if isinstance(value, (list, tuple)):
            parts = [self.value(each, place) for each in value]
            if isinstance(value, list):
                return self.make(list_type(value), "prim::ListConstruct", parts, place)
            shown = tuple(map(example, value))
            return self.make(type_of(shown), "prim::TupleConstruct", parts, place, shown=shown)
        if isinstance(value, dict):
            parts = [self.value(each, place) for pair in value.items() for each in pair]
            return self.make("Dict(str, Tensor)", "prim::DictConstruct", parts, place)
        attribute = None if value is None else ("value", value, constant_text(value))
        return self.make(constant_type(value), "prim::Constant", [], place, attribute)

    def make(self, text, kind, inputs, place, attribute=None, shown=None):
        name = self.number()
        self.emit([(name, text, shown)], kind, inputs, place, attribute)
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


class Graph:
    """The graph of a traced program, printed as TorchScript prints it."""

    __module__ = "torch"

    def __init__(self, program, owner=None, members=None):
        self.program, self.owner, self.members = program, owner, members

    @cached_property
    def _lines(self):
        return Lines(self.program.graph, self.owner, self.members).write()

    def __str__(self):
        return str(self._lines)

    __repr__ = __str__

    def str(self, print_source_ranges=True):
        """Return the graph as text."""
        return str(self)

    def nodes(self):
        """Return the lines, without the last, which returns."""
        return iter(self._lines.lines[:-1])

    def inputs(self):
        """Return the inputs, after the module itself if there is one."""
        return iter(self._lines.inputs)

    def outputs(self):
        """Return the values that the graph returns."""
        return self.return_node().inputs()

    def return_node(self):
        """Return the line that returns."""
        return self._lines.lines[-1]

    def param_node(self):
        """Return the node that gives the inputs."""
        return self._lines.entry

    def findAllNodes(self, kind, recurse=True):
        """Return the lines of an operator, such as ``aten::add``."""
        return [each for each in self.nodes() if each.kind() == kind]

    def findNode(self, kind, recurse=True):
        """Return the first line of an operator; None if there is none."""
        return next(iter(self.findAllNodes(kind)), None)
