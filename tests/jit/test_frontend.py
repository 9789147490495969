"""Scripts with Python that they cannot contain are PyTorch's errors when they are scripted."""

import inspect
import re

import pytest

import tensh as torch
from tests.jit import refused_functions, refused_objects

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


def test_methods_that_are_called_are_checked(oracle):
    found = []
    for library in torch, oracle:
        members = {name: vars(refused_functions.WithHelper)[name] for name in ("forward", "helper")}
        found.append(refuse(library, type("Net", (library.nn.Module,), members)()))
    assert found[0] == found[1] and found[0][2].startswith("Comprehension ifs are not supported yet:")


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


def try_script(library, scripted):
    """Return the error of scripting, without addresses; None if there is none."""
    try:
        library.jit.script(scripted)
    except Exception as error:
        return type(error).__name__, re.sub("0x[0-9a-f]+", "0x", str(error)).replace("tensh", "torch")


@pytest.mark.parametrize("name", refused_objects.make(torch))
def test_objects_are_refused_as_pytorch_refuses_them(oracle, name):
    found = [try_script(library, refused_objects.make(library)[name]) for library in (torch, oracle)]
    assert found[0] == found[1]


def test_functions_of_the_library_that_pytorch_writes_in_python_are_scripts():
    relu = torch.jit.script(torch.nn.functional.relu)
    assert isinstance(relu, torch.jit.ScriptFunction) and relu(torch.tensor([-1.0, 2.0])).tolist() == [0, 2]
    assert relu.schema == "relu(Tensor input, bool inplace=False) -> Tensor" and "torch.relu(input)" in relu.code
    with pytest.raises(RuntimeError, match="Expected a value of type 'Tensor' for argument 'input'"):
        relu(3)


def test_scripts_of_lambdas_name_their_line():
    with pytest.raises(RuntimeError, match=r"Expected a single top-level function: .*test_frontend.py:\d+"):
        torch.jit.script(lambda x: x)
