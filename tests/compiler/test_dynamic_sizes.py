"""Dynamic sizes: the graphs that back ends get for tensors of several sizes."""

import pytest

import tensh as torch
from tests.compiler.dynamic_functions import make_cases, run_case

COUNT = len(make_cases(torch))


@pytest.mark.oracle
@pytest.mark.parametrize("number", range(COUNT))
def test_graphs_are_those_of_pytorch(number, oracle):
    assert run_case(torch, *make_cases(torch)[number]) == run_case(oracle, *make_cases(oracle)[number])


def list_codes(number):
    """Return the code of the graphs of a case."""
    return [each[0] for each in run_case(torch, *make_cases(torch)[number]) if isinstance(each, tuple)]


def test_results_are_those_of_the_function():
    for case in make_cases(torch):
        run_case(torch, *case)


def test_a_size_that_differs_is_an_input_from_the_second_graph_on():
    first, second = list_codes(3)
    assert "forward(self, L_x_ :" in first and "forward(self, s77 : torch.SymInt, s27 : torch.SymInt, L_x_ :" in second
    assert "arange(0, s27)" in list_codes(14)[0] and "view(mul)" in list_codes(8)[0]


def test_comparisons_of_sizes_make_other_graphs():
    assert ["* 3" in each for each in list_codes(10)] == [True, False]


def test_a_marked_size_must_stay_free():
    x = torch.ones(3, 2)
    torch._dynamo.mark_dynamic(x, 0)
    fixed = torch.compile(lambda x: x * 2 if x.shape[0] == 3 else x, backend="eager_graph")
    with pytest.raises(
        torch.fx.experimental.symbolic_shapes.ConstraintViolationError, match=r"L\['x'\].size\(\)\[0\] as dyn"
    ):
        fixed(x)
    torch._dynamo.mark_static(x, 0)
    assert fixed(x).sum() == 12


def test_a_size_that_was_marked_once_varies():
    counts = torch._dynamo.testing.CompileCounter()
    f = torch.compile(lambda x: x * 2, backend=counts)
    x = torch.ones(4, 3)
    torch._dynamo.mark_dynamic(x, 0)
    assert [len(f(each)) for each in (x, torch.ones(5, 3), torch.ones(6, 3))] == [4, 5, 6]
    assert counts.frame_count == 1


def test_marked_sizes_that_an_operator_compares_are_one_symbol():
    case = (lambda x, y: x + y), [[(3, 4)] * 2, [(5, 4)] * 2], None, [(0, 0), (1, 0)]
    assert [each[1] for each in run_case(torch, *case) if isinstance(each, tuple)] == [["s77", (3, 4), (3, 4)]]


@torch._dynamo.register_backend(name="eager_graph")
def run_graph(module, inputs):
    return module.forward


def test_shapes_that_depend_on_elements_end_a_graph():
    def count(x):
        y = x.nonzero()
        return y.shape[0] * x

    with pytest.warns(UserWarning, match="depends on elements"):
        counted = torch.compile(count, backend="eager_graph")
        assert counted(torch.ones(2)).tolist() == [2, 2]
    assert counted(torch.tensor([1.0, 0.0])).tolist() == [1, 0]


def test_a_graph_with_dynamic_sizes_is_no_recompilation():
    counts = torch._dynamo.testing.CompileCounter()
    f = torch.compile(lambda x: x * x.shape[0], backend=counts)
    f(torch.ones(2)), f(torch.ones(3))
    with torch.compiler.set_stance("fail_on_recompile"), torch._dynamo.config.patch(error_on_recompile=True):
        assert [f(torch.ones(n)).sum().item() for n in (4, 5)] == [16, 25]
        with pytest.raises(RuntimeError, match="recompile|Recompiling"):
            f(torch.ones(2, 3))
    assert counts.frame_count == 2


def test_numbers_of_a_graph_do_not_leave_a_function_without_one():
    class Counting(torch.nn.Module):
        def forward(self, x, k):
            self.rows, self.k = x.shape[0], k
            return x * k

    def break_off(x):
        rows = x.shape[0]
        torch._dynamo.graph_break()
        return {"rows": rows, "shapes": [x.shape]}

    layer, x = Counting(), torch.ones(3)
    with pytest.warns(UserWarning, match=r"torch\.compile"):
        torch.compile(layer, backend="eager_graph", dynamic=True)(x, 2)
        found = torch.compile(break_off, backend="eager_graph", dynamic=True)(x)
    assert {type(each) for each in (layer.rows, layer.k, found["rows"], *found["shapes"][0])} == {int}
    assert type(found["shapes"][0]) is torch.Size
