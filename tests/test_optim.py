"""Optimisers do what PyTorch's do: parameters and state after ten steps, in every setting and dtype."""

import json
import signal
import warnings

import numpy as np
import pytest
from optimizer_cases import CASES, plain, trained
from record_optim import FILE, rates, training

import tensh

RTOL = {"float64": 1e-13, "float32": 3e-6, "complex64": 3e-6, "bfloat16": 1e-2, "float16": 2e-3}
LOOSER = {"Muon": 2e-2, "LBFGS": 1e-7}  # the one computes in bfloat16, the other asks for differences of gradients


@pytest.mark.parametrize(("name", "options", "dtype"), CASES)
def test_ten_steps_are_pytorchs(oracle, name, options, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (expected, theirs), (params, ours) = (trained(torch, name, options, dtype) for torch in (oracle, tensh))
    rtol = LOOSER.get(name) or RTOL[dtype]
    same(plain(params), plain(expected), rtol)
    same(plain(ours.state_dict()), plain(theirs.state_dict()), rtol)
    assert repr(ours) == repr(theirs)


def same(one, other, rtol, where=""):
    assert type(one) is type(other), where
    if isinstance(one, dict):
        assert list(one) == list(other), where
        for key in one:
            same(one[key], other[key], rtol, f"{where}.{key}")
    elif isinstance(one, tuple) and one and isinstance(one[0], str) and one[0] == "tensor":
        assert one[:3] == other[:3], where
        atol = rtol * max(np.abs(other[3]).max(), 1e-3)
        np.testing.assert_allclose(one[3], other[3], rtol=rtol, atol=atol, err_msg=where)
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), where
        for number, (each, its) in enumerate(zip(one, other)):
            same(each, its, rtol, f"{where}[{number}]")
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=rtol), where
    else:
        assert one == other, where


@pytest.mark.parametrize("compute", [training, rates])
def test_recorded_figures(compute):
    recorded = json.loads(FILE.read_text(encoding="utf-8"))
    for case, numbers in compute(tensh).items():
        rtol = LOOSER["Muon"] if case.startswith("Muon") else 1e-6
        np.testing.assert_allclose(numbers, recorded[case], rtol=rtol, atol=rtol, err_msg=case)


@pytest.mark.parametrize(
    ("name", "options"), [("SGD", {"momentum": 0.9}), ("Adam", {}), ("RMSprop", {"centered": True})]
)
@pytest.mark.parametrize("layout", ["rows", "columns", "every other"])
@pytest.mark.parametrize("dtype", [tensh.float32, tensh.complex64])
def test_the_layout_of_memory_changes_nothing(name, options, layout, dtype):
    """A parameter of many elements is updated in pieces, each as a small one is."""
    tensh.manual_seed(0)
    values, gradient = tensh.randn(300, 400, dtype=dtype), tensh.randn(300, 400, dtype=dtype)
    laid = {"rows": lambda t: t.clone(), "columns": lambda t: t.T.clone().T, "every other": doubled}[layout]
    large = laid(values).requires_grad_()
    small = [values[i : i + 10].clone().requires_grad_() for i in range(0, 300, 10)]
    large.grad = laid(gradient)
    for i, each in enumerate(small):
        each.grad = gradient[10 * i : 10 * i + 10].clone()
    for params in ([large], small):
        optimizer = getattr(tensh.optim, name)(params, lr=0.1, **options)
        for _ in range(3):
            optimizer.step()
    assert tensh.equal(large, tensh.cat(small))


def doubled(t):
    return tensh.stack([t, t], -1)[..., 0]


def test_an_interrupt_waits_until_the_step_is_whole():
    class Interrupted(tensh.optim.Adam):
        def rule(self, p, *args):
            signal.raise_signal(signal.SIGINT)
            return super().rule(p, *args)

    before = signal.getsignal(signal.SIGINT)
    params = [tensh.ones(2, requires_grad=True) for _ in range(3)]
    optimizer = Interrupted(params, lr=0.1)
    for p in params:
        p.grad = tensh.ones(2)
    with pytest.raises(KeyboardInterrupt):
        optimizer.step()
    assert signal.getsignal(signal.SIGINT) is before
    assert [p.tolist() for p in params] == [pytest.approx([0.9, 0.9])] * 3
    assert [optimizer.state[p]["step"].item() for p in params] == [1.0] * 3


def test_an_interrupted_line_search_leaves_the_parameters():
    w = tensh.tensor([3.0, -1.0], requires_grad=True)
    optimizer = tensh.optim.LBFGS([w], line_search_fn="strong_wolfe")
    calls = []

    def closure():
        calls.append(w.tolist())
        if len(calls) == 3:
            raise KeyboardInterrupt
        optimizer.zero_grad()
        loss = (w**4).sum()
        loss.backward()
        return loss

    with pytest.raises(KeyboardInterrupt):
        optimizer.step(closure)
    assert w.tolist() != calls[2]


def test_a_step_is_one_write():
    w = tensh.ones(2, requires_grad=True)
    optimizer = tensh.optim.Adam([w])
    w.grad = tensh.ones(2)
    optimizer.step()
    assert w._version == 1


def test_sparse_adam_is_refused_with_the_reason():
    with pytest.raises(NotImplementedError, match="torch.optim.SparseAdam exists in PyTorch but not in tensh: sparse"):
        tensh.optim.SparseAdam  # noqa: B018


def test_modules_are_named_as_in_pytorch():
    names = {}
    exec("import tensh.optim as optim, tensh.optim.lr_scheduler as lr; from tensh.optim import *", names)
    from tensh.optim.adamw import AdamW
    from tensh.optim.lr_scheduler import _LRScheduler
    from tensh.optim.optimizer import Optimizer

    assert names["AdamW"] is AdamW
    assert issubclass(AdamW, Optimizer)
    assert issubclass(names["lr"].StepLR, _LRScheduler)
