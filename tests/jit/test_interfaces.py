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


class Scaler:
    def __init__(self, k: int):
        self.k = k

    def join(self, one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return one + self.k * other


def collect(x: torch.Tensor):
    first: Joiner = Scaler(1)
    joiners: list[Joiner] = [Scaler(1), first]
    for each in joiners:
        x = each.join(x, x)
    return x


def test_instances_become_values_with_an_interface():
    script = torch.jit.script(collect)
    assert script(torch.ones(1)).tolist() == [4]
    assert "annotate(List[__torch__.tests.jit.test_interfaces.Joiner]" in script.code


@torch.jit.interface
class Step(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass


class Twice(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Thrice(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 3


class Stepping(torch.nn.Module):
    step: Step

    def __init__(self):
        super().__init__()
        self.step, self.last, self.scale = Twice(), Twice(), torch.ones(1)

    def forward(self, x: torch.Tensor):
        return self.last(self.step.forward(x)) * self.scale


ASSIGNED = {
    "python": ("last", Twice, "Cannot re-assign modules in a ScriptModule with non-scripted module"),
    "new": ("another", Twice, "Cannot re-assign modules in a ScriptModule with non-scripted module"),
    "class": ("last", lambda: torch.jit.script(Thrice()), "Expected a value of type .*Twice .* for field 'last', but found .*Thrice"),
    "interface": ("step", lambda: torch.jit.script(torch.nn.ReLU()), r"(?s)is not compatible with interface .*Step.*\(1\) forward"),
    "number": ("scale", lambda: 3, "Could not cast attribute 'scale' to type Tensor: Unable to cast 3 to Tensor"),
}  # fmt: skip


@pytest.mark.parametrize("name", ASSIGNED)
def test_scripted_modules_refuse_members_of_other_types(name):
    member, make, said = ASSIGNED[name]
    with pytest.raises(RuntimeError, match=said):
        setattr(torch.jit.script(Stepping()), member, make())


def test_scripted_modules_take_members_of_their_types():
    script = torch.jit.script(Stepping())
    script.step, script.last = torch.jit.script(Thrice()), torch.jit.script(Twice())
    assert script(torch.ones(1)).tolist() == [6]


def test_attributes_with_a_type_are_values_of_script_classes():
    class Counting(torch.jit.ScriptModule):
        def __init__(self):
            super().__init__()
            self.counts = torch.jit.Attribute({"a": 1}, dict[str, int])

        @torch.jit.script_method
        def forward(self, x: torch.Tensor):
            self.counts["b"] = 2
            return x + self.counts["a"]

    module, file = Counting(), io.BytesIO()
    assert module(torch.ones(1)).tolist() == [2] and module.counts == {"a": 1, "b": 2}
    torch.jit.save(module, file)
    file.seek(0)
    assert torch.jit.load(file)(torch.ones(1)).tolist() == [2]


def test_a_number_that_is_computed_chooses_no_module_without_an_interface():
    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([torch.nn.ReLU()])

        def forward(self, x, i: int):
            return self.layers[i](x)

    with pytest.raises(RuntimeError, match="Expected integer literal for index"):
        torch.jit.script(Module())
