"""Functions that torch.compile cannot capture as one graph: their parts, the reasons, and errors in them."""

import traceback
import warnings

import pytest

import tensh as torch
from tensh import nn
from tests.compiler.comparing import compare, tensors


def test_fullgraph_raises_with_the_line():
    @torch.compile(fullgraph=True)
    def f(x):
        y = x + 1
        print(end="")
        return y

    with pytest.raises(RuntimeError, match=r"print is called, .*test_splitting.py, line \d+"):
        f(torch.ones(2))


class Odd(nn.Module):
    def forward(self, x):
        rows = x.tolist()
        if len(rows) > 100:
            x = x + 1
        return x * len(rows) + 2 * x


class Looping(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.rest = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), Odd(), nn.Linear(4, 2))

    def forward(self, x):
        y = self.first(x).relu()
        for _ in range(3):
            y = y + self.first(y)
            if y.abs().max().item() > 1e9:
                return y
            y = y * 0.5
        return self.rest(y) + 1


def read_in_the_middle(x, w=2.0, *, more=1):
    """A text, which stays where it is."""
    y = (x @ x.t()).relu() * w
    scale = (y * 2 + more).sum().item()
    z = y * scale
    return z.sin() + y


def leave_early(x):
    y = x * 2 + 1
    if float(y.detach().sum()) > 0:
        z = y.exp() * 3
        if z.shape[0] > 2:
            return z + y, "early"
        y = z + 1
    else:
        y = y.cos() - y
    return y * 3 + x, "late"


def write_and_read(x):
    y = x.clone() * 2
    view = y[0]
    view.mul_(3)
    size = len(y.tolist())
    view.add_(size)
    return y * view + x


def call_another(x):
    y = x * 2 + 1
    y = read_in_the_middle(y) + 1
    return (y * y).mean() + x.sum()


def count_until(x):
    times = 0
    while True:
        x = x * 0.5 + 0.1
        times += 1
        if x.abs().max().item() < 0.5:
            break
    return x * times + 1


def select(x):
    kept = x[x > 0]
    return (kept * 2 + 1).sum() + (x * 3).exp().sum()


@pytest.mark.parametrize(
    "function", [read_in_the_middle, leave_early, write_and_read, call_another, count_until, select, Looping()],
    ids=lambda each: getattr(each, "__name__", "module"),
)  # fmt: skip
def test_functions_that_read_elements_become_several_graphs(function):
    compiled, first = torch.compile(function), torch.randn(3, 4, requires_grad=True)
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        for seed in range(8):
            torch.manual_seed(seed)
            x = torch.randn(3, 4, requires_grad=True) + (seed % 3 - 1)
            answers = [each(x) for each in (compiled, function)]
            outs = [tensors(each) for each in answers]
            compare(*outs)
            compare(
                *[torch.autograd.grad(sum(each.sum() for each in out), x, retain_graph=True) for out in outs],
                exactly=False,
            )
        assert compiled(first) is not None
    assert ["several graphs" in str(each.message) for each in notes] == [True], [str(each.message) for each in notes]

    def list_graphs(part):
        return [*part.graphs, *(graph for member in part.members for graph in list_graphs(member))]

    assert compiled.compiled.parts is not None and list_graphs(compiled.compiled)
    whole = torch.compile(function, fullgraph=True)
    if function in (read_in_the_middle, call_another, select):  # of which PyTorch makes one graph
        assert whole(first) is not None
    else:
        with pytest.raises(RuntimeError, match="cannot be captured as one graph"):
            whole(first)


def test_a_training_step_is_compiled_around_backward():
    def step(model, optimizer, x):
        optimizer.zero_grad()
        loss = (model(x) ** 2).mean() + model.weight.square().sum()
        loss.backward()
        optimizer.step()
        return loss.detach() * 1

    compiled, models = torch.compile(step), []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for each in (compiled, step):
            torch.manual_seed(1)
            model = nn.Linear(4, 3)
            optimizer = torch.optim.Adam(model.parameters())
            models.append([each(model, optimizer, torch.ones(2, 4)) for _ in range(6)] + list(model.parameters()))
    compare(*models)
    assert any(member.graphs for part in compiled.compiled.members for member in part.members)


def test_errors_in_parts_show_the_source():
    def f(x):
        y = x * 2 + 1
        n = y.sum().item()
        return y @ torch.ones(int(n)) + 1

    compiled = torch.compile(f)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(3):
            with pytest.raises(RuntimeError) as caught:
                compiled(torch.ones(2))
    assert any("torch.ones(int(n))" in (frame.line or "") for frame in traceback.extract_tb(caught.tb))


def test_explain_tells_graphs_and_what_breaks_them():
    def f(x):
        y = x * 2 + 1
        torch._dynamo.graph_break()
        z = y.sin() * y
        if z.sum().item() > 1e9:
            return z
        return (z + 1).exp()

    found = torch._dynamo.explain(f)(torch.ones(3))
    assert (found.graph_count, found.graph_break_count, found.op_count) == (3, 2, 4)
    assert [each.reason for each in found.break_reasons] == [
        "graph_break is called",
        "item reads the elements of a tensor",
    ]
    assert [each.user_stack[0].line for each in found.break_reasons] == [
        "torch._dynamo.graph_break()",
        "if z.sum().item() > 1e9:",
    ]
    assert str(found).startswith(
        "Graph Count: 3\nGraph Break Count: 2\nOp Count: 4\nBreak Reasons:\n  Break Reason 1:\n"
    )


def test_explain_shows_what_one_call_prints_and_draws(capsys):
    calls = []

    def f(x):
        calls.append(x)
        print("running")
        return x * torch.rand(2)

    torch.manual_seed(0)
    assert torch._dynamo.explain(f)(torch.ones(2)).graph_break_count == 0
    after = torch.rand(2)
    torch.manual_seed(0)
    torch.rand(2)
    assert torch.equal(after, torch.rand(2)) and capsys.readouterr().out == "running\n"
    calls.clear()
    torch._dynamo.explain(lambda x: [calls.append(0), x.sin()][1])(torch.ones(2))
    assert len(calls) == 1


ONE_LINE = """
def function(x):
    a = x + 1; b = int(a.sum()); c = b * x
    if c.numel() > 1: d = c * 2; print(end=""); e = d.sin() + d
    else: e = c
    return e
"""


def test_statements_of_one_line(tmp_path):
    file, names = tmp_path / "program.py", {}
    file.write_text(ONE_LINE)
    exec(compile(ONE_LINE, str(file), "exec"), names)
    compare_with_itself(names["function"])


def compare_with_itself(function, *more):
    compiled = torch.compile(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for size in (1, 2, 2, 3):
            x = torch.arange(1.0, size + 1)
            assert compiled(x, *more).equal(function(x, *more))
    assert not compiled.compiled.off


def call_itself(x, times):
    print(end="")
    return x if times == 0 else call_itself(x * 2 + 1, times - 1)


def test_a_function_that_calls_itself():
    compare_with_itself(call_itself, 2)


def test_a_part_may_differentiate_what_an_earlier_one_computed():
    def slope(y, x):
        return torch.autograd.grad(y.sum(), x, create_graph=True)[0]

    def penalty(x):
        y = x.pow(3)
        return slope(y, x).square().sum()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch.compile(penalty)
        for number in (1.0, 2.0, 3.0):
            x = torch.tensor([number], requires_grad=True)
            assert compiled(x).equal(penalty(x))


def test_a_mode_that_a_function_changes_stays_changed():
    compiled, x = torch.compile(lambda x: (torch.set_grad_enabled(False), x * 2)), torch.ones(1, requires_grad=True)
    for _ in range(3):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compiled(x)
            assert not torch.is_grad_enabled()
        finally:
            torch.set_grad_enabled(True)


def test_variables_of_comprehensions_are_their_own():
    def weighted(x, v):
        total = sum(row.sum() * n for n, row in enumerate(x))
        moved = v + float(total.mean())
        return moved, sum(row.sum() * n for n, row in enumerate(v))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch.compile(weighted)
        for number in (1.0, 2.0):
            x, v = torch.full((2, 3), number), torch.arange(3.0)
            assert all(map(torch.equal, compiled(x, v), weighted(x, v)))


def test_functions_of_a_file_that_imports_torch_are_split(tmp_path):
    text = "import tensh as torch\nfrom math import pi\n\n\ndef f(x):\n    y = torch.abs(x) * pi\n    print(end='')\n    return torch.sin(y) + 1\n"
    graphs, names = [], {}
    (path := tmp_path / "written.py").write_text(text, encoding="utf-8")
    exec(compile(text, str(path), "exec"), names)
    compiled = torch.compile(names["f"], backend=lambda module, _: graphs.append(module.code) or module.forward)
    with pytest.warns(UserWarning, match="splits f into several graphs: print is called"):
        compiled(torch.ones(2))
    assert compiled(torch.ones(2)).equal(names["f"](torch.ones(2))) and len(graphs) == 2
    assert "torch.abs" in graphs[0] and "torch.sin" in graphs[1]


def test_a_function_that_captures_nothing_is_compiled_once():
    counts = torch._dynamo.testing.CompileCounter()

    @torch.compile(backend=counts)
    def f(x):
        def double(y):
            y = y * 2
            torch._dynamo.graph_break()
            return y + 1

        return double(x) - 1

    with pytest.warns(UserWarning, match="splits"):
        f(torch.ones(2))
    found = counts.frame_count
    assert [f(torch.ones(2)).tolist() for _ in range(3)] == [[2, 2]] * 3 and counts.frame_count == found
