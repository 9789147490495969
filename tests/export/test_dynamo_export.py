"""torch._dynamo.export: graph modules with the parameters and the results of the functions that they were made of."""

import pytest

import tensh as torch


def make_cases(torch):
    """Return (function, arguments, keywords, options of ``export``)."""
    nn, x, scale = torch.nn, torch.ones(3), torch.ones(3)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.rest = nn.ModuleList([nn.Sequential(nn.Linear(3, 3), nn.ReLU())])
            self.weight, self.plain = nn.Parameter(torch.ones(3)), torch.ones(3)
            self.register_buffer("offset", torch.ones(3))

        def forward(self, x, y=None, *, k=2):
            for each in self.rest:
                x = each(x)
            return {"a": x.relu() + self.offset, "b": x * self.weight - self.plain}

    def nested(a, b):
        return a[0] + a[1], b["z"], 5

    def various(x, *args, **options):
        return x + args[0] * options["w"]

    def flatten(x):
        return x.view(x.shape[0] * x.shape[1])

    return [
        (lambda x: x.sin() + 1, (x,), {}, {}), (Model(), (x,), {}, {}), (Model(), (x, x), {"k": 3}, {}), (nested, ((x, x), {"z": x}), {}, {}),
        (various, (x, x), {"w": x}, {}), (lambda x, y: x, (x, x), {}, {}), (lambda x: x + scale, (x,), {}, {}),
        (lambda x, n: x + n, (x, 3), {}, {}), (nn.Linear(3, 2), (x,), {}, {}), (flatten, (torch.ones(3, 4),), {}, {}),
        (lambda x: x.sin() + 1, (x,), {}, {"aten_graph": True}), (Model(), (x,), {}, {"aten_graph": True}),
        (flatten, (torch.ones(3, 4),), {}, {"aten_graph": True}), (Model(), (x,), {}, {"same_signature": False}),
    ]  # fmt: skip


def run_case(torch, function, args, kwargs, options):
    """Return the code of an exported function, and the names of its parameters."""
    torch.compiler.reset()
    module, _ = torch._dynamo.export(function, **options)(*args, **kwargs)
    if options.get("same_signature", True):
        made, wanted = module(*args, **kwargs), function(*args, **kwargs)
        made, wanted = (torch.utils._pytree.tree_flatten(each) for each in (made, wanted))
        assert str(made[1]) == str(wanted[1])
        assert all(torch.equal(torch.as_tensor(a), torch.as_tensor(b)) for a, b in zip(made[0], wanted[0], strict=True))
    return module.code, [name for name, _ in module.named_parameters()]


@pytest.mark.oracle
@pytest.mark.parametrize("number", range(len(make_cases(torch))))
def test_exported_functions_are_those_of_pytorch(number, oracle):
    assert run_case(torch, *make_cases(torch)[number]) == run_case(oracle, *make_cases(oracle)[number])


def test_arguments_and_results_keep_their_structure():
    codes = [run_case(torch, *case)[0] for case in make_cases(torch)]
    assert "def forward(self, x, args_0, w):" in codes[4] and "l_a_0_ = arg2" in codes[3]
    assert "self.L__self___rest_0_0_weight" in codes[1] and "aten.sym_size.int(l_x_, 0)" in codes[9]


def test_what_is_no_graph_is_refused():
    with pytest.raises(torch._dynamo.exc.Unsupported, match="Data-dependent branching"):
        torch._dynamo.export(lambda x: x * 2 if x.sum() > 0 else x)(torch.ones(3))
    with pytest.raises(TypeError, match="too many positional"):
        torch._dynamo.export(lambda x: x)(torch.ones(3), 2)
