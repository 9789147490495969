"""ONNX files as tensh modules: every node becomes a line of a graph, which can be run, inspected and differentiated.

A file is data: nothing in it runs except the operators in ``operators``. Its names are reduced to letters, digits and
underscores before they become names in code; its weights are checked against the available bytes.
"""

import keyword
import operator as python_operator
import os
from collections import Counter

import numpy as np

from tensh.fx.graph import Graph
from tensh.fx.graph_module import GraphModule
from tensh.nn.modules.module import Module
from tensh.nn.parameter import Parameter
from tensh.onnx.builder import TYPES
from tensh.onnx.control import DEEPEST, If, Loop, Scan, list_free_names
from tensh.onnx.errors import OnnxError
from tensh.onnx.inlining import inline_functions
from tensh.onnx.library import require_onnx
from tensh.onnx.operators.families import OPERATORS
from tensh.onnx.operators.quantised import HALVES
from tensh.onnx.operators.table import MissingOperator, dtype_of, path_of
from tensh.onnx.schemas import check_call, check_node, parameters_of
from tensh.onnx.weights import LARGEST, read_tensor
from tensh.serialization.faults import DAMAGE, describe_damage, one_line
from tensh.serialization.reading import require_file

__all__ = ["OnnxError", "OnnxModule", "load"]

TAKEN = vars(Module()).keys()  # attributes of every module
SEVERAL = ("Split", "LSTM", "GRU", "RNN", "TopK", "DynamicQuantizeLinear")
"""Operators that give several results though a node may name one alone."""
CONTROL = {"If": If, "Loop": Loop, "Scan": Scan}
NODES = 1_000_000  # maximum number of nodes in a graph


def read_model(source):
    """Read a model with the package onnx.  Raise OnnxError for other files."""
    onnx = require_onnx("a file of ONNX")
    folder = None
    if isinstance(source, (str, os.PathLike)):
        try:
            require_file(source)
        except RuntimeError as error:
            raise OnnxError(str(error)) from None
        folder = os.path.dirname(os.path.abspath(source))
        if os.path.getsize(source) > LARGEST:
            raise OnnxError(f"{source} has more than {LARGEST} bytes, the limit for an ONNX model")
        with open(source, "rb") as file:
            content = file.read()
    else:
        content = source.read()
    try:
        model = onnx.ModelProto.FromString(content)
    except Exception as error:  # protobuf's own error classes
        raise OnnxError(f"this is not an ONNX model: {one_line(error)}") from None
    if not model.graph.node and not model.graph.output:
        raise OnnxError("this is not an ONNX model: it has no graph")
    return inline_functions(model, NODES), folder


def load(f):
    """Load a model from an ONNX file as a module: its weights are parameters, and it is called with the graph's inputs.

    ``graph`` and ``code`` show it, ``torch.fx.Interpreter`` runs it step by step, and it is differentiable. ``f`` is a
    path or a binary file. External weights are read only from the folder of the model. Raise OnnxError (a ValueError)
    for a damaged file, NotImplementedError for an operator that tensh cannot run, ImportError without the package onnx.

    >>> import tensh as torch
    >>> model = torch.onnx.load("model.onnx")  # doctest: +SKIP
    >>> model(torch.randn(1, 4))  # doctest: +SKIP
    tensor([[0.0000, 0.3214]], grad_fn=<ReluBackward0>)
    """
    model, folder = read_model(f)
    try:
        return OnnxModule(model, folder)
    except NotImplementedError as error:
        raise NotImplementedError(one_line(error)) from None
    except OnnxError as error:
        raise OnnxError(one_line(error)) from None
    except DAMAGE as error:
        raise OnnxError(f"this ONNX model is damaged: {describe_damage(error)}") from None


def shortest(number):
    """Return the shortest Python number that rounds to one in single precision: 0.2 for 0.20000000298."""
    return float(str(np.float32(number)))


class OnnxModule(Module):
    """An ONNX model that runs in tensh."""

    def __init__(self, model, folder=None):
        super().__init__()
        self.opset = next((each.version for each in model.opset_import if each.domain in ("", "ai.onnx")), 0)
        self.producer = model.producer_name
        reader = GraphReader(model.graph, folder, self.opset)
        self.inputs, self.outputs = reader.inputs, [each.name for each in model.graph.output]
        self.program = GraphModule(reader.members, reader.graph, "Graph")

    @property
    def graph(self):
        """The graph of ``torch.fx``."""
        return self.program.graph

    @property
    def code(self):
        """The graph as Python code."""
        return self.program.code

    def forward(self, *args, **kwargs):
        """Return the outputs for the inputs of the graph, given in order or by name."""
        if unknown := [name for name in kwargs if name not in self.inputs]:
            raise TypeError(f"the model has no input {unknown[0]!r}: its inputs are {', '.join(self.inputs)}")
        given = [*args, *(kwargs[name] for name in self.inputs[len(args) :] if name in kwargs)]
        if len(given) != len(self.inputs):
            raise TypeError(
                f"the model expects {len(self.inputs)} inputs ({', '.join(self.inputs)}), but got {len(given)}"
            )
        return self.program(*given)

    def __repr__(self):
        weights = [
            f"  ({name}): {list(value.shape)} {str(value.dtype)[6:]}"
            for name, value in self.program.state_dict().items()
        ]
        steps = [f"  {describe_step(node)}" for node in self.graph.nodes if node.op == "call_function"]
        head = f"OnnxModule({', '.join(self.inputs)} -> {', '.join(self.outputs)}, opset {self.opset})"
        return "\n".join([head, *shorten(weights), *shorten(steps)])


def describe_step(node):
    """Describe a step in one line: ``relu_2 = Relu(gemm_1)``."""
    args = [str(each) for each in node.args] + [f"{name}={value!r}" for name, value in node.kwargs.items()]
    return f"{node.name} = {node.target.__name__}({', '.join(args)})"


def shorten(lines, most=60):
    """Return the lines; of very many, only the first and the last."""
    half = most // 2
    return lines if len(lines) <= most else [*lines[:half], f"  ... {len(lines) - most} more ...", *lines[-half:]]


def describe_scanned(output):
    """Return (shape, dtype) of a scanned output in one step; unknown sizes are 0."""
    facts = output.type.tensor_type
    return tuple(each.dim_value for each in facts.shape.dim), dtype_of(facts.elem_type or TYPES["float32"])


class GraphReader:
    """Reads the graph of a model into a torch.fx graph; ``members`` are its weights."""

    def __init__(self, graph, folder, opset, captured=(), depth=0):
        self.graph, self.members, self.values, self.folder = Graph(), {}, {"": None}, folder
        self.opset, self.depth = opset, depth
        self.tensors, self.numbers = {}, Counter()
        if len(graph.node) > NODES:
            raise OnnxError(f"its graph has {len(graph.node)} nodes, more than {NODES}")
        weights = {each.name: each for each in graph.initializer}
        if graph.sparse_initializer:
            raise MissingOperator("tensh does not read sparse weights of ONNX")
        self.inputs = [each.name for each in graph.input if each.name not in weights]
        arguments = set()
        for name in (*self.inputs, *captured):  # captured values are those of the enclosing graph
            self.values[name] = self.graph.placeholder(self.free(name, arguments))
            arguments.add(self.values[name].target)
        for name, proto in weights.items():
            self.tensors[name] = proto
        self.statistics = {
            name for node in graph.node if node.op_type == "BatchNormalization" for name in node.input[3:5]
        }
        self.results = {name for node in graph.node for name in node.output if name}
        taken = {*self.values, *self.tensors}
        for node in graph.node:
            if twice := taken.intersection(name for name in node.output if name):
                raise OnnxError(f"its graph computes {min(twice)!r} twice")
            taken.update(node.output)
            self.read_node(node)
        outputs = tuple(self.value(each.name) for each in graph.output)
        self.graph.output(outputs[0] if len(outputs) == 1 else outputs)

    @staticmethod
    def spell(name):
        """Convert a name in a file to an identifier."""
        text = "".join(each if each.isascii() and (each.isalnum() or each == "_") else "_" for each in name[:80])
        if keyword.iskeyword(text) or text == "self":
            return f"{text}_"
        return f"_{text}" if not text or text[0].isdigit() else text

    def name_member(self, name):
        """Return an unused identifier for a member, which is not an attribute of modules either."""
        return self.free(name, self.members, lambda path: hasattr(GraphModule, path) or path in TAKEN)

    def free(self, name, used, is_taken=lambda path: False):
        """Return an identifier for a name that is neither used nor taken otherwise."""
        path = text = self.spell(name)
        while path in used or is_taken(path):
            self.numbers[text] += 1  # continues from the last number, because thousands may have the same spelling
            path = f"{text}_{self.numbers[text]}"
        return path

    def value(self, name):
        """Return the node of a value; weights become members on first use."""
        if name not in self.values:
            if name not in self.tensors:
                when = " before a node computes it" if name in self.results else ", which no node computes"
                raise OnnxError(f"its graph uses {name!r}{when}")
            self.values[name] = self.add_member(name, read_tensor(self.tensors[name], self.folder))
        return self.values[name]

    def add_member(self, name, tensor):
        """Add a weight as a parameter, or as a buffer if it is not floating point."""
        path = self.name_member(name)
        learned = tensor.is_floating_point() and tensor.dim() and name not in self.statistics
        self.members[path] = Parameter(tensor) if learned else tensor
        return self.graph.get_attr(path)

    def read_branch(self, node, name):
        """Return (the node of a nested graph, the outer values that it reads, the graph)."""
        if self.depth >= DEEPEST:
            raise OnnxError(f"the graph {name!r} of {node.op_type} is nested too deeply")
        graph = next(each.g for each in node.attribute if each.name == name)
        captured = list_free_names(graph)
        reader = GraphReader(graph, self.folder, self.opset, captured, self.depth + 1)
        path = self.name_member(f"{node.output[0]}_{name}")
        self.members[path] = GraphModule(reader.members, reader.graph, "Graph")
        return self.graph.get_attr(path), tuple(map(self.value, captured)), graph

    def read_control(self, node):
        """Add the call of a branch or a loop."""
        if node.op_type == "If":
            (then, then_values, _), (other, other_values, _) = (
                self.read_branch(node, name) for name in ("then_branch", "else_branch")
            )
            args = (self.value(node.input[0]), then, other, then_values, other_values)
        elif node.op_type == "Scan":
            args = self.read_scan(node)
        else:
            body, values, graph = self.read_branch(node, "body")
            most, cond, *carried = map(self.value, node.input)
            scanned = tuple(map(describe_scanned, graph.output[1 + len(carried) :]))
            args = (most, cond, tuple(carried), body, values, scanned)
        function = CONTROL[node.op_type]
        made = self.graph.call_function(function, args, name=self.spell(f"{node.op_type.lower()}_{node.output[0]}"))
        for place, name in enumerate(node.output):
            if name:
                self.values[name] = self.graph.call_function(python_operator.getitem, (made, place))

    def read_scan(self, node):
        """Return the arguments of a scan."""
        if self.opset < 9:
            raise MissingOperator("tensh runs Scan from opset 9 on")
        body, values, graph = self.read_branch(node, "body")
        lists = {each.name: list(each.ints) for each in node.attribute}
        scans = next(each.i for each in node.attribute if each.name == "num_scan_inputs")
        given = tuple(map(self.value, node.input))
        states, scanned = given[: len(given) - scans], given[len(given) - scans :]
        outputs = len(graph.output) - len(states)
        counts = {"scan_input_axes": scans, "scan_input_directions": scans, "scan_output_axes": outputs}
        counts["scan_output_directions"] = outputs
        return states, scanned, body, values, *((*lists.get(name, [0] * n),) for name, n in counts.items())

    def read_node(self, node):
        """Add the call of a node."""
        is_standard = node.domain in ("", "ai.onnx")
        if not node.output:
            raise OnnxError(f"a node {node.name!r} ({node.op_type}) has no output")
        if is_standard:
            check_node(node, self.opset)
        if node.op_type in CONTROL and is_standard:
            return self.read_control(node)
        path = path_of(node.op_type, node.domain)
        function = OPERATORS.get(path)
        if function is None:
            raise MissingOperator(
                f"tensh does not run the operator {path} of ONNX (node {node.name or node.output[0]!r})"
            )
        attributes = {each.name: self.read_attribute(each, node) for each in node.attribute}
        attributes |= self.describe_zero(node)
        args = [self.value(name) for name in node.input]
        if len(node.output) > 1 and "outputs" in parameters_of(function)[0].parameters:
            attributes["outputs"] = len(node.output)
        if self.opset < 13 and "opset" in parameters_of(function)[0].parameters:
            attributes["opset"] = self.opset
        check_call(function, args, attributes, node)
        made = self.graph.call_function(function, tuple(args), attributes, name=self.spell(node.output[0]))
        if len(node.output) == 1 and node.op_type not in SEVERAL:
            self.values[node.output[0]] = made
            return None
        for place, name in enumerate(node.output):
            if name:
                self.values[name] = self.graph.call_function(python_operator.getitem, (made, place))
        return None

    def describe_zero(self, node):
        """Return the attribute by which ``QuantizeLinear`` learns that its zero has 4 bits, which no dtype here has."""
        zero = self.tensors.get(node.input[2]) if node.op_type == "QuantizeLinear" and len(node.input) > 2 else None
        return {"output_dtype": zero.data_type} if zero is not None and zero.data_type in HALVES else {}

    def read_attribute(self, attribute, node):
        """Return the value of an attribute: a number, text, a list, or a member for a tensor."""
        onnx = require_onnx("a file of ONNX")
        kinds = onnx.AttributeProto
        if attribute.type == kinds.TENSOR:
            return self.add_member(f"{node.output[0]}_{attribute.name}", read_tensor(attribute.t, self.folder))
        if attribute.type == kinds.STRING:
            return attribute.s.decode("utf-8", "replace")
        if attribute.type in (kinds.FLOAT, kinds.INT):
            return shortest(attribute.f) if attribute.type == kinds.FLOAT else attribute.i
        if attribute.type in (kinds.FLOATS, kinds.INTS):
            return [*map(shortest, attribute.floats)] if attribute.type == kinds.FLOATS else list(attribute.ints)
        if attribute.type == kinds.STRINGS:
            return [each.decode("utf-8", "replace") for each in attribute.strings]
        raise MissingOperator(f"tensh does not run the nested graph {attribute.name!r} of {node.op_type}")
