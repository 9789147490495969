"""Scripts compute what they do in PyTorch where Python's value is another one, and fail as they do there."""

import io
import math

import pytest

import tensh as torch
from tests.jit import scripts_of_numbers
from tests.jit.scripts_of_numbers import FAILURES, NUMBERS, TABLES

pytestmark = pytest.mark.filterwarnings("ignore")


def name_of(function):
    return function.__name__


def arguments(library, function):
    return (library.ones(2, 3), {"a": 1}) if function in TABLES else (3, 2.5)


def through_a_file(library, scripted):
    file = io.BytesIO()
    library.jit.save(scripted, file)
    file.seek(0)
    return library.jit.load(file)


def fail(scripted, library):
    with pytest.raises((RuntimeError, library.jit.Error)) as raised:
        scripted(library.ones(2), [], {"a": 1}, None)
    kinds = [each.__name__ for each in type(raised.value).__mro__ if each is not object]
    return kinds, type(raised.value).__module__, str(raised.value)


@pytest.mark.parametrize("function", NUMBERS + TABLES, ids=name_of)
def test_values_are_those_of_scripts(oracle, function):
    expected = oracle.jit.script(function)(*arguments(oracle, function))
    scripted = torch.jit.script(function)
    assert repr(scripted(*arguments(torch, function))) == repr(expected)
    assert repr(through_a_file(torch, scripted)(*arguments(torch, function))) == repr(expected)


@pytest.mark.parametrize("function", FAILURES, ids=name_of)
def test_failures_are_those_of_scripts(oracle, function):
    assert fail(torch.jit.script(function), torch) == fail(oracle.jit.script(function), oracle)


def test_values_without_pytorch():
    assert repr(torch.jit.script(scripts_of_numbers.extremes)(3, 2.5)) == "(3.0, 2.5, 3.0, 1, 3, 1.0, 2.5)"
    assert torch.jit.script(scripts_of_numbers.powers)(3, 2.5)[:2] == (9.0, 8.0)
    shapes = torch.jit.script(scripts_of_numbers.sizes)(torch.ones(2, 3), {})
    assert shapes[:4] == ([2, 3], [2, 3], True, [3])


def test_closures_and_methods_keep_their_names():
    below = torch.jit.script(scripts_of_numbers.rounding)
    assert below(3, 2.5)[0] == 2.0

    def thrice(x: float):
        return x * 3

    def scale(n: int):
        return thrice(n**2)

    class Base(torch.nn.Module):
        def count(self, x):
            return x.numel()

        def name_of(self, x):
            return name_of(x), x.shape

    class Net(Base):
        def area(self, x):
            return self.count(x) ** 2

        def forward(self, x):
            return self.area(x), x.shape

    assert repr(torch.jit.script(scale)(2)) == "12.0"
    area, shape = torch.jit.script(Net())(torch.ones(2, 3))
    assert repr(area) == "36.0" and shape == [2, 3]
    assert type(Net()(torch.ones(2, 3))[1]) is torch.Size


def test_exceptions_of_a_script_tell_its_type_and_line():
    with pytest.raises(
        torch.jit.Error, match=r'(?s)in raised\n.*raise KeyError\("nothing"\).*builtins.KeyError: nothing\n$'
    ):
        torch.jit.script(scripts_of_numbers.raised)(torch.ones(2), [], {}, None)
    with pytest.raises(RuntimeError, match="(?s)in unknown_key\n.*RuntimeError: KeyError: q\n$"):
        torch.jit.script(scripts_of_numbers.unknown_key)(torch.ones(2), [], {}, None)
    with pytest.raises(RuntimeError, match="(?s)in within_a_call\n.*in reshape\n.*shape '.9.' is invalid"):
        torch.jit.script(scripts_of_numbers.within_a_call)(torch.ones(2), [], {}, None)
    assert math.isinf(torch.jit.script(scripts_of_numbers.divisions)(3, 2.5)[0])
