"""Scripts become ONNX models that branch, repeat and compute numbers as the scripts do, in onnxruntime and here."""

import io

import pytest

import tensh as torch
from tests.onnx.models import assert_alike, export, flatten, load, run
from tests.onnx.scripted_programs import CASES, REFUSED, SAMPLES, SIZES, Around, Branches


def as_tensors(result):
    return [
        each
        if isinstance(each, torch.Tensor)
        else torch.tensor(each, dtype=torch.float64 if isinstance(each, float) else None)
        for each in flatten([result])
    ]


def assert_same(proto, script, cases):
    back = load(proto)
    for args in cases:
        wanted = [each.detach() for each in as_tensors(script(*args))]
        assert_alike(run(proto, args), wanted)
        assert_alike([each.detach().numpy() for each in flatten([back(*args)])], wanted)


def read_back(script):
    file = io.BytesIO()
    torch.jit.save(script, file)
    file.seek(0)
    return torch.jit.load(file)


@pytest.mark.parametrize("from_file", [False, True])
@pytest.mark.parametrize("function", CASES)
def test_functions_run_alike(function, from_file):
    script = torch.jit.script(function)
    program = read_back(script) if from_file else script
    assert_same(export(program, *CASES[function][0]), script, CASES[function])


@pytest.mark.parametrize("function", SIZES)
def test_functions_follow_dynamic_sizes(function):
    script = torch.jit.script(function)
    proto = export(script, *SIZES[function][0], input_names=["x"], dynamic_axes={"x": {0: "n"}})
    assert_same(proto, script, [*SIZES[function], (torch.ones(5, 3),), (-torch.ones(4, 3),)])


@pytest.mark.parametrize("make", [lambda: torch.jit.script(Branches()), Around])
def test_modules_keep_the_names_of_parameters(make):
    torch.manual_seed(0)
    module = make()
    proto = export(module, *SAMPLES[0])
    assert_same(proto, module, SAMPLES)
    named = {name for name, _ in [*module.named_parameters(), *module.named_buffers()]}
    assert named <= {each.name for each in proto.graph.initializer}


@pytest.mark.parametrize("function", REFUSED)
def test_what_cannot_be_recorded_is_refused_with_its_line(function):
    with pytest.raises(
        torch.onnx.OnnxExporterError,
        match=rf"{REFUSED[function]}(.|\n)*, called at code/.*\.py:\d+ in forward",
    ):
        export(torch.jit.script(function), *SAMPLES[0])
