"""Scripts with Python that they cannot contain are PyTorch's errors when they are scripted."""

import inspect

import pytest

import tensh as torch
from tests.jit import refused_functions

pytestmark = pytest.mark.filterwarnings("ignore")
FUNCTIONS = {name: value for name, value in vars(refused_functions).items() if inspect.isfunction(value)}


def refuse(library, scripted):
    with pytest.raises((RuntimeError, Exception)) as raised:
        library.jit.script(scripted)
    kinds = [each.__name__ for each in type(raised.value).__mro__ if each is not object]
    # A class of tensh has a name in tensh after a test in which tensh was torch.
    module = type(raised.value).__module__.replace("tensh", "torch")
    return kinds, module, str(raised.value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_errors_are_pytorchs(oracle, name):
    assert refuse(torch, FUNCTIONS[name]) == refuse(oracle, FUNCTIONS[name])


def test_forward_of_modules_is_checked(oracle):
    found = []
    for library in torch, oracle:
        made = type("Net", (library.nn.Module,), {"forward": refused_functions.Module.forward})()
        found.append(refuse(library, made))
    assert found[0] == found[1] and found[0][2].startswith("try blocks aren't supported:")


def test_what_is_ignored_is_not_checked():
    class Net(torch.nn.Module):
        def forward(self, x):
            return self.helper(x)

        @torch.jit.ignore
        def helper(self, x):
            try:
                return x
            finally:
                pass

    assert torch.jit.script(Net())(torch.ones(1)).item() == 1
