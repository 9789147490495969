"""Back ends of torch.compile: the graphs that they get, and how they are chosen."""

import argparse
import copy
import enum
import types

import numpy as np
import pytest

import tensh as torch
from tensh import nn
from tests.compiler.backend_functions import list_graphs


def test_back_ends_of_the_user_get_a_graph():
    seen = []

    def backend(module, inputs):
        assert str(module).startswith("GraphModule(")
        seen.append(([node.op for node in module.graph.nodes], [str(getattr(each, "shape", each)) for each in inputs]))
        return module.forward

    f = torch.compile(lambda x: x.relu() + 1, backend=backend)
    for size in (2, 2, 3):
        assert f(torch.ones(size)).equal(torch.full((size,), 2.0))
    operations = ["placeholder", "call_method", "call_function", "output"]
    shapes = [["torch.Size([2])"], ["s77", "torch.Size([3])"]]
    assert seen == [(operations, shapes[0]), (["placeholder", *operations], shapes[1])]
    model = torch.compile(nn.Linear(2, 2), backend=backend)
    assert model(torch.ones(1, 2)).equal(model._orig_mod(torch.ones(1, 2)))
    shown = []

    def show(module, inputs):
        shown.append([node.name for node in module.graph.nodes if node.op != "output"])
        return module

    def decide(x, y, scale=2):
        product = x * y
        if product.sum() > 0:
            return product * scale
        return -product

    with pytest.warns(UserWarning, match=r"splits .*decide into several graphs"):
        f = torch.compile(decide, backend=show)
        assert f(torch.ones(1), torch.ones(1)).item() == 2
    assert f(torch.ones(1), -torch.ones(1)).item() == 1
    assert shown[0] == ["l_x_", "l_y_", "product", "sum_1", "gt"]


def test_graphs_for_a_back_end_are_guarded():
    counts = torch._dynamo.testing.CompileCounter()
    settings, holder, w = {"a": 1}, types.SimpleNamespace(v=2), torch.ones(2, requires_grad=True)

    @torch.compile(backend=counts)
    def f(x, flag=False, more=None, **named):
        y = x * holder.v + settings["a"] + w
        y = y if more is None else y * more["z"]
        return {"y": -y if flag else y, "rows": x.shape[0] + named.get("n", 0)}

    def values(*args, **named):
        return f(*args, **named)["y"].tolist(), f(*args, **named)["rows"], counts.frame_count

    x = torch.ones(2)
    assert values(x) == values(x) == ([4, 4], 2, 1)
    settings["a"] = 5
    assert values(x) == ([8, 8], 2, 2)
    holder.v = 3
    assert values(x) == ([9, 9], 2, 3)
    assert values(x, True, {"z": 2}) == ([-18, -18], 2, 4)
    assert values(x, more={"z": torch.full((2,), 3.0)}, n=1) == ([27, 27], 3, 5)
    w = torch.zeros(2, requires_grad=True)
    f(x)["y"].sum().backward()
    assert values(x)[0] == [8, 8] and w.grad.tolist() == [1, 1]


def test_attributes_that_pythons_library_reads_are_guarded_though_the_program_only_assigns_them():
    options, x = argparse.Namespace(n=1), torch.ones(2)

    @torch.compile(backend=lambda module, inputs: module.forward)
    def scale_by_text(x, options):
        result = x * len(repr(options))
        options.n = 100
        return result

    assert scale_by_text(x, options).tolist() == [len("Namespace(n=1)")] * 2
    assert scale_by_text(x, options).tolist() == [len("Namespace(n=100)")] * 2


def test_sizes_that_a_call_keeps_are_ints_also_where_it_writes_an_argument_with_a_history():
    kept = []

    @torch.compile(backend=lambda module, inputs: module.forward, dynamic=True)
    def double(x):
        kept.append((x.shape[0], "rows"))
        return x.mul_(2) + x.shape[0]

    for number in (3, 4, 5):
        double(torch.ones(number, requires_grad=True) * 1)
    assert kept == [(3, "rows"), (4, "rows"), (5, "rows")]
    assert {type(rows) for rows, _ in kept} == {int}


def test_what_a_back_end_makes_runs_once_in_the_first_call_as_well():
    calls = []

    def backend(module, inputs):
        return lambda *args: calls.append(1) or module(*args)

    torch.manual_seed(0)
    layer = nn.Sequential(nn.BatchNorm1d(2), nn.Dropout(0.5))
    twin = copy.deepcopy(layer)
    compiled, x = torch.compile(layer, backend=backend), torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    for number in range(3):
        torch.manual_seed(number)
        expected = twin(x)
        torch.manual_seed(number)
        assert compiled(x).equal(expected) and len(calls) == number + 1
    assert all(a.equal(b) for a, b in zip(layer.state_dict().values(), twin.state_dict().values(), strict=True))


def test_regions_without_gradients_are_calls_of_a_graph():
    graphs = []

    @torch.compile(backend=lambda module, inputs: graphs.append(module) or module)
    def halt(x):
        with torch.no_grad():
            y = x * 2
        return y, x + 1

    x = torch.ones(1, requires_grad=True)
    assert all([each.requires_grad for each in halt(x)] == [False, True] for _ in range(2)) and len(graphs) == 1
    assert graphs[0].code.count("torch._C._set_grad_enabled(") == 2


def test_random_numbers_in_a_graph_for_a_back_end_are_new_in_each_call():
    noisy = torch.compile(lambda x: x + torch.rand(2), backend=lambda module, inputs: module.forward)
    torch.manual_seed(0)
    found = [noisy(torch.zeros(2)) for _ in range(2)]
    torch.manual_seed(0)
    assert all(each.equal(torch.rand(2)) for each in found)


def test_back_ends_are_found_by_name():
    torch._dynamo.register_backend(lambda module, inputs: module, name="handed_back")
    assert "handed_back" in torch.compiler.list_backends()
    assert torch.compile(lambda x: x + 1, backend="handed_back")(torch.ones(1)).item() == 2

    def fail(module, inputs):
        raise ValueError("no")

    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="backend='fail' raised:\nValueError: no"):
        torch.compile(lambda x: x + 1, backend=fail)(torch.ones(1))


def test_a_module_compiled_in_place_has_the_back_end_that_is_asked_for():
    counter, layer = torch._dynamo.testing.CompileCounter(), nn.Linear(2, 2)
    layer.compile(backend=counter)
    assert layer(torch.ones(1, 2)).shape == (1, 2) and (counter.frame_count, counter.op_count) == (1, 1)


def test_operators_are_operators_in_graphs_for_back_ends():
    graphs = []

    @torch.compile(backend=lambda module, inputs: graphs.append(module) or module)
    def f(x, i):
        x = x.clone()
        x[0] = 5
        x += 1
        return (
            1 / x,
            2**x,
            3 // x,
            3 % x,
            1 - x,
            x**2,
            x // 2,
            i & 1,
            1 | i,
            1 << i,
            8 >> i,
            x @ x,
            -x,
            ~i,
            x == 1,
            x[..., :1],
            x.T,
            x.max(0)[0],
        )

    def run(x, i):
        return [each.tolist() for each in f(x, i)]

    x, i = torch.tensor([1.0, 4.0]), torch.tensor([3])
    assert run(x, i) == [each.tolist() for each in f._torchdynamo_orig_callable(x, i)] == run(x, i)
    code = graphs[0].code
    written = "1 / x_1, 2 ** x_1, 3 // x_1, 3 % x_1, 1 - x_1, x_1 ** 2, x_1 // 2, l_i_ & 1, 1 | l_i_, 1 << l_i_, 8 >> l_i_, x_1 @ x_1, -x_1, ~l_i_, x_1 == 1, x_1.T"
    assert len(graphs) == 1 and all(f" = {each}" in code for each in written.split(", ")), code


def test_inputs_of_one_name_are_told_apart_in_graphs_for_back_ends():
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    graphs = []
    f = torch.compile(lambda x: second(first(x)), backend=lambda module, inputs: graphs.append(module) or module)
    x = torch.ones(1, 2)
    assert f(x).equal(second(first(x))) and f(x).equal(second(first(x))) and len(graphs) == 1
    layers = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    layers.compile(backend=lambda module, inputs: graphs.append(module) or module)
    assert layers(x).shape == (1, 2)
    assert "_modules_1_parameters_bias_" in graphs[1].code


def test_a_back_end_that_returns_no_function_is_refused():
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="compiler_fn did not return callable"):
        torch.compile(lambda x: x + 1, backend=lambda module, inputs: None)(torch.ones(1))


def test_a_module_is_compiled_in_place_with_the_options_of_compile():
    module, x = torch.nn.Linear(2, 1), torch.ones(1, 2)
    with pytest.raises(TypeError, match=r"compile\(\) got an unexpected keyword argument 'optimizer'"):
        module.compile(optimizer="adam")
    expected, seen = module(x), []
    module.compile(backend=lambda graph, inputs: seen.append(graph) or graph, dynamic=True)
    assert module(x).equal(expected) and len(seen) == 1


def test_graphs_end_where_autocast_or_vmap_begins():
    linear = torch.nn.Linear(2, 2)

    def cast(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return linear(x)

    def map_rows(x):
        return torch.vmap(lambda row: row.sin() * row.sum())(x)

    for function in cast, map_rows:
        compiled = torch.compile(function, backend=lambda graph, examples: graph.forward)
        for number in range(3):
            x = torch.full((2, 2), float(number))
            made, wanted = compiled(x), function(x)
            assert made.dtype is wanted.dtype and made.equal(wanted)


def test_calls_are_written_as_they_were_made(oracle):
    for ours, theirs in zip(list_graphs(torch), list_graphs(oracle), strict=True):
        assert ours == theirs


def test_a_call_keeps_its_keywords_and_leaves_out_defaults():
    code = " ".join(list_graphs(torch))
    assert "dropout(l_x_, p = 0.5, training = True)" in code and "layer_norm(l_x_, (3,))" in code


def test_values_are_named_after_the_variables_that_hold_them():
    code = " ".join(list_graphs(torch))
    for line in (
        "value_1 = value + element_1",
        "2 * l_x_",
        "l_x_ * 2",
        "u = t + 1",
        "q = chunk[0]",
        "first = l_x_[0]",
        "h_2 = torch.tanh(add_1)",
    ):
        assert line in code


def test_tensors_are_made_on_the_default_device():
    graphs = []
    function = torch.compile(
        lambda x: (torch.zeros(2), x + 1), backend=lambda module, _: graphs.append(module) or module
    )
    x = torch.ones(2)
    with torch.device("meta"):
        assert function(x)[0].is_meta
    assert not graphs or "device = device(type='meta')" in graphs[0].code


def test_calls_in_a_stance_of_unknown_name_are_refused():
    function = torch.compile(lambda x: x + 1, backend="eager")
    with (
        torch.compiler.set_stance("unknown"),
        pytest.raises(RuntimeError, match="invalid torch.compile stance 'DynamoStance\\(stance='unk"),
    ):
        function(torch.ones(2))
    assert function(torch.ones(2)).tolist() == [2, 2]


@pytest.mark.parametrize("number", [np.float64(2.5), enum.IntEnum("Level", {"HIGH": 2}).HIGH, np.complex128(2j)])
def test_constants_of_derived_classes_are_pythons_numbers_in_graphs(number):
    codes = []
    f = torch.compile(lambda x: x * number, backend=lambda module, inputs: codes.append(module.code) or module.forward)
    plain = next(kind(number) for kind in (int, float, complex) if isinstance(number, kind))
    assert f(torch.ones(2)).equal(torch.ones(2) * plain) and f"* {plain!r};" in codes[0]
