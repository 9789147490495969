"""torch.jit: traces compute what the function does, scripts run as Python with checked arguments; both print themselves."""

import copy
import re
import warnings

import numpy as np
import pytest

import tensh as torch
from tests.support.zoo import make_models

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
MODELS = make_models(torch)


def same(a, b):
    """Are two results equal to the last bit, in tuples and dictionaries, too?"""
    if isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in b)
    if isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    return torch.equal(a, b)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "VAE"])  # its result has values of several types
def test_a_traced_model_computes_the_same_to_the_last_bit(name):
    model, inputs = MODELS[name]
    traced = torch.jit.trace(model, tuple(inputs), check_trace=False, strict=False)
    other = [each.flip(0) for each in inputs]
    state = copy.deepcopy(model.state_dict())
    expected = model(*other)
    model.load_state_dict(state)  # running statistics are the original's
    assert same(traced(*other), expected)
    assert list(traced.state_dict()) == list(model.state_dict())
    first = str(traced.graph).splitlines()[0]
    assert re.fullmatch(rf"graph\(%self(\.1)? : __torch__\.[\w.]+\.{type(model).__name__},", first)
    assert traced.code.startswith("def forward(self")
    assert "tensh::" not in str(traced.graph)
    model.load_state_dict(state)


@pytest.mark.parametrize("name", ["LeNet", "pooling", "gru"])
def test_gradients_go_through_a_trace(name):
    model, inputs = MODELS[name]
    traced = torch.jit.trace(model, tuple(inputs))
    found = []
    for each in (traced, model):
        model.zero_grad()
        result = each(*inputs)
        (result[0] if isinstance(result, tuple) else result).sum().backward()
        found.append([p.grad.clone() for p in model.parameters()])
    assert same(*found)


def test_sizes_are_followed():
    traced = torch.jit.trace(lambda x: x.view(x.size(0) * 2, -1) + x.shape[1], torch.randn(2, 4))
    x = torch.randn(6, 2)
    assert torch.equal(traced(x), x.view(12, -1) + 2)
    assert "torch.size(x, 0)" in traced.code


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        (lambda x: x * 2 if x.sum() > 0 else x, "Python boolean"),
        (lambda x: x * int(x[0]), "Python integer"),
        (lambda x: x * float(x[0]), "Python float"),
        (lambda x: x + len(x.tolist()), "Python list"),
        (lambda x: x + x[0].item(), "Python number"),
        (lambda x: x + len(x), "Using len to get tensor shape"),
        (lambda x: x + x.detach().numpy().sum().item(), "NumPy array"),
    ],
)
def test_what_python_reads_is_warned_of_at_the_users_line(program, kind):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.jit.trace(program, torch.ones(3))
    found = [each for each in caught if each.category is torch.jit.TracerWarning]
    assert [each for each in found if kind in str(each.message)]
    assert {each.filename for each in found} == {__file__}


def test_a_trace_that_does_not_match_is_warned_of():
    with pytest.warns(torch.jit.TracerWarning, match="Output nr 1. of the traced function does not match"):
        torch.jit.trace(torch.nn.Dropout(), torch.ones(64))
    with pytest.warns(torch.jit.TracerWarning, match="Output nr 1. of the traced function does not match"):
        examples = [{"forward": torch.ones(64)}]
        torch.jit.trace_module(torch.nn.Dropout(), {"forward": torch.zeros(64)}, check_inputs=examples)


@pytest.mark.parametrize("bad", [lambda x: 3, lambda x: (x, 2), lambda x: None, lambda x: {"a": x}, lambda x: {"a": 1}])
def test_results_that_a_trace_cannot_have_are_pytorchs_errors(oracle, bad):
    with pytest.raises(RuntimeError) as theirs:
        oracle.jit.trace(bad, oracle.ones(2))
    with pytest.raises(RuntimeError) as ours:
        torch.jit.trace(bad, torch.ones(2))
    assert str(ours.value) == str(theirs.value)


def test_writes_are_part_of_a_trace():
    def program(x):
        y = x.clone()
        y[0] = 7.0
        y[1:].mul_(2)
        y[:, 0] += x.sum()
        return y

    traced = torch.jit.trace(program, torch.ones(3, 2))
    x = torch.randn(3, 2)
    assert torch.equal(traced(x), program(x))


def write_unread(x):
    y = x * 2
    z = y + 1
    y.mul_(3)
    return z


def write_a_view_unread(x):
    (x * 2)[0].add_(5)
    return x + 1


def write_a_constant_unread(x):
    t = x.new_tensor([1.0, 2.0])
    z = t * x
    t.mul_(3)
    return z


def write_and_read(x):
    y = x * 2
    y[0].mul_(3)
    return y + 1


def write_the_argument(x):
    x[1:].mul_(3)
    return x.new_ones(2)


@pytest.mark.parametrize(
    "program",
    [write_unread, write_a_view_unread, write_a_constant_unread, write_and_read, write_the_argument],
    ids=lambda f: f.__name__,
)
def test_writes_that_nothing_reads_are_left_out_as_in_pytorch(oracle, program):
    answers = []
    for library in torch, oracle:
        traced = library.jit.trace(program, library.tensor([1.0, 2.0]), check_trace=False)
        x = library.tensor([3.0, 4.0])
        answers.append(([traced(x).tolist() for _ in range(2)], x.tolist(), traced.code.count("_(")))
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    "program",
    [
        lambda torch, x: x * torch.tensor([1.0, 2.0]),
        lambda torch, x: x * torch.tensor(x),
        lambda torch, x: x * torch.as_tensor([1.0, 2.0]),
        lambda torch, x: x * torch.asarray([1.0, 2.0]),
        lambda torch, x: x * torch.from_numpy(np.array([1.0, 2.0])),
        lambda torch, x: x * torch.frombuffer(bytearray(8), dtype=torch.float32),
        lambda torch, x: x * torch.Tensor([1.0, 2.0]),
        lambda torch, x: x * torch.FloatTensor([1.0, 2.0]),
        lambda torch, x: x * x.new([1.0, 2.0]) + x.new_tensor([3.0]),
        lambda torch, x: x.new_tensor(x) * 2,
        lambda torch, x: torch.asarray(x) + torch.Tensor(x),
    ],
)
def test_tensors_of_data_are_constants_and_warned_of_as_in_pytorch(oracle, program):
    answers = []
    for library in torch, oracle:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            traced = library.jit.trace(lambda x: program(library, x), library.ones(2), check_trace=False)  # noqa: B023
        texts = [
            str(each.message)
            for each in caught
            if "Warning" in each.category.__name__ and "jit" not in str(each.message)
        ]
        answers.append((traced(library.tensor([3.0, 4.0])).tolist(), sorted(texts)))
    assert answers[0] == answers[1]


def test_nested_arguments_and_keywords():
    traced = torch.jit.trace(
        lambda pair, table: pair[0] - pair[1] * table["k"], ((torch.ones(2), torch.ones(2)), {"k": torch.ones(2)})
    )
    a, b, c = torch.randn(3, 2)
    assert torch.equal(traced((a, b), {"k": c}), a - b * c)
    named = torch.jit.trace(lambda x, y: x - y, example_kwarg_inputs={"y": torch.ones(2), "x": torch.ones(2)})
    assert torch.equal(named(x=a, y=b), a - b) and torch.equal(named(a, b), a - b) and torch.equal(named(a, y=b), a - b)
    with pytest.raises(RuntimeError, match="missing value for argument 'y'"):
        torch.jit.trace(lambda x, y: x - y, (a, b))(a)
    with pytest.raises(RuntimeError, match="expected a tensor as arguments"):
        torch.jit.trace(lambda x: x, a)(3)


def test_methods_are_traced_under_their_names():
    class Two(torch.nn.Module):
        def forward(self, x):
            return x + 1

        def other(self, x):
            return x * 3

    examples = [{"forward": torch.zeros(3), "other": (torch.zeros(4),)}]
    made = torch.jit.trace_module(Two(), {"forward": torch.ones(2), "other": torch.ones(2)}, check_inputs=examples)
    assert made(torch.ones(2)).tolist() == [2, 2] and made.other(torch.ones(2)).tolist() == [3, 3]


def test_a_value_that_was_computed_unseen_is_refused():
    y = (torch.ones(2, requires_grad=True) * 2) + 1
    with pytest.raises(RuntimeError, match="Cannot insert a Tensor that requires grad as a constant"):
        torch.jit.trace(lambda x: x + y, torch.ones(2))


def test_a_copy_of_a_trace_has_its_own_parameters():
    traced = torch.jit.trace(torch.nn.Linear(2, 2), torch.ones(1, 2))
    made = copy.deepcopy(traced)
    with torch.no_grad():
        made.weight.zero_()
    assert not torch.equal(made(torch.ones(1, 2)), traced(torch.ones(1, 2)))
    assert made.double()(torch.ones(1, 2, dtype=torch.float64)).dtype is torch.float64


# ── script ───────────────────────────────────────────────────────────────────
def scale(x, n: int, parts: list[float] | None = None):
    for _ in range(n):
        x = x * 2
    return x


CALLS = [
    "torch.ones(1), 1.5",
    "1, 2",
    "torch.ones(1)",
    "torch.ones(1), 2, 'a'",
    "torch.ones(1), 2, [0.5], 4",
    "torch.ones(1), 2, [1, 2]",
]


@pytest.mark.parametrize("call", CALLS)
def test_the_border_of_a_scripted_function_is_pytorchs(oracle, call):
    def answer(torch):
        try:
            return eval(f"function({call}).tolist()", {"function": torch.jit.script(scale), "torch": torch})
        except RuntimeError as error:
            return re.sub(r"\nCast error details: .*", "", str(error))

    assert answer(torch) == answer(oracle)
    assert torch.jit.script(scale).schema == str(oracle.jit.script(scale).schema)


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.times = torch.nn.Linear(2, 2), 3

    def forward(self, x, k: int = 2):
        return self.helper(self.linear(x)) * k

    def helper(self, x):
        return x + self.times if torch.jit.is_scripting() else x

    @torch.jit.export
    def count(self, words: dict[str, int]) -> int:
        return sum(words.values())

    @torch.jit.ignore
    def describe(self):
        return "scaled"


def test_a_scripted_module_runs_as_python_and_checks_what_comes_in():
    model = Scaled()
    scripted, x = torch.jit.script(model), torch.randn(1, 2)
    assert torch.equal(scripted(x), (model.linear(x) + 3) * 2) and torch.equal(model(x), model.linear(x) * 2)
    assert scripted.count({"a": 1, "b": 2}) == 3 and scripted.describe() == "scaled"
    assert scripted.linear.weight is model.linear.weight and isinstance(scripted, torch.jit.ScriptModule)
    assert repr(scripted).splitlines()[1] == "  original_name=Scaled"
    assert "(self).helper((linear).forward(x, ), )" in scripted.code
    for call in (lambda: scripted(3), lambda: scripted(x, 2.5), lambda: scripted.count({"a": "b"}), lambda: scripted()):
        with pytest.raises(RuntimeError, match="Expected a value of type|is missing value"):
            call()
    made = copy.deepcopy(scripted)
    assert made.linear.weight is not model.linear.weight and torch.equal(made(x), scripted(x))


@pytest.mark.parametrize("name", [name for name in MODELS if name != "VAE"])
def test_models_of_the_zoo_run_scripted(name):
    model, inputs = MODELS[name]
    model = copy.deepcopy(model).eval()
    assert same(torch.jit.script(model)(*inputs), model(*inputs))


def test_marks_leave_functions_as_they_are():
    def f(x):
        return x

    for mark in (
        torch.jit.ignore,
        torch.jit.export,
        torch.jit.unused,
        torch.jit.interface,
        torch.jit.ignore(drop=True),
    ):
        assert mark(f) is f
    assert torch.jit.annotate(list[int], [1]) == [1]
    assert torch.jit.isinstance({"a": [1]}, dict[str, list[int]]) and not torch.jit.isinstance(
        {"a": [1.0]}, dict[str, list[int]]
    )
    assert not torch.jit.is_scripting() and not torch.jit.is_tracing()
    seen = []
    torch.jit.trace(lambda x: seen.append(torch.jit.is_tracing()) or x + 1, torch.ones(1), check_trace=False)
    assert seen == [True]


def test_a_frozen_module_has_no_parameters():
    traced = torch.jit.trace(torch.nn.Linear(2, 1).eval(), torch.ones(1, 2))
    frozen = torch.jit.freeze(traced.eval())
    assert not list(frozen.parameters()) and not frozen(torch.ones(1, 2)).requires_grad
    assert torch.equal(frozen(torch.ones(1, 2)), traced(torch.ones(1, 2)))
    with pytest.raises(RuntimeError, match="only implemented for modules in eval mode"):
        torch.jit.freeze(torch.jit.trace(torch.nn.Linear(2, 1), torch.ones(1, 2)))


def test_a_number_by_a_tensor_is_traced_as_it_is_computed():
    x = torch.rand(64) + 0.5
    traced = torch.jit.trace(lambda x: 3 / x, x)
    assert traced(x).equal(3 / x)
    assert [line.split("= ")[1].split("(")[0] for line in str(traced.graph).split("\n") if "aten::" in line] == [
        "aten::reciprocal", "aten::mul"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, "2."),
        (-0.0, "-0."),
        (0.1, "0.10000000000000001"),
        (1e-8, "1e-08"),
        (1e20, "1e+20"),
        (float("-inf"), "-inf"),
    ],
)
def test_floats_are_printed_as_in_torchscript(value, text):
    traced = torch.jit.trace(lambda x: torch.nn.functional.leaky_relu(x, value), torch.ones(2))
    assert f"(x, {text})" in traced.code
    assert f"float = prim::Constant[value={text}]" in str(traced.graph)


def test_scripted_modules_have_the_values_of_typed_attributes():
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.jit.Attribute({"a": 1}, dict[str, int])

        def forward(self, x):
            return x + self.table["a"]

    scripted = torch.jit.script(Counting())
    assert scripted(torch.ones(2)).tolist() == [2, 2] and scripted.table == {"a": 1}


def test_traced_methods_have_graphs_and_code():
    class Scaled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2))

        def forward(self, x):
            return x * self.weight

        def other(self, x, y):
            return x + y * self.weight

    x = torch.ones(2)
    traced = torch.jit.trace_module(Scaled(), {"forward": x, "other": (x, x)})
    assert traced.other(x, x).tolist() == [2, 2]
    assert traced.other.code == (
        "def other(self,\n    x: Tensor,\n    y: Tensor) -> Tensor:\n  weight = self.weight\n"
        "  return torch.add(x, torch.mul(y, weight))\n"
    )
    assert traced.other.graph.findNode("aten::mul") is not None
