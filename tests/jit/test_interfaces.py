"""torch.jit.interface: modules that a script chooses by a computed number or name, and other values with given methods."""

import io
import re

import pytest

import tensh as torch
from tests.jit.test_script_graphs import same_lines

pytestmark = pytest.mark.filterwarnings("ignore")


def make_choosing(torch):
    """Return modules and functions that use interfaces."""
    nn, Tensor = torch.nn, torch.Tensor

    @torch.jit.interface
    class Step(nn.Module):
        def forward(self, inp: Tensor) -> Tensor:
            pass

    class Twice(nn.Module):
        def forward(self, inp: Tensor) -> Tensor:
            return inp * 2

    class More(nn.Module):
        def __init__(self):
            super().__init__()
            self.bias = nn.Parameter(torch.ones(2))

        def forward(self, inp: Tensor) -> Tensor:
            return inp + self.bias

    class ByNumber(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([Twice(), More()])

        def forward(self, x, n: int):
            for i in range(n):
                step: Step = self.layers[i]
                x = step.forward(x)
            return x

    class ByName(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleDict({"twice": Twice(), "more": More()})

        def forward(self, x, name: str):
            step: Step = self.layers[name]
            return step.forward(x)

    return {"number": (ByNumber(), 2), "name": (ByName(), "more")}


@pytest.mark.parametrize("name", ["number", "name"])
def test_chosen_modules_have_pytorchs_graph(oracle, name):
    ours, theirs = (library.jit.script(make_choosing(library)[name][0]) for library in (torch, oracle))
    assert same_lines(ours.graph, theirs.graph) == ""
    assert ours.code == re.sub(r"___torch_mangle_\d+\.", "", theirs.code)


@pytest.mark.parametrize("name", ["number", "name"])
def test_chosen_modules_are_run_and_saved(name):
    module, choice = make_choosing(torch)[name]
    script, x = torch.jit.script(module), torch.ones(2)
    assert script(x, choice).tolist() == module(x, choice).tolist()
    file = io.BytesIO()
    torch.jit.save(script, file)
    file.seek(0)
    assert torch.jit.load(file)(x, choice).tolist() == module(x, choice).tolist()


@pytest.mark.parametrize("name", ["number", "name"])
def test_pytorch_loads_chosen_modules(oracle, name):
    module, choice = make_choosing(torch)[name]
    file = io.BytesIO()
    torch.jit.save(torch.jit.script(module), file)
    file.seek(0)
    assert oracle.jit.load(file)(oracle.ones(2), choice).tolist() == module(torch.ones(2), choice).tolist()


@torch.jit.interface
class Joiner:
    def join(self, one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        pass


class Adder:
    def join(self, one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return one + other


def join_twice(joiner: Joiner, x):
    return joiner.join(joiner.join(x, x), x)


def test_instances_with_the_methods_of_an_interface_are_taken():
    script = torch.jit.script(join_twice)
    assert script(Adder(), torch.ones(1)).tolist() == [3]
    assert "%joiner.1 : InterfaceType<Joiner>" in str(script.graph)
    with pytest.raises(RuntimeError, match="Expected a value of type .*Joiner"):
        script(3, torch.ones(1))


def test_a_number_that_is_computed_chooses_no_module_without_an_interface():
    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([torch.nn.ReLU()])

        def forward(self, x, i: int):
            return self.layers[i](x)

    with pytest.raises(RuntimeError, match="Expected integer literal for index"):
        torch.jit.script(Module())
