"""torch.export.unflatten: programs as modules give the results of the originals, and have their names."""

import copy
import importlib

import pytest

import tensh as torch
from tests.export.branching import make_programs
from tests.support.zoo import make_models

ZOO = {name: (model.eval(), tuple(inputs)) for name, (model, inputs) in make_models(torch).items()}
PROGRAMS = ZOO | {name: (model, args) for name, (model, args, _) in make_programs(torch).items()}


def leaves(value):
    value = list(value.values()) if isinstance(value, dict) else value
    return [each for part in value for each in leaves(part)] if isinstance(value, (tuple, list)) else [value]


@pytest.mark.parametrize("name", PROGRAMS)
def test_modules_compute_the_same(name):
    model, args = PROGRAMS[name]
    program = torch.export.export(model, args)
    made = torch.export.unflatten(program)
    for found, wanted in zip(leaves(made(*args)), leaves(model(*args)), strict=True):
        torch.testing.assert_close(found, wanted)
    inner = {path for path in made.state_dict() if "graph_" in path}  # constants of branches
    assert set(made.state_dict()) - inner == set(program.state_dict)


def tell(torch):
    """The modules of unflattened programs: nested, called twice, with shared and unused members, refusing calls."""
    nn = torch.nn

    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = nn.Linear(3, 3)

        def forward(self, x, y=None):
            z = self.linear(x).relu()
            return z if y is None else (z + y, z * 2)

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.rest = Inner(), Inner(), nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.ReLU())
            self.many = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])
            self.many[1].weight = self.many[0].weight
            self.register_buffer("k", torch.ones(3))
            self.c = torch.ones(3)

        def forward(self, x, *, d):
            p, q = self.b(self.a(x), d["y"] * self.k)
            for each in self.many:
                q = each(q)
            return {"r": self.rest(p + q) + self.c + self.a(q), "n": 3}

    torch.manual_seed(0)
    x, d = torch.randn(4, 3), {"y": torch.randn(4, 3)}
    made = torch.export.unflatten(torch.export.export(Outer(), (x,), {"d": d}))
    found = [str(made), list(made.state_dict()), made(x, d=d)["n"]]
    found += [(name, str(each.graph)) for name, each in made.named_modules()]
    for args in ((x, x), (x[:2],), (x, d)):
        try:
            made(*args, **({"d": d} if len(args) == 1 else {}))
        except (TypeError, RuntimeError) as error:
            found.append(f"{type(error).__name__}: {error}")
    return found


def test_modules_and_refusals_are_pytorchs(oracle):
    assert tell(torch) == tell(oracle)


def make_repeating(torch):
    """Return models that call modules several times, directly after each other, in loops, or through a shared container."""

    class Inner(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.l = torch.nn.Linear(2, 2)

        def forward(self, x):
            return self.l(x).relu()

    class Twice(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = Inner()

        def forward(self, x):
            return self.a(self.a(x))

    class Loop(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.r = Inner(), torch.nn.ReLU()

        def forward(self, x):
            for _ in range(3):
                x = self.r(self.a(x))
            return x

    class Shared(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = Inner()
            self.b = torch.nn.Sequential(self.a, Inner())

        def forward(self, x):
            return self.b(self.a(x)) + self.b(x * 2)

    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = Inner(), Inner()
            self.b.l = self.a.l

        def forward(self, x):
            return self.b(self.a(x))

    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", torch.zeros(1))

        def forward(self, x):
            self.n.add_(1)
            return x * self.n

    class Counted(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.c = Counting()

        def forward(self, x):
            return self.c(x) + self.c(x)

    return {each.__name__: each for each in (Twice, Loop, Shared, Tied, Counted)}


def tell_of_calls(torch, name):
    """Describe the modules of an unflattened program, and the notes of its calls."""
    torch.manual_seed(0)
    program = torch.export.export(make_repeating(torch)[name](), (torch.ones(1, 2),))
    made = torch.export.unflatten(program)
    x = torch.tensor([[0.5, -0.25]])
    stacks = [
        [(key, path) for key, (path, _) in node.meta["nn_module_stack"].items()]
        for node in program.graph.nodes
        if node.op == "call_function"
    ]
    return [str(made), *((path, str(each.graph)) for path, each in made.named_modules()), stacks, made(x).tolist()]


@pytest.mark.parametrize("name", make_repeating(torch))
def test_modules_that_are_called_again_compute_the_same(name):
    model, x = make_repeating(torch)[name](), torch.tensor([[0.5, -0.25]])
    made = torch.export.unflatten(torch.export.export(copy.deepcopy(model), (torch.ones(1, 2),)))
    assert torch.equal(made(x), model(x))


@pytest.mark.parametrize("name", make_repeating(torch))
def test_calls_of_modules_are_pytorchs(oracle, name):
    assert tell_of_calls(torch, name) == tell_of_calls(oracle, name)


def tell_of_parts(torch):
    """The printed form of unflattened modules, notes of nodes, the dialect, and programs on another device."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.constant = nn.Linear(4, 4), torch.ones(4)

        def forward(self, x):
            return self.linear(x).relu() + self.constant + torch.arange(4)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem, self.blocks = nn.Linear(3, 4), nn.Sequential(Block(), Block())

        def forward(self, x):
            return self.blocks(self.stem(x))

    program = torch.export.export(Net(), (torch.ones(2, 3),))
    made = torch.export.unflatten(program)
    found = [made.print_readable(print_output=False), made.blocks.print_readable(print_output=False)]
    found += [(node.name, sorted(node.meta)) for node in program.graph.nodes]
    signature = program.graph_signature
    found += [signature.backward_signature, signature.assertion_dep_token, signature.input_tokens]
    found += [program.dialect, program.run_decompositions().dialect]
    found.append([node.op for node in program.module().graph.nodes])
    moved = torch.export.passes.move_to_device_pass(program, {"cpu": "meta"})
    return [*found, str(moved.graph), str(moved.example_inputs[0][0].device)]


def without_lines(text):
    return "\n".join(line for line in text.split("\n") if line.strip() and not line.strip().startswith("# "))


def test_parts_of_programs_are_pytorchs(oracle):
    importlib.import_module("torch.export.passes")
    for ours, theirs in zip(tell_of_parts(torch), tell_of_parts(oracle), strict=True):
        assert ours == theirs or without_lines(ours) == without_lines(theirs)


def test_unflattened_modules_print_their_code():
    code, *_, device = tell_of_parts(torch)
    assert 'stem: "f32[2, 4]" = self.stem(x)' in code and device == "meta"
