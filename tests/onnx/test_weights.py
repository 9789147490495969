"""Weights beside a model, or in it."""

import os

import numpy as np
import pytest

import tensh as torch
from tests.onnx.models import model_of, onnx


def test_weights_beside_a_model_stay_in_its_folder(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "secret.bin").write_bytes(np.ones(2, np.float32).tobytes())
    (tmp_path / "models" / "weights.bin").write_bytes(np.ones(2, np.float32).tobytes())
    os.symlink(tmp_path / "secret.bin", tmp_path / "models" / "link.bin")

    def try_place(place):
        weight = onnx.TensorProto(name="w", data_type=1, dims=[2], data_location=1)
        weight.external_data.add(key="location", value=place)
        path = tmp_path / "models" / "m.onnx"
        path.write_bytes(
            model_of([onnx.helper.make_node("Add", ["x", "w"], ["y"])], ["x"], ["y"], [weight]).SerializeToString()
        )
        return torch.onnx.load(path)

    assert try_place("weights.bin")(torch.ones(2)).tolist() == [2, 2]
    for place in ("../secret.bin", str(tmp_path / "secret.bin"), "link.bin", "none.bin", ""):
        with pytest.raises(ValueError, match="not a file in the folder"):
            try_place(place)


def test_weights_lie_beside_a_model_or_in_it(tmp_path):
    model, x = torch.nn.Linear(20, 20), torch.randn(2, 20)
    made = torch.onnx.export(model, x, tmp_path / "a.onnx")
    sizes = {each.name: each.stat().st_size for each in tmp_path.iterdir()}
    assert sizes["a.onnx.data"] == 1600 and sizes["a.onnx"] < 1000  # the bias of 80 bytes stays
    made.save(tmp_path / "b.onnx")
    torch.onnx.export(model, x, tmp_path / "c.onnx", external_data=False)
    for name in "abc":
        assert torch.allclose(torch.onnx.load(tmp_path / f"{name}.onnx")(x), model(x), atol=1e-6)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.onnx", "a.onnx.data", "b.onnx", "c.onnx"]
    onnx.checker.check_model(str(tmp_path / "a.onnx"))


def test_weights_stay_as_they_were_where_their_model_cannot_be_written(tmp_path):
    model, x = torch.nn.Linear(20, 20), torch.randn(2, 20)
    weights = tmp_path / "a.onnx.data"
    weights.write_text("old")
    (tmp_path / "a.onnx").mkdir()
    with pytest.raises(IsADirectoryError):
        torch.onnx.export(model, x, tmp_path / "a.onnx")
    assert weights.read_text() == "old"
