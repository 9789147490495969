"""Traces of single calls compute what the calls computed: each recorded call of each public function."""

import pytest

import tensh as torch
from tensh.tracing.program import trace_program
from tests.recorded.operators import families, resolve, tensor

SAMPLES = {name: calls for family in families() for name, calls in family.SAMPLES.items()}
ONE_OPERATOR_OF_SEVERAL = """
    nn.functional.adaptive_max_pool1d nn.functional.adaptive_max_pool2d nn.functional.unfold linalg.vander linalg.norm norm var
    std mean broadcast_tensors real imag block_diag cartesian_prod
""".split()
"""Functions whose operator has other arguments, other results or another name."""


def tensors_of(value):
    """The tensors in a result."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [each for part in value for each in tensors_of(part)]
    return [value] if isinstance(value, torch.Tensor) else []


def hold_trace(name, call):
    """Hold the graph of a call against the call itself, with the same random numbers."""
    function = resolve(torch, name)
    made = [tensor(torch, values, dtype) for _, dtype, values in call.arrays("float32", name)]

    def run(*tensors):
        args, kwargs = call.filled(tensors)
        return function(*args, **kwargs)

    torch.manual_seed(0)
    try:
        expected = tensors_of(run(*[each.clone() for each in made]))
    except (RuntimeError, TypeError, ValueError, NotImplementedError):
        return  # not for float32
    module = trace_program(run, [each.clone() for each in made]).graph_module()
    torch.manual_seed(0)
    actual = tensors_of(module(*[each.clone() for each in made]))
    assert [(each.shape, each.dtype) for each in actual] == [(each.shape, each.dtype) for each in expected], call
    for mine, other in zip(actual, expected):
        torch.testing.assert_close(mine, other, rtol=1e-6, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("name", ONE_OPERATOR_OF_SEVERAL)
def test_functions_with_an_operator_of_another_form(name):
    for call in SAMPLES[name]:
        hold_trace(name, call)


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(16))
def test_every_function(first):
    for name in list(SAMPLES)[first::16]:
        for call in SAMPLES[name]:
            hold_trace(name, call)
