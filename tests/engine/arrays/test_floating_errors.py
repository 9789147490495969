"""Overflow, division by zero and nan: silent where tensors are computed, warnings where the user's NumPy code is."""

import contextvars
import threading
import warnings

import numpy as np
import pytest

import tensh as torch
from tests.support.command_line import Done

ZERO, HUGE, INF = np.zeros(2), np.full(2, 1e300), np.full(2, np.inf)

TENSORS = {
    "division": "torch.zeros(2) / 0",
    "logarithm": "torch.log(torch.zeros(2))",
    "overflow": "torch.full((2,), 1e38) * torch.full((2,), 1e38)",
    "infinities": "torch.full((2,), math.inf) - math.inf",
    "root": "torch.tensor([-1.0]).sqrt()",
    "in place": "torch.zeros(2).div_(0)",
    "halves": "torch.full((2,), 6e4, dtype=torch.half) * 2",
    "integers of nan": "torch.tensor([math.nan]).int()",
    "variance": "torch.ones(1).var()",
    "mean of nothing": "torch.zeros(0).mean()",
    "gradient": "torch.zeros(2, requires_grad=True).sqrt().sum().backward()",
    "norm": "torch.zeros(2, requires_grad=True).norm().backward()",
    "layer": "torch.nn.functional.batch_norm(torch.full((3, 2), 1e38), None, None, training=True)",
    "large": "torch.zeros(1 << 20).reciprocal()",
    "linear algebra": "torch.linalg.inv(torch.eye(2) * 1e-38).mul(10)",
    "printing": "str(torch.tensor([math.nan, math.inf, 1e38]))",
    "distribution": "torch.distributions.Normal(0.0, 1e-38).log_prob(torch.tensor(1e30))",
}
NUMPY = [  # on arrays: NumPy says "scalar divide" of its scalars, which the source of a call does not tell apart
    "ZERO / ZERO", "ZERO // 0", "HUGE * HUGE", "INF - INF", "HUGE ** 2", "HUGE ** 3", "ZERO ** -1", "(HUGE * HUGE) % 2", "np.log(ZERO)", "np.sqrt(ZERO - 1)", "INF % 2",
    "np.multiply(HUGE, HUGE)", "INF @ ZERO", "np.exp(HUGE)", "np.add(INF, -INF)", "(INF * [1, -1]).sum()",
    "np.array([1.0, np.nan]).astype(int)",
]  # fmt: skip


def in_a_thread(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


PLACES = {
    "here": lambda function: function(),
    "thread": in_a_thread,
    "context": lambda function: contextvars.Context().run(function),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("program", TENSORS.values(), ids=TENSORS)
def test_tensors_are_silent(program, place):
    done = []
    with warnings.catch_warnings(record=True) as said:
        PLACES[place](lambda: done.append(eval(program, {"torch": torch, "math": __import__("math")})))
    assert done and [str(each.message) for each in said if issubclass(each.category, RuntimeWarning)] == []


@pytest.mark.parametrize("program", TENSORS.values(), ids=TENSORS)
def test_tensors_are_silent_where_warnings_are_errors(program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's own, of the degrees of freedom
        warnings.simplefilter("error", RuntimeWarning)
        eval(program, {"torch": torch, "math": __import__("math")})


def warned(function):
    """What warnings say, and where."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        function()
    return [(str(each.message), each.category, each.filename, each.lineno) for each in said]


@pytest.mark.parametrize("program", NUMPY)
def test_numpy_code_warns_as_it_does_without_tensh(program, tmp_path):
    (tmp_path / "program.py").write_text(f"\n\nvalue = {program}\n")
    code = compile(f"\n\nvalue = {program}\n", str(tmp_path / "program.py"), "exec")

    def function():
        exec(code, {"np": np, "ZERO": ZERO, "HUGE": HUGE, "INF": INF, "__name__": "program"})

    found = warned(function)
    with np.errstate(divide="warn", over="warn", invalid="warn"):
        assert found == warned(function) != []


def test_warnings_of_numpy_code_may_be_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="divide by zero encountered in log"):
            np.log(ZERO)


def test_numpy_code_that_is_no_file_warns_without_the_name_of_a_function():
    code = compile("ZERO / ZERO", "<nowhere>", "eval")
    assert warned(lambda: eval(code, {"ZERO": ZERO}))[0][0] == "invalid value encountered"


def test_numpy_code_keeps_its_own_settings():
    with np.errstate(all="ignore"):
        assert warned(lambda: ZERO / ZERO) == []
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        ZERO / ZERO


def test_programs_that_import_torch_are_silent(tmp_path):
    """Modules are named after torch there."""
    program = tmp_path / "program.py"
    program.write_text(
        "import torch\n"
        "p = torch.nn.Parameter(torch.ones(2))\n"
        "optimizer = torch.optim.Adam([p])\n"
        "(p * 1e30).sum().backward()\n"
        "optimizer.step()\n"
        "print(optimizer.state[p]['exp_avg_sq'])\n"
    )
    assert Done("run", program) == (0, "tensor([inf, inf])\n", "")
