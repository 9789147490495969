"""Subscripts in graphs: which slices are operators, and what writes through whole dimensions give."""

import pytest

import tensh as torch
from tests.export.programs import saved

READS = [
    "x[:]", "x[...]", "x[:, :]", "x[0:]", "x[:4]", "x[:4, :3]", "x[()]", "x[..., :]", "x[:] + 1", "x[:9]", "x[None][:]", "x[::1]",
    "x[:, 0]", "x[:, 1:]", "x[None, :, 0]", "x[1:, 0]", "x[:, None]", "x[:, torch.tensor([0, 2])]", "(x[:, 0], x[:, 1], x.shape[0])",
    "x[:-1]", "x[2:] * 2", "x[::2]",
]  # fmt: skip
"""Expressions of a matrix of 4 by 3."""
WRITES = "[:]", "[...]", "[:, :]", "[0:]", "[0:2]", "[()]", "[..., :]", "[:, 0]", "[:, 1:]"


def make(torch, text):
    """Return a module that computes a text of ``x``; the text of a subscript writes by it."""
    if text.startswith("["):
        names = {"torch": torch}
        exec(
            f"def function(x):\n    y = x.clone()\n    y{text} = 2\n    y{text} = x[0, 0]\n    return y + 1, y\n", names
        )
        function = names["function"]
    else:
        function = eval(f"lambda x: {text}", {"torch": torch})

    class Called(torch.nn.Module):
        def forward(self, x):
            return function(x)

    return Called(), function


def trace(torch, text, dims):
    """Return (code, ranges) of an exported program, or the text of the error."""
    try:
        program = torch.export.export(make(torch, text)[0], (torch.ones(4, 3),), dynamic_shapes=(dims,))
    except Exception as error:
        return str(error)
    return program.graph_module.code, str(program.range_constraints)


DIMS = {
    "static": lambda torch: None,
    "dynamic": lambda torch: {0: torch.export.Dim.DYNAMIC},
    "limited": lambda torch: {0: torch.export.Dim("a", min=4, max=9)},
    "named": lambda torch: {0: torch.export.Dim("a")},
}


@pytest.mark.parametrize("kind", DIMS)
@pytest.mark.parametrize("text", [*READS, *WRITES])
def test_subscripts_of_exported_programs_are_pytorchs(oracle, text, kind):
    expected = trace(oracle, text, DIMS[kind](oracle))
    if expected[:11] == "Expected op":
        pytest.skip("PyTorch fails while it solves its guards")
    assert trace(torch, text, DIMS[kind](torch)) == expected


PARTS = (
    "x[:4]",
    "x[:9]",
    "x[2:4]",
    "x[-3:]",
    "x[:-1]",
    "x[1:]",
    "x[3]",
    "x[-4]",
    "x.narrow(0, 1, 3)",
    "x[:-1] * 2",
    "x[::2]",
    "x.diff()",
)


@pytest.mark.parametrize("text", PARTS)
def test_parts_limit_the_sizes_of_dimensions(oracle, text):
    answers = []
    for library in torch, oracle:
        module = make(library, text)[0]
        found = [
            str(
                library.export.export(
                    module, (library.ones(6),), dynamic_shapes=({0: library.export.Dim.AUTO},)
                ).range_constraints
            )
        ]
        try:
            library.export.export(module, (library.ones(6),), dynamic_shapes=({0: library.export.Dim("a")},))
        except Exception as error:
            found.append(str(error))
        answers.append(found)
    assert answers[0] == answers[1]


@pytest.mark.parametrize("text", [*READS, *WRITES])
def test_subscripts_of_make_fx_are_pytorchs(oracle, text):
    codes = []
    for library in torch, oracle:
        make_fx = library.fx.experimental.proxy_tensor.make_fx
        codes.append(make_fx(make(library, text)[1])(library.ones(4, 3)).code)
    assert codes[0] == codes[1]


@pytest.mark.parametrize("text", [*READS, *WRITES])
def test_subscripts_compute_the_same_for_other_sizes(text):
    module, function = make(torch, text)
    program = torch.export.export(module, (torch.ones(4, 3),), dynamic_shapes=({0: torch.export.Dim.AUTO},))
    for each in program, program.run_decompositions(), torch.export.load(saved(program)):
        x = torch.randn(6, 3)
        ours, expected = each.module()(x.clone()), function(x.clone())
        for a, b in zip(*(t if isinstance(t, tuple) else (t,) for t in (ours, expected)), strict=True):
            assert torch.equal(torch.as_tensor(a), torch.as_tensor(b))


def test_whole_slices_stay_where_a_size_has_no_limit():
    for kind, count in (("static", 1), ("dynamic", 2), ("limited", 1)):
        code, _ = trace(torch, "x[:, 1:]", DIMS[kind](torch))
        assert code.count("aten.slice.Tensor") == count


class Cache(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.zeros(4, 3))

    def forward(self, x):
        self.kept[:] = x
        x[:] = 1
        return self.kept + 1, x


def test_writes_of_all_elements_change_buffers_and_arguments():
    program = torch.export.export(Cache(), (torch.ones(4, 3),))
    for each in program, program.run_decompositions():
        module, x = each.module(), torch.full((4, 3), 3.0)
        out, same = module(x)
        assert out.eq(4).all() and same.eq(1).all() and x.eq(1).all() and module.kept.eq(3).all()
