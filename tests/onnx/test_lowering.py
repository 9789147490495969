"""torch.onnx.export in older versions of ONNX's operators."""

import warnings

import pytest

import tensh as torch
from tests.onnx.models import MODELS, assert_alike, export, run

F = torch.nn.functional
PROGRAMS = {
    "reductions": lambda x: (x.mean(-1), x.sum((0, 1), keepdim=True), x.amax(1), x.logsumexp(-1)),
    "shapes": lambda x: (x.unsqueeze(-1).squeeze(-1), torch.cat(x.split(2, 1)), x.reshape(-1, 2), x[:, 1:3]),
    "rows": lambda x: (x.softmax(-1), x.log_softmax(0), F.layer_norm(x, (4,)), x.topk(2).values),
    "activations": lambda x: (
        F.hardswish(x),
        F.mish(x),
        x.clamp(-1, 1),
        x >= 0.5,
        x <= 0.5,
        F.pad(x, (1, 2), value=3.0),
    ),
}


def lower(program, x, opset):
    """Return the model, which must have the wanted version."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        made = export(program, x, opset_version=opset)
    assert made.opset_import[0].version == opset
    return made


@pytest.mark.parametrize("opset", range(9, 18))
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_in_older_versions_compute_the_same(name, opset):
    x = torch.randn(3, 4, generator=torch.Generator().manual_seed(0))
    assert_alike(run(lower(PROGRAMS[name], x, opset), [x]), list(PROGRAMS[name](x)))


@pytest.mark.parametrize("opset", [11, 13, 16])
@pytest.mark.parametrize("name", MODELS)
def test_models_in_older_versions_compute_the_same(name, opset):
    model, inputs = MODELS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = export(model, *inputs, opset_version=opset)
    assert made.opset_import[0].version in (opset, 18)
    assert_alike(run(made, inputs), model(*inputs))


def test_a_model_keeps_its_version_if_the_older_one_lacks_an_operator():
    x = torch.tensor([1, 2])
    with pytest.warns(UserWarning, match="keeps the opset 18: 13 has no equivalent of it .*BitwiseAnd"):
        made = export(lambda x: x & 1, x, opset_version=13)
    assert made.opset_import[0].version == 18


@pytest.mark.parametrize("opset", [8, 24])
def test_other_versions_are_refused(opset):
    with pytest.raises(ValueError, match=f"opset_version must be from 9 to 23, but got {opset}"):
        export(torch.sin, torch.ones(1), opset_version=opset)
