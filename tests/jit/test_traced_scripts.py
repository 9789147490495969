"""Traces keep the branches and loops of the scripts that they call."""

import copy
import io
import re

import pytest

import tensh as torch

pytestmark = pytest.mark.filterwarnings("ignore")


def pick(x, n: int):
    if bool(x.sum() > 0):
        return x * n
    return x - n


def add_rows(x):
    for i in range(x.size(0)):
        x = x + i
    return x


def repeat(x, times: torch.Tensor):
    for i in range(int(times)):
        x = x + i
    return x


def calls(library):
    """Traces that call scripts, with examples and the arguments of later calls."""
    scripts = {each.__name__: library.jit.script(each) for each in (pick, add_rows)}

    def branch(x):
        return scripts["pick"](x, 3) + 1

    def loop(x):
        return scripts["add_rows"](x) * 2

    def both(x):
        return scripts["pick"](scripts["pick"](scripts["add_rows"](x), 2), 5)

    return {"branch": branch, "loop": loop, "both": both}


@pytest.mark.parametrize("name", calls(torch))
def test_branches_and_loops_are_taken_when_the_trace_runs(name):
    function = calls(torch)[name]
    traced = torch.jit.trace(function, torch.ones(2))
    for x in torch.ones(2), -torch.ones(2), torch.ones(4), -9 * torch.ones(3):
        assert torch.equal(traced(x), function(x))
    x, y = (torch.full((3,), -4.0, requires_grad=True) for _ in range(2))
    traced(x).sum().backward()
    function(y).sum().backward()
    assert torch.equal(x.grad, y.grad)


@pytest.mark.parametrize("name", calls(torch))
def test_graph_and_code_are_pytorchs(oracle, name):
    shown = []
    for library in torch, oracle:
        traced = library.jit.trace(calls(library)[name], library.ones(2))
        results = [traced(library.full((size,), value)).tolist() for size, value in ((2, -3.0), (4, 1.0))]
        shown.append((traced.code, re.sub(r" # \S+:\d+:\d+$", "", str(traced.graph), flags=re.MULTILINE), results))
    assert shown[0] == shown[1]


def test_functions_are_scripted_if_a_trace_runs():
    function = torch.jit.script_if_tracing(repeat)
    zero = torch.zeros(1)
    assert function(zero, torch.tensor(3)).item() == 3
    traced = torch.jit.trace(lambda x, times: function(x, times) * 2, (zero, torch.tensor(2)))
    assert traced(zero, torch.tensor(5)).item() == 20
    assert torch.jit.script(function)(zero, torch.tensor(3)).item() == 3


class Gate(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        if bool(x.mean() > 0):
            x = x.relu()
            x = x * self.weight
        else:
            x = -x
        return x


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = torch.jit.script(Gate())

    def forward(self, x):
        return self.gate(x) + 1


def test_scripted_submodules_keep_their_branches_and_parameters():
    traced = torch.jit.trace(Net(), torch.ones(2))
    assert traced(torch.ones(2)).tolist() == traced(-torch.ones(2)).tolist() == [2, 2]
    other = copy.deepcopy(traced)
    traced.gate.weight.data.fill_(5)
    assert traced(torch.ones(2)).tolist() == [6, 6] and other(torch.ones(2)).tolist() == [2, 2]
    other.load_state_dict({"gate.weight": torch.zeros(2)})
    assert other(torch.ones(2)).tolist() == [1, 1] and list(traced.state_dict()) == ["gate.weight"]


@pytest.mark.parametrize("name", ["branch", "loop", "both"])
def test_files_have_the_functions_that_a_trace_calls(oracle, name):
    traced = torch.jit.trace(calls(torch)[name], torch.ones(2))
    for library in torch, oracle:
        file = io.BytesIO()
        torch.jit.save(traced, file)
        file.seek(0)
        loaded = library.jit.load(file)
        for size, value in ((2, -3.0), (4, 1.0)):
            assert loaded(library.full((size,), value)).tolist() == traced(torch.full((size,), value)).tolist()


class Choice(torch.nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            return x, x + 1
        return -x, x


class Sign(torch.nn.Module):
    def forward(self, x):
        return x if bool(x.sum() > 0) else -x


class Chooser(torch.nn.Module):
    def __init__(self, script):
        super().__init__()
        self.script, self.layer = script, torch.nn.Linear(4, 4)

    def forward(self, x):
        found = self.script(self.layer(x))
        return found[0] * found[1] if isinstance(found, tuple) else torch.tanh(found)


@pytest.mark.parametrize("kind", [Choice, Sign])
def test_inlined_graphs_keep_calls_of_scripts_with_branches(kind):
    made = torch.jit.trace(Chooser(torch.jit.script(kind())), torch.rand(3, 4))
    text = str(made.inlined_graph)
    assert 'prim::CallMethod[name="forward"](%script,' in text and "aten::linear" in text
    assert (": (Tensor, Tensor) = prim::CallMethod" in text) is (kind is Choice)


def test_the_result_of_a_script_in_a_trace_has_the_type_of_the_example():
    made = torch.jit.trace(Chooser(torch.jit.script(Sign())), torch.rand(3, 4))
    assert "Float(3, 4, strides=[4, 1], requires_grad=1, device=cpu) = prim::CallMethod" in str(made.graph)


def double(x):
    return x * 2


def test_tasks_have_the_names_of_older_programs():
    def run(x):
        return torch.jit._wait(torch.jit._fork(double, x)) + 1

    assert run(torch.ones(1)).tolist() == torch.jit.trace(run, torch.ones(1))(torch.ones(1)).tolist() == [3]
