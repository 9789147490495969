"""Captured calls: the lines of a recorder, their contents, and no lasting effects."""

import subprocess
import sys
import threading

import pytest

import tensh as torch
from tensh.engine.dispatch.capture.lines import map_values
from tensh.engine.dispatch.capture.recorder import Recorder
from tensh.nn import BatchNorm1d, Dropout, Linear, ReLU, Sequential
from tensh.nn.functional import cross_entropy, dropout, gelu, linear, softmax


def capture(f, *inputs):
    recorder = Recorder()
    for each in inputs:
        recorder.add_input(each)
    with recorder:
        f(*inputs)
    return recorder


def names(f, *inputs):
    return [line.name for line in capture(f, *inputs).lines]


X = torch.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("f", "operators"),
    [
        (lambda x: x * 2 + 1, ["mul", "add"]),
        (lambda x: 2 - x, ["rsub"]),
        (lambda x: softmax(x, 1), ["softmax_dim"]),
        (lambda x: linear(x, X), ["t", "mm"]),
        (lambda x: torch.stack([x, gelu(x)]).sum(), ["gelu", "stack", "sum_all"]),
        (lambda x: x.T.contiguous(), ["permute", "clone"]),
        (lambda x: x.contiguous(), []),
        (lambda x: x.detach(), ["detach"]),
        (lambda x: torch.zeros(3) + x, ["zeros", "add"]),
        (lambda x: torch.exp(x, out=torch.empty(2, 3)), ["empty", "exp"]),
        (lambda x: dropout(x, 0.5), ["draw_noise", "mul"]),
    ],
)  # fmt: skip
def test_calls_become_lines(f, operators):
    assert names(f, X) == operators


def test_writes_of_other_threads_are_not_those_of_a_call():
    thread = threading.Thread(target=torch.zeros(2).add_, args=[1])

    def f(x):
        thread.start()
        thread.join()
        return softmax(x, 1)

    (line,) = capture(f, X).lines
    assert (line.name, line.writes) == ("softmax_dim", False)


def test_a_line_knows_its_arguments_place_and_modules():
    model = Sequential(Linear(3, 3), ReLU())
    recorder = capture(lambda x: model(x) @ x.T, X)
    multiply = recorder.lines[1]
    assert (multiply.name, multiply.operator.name) == ("addmm", "addmm")
    assert multiply.inputs[1] is recorder.inputs[0]
    assert [type(each).__name__ for each in multiply.modules] == ["Sequential", "Linear"]
    assert multiply.place.filename == __file__
    (out,) = multiply.outputs
    assert (out.shape, out.dtype, out.requires_grad, out.line) == ((2, 3), torch.float32, True, multiply)
    assert [value.tensor for value in recorder.constants] == [model[0].weight, model[0].bias]


def test_lines_can_be_run_again():
    recorder = capture(lambda x: (x.softmax(0).max(1)[0] * 3 - x[0, 0]).exp(), X)
    new = X * 0.5
    known = {recorder.inputs[0]: new}
    for line in recorder.lines:
        args, options = map_values(known.__getitem__, (line.args, line.options))
        result = line.function(*args, **options)
        known.update(zip(line.outputs, result if type(result) is not torch.Tensor else [result], strict=True))
    assert result.equal((new.softmax(0).max(1)[0] * 3 - new[0, 0]).exp())


def test_writes_give_a_new_value_to_the_same_tensor():
    def f(x):
        y = x.clone()
        y += 1
        y[0] = 2.0
        y.mul_(x)
        return y * y

    *_, add, assign, multiply, square = capture(f, X).lines
    assert add.writes and assign.writes and multiply.writes and not square.writes
    assert assign.inputs == [add.outputs[0]] and multiply.inputs[0] is assign.outputs[0]
    assert square.inputs == [multiply.outputs[0]] * 2


def test_statistics_of_batches_are_written():
    lines = capture(BatchNorm1d(3), X).lines
    assert [line.name for line in lines if line.writes] == ["add_", "move_", "move_"]


def test_random_lines_say_so():
    model = Sequential(Linear(3, 3), Dropout(0.5))
    lines = capture(lambda x: model(x) + torch.rand(3) + torch.nn.functional.rrelu(x, training=True), X).lines
    assert [line.name for line in lines if line.random] == ["draw_noise", "rand", "rrelu"]


def test_what_python_reads_of_elements_is_told():
    class Reading(Recorder):
        def __init__(self):
            super().__init__()
            self.reads = []

        def read(self, point, args, result):
            self.reads.append((point.name, args[0].line.name, result))

    def f(x):
        if x.sum() > 0:
            return float(x.max()), x[1].tolist(), int(x[0, 1].item())

    with Reading() as recorder:
        f(X)
    assert recorder.reads == [
        ("__bool__", "gt", True), ("__float__", "max_all", 5.0), ("tolist", "__getitem__", [3.0, 4.0, 5.0]),
        ("item", "__getitem__", 1.0),
    ]  # fmt: skip


def test_backward_passes_on_tensors_are_captured():
    w = torch.ones(3, requires_grad=True)
    recorder = Recorder()
    value = recorder.add_input(w)
    with recorder:
        (g,) = torch.autograd.grad((w.tanh() * X).sum(), w, create_graph=True)
    assert recorder.lines[-1].outputs == (recorder.find(g),)
    assert "tanh_backward" in [line.name for line in recorder.lines]
    assert value.line is None


def test_recorders_nest_and_leave_nothing_behind():
    before = torch.add.__code__, torch.Tensor.__mul__.__code__, torch.nn.functional.gelu.__code__
    with Recorder() as outer:
        X + 1
        with Recorder() as inner:
            X * 2
        X - 3
    assert [line.name for line in outer.lines] == ["add", "sub"]
    assert [line.name for line in inner.lines] == ["mul"]
    with pytest.raises(RuntimeError, match="shape"), Recorder():
        X.view(7)
    assert (torch.add.__code__, torch.Tensor.__mul__.__code__, torch.nn.functional.gelu.__code__) == before


def test_overriding_classes_are_asked_first():
    class Loud(torch.Tensor):
        pass

    with Recorder() as recorder:
        made = X.as_subclass(Loud) + 1
    assert type(made) is Loud
    assert "add" in [line.name for line in recorder.lines]


def test_reflected_operators_are_told_apart_and_stay_operators():
    class Quiet(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            return function(*args, **(kwargs or {}))

    with Quiet():
        X * 2, 2 * X, 1 + X
    assert names(lambda x: 0.5 * x + (1 + x), X) == ["mul", "add", "add"]


def test_errors_are_those_without_a_recorder():
    calls = [
        lambda: torch.add(X),
        lambda: torch.cat([X], dim=7),
        lambda: cross_entropy(X, X[0]),
        lambda: X.sum(dim="a"),
    ]
    for call in calls:
        with pytest.raises(Exception) as plain:
            call()
        with Recorder(), pytest.raises(type(plain.value)) as recorded:
            call()
        assert str(recorded.value) == str(plain.value)


def test_nothing_is_imported_until_somebody_captures():
    code = (
        "import sys, tensh; tensh.ones(2) * 2; assert not [m for m in sys.modules if 'capture' in m and 'tensh' in m]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
