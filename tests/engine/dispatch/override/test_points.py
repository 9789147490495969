"""Functions that look for overriding arguments: when they do, and that they are otherwise unchanged."""

import gc
import inspect
import pickle
import subprocess
import sys
import threading
import weakref

import pytest

import tensh as torch
from tensh.engine.dispatch.override.points import Point, keep_armed
from tensh.overrides import TorchFunctionMode
from tests.recorded.sessions.replay import FOLDER, replay, sections
from tests.support.sampling import few_of

ERRORS = sections(FOLDER / "errors.md")
KINDS = "missing and unknown arguments", "arguments of the wrong type", "autograd", "flags are truth values", "dtypes"


class Names(TorchFunctionMode):
    """A mode that keeps the names of the functions that it is asked about."""

    def __init__(self):
        self.names = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.names.append(func.__name__)
        return func(*args, **(kwargs or {}))


class S(torch.Tensor):
    pass


@pytest.mark.parametrize("title", KINDS)
def test_an_error_reads_the_same_beside_overriding_classes(title):
    keep_armed()
    assert replay(ERRORS[title], torch) == ERRORS[title]


def test_functions_that_were_imported_before_are_overridden():
    add, multiply = torch.add, torch.Tensor.__mul__
    x = torch.ones(2)
    with Names() as mode:
        add(x, 1)
        multiply(x, 2)
    assert mode.names == ["add", "mul"]
    add(x, 1)
    assert mode.names == ["add", "mul"]


def test_signatures_stay():
    functions = torch.add, torch.Tensor.sum, torch.nn.functional.linear, torch.conv2d
    before = [inspect.signature(each) for each in functions]
    made = torch.ones(2).as_subclass(S) + 1
    assert type(made) is S
    assert [inspect.signature(each) for each in functions] == before


def test_code_is_a_key_of_a_dictionary_beside_overriding_classes():
    keep_armed()
    assert {function.__code__: function for function in (torch.add, torch.neg, torch.cat)}


def test_classes_of_tensors_that_nothing_refers_to_are_freed():
    class Passing(torch.Tensor):
        pass

    assert type(torch.ones(2).as_subclass(Passing) + 1) is Passing
    reference = weakref.ref(Passing)
    del Passing
    gc.collect()
    assert reference() is None


def test_a_mode_holds_in_its_own_thread():
    results = []
    with Names() as mode:
        thread = threading.Thread(target=lambda: results.append(torch.ones(2) * 2))
        thread.start()
        thread.join()
    assert results[0].tolist() == [2.0, 2.0]
    assert mode.names == []


def test_threads_enter_and_leave_modes_at_the_same_time():
    counts = []

    def work():
        for _ in range(50):
            with Names() as mode:
                torch.ones(2) + 1
            counts.append(len(mode.names))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert counts == [2] * 200
    assert torch.ones(2).add(1).tolist() == [2.0, 2.0]


def test_a_mode_that_is_left_by_an_error_is_left():
    with pytest.raises(KeyError), Names() as mode:
        raise KeyError
    torch.ones(2)
    assert mode.names == []


def test_tensors_of_a_subclass_are_pickled():
    x = torch.arange(3.0).as_subclass(S)
    x.unit = "m"
    y = pickle.loads(pickle.dumps(x))
    assert type(y) is S and y.unit == "m" and y.tolist() == [0.0, 1.0, 2.0]
    assert type(y + 1) is S


def test_a_subclass_of_a_loaded_object_overrides():
    """A process that only unpickles a subclass looks for overrides, too."""
    data = pickle.dumps(torch.ones(2).as_subclass(S))
    code = f"import pickle; x = pickle.loads({data!r}); print(type(x * 2).__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "S\n"


def test_plain_programs_read_no_code_of_overrides():
    code = (
        "import sys, tensh; (tensh.ones(2) + 1).sum(); print('tensh.engine.dispatch.override.dispatch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_python_operators_ask_the_first_overriding_object():
    code = """
import tensh as torch
class Ten:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__
x = torch.ones(2)
print(%s)
"""
    names = {
        "x + Ten()": "add",
        "x ** Ten()": "pow",
        "x // Ten()": "__floordiv__",
        "x < Ten()": "lt",
        "x & Ten()": "__and__",
    }
    for expression, name in names.items():
        done = subprocess.run([sys.executable, "-c", code % expression], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == name


def test_a_function_is_armed_whatever_its_variables_are_called():
    def closed(plain, original):
        def double(value):
            return plain + original + value

        return double

    double = closed(1, 2)
    point = Point(double)
    point.arm()
    try:
        assert double.__code__ is not point.code and double(torch.ones(1)).item() == 4
    finally:
        point.disarm()


def test_functions_of_pytorch_refuse_tensors_of_tensh(oracle):
    with pytest.raises(TypeError):
        oracle.cholesky_inverse(torch.eye(2))


class Elsewhere(torch.Tensor):
    """A tensor whose elements only its ``__torch_dispatch__`` knows."""

    @staticmethod
    def __new__(cls, data):
        made = torch.Tensor._make_wrapper_subclass(cls, data.size(), dtype=data.dtype)
        made.data_elsewhere = data
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args, kwargs=None):
        plain = [each.data_elsewhere if isinstance(each, Elsewhere) else each for each in args]
        return Elsewhere(func(*plain, **(kwargs or {})))


def test_a_function_of_ones_own_may_return_such_a_tensor_as_it_came():
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

    x = Elsewhere(torch.arange(3.0))
    y = Same.apply(x)
    assert type(y) is Elsewhere and y is not x and y.data_elsewhere.tolist() == [0, 1, 2]


def test_a_function_of_ones_own_may_turn_such_a_tensor_into_a_plain_one():
    class Plain(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, times):
            ctx.save_for_backward(x)
            return x.data_elsewhere * times

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return None, (g * x.data_elsewhere).sum()

    times = torch.tensor(2.0, requires_grad=True)
    y = Plain.apply(Elsewhere(torch.arange(3.0)), times)
    assert type(y) is torch.Tensor and y.tolist() == [0, 2, 4]
    y.sum().backward()
    assert times.grad.item() == 3


FIRST_CALL = """
import sys
import tensh as torch

class Overriding:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return f"asked about {func.__name__}"

print(eval(sys.argv[1], {"torch": torch, "each": Overriding()}))
"""


FIRST_CALLS = (
    [(f"torch.{name}_like(each)", f"{name}_like") for name in ("empty", "zeros", "ones", "rand")]
    + [("torch.full_like(each, 1)", "full_like"), ("torch.stack([each])", "stack"), ("torch.sum(each)", "sum")]
    + [("torch.bernoulli(each)", "bernoulli"), ("torch.norm(each)", "norm"), ("torch.split(each, 1)", "split")]
    + [
        ("torch.fft.rfft(each)", "fft_rfft"),
        ("torch.istft(each, 4)", "istft"),
        ("torch.gru_cell(each, each, each, each)", "gru_cell"),
    ]
    + [(f"torch.nn.functional.{name}(each)", name) for name in ("relu", "softmax", "silu", "normalize")]
    + [("torch.nn.functional.mse_loss(each, each)", "mse_loss"), ("torch.nn.functional.pad(each, (1, 1))", "pad")]
)


@pytest.mark.parametrize(("call", "name"), few_of(FIRST_CALLS))
def test_the_first_call_asks_an_overriding_object_that_is_no_tensor(call, name):
    done = subprocess.run([sys.executable, "-c", FIRST_CALL, call], capture_output=True, text=True)
    assert done.stdout == f"asked about {name}\n", done.stderr
