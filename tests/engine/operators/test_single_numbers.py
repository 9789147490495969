"""Functions of a single number without dimensions are those of a vector of one number, gradients included."""

import inspect
import re

import pytest

import tensh as torch
from tests.support.sampling import few_of

F = torch.nn.functional


def find_functions():
    """Functions that may be of one tensor, or of a tensor and a number: no settings, which other tests would notice."""
    for module in (F, torch.special, torch):
        for name in dir(module):
            function = getattr(module, name)
            public = not name.startswith("_") and not name.endswith("_") and callable(function)
            if public and not inspect.isclass(function) and (module is not torch or hasattr(torch.Tensor, name)):
                yield pytest.param(function, id=f"{module.__name__}.{name}")


def compute(function, value, *others):
    """Return the number given and the result, or (None, None) where there is none with a gradient."""
    x = torch.tensor(value, requires_grad=True)
    torch.manual_seed(0)
    try:
        y = function(x, *others)
    except Exception:
        return None, None
    differentiable = isinstance(y, torch.Tensor) and y.numel() == 1 and y.requires_grad and not y.is_complex()
    return (x, y) if differentiable else (None, None)


def find_gradient(x, y):
    y.backward(torch.ones_like(y))
    return y.item(), x.grad.item()


def compare(function):
    """Return the number of results that have a gradient, each of which is that of a vector of one number."""
    compared = 0
    for value in (-0.5, 0.25, 2.0):
        for others in ((), (0.5,)):
            (x, y), (xs, ys) = compute(function, value, *others), compute(function, [value], *others)
            if y is None or ys is None:
                continue
            compared += 1
            try:
                expected = find_gradient(xs, ys)
            except RuntimeError as error:  # there is no derivative
                with pytest.raises(RuntimeError, match=re.escape(str(error))):
                    find_gradient(x, y)
            else:
                assert find_gradient(x, y) == pytest.approx(expected, rel=1e-6, nan_ok=True)
    return compared


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("function", few_of([(each,) for each in find_functions()]))
def test_one_number(function):
    compare(function)


@pytest.mark.parametrize("name", "elu gelu logsigmoid sigmoid silu softplus tanh".split())
def test_usual_functions_are_compared(name):
    """``compute`` leaves out whatever fails; it must not leave out everything."""
    assert compare(getattr(F, name)) >= 3
