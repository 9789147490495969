"""Compiled functions compute what they do uncompiled, whatever elements they are captured with."""

import copy

import pytest

import tensh as torch
from tests.compiler.comparing import tensors
from tests.compiler.other_elements import CASES

pytestmark = pytest.mark.filterwarnings("ignore")


def call(function, arguments):
    """Return the results of a call as lists, or its error."""
    torch.manual_seed(0)
    try:
        made = function(*copy.deepcopy(arguments))
    except Exception as error:
        return type(error).__name__, str(error).partition("\nin the compiled")[0]
    return [(each.tolist(), each.dtype) for each in tensors(made)] if tensors(made) else made


@pytest.mark.parametrize("name", CASES)
def test_graphs_are_right_for_other_elements(name):
    function, first, other = CASES[name]
    for arguments in (first, other, first), (other, first, other):
        compiled = torch.compile(lambda *given: function(*given))
        for each in arguments:
            assert repr(call(compiled, each)) == repr(call(function, each))


def test_arguments_that_python_reads_are_compared():
    narrow = torch.compile(lambda x, start: x.narrow(0, start, 1) * 2)
    x = torch.arange(3.0, requires_grad=True)
    for start in 0, 1, 0, 1:
        made = narrow(x, torch.tensor(start))
        assert made.item() == 2 * start and made.requires_grad
    assert len(narrow.compiled.graphs) == 2


def test_a_layer_with_statistics_moves_them_in_every_call():
    layer = torch.nn.InstanceNorm1d(2, track_running_stats=True)
    plain, compiled = copy.deepcopy(layer), torch.compile(layer)
    for _ in range(3):
        x = torch.rand(2, 2, 4) + 1
        assert compiled(x).equal(plain(x)) and layer.running_mean.equal(plain.running_mean)
