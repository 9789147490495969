"""What a traced function prints: its code and its graph are PyTorch's."""

import inspect
import math
import re
import warnings

import pytest

import tensh as torch
from tests.jit.traced_functions import make_functions
from tests.jit.traced_modules import make_modules

pytestmark = pytest.mark.filterwarnings("ignore")
FUNCTIONS = make_functions(torch)
OTHER = {
    "norm": "PyTorch names a value within normalize",
    "mse": "PyTorch counts values that nothing reads",
    "unused": "PyTorch counts values that nothing reads",
}
"""Function -> why its graph is another one."""
COUNTED = ("sizeresults", "namedsizes", "sizesasnumbers", "smallconstants")
"""Functions in whose graphs PyTorch counts values that it has removed."""
OTHER_PARTS = ("r", "self_attn")  # PyTorch's names of values within recurrent layers and attention


def trace(library, function, name):
    x, y = library.arange(6.0).reshape(2, 3) + 1, library.ones(2, 3)
    given = ((x, y),) if name == "tuplein" else (x, y)[: len(inspect.signature(function).parameters)]
    return library.jit.trace(function, given, check_trace=False, strict=False)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_code_and_graphs_are_pytorchs(oracle, name):
    found = [trace(library, make_functions(library)[name], name) for library in (torch, oracle)]
    graphs, codes = [re.sub(r" # \S+", "", str(each.graph)) for each in found], [each.code for each in found]
    if name in COUNTED:
        graphs = list(map(renumber, graphs))
    if name in OTHER:
        assert graphs[0] != graphs[1]
    else:
        assert graphs[0] == graphs[1] and codes[0] == codes[1]


def renumber(text):
    """Number the values of a graph in the order in which they appear."""
    numbers = {}
    return re.sub(r"%\d+|(?<=%self)\.1|(?<=%input)\.1|(?<=%x)\.1", lambda found: number(found[0], numbers), text)


def number(value, numbers):
    return f"%{numbers.setdefault(value, len(numbers))}" if value.startswith("%") else ""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_places_of_the_users_own_lines_are_pytorchs(oracle, name):
    if name in (*OTHER, *COUNTED):
        pytest.skip("its graph has other lines, or other numbers")
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


@pytest.mark.parametrize("name", ["seqtop", "multi", "shared"])
def test_graphs_of_modules_are_pytorchs(oracle, name):
    graphs = []
    for library in torch, oracle:
        module, args = make_modules(library)[name]
        text = str(library.jit.trace(module, args).graph)
        graphs.append(renumber(re.sub(r" # \S+|___torch_mangle_\d+\.", "", text)))
    assert graphs[0] == graphs[1]


@pytest.mark.parametrize("library", ["ours", "theirs"])
def test_methods_traced_together_call_further_methods_of_submodules(library, request):
    library = torch if library == "ours" else request.getfixturevalue("oracle")
    module = make_modules(library)["lin"][0]
    type(module).other = lambda self, x: self(x) + 1
    x = library.ones(2, 3)
    traced = library.jit.trace_module(module, {"forward": x, "other": x})
    assert ".forward(x" in traced.code and ".forward1(x" in traced.other.code


WARNED = {
    "a float of a size": lambda torch: lambda x: x * math.sqrt(x.shape[1]),
    "an integer of a size": lambda torch: lambda x: x * int(x.shape[1]),
    "a decision on a size": lambda torch: lambda x: x + 1 if x.shape[0] > 1 else x,
    "random numbers": lambda torch: lambda x: torch.nn.functional.dropout(x, 0.5) + torch.rand_like(x),
    "a list": lambda torch: lambda x: (x, [x, x + 1]),
    "a dictionary": lambda torch: lambda x: (x, {"a": x}),
}


@pytest.mark.parametrize("name", WARNED)
def test_warnings_of_traces_are_pytorchs(oracle, name):
    found = []
    for library in torch, oracle:
        library.manual_seed(0)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                library.jit.trace(WARNED[name](library), library.ones(2, 3))
            except RuntimeError as error:
                found.append(str(error))
        texts = (
            str(each.message).partition(" Greatest")[0] for each in caught if "`torch.jit" not in str(each.message)
        )
        found.append([re.sub(r" # \S+|\nGreatest[^\n]*", "", each) for each in texts])
    half = len(found) // 2
    assert found[:half] == found[half:]


MIXED = [
    lambda x: {"a": x, 1: x},
    lambda x: {"a": x, "b": (x, x)},
    lambda x: {},
    lambda x: [],
    lambda x: [x, (x, x)],
    lambda x: (x, 1),
    lambda x: (x, x.dim()),
]


@pytest.mark.parametrize("number", range(len(MIXED)))
def test_results_that_a_trace_cannot_have_are_refused_as_by_pytorch(oracle, number):
    texts = []
    for library in torch, oracle:
        with pytest.raises(RuntimeError) as caught:
            library.jit.trace(MIXED[number], library.ones(2), strict=False)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]


def test_types_of_traced_modules_have_names_of_their_own():
    traced = torch.jit.trace(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)), torch.ones(1, 2))
    first, second = (re.search(r": (\S+),", str(each.graph))[1] for each in traced.children())
    assert first != second and re.fullmatch(
        r"__torch__\.torch\.nn\.modules\.linear\.___torch_mangle_\d+\.Linear", second
    )


@pytest.mark.parametrize("library", ["ours", "theirs"])
def test_lines_of_submodules_have_their_types_and_scopes(library, request):
    library = torch if library == "ours" else request.getfixturevalue("oracle")
    nn = library.nn
    layers = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 1)))
    text = re.sub(r"___torch_mangle_\d+\.", "", str(library.jit.trace(layers, library.ones(1, 2)).inlined_graph))
    for line in (
        r"%_0\S* : __torch__.torch.nn.modules.linear.Linear = prim::GetAttr\[name=\"0\"\]\(%self",
        r"%_1\S* : __torch__.torch.nn.modules.container.Sequential = prim::GetAttr\[name=\"1\"\]\(%self",
        r"%weight : Tensor = prim::GetAttr\[name=\"weight\"\]\(%_1",
        r"aten::linear\(%input, %weight, %bias\), scope: __module\.1/__module\.1\.1 ",
    ):
        assert re.search(line, text)


def test_code_takes_nested_inputs_apart(oracle):
    for library in torch, oracle:
        one = library.ones(1)
        code = library.jit.trace(lambda t: t[0] + t[1][0], ((one, (one,)),)).code
        assert "  _0, _1, = t\n  _2, = _1\n  return torch.add(_0, _2)\n" in code
        code = library.jit.trace(lambda t: t[0][0] * 2, ([[one]],)).code
        assert "t: List[List[Tensor]]" in code and "  _1, = _0\n" in code
        with pytest.raises(TypeError, match="'NoneType' object is not iterable"):
            library.jit.trace(lambda x: x)
