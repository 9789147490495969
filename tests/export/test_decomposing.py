"""run_decompositions: programs of core operators give the original results, and their graphs are PyTorch's."""

import copy
import re
from pathlib import Path

import pytest

import tensh as torch
from tests.export.programs import MODELS, same, saved
from tests.support.sampling import few_of

TEXT = Path(__file__).with_name("decompositions.txt").read_text(encoding="utf-8")
SAME, OTHER = (part.splitlines()[1:] for part in re.split(r"^# ", TEXT, flags=re.M)[1:])
TABLES = {"core": None, "none": {}}


def make_module(torch, text):
    """Return (module of an expression, its inputs)."""
    inputs = {
        "x": torch.arange(6.0).reshape(2, 3) + 1,
        "y": torch.ones(2, 3),
        "x3": torch.arange(24.0).reshape(2, 3, 4) / 24,
        "im": torch.arange(64.0).reshape(1, 1, 8, 8) / 64,
    }
    used = [name for name in inputs if re.search(rf"\b{name}\b", text)] or ["x"]
    function = eval(f"lambda {', '.join(used)}: ({text})", {"torch": torch, "F": torch.nn.functional})

    class Expression(torch.nn.Module):
        def forward(self, *given):
            return function(*given)

    return Expression(), tuple(inputs[name] for name in used)


def steps(program):
    """The nodes of a program as text."""
    return [
        re.sub(r"\s+", " ", f"{node.name} = {node.op} {node.target} {node.args} {node.kwargs}").split(" at 0x")[0]
        for node in program.graph.nodes
    ]


def close(a, b):
    if isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(close, a, b))
    return torch.allclose(a.double(), b.double(), rtol=1e-5, atol=1e-6, equal_nan=True) and a.dtype == b.dtype


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("text", few_of([*SAME, *OTHER]))
def test_expressions_compute_the_same(text, table):
    module, inputs = make_module(torch, text)
    program = torch.export.export(module, inputs).run_decompositions(TABLES[table])
    torch.manual_seed(0)
    expected = module(*inputs)
    torch.manual_seed(0)
    found = program.module()(*inputs)
    if "rand" not in text and "train" not in text:
        assert close(found, expected)
    names = [getattr(node.target, "_opname", "") for node in program.graph.nodes]
    assert not any(name.endswith("_") and not name.startswith("__") for name in names)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("text", few_of(SAME, 3))
def test_graphs_of_expressions_are_pytorchs(oracle, text, table):
    found = []
    for library in torch, oracle:
        module, inputs = make_module(library, text)
        found.append(steps(library.export.export(module, inputs).run_decompositions(TABLES[table])))
    assert found[0] == found[1]


@pytest.mark.thorough
@pytest.mark.parametrize("name", MODELS)
def test_models_of_the_zoo_compute_the_same(name):
    model, inputs = MODELS[name]
    program = torch.export.export(model, tuple(inputs)).run_decompositions()
    other = [each.flip(0) for each in inputs]
    expected = model(*other)
    assert close(leaves(program.module()(*other)), leaves(expected))
    assert set(program.state_dict) == set(model.state_dict())
    again = torch.export.load(saved(program)).run_decompositions()
    assert close(leaves(again.module()(*other)), leaves(expected))


def leaves(value):
    value = list(value.values()) if isinstance(value, dict) else value
    return [leaf for each in value for leaf in leaves(each)] if isinstance(value, (tuple, list)) else [value]


MODULES = {
    "mlp": lambda nn: nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2)),
    "evaluated": lambda nn: nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.MaxPool2d(2), nn.Flatten()).eval(),
    "trained": lambda nn: nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Dropout(0.0)),
    "lstm": lambda nn: nn.LSTM(8, 3, num_layers=2, bidirectional=True, batch_first=True),
    "gru": lambda nn: nn.GRU(8, 3, bias=False),
    "rnn": lambda nn: nn.RNN(8, 3, nonlinearity="relu"),
    "encoder": lambda nn: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(),
    "attention": lambda nn: nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8, bias=False), nn.GELU()),
    "pooled": lambda nn: nn.Sequential(nn.Conv2d(1, 4, 3), nn.GroupNorm(2, 4), nn.SiLU(), nn.AdaptiveAvgPool2d(1)),
}


def example(torch, name):
    images = name in ("evaluated", "trained", "pooled")
    return torch.arange(64.0).reshape(*((1, 1, 8, 8) if images else (1, 8, 8) if name != "mlp" else (8, 8))) / 64


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", MODULES)
def test_graphs_and_signatures_of_modules_are_pytorchs(oracle, name, table):
    found = []
    for library in torch, oracle:
        model = MODULES[name](library.nn)
        program = library.export.export(model, (example(library, name),)).run_decompositions(TABLES[table])
        found.append((steps(program), str(program.graph_signature), list(program.state_dict)))
    assert found[0] == found[1]


def test_new_values_of_buffers_are_outputs_and_are_written():
    model = MODULES["trained"](torch.nn)
    x = example(torch, "trained")
    program = torch.export.export(model, (x,)).run_decompositions()
    assert list(program.graph_signature.buffers_to_mutate.values()) == [
        "1.running_mean", "1.running_var", "1.num_batches_tracked",
    ]  # fmt: skip
    assert str(torch.export.load(saved(program)).graph_signature) == str(program.graph_signature)
    for made in program.module(), torch.export.load(saved(program)).module():
        expected, other = copy.deepcopy(model), copy.deepcopy(made)
        assert close(other(x), expected(x)) and close(other(x), expected(x))
        assert close(dict(other.named_buffers())["1.running_var"], expected[1].running_var)
        assert dict(other.named_buffers())["1.num_batches_tracked"] == 2


class Writes(torch.nn.Module):
    def forward(self, x):
        x[0].add_(1)
        return x * 2


def test_writes_to_inputs_are_outputs_too():
    program = torch.export.export(Writes(), (torch.ones(2, 2),)).run_decompositions({})
    assert list(program.graph_signature.user_inputs_to_mutate.values()) == ["x"]
    x = torch.zeros(2, 2)
    assert program.module()(x).tolist() == [[2, 2], [0, 0]] and x.tolist() == [[1, 1], [0, 0]]


@pytest.mark.parametrize("name", few_of(["mlp", "evaluated", "lstm", "encoder", "attention"]))
def test_dynamic_sizes_stay_dynamic(name):
    model, x = MODULES[name](torch.nn).eval(), example(torch, name)
    x = torch.cat([x, x, x])
    shapes = ({0: torch.export.Dim("batch")},)
    program = torch.export.export(model, (x,), dynamic_shapes=shapes)
    for made in program, torch.export.load(saved(program)):
        core = made.run_decompositions()
        assert str(core.range_constraints) == str(program.range_constraints)
        for size in (2, 5):
            wide = x[:1].repeat(size, *[1] * (x.dim() - 1))
            assert close(leaves(core.module()(wide)), leaves(model(wide)))


def test_a_table_decides_what_is_decomposed():
    x = torch.ones(2, 3)
    program = torch.export.export(torch.nn.Linear(3, 2), (x,))
    table = torch.export.default_decompositions()
    table[torch.ops.aten.linear.default] = lambda input, weight, bias=None: input @ weight.t() + bias
    names = [node.name for node in program.run_decompositions(table).graph.nodes]
    assert names[3:] == ["permute", "mm", "add", "output"]
    del table[torch.ops.aten.linear.default]
    assert [node.name for node in program.run_decompositions(table).graph.nodes][3:] == ["linear", "output"]
    assert [node.name for node in program.graph.nodes][3:] == ["linear", "output"]


def test_branches_are_decomposed():
    class Branching(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: torch.nn.functional.silu(x), lambda x: x - 1, (x,))

    x = torch.ones(3)
    core = torch.export.export(Branching(), (x,)).run_decompositions()
    text = core.graph_module.print_readable(False)
    assert "aten.sigmoid" in text and "aten.silu" not in text
    assert same(core.module()(-x), -x - 1) and close(core.module()(x), torch.nn.functional.silu(x))


@pytest.mark.parametrize("text", ["F.silu(x)", "F.linear(x, y)", "x.t()", "F.mse_loss(x, y)", "F.layer_norm(x, (3,))"])
def test_make_fx_takes_tables(oracle, text):
    found = []
    for library in torch, oracle:
        module, inputs = make_module(library, text)
        make_fx = __import__(f"{library.__name__}.fx.experimental.proxy_tensor", fromlist=["make_fx"]).make_fx
        aten = library.ops.aten
        table = library._decomp.get_decompositions([aten.silu, aten.t, aten.mse_loss, aten.addmm])
        found.append([(node.op, str(node.target)) for node in make_fx(module, table)(*inputs).graph.nodes])
    assert found[0] == found[1]
