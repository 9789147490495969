"""Every layer of torch.nn does what PyTorch's does: printed form, starting weights, outputs, gradients, state."""

import importlib
import inspect
import pkgutil
import warnings

import numpy as np
import pytest

import tensh
from tensh import nn
from tensh.engine.codegen import node_classes, operator
from tensh.nn.modules import calls
from tests.recorded.answers import read_answers
from tests.recorded.layers.cases import CASES, FIGURES, MISTAKES, REFUSALS, figures, outcome, refusal
from tests.support.sampling import few_of

RTOL = {"torch.bfloat16": 3e-2, "torch.float16": 4e-3, "torch.float64": 1e-9}  # others 1e-4
RECORDED, REFUSED = read_answers(FIGURES), read_answers(REFUSALS)


@pytest.mark.parametrize(("layer", "inputs"), few_of(CASES, every=3))
def test_layer_gives_the_recorded_figures(layer, inputs):
    expected, got = RECORDED[f"{layer} <- {inputs}"], figures(tensh, layer, inputs)
    assert list(got) == list(expected)
    for kind, (norm, projection) in expected.items():
        rtol = 3e-2 if "dtype=bfloat16" in layer + inputs or "dtype=half" in layer + inputs else 1e-3
        assert got[kind] == pytest.approx([norm, projection], rel=rtol, abs=rtol * norm + 1e-6), kind


@pytest.mark.parametrize(
    ("layer", "inputs"), few_of([*{layer.partition("(")[0]: (layer, inputs) for layer, inputs in CASES}.values()])
)
def test_what_has_run_writes_no_more_functions(layer, inputs, monkeypatch):
    figures(tensh, layer, inputs)
    written = []
    for module in (operator, node_classes):
        monkeypatch.setattr(module, "compile_source", lambda source, *args: written.append(source))
    figures(tensh, layer, inputs)
    assert not written


@pytest.mark.filterwarnings("ignore")  # before the error; the texts of errors are what counts here
@pytest.mark.parametrize(("layer", "inputs"), MISTAKES)
def test_mistakes_are_refused_with_the_recorded_words(layer, inputs):
    message, recorded = refusal(tensh, layer, inputs), REFUSED[f"{layer} <- {inputs}"]
    if recorded.startswith("ZeroDivisionError"):  # Python's own, in other words since 3.14
        message, recorded = message.partition(":")[0], recorded.partition(":")[0]
    assert message == recorded


@pytest.mark.parametrize(("layer", "inputs"), MISTAKES)
def test_mistakes_are_refused_with_pytorchs_words(oracle, layer, inputs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert refusal(tensh, layer, inputs) == refusal(oracle, layer, inputs) is not None


def test_every_layer_has_a_case():
    tried = " ".join(f"{layer} {inputs}" for layer, inputs in CASES)
    held = {
        "Module",
        "Container",
        "Sequential",
        "ModuleList",
        "ModuleDict",
        "ParameterList",
        "ParameterDict",
        "RNNBase",
        "RNNCellBase",
    }
    layers = {
        name for name in nn.__all__ if isinstance(getattr(nn, name), type) and issubclass(getattr(nn, name), nn.Module)
    }
    assert sorted(name for name in layers - held if f"{name}(" not in tried) == []


def test_every_layer_of_a_module_is_found_in_nn():
    # bases, and one that PyTorch's nn lacks, too
    inner = {"Layer", "NumberedModules", "NonDynamicallyQuantizableLinear"}
    modules = [importlib.import_module(m.name) for m in pkgutil.iter_modules(nn.modules.__path__, "tensh.nn.modules.")]
    layers = {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, nn.Module) and not name.startswith("_")
    }
    assert len(layers) > 100
    assert {name for name, layer in layers.items() if getattr(nn, name, None) is not layer} == inner


@pytest.mark.parametrize(
    ("layer", "signature"),
    [
        ("ELU", "(alpha=1.0, inplace=False)"),
        ("MaxPool2d", "(kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False)"),
        ("GaussianNLLLoss", "(*, full=False, eps=1e-06, reduction='mean')"),
    ],
)
def test_what_is_written_has_true_signatures(layer, signature):
    assert str(inspect.signature(getattr(nn, layer))) == signature
    assert inspect.getsource(getattr(nn, layer).forward).startswith("def forward(self, input")


def test_signatures_are_pytorchs(oracle):
    def parameters(cls):
        return [
            (p.name, p.kind, None if callable(p.default) else p.default)
            for p in inspect.signature(cls).parameters.values()
        ]

    layers = [n for n in nn.__all__ if isinstance(getattr(nn, n), type) and issubclass(getattr(nn, n), nn.Module)]
    different = [n for n in layers if parameters(getattr(nn, n)) != parameters(getattr(oracle.nn, n))]
    bare = [("args", inspect.Parameter.VAR_POSITIONAL), ("kwargs", inspect.Parameter.VAR_KEYWORD)]
    named = [n for n in different if [each[:2] for each in parameters(getattr(oracle.nn, n))] == bare]
    assert "LSTM" in named  # whose parameters PyTorch does not name, and tensh does
    assert sorted({*different} - {*named}) == []


@pytest.mark.parametrize("layer", ["RNN", "LSTM", "GRU"])
def test_shown_parameters_of_recurrent_layers_are_taken_where_they_stand(layer):
    cls = getattr(nn, layer)
    values = {
        "input_size": 2, "hidden_size": 5, "num_layers": 2, "nonlinearity": "relu", "bias": False, "batch_first": True,
        "dropout": 0.5, "bidirectional": True, "proj_size": 3, "device": "cpu", "dtype": tensh.float64,
    }  # fmt: skip
    shown = inspect.signature(cls).parameters.values()
    by_place = [values[p.name] for p in shown if p.kind is p.POSITIONAL_OR_KEYWORD]
    by_name = {p.name: values[p.name] for p in shown if p.kind is p.KEYWORD_ONLY}
    made = cls(*by_place, **by_name)
    assert repr(made) == repr(cls(**{p.name: values[p.name] for p in shown}))
    assert made.all_weights[0][0].dtype == tensh.float64


@pytest.fixture(scope="module")
def single(oracle):
    """PyTorch on one thread: several wait for each other longer than a small layer takes."""
    count = oracle.get_num_threads()
    oracle.set_num_threads(1)
    yield oracle
    oracle.set_num_threads(count)


@pytest.mark.parametrize(("layer", "inputs"), CASES)
def test_layer_is_pytorchs(single, layer, inputs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, got = list(outcome(single, layer, inputs)), list(outcome(tensh, layer, inputs))
    assert [what for what, _ in got] == [what for what, _ in expected]
    for (what, one), (_, other) in zip(got, expected, strict=True):
        assert same(one, other), f"{what}: {one} is not {other}"


def same(one, other):
    if not isinstance(one, tuple):
        return one == other
    rtol = RTOL.get(other[0], 1e-4)
    largest = np.abs(other[2]).max(initial=0, where=np.isfinite(other[2]))
    return one[:2] == other[:2] and np.allclose(one[2], other[2], rtol, 1e-6 + rtol * largest, equal_nan=True)


def test_tangents_of_a_recurrent_layer_are_its_gradients():
    tensh.manual_seed(0)
    layer, x, v = nn.LSTM(3, 4, 2, bidirectional=True), tensh.randn(5, 2, 3), tensh.randn(5, 2, 3)

    def total(x):
        return layer(x)[0].sum()

    slope = tensh.func.grad(total)
    assert tensh.allclose(tensh.func.jvp(total, (x,), (v,))[1], (slope(x) * v).sum(), atol=1e-6)
    twice = tensh.func.grad(lambda x: (slope(x) * v).sum())(x)
    assert tensh.allclose(tensh.func.jvp(slope, (x,), (v,))[1], twice, atol=1e-6)


def test_a_layer_of_ones_own_follows_from_its_declaration():
    from tensh.nn.modules.layer import Layer

    class Power(Layer, settings="exponent=2, *, exact=False", computes="input.pow(exponent)", shows="exponent exact?"):
        """The input to a power."""

    assert (
        repr(nn.Sequential(Power(3), Power(exact=1)))
        == "Sequential(\n  (0): Power(exponent=3)\n  (1): Power(exponent=2, exact=True)\n)"
    )
    assert Power(3)(tensh.tensor([2.0])).tolist() == [8.0]
    with pytest.raises(TypeError, match="Power.__init__"):
        Power(1, 2)


def test_a_prefix_is_removed_from_the_keys_of_a_state_dict_and_of_its_metadata():
    around = nn.Sequential()
    around.add_module("module", nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1)))
    state = around.state_dict()
    nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    inside = around.module.state_dict()
    assert list(state) == list(inside)
    assert {key: value for key, value in state._metadata.items() if key} == {
        key: value for key, value in inside._metadata.items() if key
    }


@pytest.mark.parametrize("name", ["xpu", "ipu", "mtia"])
def test_modules_go_to_other_devices_if_they_have_no_tensors(name):
    layer = nn.ReLU()
    assert getattr(layer, name)() is layer
    with pytest.raises(NotImplementedError, match="devices other than the CPU"):
        getattr(nn.Linear(1, 1), name)()


def test_members_may_have_the_names_of_helpers():
    class Origin(tensh.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("_origin", tensh.zeros(2))
            self.register_parameter("_keep", tensh.nn.Parameter(tensh.ones(2)))
            self._register = tensh.nn.Linear(2, 2)

        def _add(self, x, y):
            return x + y

        def forward(self, x):
            return self._add(x - self._origin, self._keep)

    module = Origin()
    module.register_forward_hook(lambda module, args, out: out * 2)
    assert module(tensh.ones(2)).tolist() == [4, 4]
    assert [*module.state_dict()] == ["_keep", "_origin", "_register.weight", "_register.bias"]
    module.load_state_dict(Origin().state_dict())


GLOBAL = ("register_module_backward_hook", "register_module_full_backward_hook")


@pytest.mark.parametrize("names", [GLOBAL, GLOBAL[::-1]], ids="-".join)
def test_backward_hooks_of_all_modules_are_of_one_kind(names, monkeypatch):
    monkeypatch.setattr(calls, "IS_FULL", {})
    first, other = (getattr(calls, name) for name in names)
    told = []
    handles = [first(lambda module, *gradients: told.append(type(module).__name__)) for _ in range(2)]
    with pytest.raises(
        RuntimeError, match="Cannot use both regular backward hooks and full backward hooks as a global"
    ):
        other(print)
    tensh.nn.Linear(1, 1)(tensh.ones(1, requires_grad=True)).backward()
    for handle in handles:
        handle.remove()
    tensh.nn.Linear(1, 1)(tensh.ones(1, requires_grad=True)).backward()
    assert told == ["Linear", "Linear"]


def test_conversion_keeps_the_parameters():
    layer = nn.Linear(2, 2)
    weight = layer.weight
    assert layer.double().weight is weight and weight.dtype is tensh.float64


def test_a_vector_is_written_into_parameters():
    layer = nn.Linear(2, 2)
    before = nn.utils.parameters_to_vector(layer.parameters())
    nn.utils.vector_to_parameters(2 * before, layer.parameters())
    assert nn.utils.parameters_to_vector(layer.parameters()).equal(2 * before)
    with pytest.raises(TypeError):
        nn.utils.vector_to_parameters(before.tolist(), layer.parameters())
