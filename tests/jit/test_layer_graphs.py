"""Graphs of scripted layers that normalise, and scripts that warn."""

import re
import typing
import warnings

import pytest

import tensh as torch
from tests.jit.test_script_graphs import same_lines

pytestmark = pytest.mark.filterwarnings("ignore")


class Pair(typing.NamedTuple):
    first: typing.Any
    second: typing.Any


def warn_of_large(x, n: int):
    if n > 2:
        warnings.warn("it's large")  # noqa: B028
        warnings.warn(f"n is {n}", stacklevel=3)
    return x + n


@pytest.mark.parametrize(
    "layer", ["BatchNorm1d(2)", "BatchNorm2d(2, momentum=None)", "BatchNorm3d(2)", "GroupNorm(2, 4)"]
)
def test_layers_check_their_inputs_as_pytorchs_do(oracle, layer):
    ours, theirs = (library.jit.script(eval(f"nn.{layer}", {"nn": library.nn})) for library in (torch, oracle))
    assert same_lines(ours.graph, theirs.graph) == ""
    assert same_lines(ours.inlined_graph, theirs.inlined_graph) == ""


def test_scripts_warn(oracle):
    ours, theirs = torch.jit.script(warn_of_large), oracle.jit.script(warn_of_large)
    graphs = [
        re.sub(r"warn_id=\d+", "warn_id", str(each.graph)) for each in (ours, theirs)
    ]  # PyTorch counts all scripts
    assert same_lines(*graphs) == "" and ours.code == theirs.code


def test_a_batch_of_wrong_dimensions_is_refused():
    script = torch.jit.script(torch.nn.BatchNorm1d(2))
    with pytest.raises(Exception, match=r"expected 2D or 3D input \(got 4D input\)"):
        script(torch.ones(2, 2, 2, 2))


def test_traces_give_plain_tuples():
    class Module(torch.nn.Module):
        def forward(self, x):
            return Pair(x, Pair(x + 1, x))

    found = torch.jit.trace(Module(), torch.ones(2))(torch.zeros(2))
    assert type(found) is tuple and type(found[1]) is tuple and found[1][0].tolist() == [1, 1]
