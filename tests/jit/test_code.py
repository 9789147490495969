"""What a traced function prints: its code and its graph are PyTorch's."""

import inspect
import re

import pytest

import tensh as torch
from tests.jit.traced_functions import make_functions
from tests.jit.traced_modules import make_modules

pytestmark = pytest.mark.filterwarnings("ignore")
FUNCTIONS = make_functions(torch)
OTHER = {
    "norm": "PyTorch names a value within normalize",
    "shapearith": "PyTorch divides sizes as tensors",
    "mse": "PyTorch counts values that nothing reads",
    "unused": "PyTorch counts values that nothing reads",
}
"""Function -> why its graph is another one."""
OTHER_PARTS = ("r", "self_attn")  # PyTorch's names of values within recurrent layers and attention


def trace(library, function, name):
    x, y = library.arange(6.0).reshape(2, 3) + 1, library.ones(2, 3)
    given = ((x, y),) if name == "tuplein" else (x, y)[: len(inspect.signature(function).parameters)]
    return library.jit.trace(function, given, check_trace=False, strict=False)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_code_and_graphs_are_pytorchs(oracle, name):
    found = [trace(library, make_functions(library)[name], name) for library in (torch, oracle)]
    graphs, codes = [re.sub(r" # \S+", "", str(each.graph)) for each in found], [each.code for each in found]
    if name in OTHER:
        assert graphs[0] != graphs[1]
    else:
        assert graphs[0] == graphs[1] and codes[0] == codes[1]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_places_of_the_users_own_lines_are_pytorchs(oracle, name):
    if name in OTHER:
        pytest.skip("its graph has other lines")
    ours, theirs = (
        str(trace(library, make_functions(library)[name], name).graph).splitlines() for library in (torch, oracle)
    )
    pairs = [(one, two) for one, two in zip(ours, theirs, strict=True) if "site-packages" not in two]
    assert [one for one, _ in pairs] == [two for _, two in pairs]


@pytest.mark.parametrize("name", make_modules(torch))
def test_code_of_modules_is_pytorchs(oracle, name):
    codes = []
    for library in torch, oracle:
        module, args = make_modules(library)[name]
        traced = library.jit.trace(module, args, check_trace=False)
        parts = [(path, each) for path, each in traced.named_modules() if path not in OTHER_PARTS]
        codes.append({path: getattr(each, "code", None) for path, each in parts})
    assert codes[0] == codes[1]
