"""torch.fx beyond tests/recorded/sessions/fx.md: models, copies, leaf functions, and what stays unchanged."""

import copy
import io
import math
import pickle
import subprocess
import sys

import pytest

import tensh as torch
from tensh import fx
from tensh.engine.dispatch.override.points import armed
from tensh.fx.names import Namespace
from tests.support.project import ROOT
from tests.support.zoo import make_models, require_positive

MODELS = make_models(torch)


@fx.wrap
def triple(x, times=3):
    if float(times) > 2:
        return x * times
    return x


@pytest.mark.parametrize("name", MODELS)
def test_a_traced_model_computes_the_same(name):
    model, inputs = MODELS[name]
    traced = fx.symbolic_trace(model)
    traced.graph.lint()
    expected = model(*inputs)
    for each in (traced, copy.deepcopy(traced), fx.Transformer(traced).transform()):
        assert same(each(*inputs), expected)
    if name != "encoder":  # whose activation is a function, which pickles only where torch is tensh
        assert same(pickle.loads(pickle.dumps(traced))(*inputs), expected)
    assert same(fx.Interpreter(traced).run(*inputs), expected)


def same(a, b):
    """Are two results equal to the last bit, in tuples and dictionaries, too?"""
    if isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in b)
    if isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return torch.equal(a, b)


@pytest.mark.parametrize("name", MODELS)
def test_the_code_of_a_model_is_pytorchs(oracle, name):
    theirs = oracle.fx.symbolic_trace(make_models(oracle)[name][0])
    ours = fx.symbolic_trace(make_models(torch)[name][0])
    assert ours.code == theirs.code
    assert str(ours.graph) == str(theirs.graph)
    assert [node.op for node in ours.graph.nodes] == [node.op for node in theirs.graph.nodes]


def test_gradients_go_through_a_traced_model():
    model, inputs = MODELS["pooling"]
    traced = fx.symbolic_trace(model)
    model.zero_grad()
    traced(*inputs).sum().backward()
    ours = [p.grad.clone() for p in traced.parameters()]
    model.zero_grad()
    model(*inputs).sum().backward()
    assert sorted(map(repr, ours)) == sorted(repr(p.grad) for p in model.parameters())


def test_a_wrapped_function_is_one_node_and_comes_back_from_a_pickle():
    traced = fx.symbolic_trace(lambda x: triple(x, 4) + triple(2.0))
    assert [node.target for node in traced.graph.nodes if node.op == "call_function"][0].__name__ == "triple"
    assert 'wrap("tests_fx_test_fx_triple")' in traced.code
    assert triple(2.0) == 6.0
    again = pickle.loads(pickle.dumps(traced))
    assert again.code == traced.code
    assert again(torch.ones(1)).item() == traced(torch.ones(1)).item() == 10.0


def test_functions_of_math_are_leaves():
    traced = fx.symbolic_trace(lambda x: math.sqrt(x) + 1)
    assert traced(9.0) == 4.0


def test_a_trace_ends_with_functions_as_they_were():
    def fail(x):
        raise KeyError("inside")

    with pytest.raises(KeyError):
        fx.symbolic_trace(fail)
    assert not armed.now
    assert "__call__" not in vars(torch.nn.Module)
    assert "__getattr__" not in vars(torch.nn.Module)
    assert not fx._symbolic_trace.is_fx_tracing()


def test_a_folder_is_a_package_that_computes_the_same(tmp_path, monkeypatch):
    model, inputs = MODELS["generator"]
    traced = fx.symbolic_trace(model)
    with pytest.warns(UserWarning, match="saved as pickled files instead"):
        traced.to_folder(tmp_path / "package", "Generator")
    source = (tmp_path / "package" / "module.py").read_text()
    assert "class Generator(torch.nn.Module):" in source
    compile(source, "module.py", "exec")
    assert (tmp_path / "package" / "state_dict.pt").is_file()


def test_loading_a_saved_graph_module_runs_no_code_of_it():
    file = io.BytesIO()
    torch.save(fx.symbolic_trace(MODELS["MLP"][0]), file)
    for weights_only in (True, False):
        file.seek(0)
        with pytest.raises(pickle.UnpicklingError):
            torch.load(file, weights_only=weights_only)


def test_an_error_in_generated_code_shows_its_line(capsys):
    with torch.autocast("cpu"):  # from now on, operators ask whether they cast
        pass
    traced = fx.symbolic_trace(lambda x: x.relu() @ torch.ones(3))
    with pytest.raises(RuntimeError):
        traced(torch.ones(2))
    shown = capsys.readouterr().err
    assert "Call using an FX-traced Module, line 7 of the traced Module's generated forward function:" in shown
    assert "<--- HERE" in shown


def test_places_of_the_program_are_kept_where_the_tracer_records_them():
    class Placed(fx.Tracer):
        record_stack_traces = True

    class Model(torch.nn.Module):
        def forward(self, x):
            return x.relu() + 1

    model = Model()
    traced = fx.GraphModule(model, Placed().trace(model))
    assert "in forward, code: return x.relu() + 1" in traced.print_readable(print_output=False)


def test_an_assertion_is_traced_if_asked_for():
    class Asserting(fx.Tracer):
        trace_asserts = True

    traced = fx.GraphModule(torch.nn.Module(), Asserting().trace(require_positive))
    assert traced(torch.ones(1)).item() == 1.0
    with pytest.raises(AssertionError, match="Assertion failed"):
        traced(-torch.ones(1))


def test_the_table_needs_tabulate(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tabulate", None)
    with pytest.raises(ImportError):
        fx.symbolic_trace(lambda x: x).graph.print_tabular()
    assert "Run `pip install tabulate`" in capsys.readouterr().out


def test_nothing_is_imported_before_it_is_asked_for():
    code = "import sys, tensh as torch; torch.relu(torch.ones(2)); sys.exit(any(m.startswith('tensh.fx') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_names_of_compiled_functions_are_found():
    assert torch._C._nn.linear is torch.nn.functional.linear
    assert torch._C._nn.log_sigmoid is torch.nn.functional.logsigmoid
    assert torch._C._linalg.linalg_norm is torch.linalg.norm
    assert torch._C._special.special_expit is torch.special.expit
    with pytest.raises(AttributeError):
        torch._C._nn.nothing  # noqa: B018


NAMES = ['a"); print("run"); ("', "b c", "q'\\n\n", "class", "x = print('run')", "é", "1"]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_modules_and_arguments_are_no_code(name, capsys):
    """They may come out of a file."""

    class Named(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = torch.nn.ModuleDict({name: torch.nn.ReLU()})

        def forward(self, x):
            return next(iter(self.parts.values()))(x)

    assert torch.fx.symbolic_trace(Named())(torch.tensor([-1.0, 2.0])).tolist() == [0, 2]
    graph = torch.fx.Graph()
    graph.output(graph.call_function(dict, (), {name: graph.placeholder("x")}))
    assert torch.fx.GraphModule({}, graph)(3) == {name: 3}
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("root", [None, 5, torch.ones(1)], ids=str)
def test_a_graph_module_is_made_of_a_module_or_a_dict(root):
    with pytest.raises(RuntimeError, match="passed for root!"):
        torch.fx.GraphModule(root, None)


def test_a_call_with_thousands_of_named_arguments_is_compiled_at_once():
    """Python's compiler compares each name with all others: a minute for fifty thousand."""
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(count_names, (x,), {f"k{n}": n for n in range(5000)}))
    module = fx.GraphModule(torch.nn.Module(), graph)
    assert module(1) == 5000 and "**{'k4999': 4999}" in module.code


def count_names(x, **names):
    return len(names)


class Counted(set):
    """A set that counts how often it is asked."""

    asked = 0

    def __contains__(self, name):
        self.asked += 1
        return super().__contains__(name)


def test_names_whose_numbers_begin_again_are_found_at_once():
    """A name with zeros before its number let the next one try all numbers from there."""
    names = Namespace()
    names.used = used = Counted()
    given = [names.create_name(name, None) for n in range(1, 1000) for name in ("a", f"a_{'0' * n}1")]
    assert len({*given}) == len(given) and used.asked < 20 * len(given)


def test_a_proxy_of_a_graph_made_by_hand_is_taken_by_every_function():
    graph = fx.Graph()
    tracer = fx.proxy.GraphAppendingTracer(graph)
    x, y = (fx.Proxy(graph.placeholder(name), tracer=tracer) for name in "xy")
    for function in (torch.broadcast_tensors, torch.meshgrid, torch.block_diag, torch.cartesian_prod, torch.atleast_2d):
        assert isinstance(function(x, y), fx.Proxy)
    assert isinstance(torch.hstack([x, y]), fx.Proxy)


def test_einsum_of_a_list_is_recorded_with_its_operands():
    traced = fx.symbolic_trace(lambda x, y: torch.einsum("ij,jk->ik", [x, y]))
    assert "einsum('ij,jk->ik', x, y)" in traced.code


TRACES = {
    "aten": (lambda x: torch.ops.aten.sin(x), "%sin : [num_users=1] = call_function[target=torch.ops.aten.sin](args = (%x,), kwargs = {})"),
    "an overload": (
        lambda x: torch.ops.aten.add.Tensor(x, 1),
        "%add_tensor : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, 1), kwargs = {})",
    ),
    "norm": (
        lambda x: torch.norm(x),
        "%norm : [num_users=1] = call_function[target=torch.functional.norm](args = (%x,), "
        "kwargs = {p: fro, dim: None, keepdim: False, out: None, dtype: None})",
    ),
    "l1_loss": (
        lambda x: torch.nn.functional.l1_loss(x, x),
        "%l1_loss : [num_users=1] = call_function[target=torch.nn.functional.l1_loss](args = (%x, %x), "
        "kwargs = {size_average: None, reduce: None, reduction: mean})",
    ),
    "unravel_index": (
        lambda x: torch.unravel_index(x, (2, 2)),
        "%unravel_index : [num_users=1] = call_function[target=torch.functional.unravel_index](args = (%x,), kwargs = {shape: (2, 2)})",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("function", "line"), TRACES.values(), ids=TRACES)
def test_calls_have_pytorchs_names_and_arguments(function, line):
    assert str(fx.symbolic_trace(function).graph).splitlines()[2].strip() == line


def test_operators_of_aten_are_overridden_by_classes_and_modes():
    seen = []

    class Named:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return 3

    class Mode(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    x = torch.ones(2)
    assert torch.ops.aten.add(x, Named()) == torch.ops.aten.sin.default(Named()) == 3
    with Mode():
        assert torch.ops.aten.sin(x).equal(x.sin())
    assert seen[:3] == ["aten.add", "aten.sin.default", "aten.sin"]


def test_an_error_in_a_layer_is_raised_without_a_note(capfd):
    traced = fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 2)))
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        traced(torch.ones(1, 3))
    assert not capfd.readouterr().err


def test_a_proxy_can_be_copied():
    assert fx.symbolic_trace(lambda x: [copy.deepcopy(x), x + 1][1])(1) == 2
