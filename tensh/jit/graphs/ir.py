"""The printed form of a traced graph in TorchScript: a line for every operator, with types, places and modules."""

import operator
from functools import cached_property

from tensh._aten.overloads import REQUIRED, schemas
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.fx.node import Node
from tensh.jit.graphs.graph_objects import Node as Line
from tensh.jit.graphs.graph_objects import Value, type_of
from tensh.jit.graphs.nested_inputs import write_inputs
from tensh.jit.graphs.scopes import NOWHERE, place_of
from tensh.jit.graphs.size_lines import SCALARS, SizeLines, holds_size
from tensh.jit.language.constants import (
    as_number,
    constant_text,
    constant_type,
    example,
    fill_places,
    list_type,
)
from tensh.jit.language.value_text import tensor_text


def as_convolution(name, arguments):
    """Return a convolution as the operator with more arguments that PyTorch traces; other operators unchanged."""
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


class Lines(SizeLines):
    """The lines of a graph; values get numbers, inputs and attributes keep their names.

    ``members`` maps paths of members of the module to values, if those are inputs of the graph.
    """

    def __init__(self, graph, owner, members=None):
        self.graph, self.members = graph, members
        self.names = {}
        self.sizes = set()  # names of tensors that stand for sizes
        self.owners = {}  # name -> the value that has it
        self.suffixes = {}  # base of a name -> the last number that was put after it
        self.values, self.lines, self.inputs = [], [], []
        self.found = {}  # name -> value
        self.constants = {}  # path -> tensor of the trace that is not a member
        self.made, self.fixed = set(), set()  # ids of constants that the run made, and of those that are numbers
        self.entry = Line(self, "prim::Param", [])
        if owner:
            self.add_input("%self", owner, None)

    def add_input(self, name, text, example):
        self.inputs.append(self.add_value(name, text, example, self.entry))
        return name

    def add_value(self, name, text, example, line):
        made = Value(name, text, example, line)
        self.owners.setdefault(name[1:], made)
        self.found[name] = made
        self.values.append(made)
        line.given.append(made)
        return made

    def emit(self, outputs, kind, inputs=(), place=NOWHERE, attribute=None):
        """Append a line; ``outputs`` are (name, type, example).  Return it."""
        line = Line(self, kind, [self.found[each] for each in inputs], place.scope, place.text, attribute)
        for each in outputs:
            self.add_value(*each, line)
        self.lines.append(line)
        return line

    def number(self, ahead=0):
        """Return the name of the next value, or one after it."""
        return f"%{len(self.values) + ahead}"

    def rename(self, value, name):
        """Name a value that has a number; an older value of that name gets a number after the name, as in PyTorch."""
        if not value.named:
            self.take_name(value, name)

    def take_name(self, value, name):
        owner = self.owners.get(name)
        value.name, self.owners[name] = f"%{name}", value
        if owner is None or owner is value:
            return
        base, _, number = name.rpartition(".")
        base, suffix = (base, int(number)) if base and number.isdigit() else (name, 1)
        suffix = max(suffix, self.suffixes.get(base, 0) + 1)
        while f"{base}.{suffix}" in self.owners:
            suffix += 1
        self.suffixes[base] = suffix + 1
        self.take_name(owner, f"{base}.{suffix}")

    def write(self):
        """Make the lines of all nodes; return self."""
        nodes = self.graph.find_nodes(op="placeholder")
        if self.members is None:
            write_inputs(self, self.arguments, nodes, type_of)
        for node in nodes if self.members is not None else ():
            self.names[node] = self.add_input(self.number(), type_of(node.meta["val"]), node.meta["val"])
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
            self.emit([], "prim::Return", [self.value(node.args[0], NOWHERE, as_tensor=True)])
        elif node.target is operator.getitem and isinstance(node.args[0].meta.get("val"), (tuple, list)):
            pass  # written with the node whose element it is
        elif node.op != "placeholder":
            self.write_call(node)

    def write_constant(self, node):
        """Write the lines of a constant of the trace; return its name."""
        value = self.constants[node.target]
        place = place_of(next(iter(node.users), node), self.members is None)
        name = self.make(type_of(value), "prim::Constant", [], place, ("value", value, tensor_text(value)), value)
        if id(value) not in self.made or id(value) in self.fixed:
            return name
        more = [self.value(each, place) for each in (device("cpu"), value.dtype, False, False, None)]
        for kind, taken in (("aten::to", [name, *more]), ("aten::detach", [])):
            line = self.emit([(self.number(), type_of(value), value)], kind, taken or [name], place)
            name = f"%{self.values.index(line.given[0])}"
            line.parameters = PLACED if taken else None
        return name

    def write_member(self, node):
        if node.target in self.constants and self.members is None:
            return
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
            name = self.names.setdefault((above, part), f"%_{part}" if part.isdigit() else f"%{part}")
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
        if self.members is None and holds_size(node):
            return self.write_size(node, place)
        given, value = full_arguments(node), node.meta.get("val")
        parameters = getattr(node.target, "parameters", None)
        name, arguments = as_convolution(operator_name(node), given)
        parameters = parameters if arguments is given else None
        if parameters is not None:
            arguments = fill_places(node.target, arguments)
        arguments = [
            self.argument(each, place, parameter)
            for each, parameter in zip(arguments, parameters or [None] * len(arguments))
        ]
        if path := getattr(node.target, "script_path", None):
            place, constant = place.without_line(), ("name", path, f'[name="{node.target.name}"]')
            called = self.make("Function", "prim::Constant", [], place, constant)
            name, arguments = "prim::CallFunction", [called, *arguments]
        self.take_names(node)
        before = len(self.lines)
        self.write_results(node, name, arguments, place, value)
        self.lines[before].parameters = parameters

    def take_names(self, node):
        """Name the operands of a call as the function calls them that calls the operator."""
        for each, known in node.meta.get("names", {}).items():
            if each in self.names and self.names[each] in self.found:
                self.rename(self.found[self.names[each]], known)

    def argument(self, value, place, parameter):
        """Return the name of an argument; a number in place of a tensor is one."""
        if parameter is not None and parameter.kind == "Tensor" and isinstance(value, Node):
            return self.value(value, place, as_tensor=True)
        if parameter is not None and parameter.kind == "Scalar" and self.is_size(value):
            return self.as_number("Scalar", "aten::ScalarImplicit", self.names[value], place)
        if parameter is not None and parameter.kind == "Tensor" and isinstance(value, (int, float)):
            return self.number_as_tensor(value, place)
        if parameter is not None and parameter.kind == "Tensor" and parameter.list and parameter.optional and value:
            parts = [self.value(each, place) for each in value]
            return self.make("Tensor?[]", "prim::ListConstruct", parts, place.without_line())
        return self.value(value, place)

    def write_results(self, node, name, arguments, place, value):
        """Write the line of a call, and that which takes its list apart."""
        if (
            isinstance(value, (tuple, list))
            and not isinstance(node.target, str)
            and all(isinstance(each, Tensor) for each in value)
        ):
            whole = self.number() if isinstance(value, list) or name in LISTS else None
            parts = {each.args[1]: each for each in node.users if each.target is operator.getitem}
            names = [self.number(place + (whole is not None)) for place in range(len(value))]
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

    def value(self, value, place, as_tensor=False):
        """Return the name of a value; constants and lists are written on a line first."""
        if isinstance(value, Node):
            if value not in self.names and value.op == "get_attr" and value.target in self.constants:
                self.names[value] = self.write_constant(value)
            if value not in self.names:
                self.names[value] = self.name_of_member(value)
            name = self.names[value]
            return self.as_number("int", "aten::Int", name, place) if name in self.sizes and not as_tensor else name
        bare = place.without_line()
        if isinstance(value, (list, tuple)):
            parts = [self.value(each, place, as_tensor) for each in value]
            if isinstance(value, list):
                return self.make(list_type(value), "prim::ListConstruct", parts, bare)
            shown = tuple(map(example, value))
            texts = [
                self.found[part].text if part in self.sizes or type(each) is tuple else type_of(each)
                for part, each in zip(parts, shown)
            ]
            return self.make(f"({', '.join(texts)})", "prim::TupleConstruct", parts, bare, shown=shown)
        if isinstance(value, dict):
            parts = [self.value(each, place, as_tensor) for pair in value.items() for each in pair]
            return self.make("Dict(str, Tensor)", "prim::DictConstruct", parts, bare)
        if value is None:
            return self.make("NoneType", "prim::Constant", [], bare)
        value = as_number(value)
        attribute = None if value is None else ("value", value, constant_text(value))
        return self.make(constant_type(value), "prim::Constant", [], place, attribute)

    def make(self, text, kind, inputs, place, attribute=None, shown=None):
        name = self.number()
        self.emit([(name, text, shown)], kind, inputs, place, attribute)
        return name


PLACED = schemas()["to"]["device"].parameters
LISTS = (
    "aten::broadcast_tensors",
    "aten::chunk",
    "aten::split",
    "aten::split_with_sizes",
    "aten::unbind",
    "aten::tensor_split",
)


def full_arguments(node):
    """Return all arguments of a call in the operator's order, including defaults."""
    if not hasattr(node.target, "_opname"):
        return [*node.args, *node.kwargs.values()]
    given = dict(zip([p.name for p in node.target.parameters if not p.named], node.args)) | node.kwargs
    values = [(p, given.get(p.name, None if p.default is REQUIRED else p.default)) for p in node.target.parameters]
    return [[each] * p.length if p.list and p.length > 1 and type(each) is int else each for p, each in values]


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

    def __init__(self, program, owner=None, members=None, make_lines=Lines):
        self.program, self.owner, self.members, self.make_lines = program, owner, members, make_lines

    @cached_property
    def _lines(self):
        lines = self.make_lines(self.program.graph, self.owner, self.members)
        lines.constants, lines.made, lines.fixed = self.program.constants, self.program.made, self.program.numbers
        lines.result, lines.arguments = self.program.result, self.program.arguments
        return lines.write()

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
