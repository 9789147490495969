"""torch.export.unflatten: programs as modules give the results of the originals, and have their names."""

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
