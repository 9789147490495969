"""torch.onnx.load runs models of other exporters as onnxruntime does."""

import io

import numpy as np
import pytest

import tensh as torch

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

from tests.onnx.foreign_models import CASES, N  # noqa: E402


def make_model(name):
    """Return a model, its inputs and the names of its outputs."""
    nodes, inputs, outs, opset, weights, version = CASES[name]
    kinds = {key: helper.np_dtype_to_tensor_dtype(value.dtype) for key, value in inputs.items()}
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(key, kinds[key], value.shape) for key, value in inputs.items()],
        [helper.make_empty_tensor_value_info(each) for each in outs],
        [
            value if isinstance(value, TensorProto) else numpy_helper.from_array(np.asarray(value), key)
            for key, value in weights.items()
        ],
    )
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)],
        ir_version=version,
    )
    model = onnx.shape_inference.infer_shapes(model)
    for each in model.graph.output:
        if not each.type.WhichOneof("value"):
            each.type.tensor_type.elem_type = 1
    return model.SerializeToString(), inputs, outs


@pytest.mark.parametrize("name", CASES)
def test_models_of_other_exporters_run_as_in_onnxruntime(name):
    content, inputs, outs = make_model(name)
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    expected = runtime.InferenceSession(content, options).run(outs, inputs)
    found = torch.onnx.load(io.BytesIO(content))(*[torch.tensor(each) for each in inputs.values()])
    found = found if isinstance(found, (tuple, list)) else [found]
    for ours, theirs in zip(found, expected, strict=True):
        ours = ours.detach().numpy()
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        assert np.allclose(ours.astype(float), theirs.astype(float), rtol=1e-4, atol=1e-5, equal_nan=True)


TYPES = {
    "UINT16": "uint16", "UINT32": "uint32", "UINT64": "uint64", "INT4": "int8", "UINT4": "uint8", "FLOAT8E4M3FN": "float8_e4m3fn",
    "FLOAT8E5M2": "float8_e5m2", "FLOAT8E4M3FNUZ": "float8_e4m3fnuz", "FLOAT8E5M2FNUZ": "float8_e5m2fnuz", "BFLOAT16": "bfloat16",
}  # fmt: skip


def make_weight(kind, raw):
    weight = helper.make_tensor("w", getattr(TensorProto, kind), [3], [0, 1, 3])
    return numpy_helper.from_array(numpy_helper.to_array(weight), "w") if raw else weight


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("kind", TYPES)
def test_weights_of_all_dtypes_are_read(kind, raw):
    weight = make_weight(kind, raw)
    output = helper.make_tensor_value_info("y", weight.data_type, [3])
    model = helper.make_model(helper.make_graph([N("Identity", ["w"], ["y"])], "graph", [], [output], [weight]))
    found = torch.onnx.load(io.BytesIO(model.SerializeToString()))()
    assert str(found.dtype) == f"torch.{TYPES[kind]}" and found.tolist() == [0, 1, 3]


def test_a_type_that_tensh_lacks_is_named():
    weight = make_weight("FLOAT4E2M1", False)
    output = helper.make_tensor_value_info("y", weight.data_type, [3])
    model = helper.make_model(helper.make_graph([N("Identity", ["w"], ["y"])], "graph", [], [output], [weight]))
    with pytest.raises(ValueError, match="w has the type FLOAT4E2M1, which tensh does not support"):
        torch.onnx.load(io.BytesIO(model.SerializeToString()))()
