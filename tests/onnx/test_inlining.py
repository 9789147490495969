"""torch.onnx.load runs models that define functions, and refuses functions that would not end."""

import io

import pytest

import tensh as torch
from tensh.onnx.errors import OnnxError

onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper  # noqa: E402

N = helper.make_node
VERSIONS = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]


def make_function(name, *nodes, attributes=()):
    return helper.make_function("own", name, ["X"], ["Y"], nodes, VERSIONS, attributes)


def load(node, *functions):
    """Load a model of one node, which calls a function."""
    ports = [helper.make_tensor_value_info(each, TensorProto.FLOAT, None) for each in "xy"]
    graph = helper.make_graph([node], "graph", ports[:1], ports[1:])
    model = helper.make_model(graph, opset_imports=VERSIONS, functions=functions, ir_version=8)
    return torch.onnx.load(io.BytesIO(model.SerializeToString()))


def call(name, given="X", made="Y", **attributes):
    return N(name, [given], [made], domain="own", **attributes)


SWISH = make_function("Swish", N("Sigmoid", ["X"], ["s"]), N("Mul", ["X", "s"], ["Y"]))
TWICE = make_function("Twice", call("Swish", made="s"), call("Swish", given="s"))
LEAKY = N("LeakyRelu", ["X"], ["Y"])
LEAKY.attribute.add(name="alpha", ref_attr_name="alpha", type=onnx.AttributeProto.FLOAT)


def test_functions_of_a_model_are_run():
    x = torch.tensor([-1.0, 0.5, 2.0])
    silu = torch.nn.functional.silu
    assert torch.allclose(load(call("Swish", "x", "y"), SWISH)(x), silu(x))
    assert torch.allclose(load(call("Twice", "x", "y"), SWISH, TWICE)(x), silu(silu(x)))
    leaky = make_function("Leaky", LEAKY, attributes=["alpha"])
    assert load(call("Leaky", "x", "y", alpha=0.25), leaky)(x).tolist() == [-0.25, 0.5, 2.0]


def test_functions_that_call_themselves_are_refused():
    first, second = make_function("First", call("Second")), make_function("Second", call("First"))
    with pytest.raises(OnnxError, match="its function '(First|Second)' calls itself"):
        load(call("First", "x", "y"), first, second)


def test_functions_that_grow_too_large_are_refused():
    names = [f"F{number}" for number in range(40)]
    steps = [make_function(one, call(two, made="s"), call(two, given="s")) for one, two in zip(names, names[1:])]
    with pytest.raises(OnnxError, match="its functions make a graph of more than 1000000 nodes"):
        load(call("F0", "x", "y"), *steps, make_function("F39", N("Relu", ["X"], ["Y"])))
