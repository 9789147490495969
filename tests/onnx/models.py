"""Models for the tests of torch.onnx: exported, made of nodes, run by onnxruntime, and compared."""

import io

import numpy as np
import pytest

import tensh as torch
from tests.support.zoo import make_models

onnx = pytest.importorskip("onnx")
F = torch.nn.functional
MODELS = {name: (model.eval(), inputs) for name, (model, inputs) in make_models(torch).items()}


def flatten(value):
    value = list(value.values()) if isinstance(value, dict) else value
    return [leaf for each in value for leaf in flatten(each)] if isinstance(value, (tuple, list)) else [value]


def run(proto, inputs):
    """The outputs of a model by onnxruntime."""
    runtime = pytest.importorskip("onnxruntime")
    runtime.set_default_logger_severity(4)
    session = runtime.InferenceSession(proto.SerializeToString())
    return session.run(None, {each.name: value.detach().numpy() for each, value in zip(proto.graph.input, inputs)})


def assert_alike(ours, expected):
    for a, b in zip(ours, flatten(expected), strict=True):
        a, b = np.asarray(a), b.detach().numpy()
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def export(program, *inputs, **options):
    return torch.onnx.export(program, inputs, **options).model_proto


def model_of(nodes, inputs, outputs, weights=()):
    helper = onnx.helper
    ports = [[helper.make_tensor_value_info(each, 1, None) for each in names] for names in (inputs, outputs)]
    return helper.make_model(
        helper.make_graph(nodes, "g", *ports, list(weights)), opset_imports=[helper.make_opsetid("", 18)]
    )


def load(model):
    return torch.onnx.load(io.BytesIO(model.SerializeToString()))
