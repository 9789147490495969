"""torch.onnx.load: names, branches and loops of files; refused contents."""

import io
import re

import numpy as np
import pytest

import tensh as torch
from tests.onnx.models import assert_alike, load, model_of, onnx, run


@pytest.mark.parametrize(
    "name", ["graph", "code", "forward", "parameters", "training", "_parameters", "self", "import", "None", "print"]
)
def test_names_of_a_file_may_be_those_of_modules_and_of_python(name):
    weight = onnx.numpy_helper.from_array(np.ones(2, np.float32), name)
    x = torch.ones(2)
    made = load(model_of([onnx.helper.make_node("Add", ["x", name], ["y"])], ["x"], ["y"], [weight]))
    assert torch.equal(made(x), x + 1)
    made = load(model_of([onnx.helper.make_node("Relu", [name], [f"{name}_"])], [name], [f"{name}_"]))
    assert torch.equal(made(x), x)


def test_names_of_a_file_are_no_code():
    bad = "x'); import os; os.abort() #\n"
    made = load(model_of([onnx.helper.make_node("Relu", [bad], ['y"""\n1'])], [bad], ['y"""\n1']))
    assert "import os" not in made.code and "abort()" not in made.code
    assert made(torch.tensor([-1.0, 1.0])).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("content", "error", "text"),
    [
        (b"", ValueError, "not an ONNX model"),
        (b"\x00garbage", ValueError, "not an ONNX model"),
        (model_of([onnx.helper.make_node("Nonsense", ["x"], ["y"])], ["x"], ["y"]), NotImplementedError, "does not run the operator Nonsense"),
        (model_of([onnx.helper.make_node("Relu", ["x"], ["y"], domain="com.example")], ["x"], ["y"]), NotImplementedError, "com.example.Relu"),
        (model_of([onnx.helper.make_node("Relu", ["z"], ["y"])], ["x"], ["y"]), ValueError, "'z', which no node computes"),
        (model_of([onnx.helper.make_node("Add", ["x", "y"], ["z"]), onnx.helper.make_node("Relu", ["z"], ["y"])], ["x"], ["y"]), ValueError, "uses 'y' before a node computes it"),
        (model_of([onnx.helper.make_node("Relu", ["x"], ["y"]), onnx.helper.make_node("Neg", ["x"], ["y"])], ["x"], ["y"]), ValueError, "computes 'y' twice"),
        (model_of([onnx.helper.make_node("Relu", ["x"], ["x"])], ["x"], ["x"]), ValueError, "computes 'x' twice"),
        (model_of([onnx.helper.make_node("Add", ["x", "w"], ["y"])], ["x"], ["y"], [onnx.TensorProto(name="w", data_type=1, dims=[2**40], raw_data=b"1234")]), ValueError, "w has the shape"),
        (model_of([onnx.helper.make_node("Add", ["x", "w"], ["y"])], ["x"], ["y"], [onnx.TensorProto(name="w", data_type=1, dims=[3], raw_data=b"1234")]), ValueError, "needs 3 numbers, but has 1"),
        (model_of([onnx.helper.make_node("Add", ["x", "w"], ["y"])], ["x"], ["y"], [onnx.TensorProto(name="w", data_type=1, dims=[-1])]), ValueError, "w has the shape"),
    ],
)  # fmt: skip
def test_hostile_files_are_refused(content, error, text):
    with pytest.raises(error, match=text):
        torch.onnx.load(io.BytesIO(content if isinstance(content, bytes) else content.SerializeToString()))


def test_names_that_are_spelled_the_same_take_no_longer_than_others():
    """Each got a longer name than the one before, which took minutes for twenty thousand."""
    names = [chr(0x4E00 + number) for number in range(3000)]
    weights = [onnx.numpy_helper.from_array(np.ones(1, np.float32), name) for name in names]
    nodes = [onnx.helper.make_node("Add", ["x", name], [f"{name}y"]) for name in names]
    members = torch.onnx.load(
        io.BytesIO(model_of(nodes, ["x"], [f"{names[-1]}y"], weights).SerializeToString())
    ).state_dict()
    assert len(members) == len(names) and max(map(len, members)) < 20


def make_branches():
    """y = x + w if x.sum() > 0 else (x * w) with a branch within, where the weight w lies around both."""
    node, graph = onnx.helper.make_node, onnx.helper.make_graph
    port = onnx.helper.make_tensor_value_info
    inner = [
        graph([node(name, ["x", "w"], [f"{name}_inner"])], name, [], [port(f"{name}_inner", 1, None)])
        for name in ("Mul", "Sub")
    ]
    then = graph([node("Add", ["x", "w"], ["a"])], "then", [], [port("a", 1, None)])
    nested = node("If", ["small"], ["b"], then_branch=inner[0], else_branch=inner[1])
    other = graph([node("Less", ["total", "limit"], ["small"]), nested], "other", [], [port("b", 1, None)])
    nodes = [
        node("ReduceSum", ["x"], ["total"], keepdims=0),
        node("Greater", ["total", "zero"], ["positive"]),
        node("If", ["positive"], ["y"], then_branch=then, else_branch=other),
    ]
    numbers = {"w": np.array([2.0, 3.0], np.float32), "zero": np.float32(0), "limit": np.float32(-5)}
    weights = [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in numbers.items()]
    return model_of(nodes, ["x"], ["y"], weights)


def make_loop(steps, goes):
    """Powers of two of x while they are small: the last one, and all sums with a value from around the loop."""
    node, port = onnx.helper.make_node, onnx.helper.make_tensor_value_info
    body = onnx.helper.make_graph(
        [
            node("Add", ["v", "v"], ["v_next"]),
            node("Add", ["v_next", "x"], ["row"]),
            node("ReduceSum", ["v_next"], ["total"], keepdims=0),
            node("Less", ["total", "limit"], ["goes_on"]),
        ],
        "body",
        [port("step", 7, []), port("goes", 9, []), port("v", 1, [2])],
        [port("goes_on", 9, []), port("v_next", 1, [2]), port("row", 1, [2])],
    )
    numbers = {"steps": np.int64(steps), "goes_first": np.bool_(goes), "limit": np.float32(40)}
    weights = [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in numbers.items()]
    return model_of(
        [node("Loop", ["steps", "goes_first", "x"], ["y", "rows"], body=body)], ["x"], ["y", "rows"], weights
    )


@pytest.mark.parametrize(
    "model", [make_branches(), make_loop(3, True), make_loop(100, True), make_loop(3, False), make_loop(0, True)]
)
def test_branches_and_loops_run_as_in_onnxruntime(model):
    model.ir_version = 8
    for numbers in ([1.0, 2.0], [-1.0, -2.0], [-4.0, -5.0]):
        x = torch.tensor(numbers, requires_grad=True)
        made = load(model)(x)
        results = made if isinstance(made, tuple) else (made,)
        assert_alike(run(model, [x]), list(results))
        assert torch.autograd.grad(results[0].sum(), x)[0].shape == (2,)


def test_graphs_within_graphs_are_bounded():
    node, graph = onnx.helper.make_node, onnx.helper.make_graph
    port = onnx.helper.make_tensor_value_info
    nodes = [node("Relu", ["x"], ["y0"])]
    for depth in range(30):
        inner = graph(nodes, "g", [], [port(f"y{depth}", 1, None)])
        nodes = [node("If", ["x"], [f"y{depth + 1}"], then_branch=inner, else_branch=inner if depth < 3 else graph([node("Relu", ["x"], ["z"])], "z", [], [port("z", 1, None)]))]  # fmt: skip
    with pytest.raises(ValueError, match="nested too deeply"):
        load(model_of(nodes, ["x"], ["y30"]))
    with pytest.raises(ValueError, match="lacks the attribute '(then|else)_branch'"):
        load(model_of([node("If", ["x"], ["y"])], ["x"], ["y"]))


KINDS = {
    "FLOAT": 2.5, "INT": 3, "STRING": "a", "FLOATS": [1.5], "INTS": [1, 2], "STRINGS": ["a", "b"],
    "TENSOR": onnx.numpy_helper.from_array(np.ones(2, np.float32)),
    "GRAPH": onnx.helper.make_graph([], "g", [], []),
}  # fmt: skip
NODES = {  # (operator, attribute) -> how many inputs it gets
    ("Gemm", "alpha"): 2, ("Softmax", "axis"): 1, ("Transpose", "perm"): 1, ("Concat", "axis"): 2, ("Cast", "to"): 1,
    ("Conv", "kernel_shape"): 2, ("MaxPool", "kernel_shape"): 1, ("Resize", "mode"): 1, ("LSTM", "direction"): 3,
    ("Einsum", "equation"): 1, ("Constant", "value"): 0, ("If", "then_branch"): 1, ("Loop", "body"): 2,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("operator", "name"), NODES, ids=".".join)
def test_an_attribute_of_another_kind_is_refused_by_name_when_a_file_is_read(operator, name, kind):
    wanted = onnx.defs.get_schema(operator, 18).attributes[name].type.name
    if kind == wanted:
        return
    node = onnx.helper.make_node(operator, ["x"] * NODES[operator, name], ["y"], name="here")
    node.attribute.append(onnx.helper.make_attribute(name, KINDS[kind]))
    with pytest.raises(
        ValueError, match=f"'{name}' of the node 'here' .{operator}. is of the kind {kind}; expected {wanted}"
    ):
        load(model_of([node], ["x"], ["y"]))


def made_wrong(operator, inputs, *attributes):
    node = onnx.helper.make_node(operator, inputs, ["y"], name="here")
    node.attribute.extend(onnx.AttributeProto(**each) for each in attributes)
    return node


TWICE = {"name": "axis", "type": onnx.AttributeProto.INT, "i": 1}
WRONG_NODES = {
    "'here' (Add) has 0 inputs, but 2 were expected": made_wrong("Add", []),
    "'here' (Relu) has 3 inputs, but 1 were expected": made_wrong("Relu", ["x"] * 3),
    "'here' (Gemm) has 1 inputs, but 2 to 3 were expected": made_wrong("Gemm", ["x"]),
    "'here' (Concat) has 0 inputs, but at least 1 were expected": made_wrong("Concat", [], TWICE),
    "'here' (Cast) lacks the attribute 'to'": made_wrong("Cast", ["x"]),
    "'here' (Softmax) has the attribute 'axis' twice": made_wrong("Softmax", ["x"], TWICE, TWICE),
    "'axis' of the node 'here' (Softmax) refers to an attribute of a function": made_wrong("Softmax", ["x"], TWICE | {"ref_attr_name": "a"}),
}  # fmt: skip


@pytest.mark.parametrize("words", WRONG_NODES)
def test_a_node_that_its_operator_does_not_fit_is_refused_when_a_file_is_read(words):
    with pytest.raises(ValueError, match=re.escape(words)):
        load(model_of([WRONG_NODES[words]], ["x"], ["y"]))


def test_a_node_without_an_output_is_refused():
    with pytest.raises(ValueError, match="'here' .Relu. has no output"):
        load(model_of([onnx.helper.make_node("Relu", ["x"], [], name="here")], ["x"], ["y"]))
