"""Dynamic shapes of exported programs: names, ranges, relations and guards."""

import pytest

import tensh as torch
from tests.export.programs import Model, saved


def test_dynamic_dimensions_have_names_ranges_and_guards():
    batch = torch.export.Dim("batch", min=2, max=100)
    program = torch.export.export(Model(), (torch.randn(5, 3),), dynamic_shapes={"x": {0: batch}})
    module = program.module()
    for size in (2, 7, 100):
        assert module(torch.randn(size, 3))["z"].shape == (2 * size, 2)
    assert 'view: "f32[2*s77, 2]"' in str(program) and str(program.range_constraints) == "{s77: VR[2, 100]}"
    for bad, text in (
        (torch.randn(7, 4), r"x.size\(\)\[1\] == 3"),
        (torch.randn(101, 3), "<= 100"),
        (torch.randn(3), "dim"),
    ):
        with pytest.raises(AssertionError, match=f"Guard failed: .*{text}"):
            module(bad)
    again = torch.export.load(saved(program))
    assert again.module()(torch.randn(9, 3))["z"].shape == (18, 2) and str(again.range_constraints) == str(
        program.range_constraints
    )


@pytest.mark.parametrize("shapes", [None, {}, (), []], ids=repr)
def test_no_dimension_is_dynamic_without_a_declaration(shapes):
    module = torch.export.export(torch.nn.ReLU(), (torch.ones(2),), dynamic_shapes=shapes).module()
    assert module(-torch.ones(2)).tolist() == [0, 0]
    with pytest.raises(AssertionError, match="Guard failed"):
        module(torch.ones(3))


def tell_of_relations(torch):
    """Ranges, sizes, guards and refusals of sums whose operands have dynamic sizes."""
    Dim = torch.export.Dim

    class Sum(torch.nn.Module):
        def forward(self, x, y):
            return x + y

    class Apart(torch.nn.Module):
        def forward(self, x, y):
            return x.sum(0) + y.sum(0), x.reshape(-1)

    auto, found = {0: Dim.AUTO}, []
    for model, shapes in (
        (Sum, {"x": {0: Dim("a")}, "y": {0: Dim("a")}}),
        (Sum, {"x": auto, "y": auto}),
        (Sum, {"x": {0: Dim("a", min=3)}, "y": auto}),
        (Sum, {"x": auto, "y": None}),
        (Sum, {"x": {0: Dim.DYNAMIC}, "y": None}),
        (Sum, {"x": {0: Dim("a")}, "y": {0: Dim("b")}}),
        (Apart, {"x": {0: Dim("a"), 1: Dim.AUTO}, "y": {0: Dim("b", max=9), 1: Dim.AUTO}}),
    ):
        try:
            program = torch.export.export(model(), (torch.ones(4, 3), torch.ones(4, 3)), dynamic_shapes=shapes)
        except Exception as error:
            found.append(str(error).splitlines()[1])
            continue
        found.append(f"{program.range_constraints} {[node.meta.get('val') for node in program.graph.nodes]}")
        for sizes in ((5, 4), (1, 4), (4, 12), *([] if None in shapes.values() else [(3, 3), (1, 1)])):
            try:
                result = program.module()(*(torch.ones(size, 3) for size in sizes))
                found.append([tuple(each.shape) for each in (result if isinstance(result, tuple) else [result])])
            except AssertionError as error:
                found.append(str(error))
    return found


def test_relations_between_dynamic_sizes_are_pytorchs(oracle):
    for ours, theirs in zip(tell_of_relations(torch), tell_of_relations(oracle), strict=True):
        assert ours == theirs


def tell_sums(torch):
    """The sizes of results that are made of two dynamic sizes."""
    functions = [
        lambda x, y: torch.cat([x, y]),
        lambda x, y: torch.cat([x, y, x]),
        lambda x, y: torch.cat([y, y, y, x]),
        lambda x, y: torch.cat([x[1:], y]),
        lambda x, y: torch.cat([x, x]) + y.sum(),
        lambda x, y: (x[:, None] + y[None]).flatten(0, 1),
        lambda x, y: x @ y.T,
    ]

    class Called(torch.nn.Module):
        def __init__(self, function):
            super().__init__()
            self.function = function

        def forward(self, x, y):
            return self.function(x, y)

    found, auto = [], {0: torch.export.Dim.AUTO}
    for function in functions:
        for rows in ((3, 3), (3, 5), (7, 4)):
            examples = tuple(torch.ones(count, 4) for count in rows)
            program = torch.export.export(Called(function), examples, dynamic_shapes=(auto, auto))
            found.append(list(map(str, program.graph.output_node().args[0][0].meta["val"].shape)))
    return found


def test_sizes_made_of_two_dynamic_ones_are_pytorchs(oracle):
    for ours, theirs in zip(tell_sums(torch), tell_sums(oracle), strict=True):
        assert ours == theirs


def test_a_sum_of_sizes_has_both_names():
    assert [each[0] for each in tell_sums(torch)[:5:2]] == ["s17 + s77", "s17 + s77", "s17 + 2*s77"]


WINDOWS = [
    lambda f, x, w: f.conv2d(x, w),
    lambda f, x, w: f.conv2d(x, w, stride=2),
    lambda f, x, w: f.conv2d(f.conv2d(x, w, stride=2, padding=1), w, stride=2, padding=1),
    lambda f, x, w: f.max_pool2d(f.conv2d(f.max_pool2d(x, 2), w), 2),
    lambda f, x, w: f.conv2d(f.max_pool2d(x, 3, stride=2, padding=1), w),
    lambda f, x, w: f.interpolate(f.avg_pool2d(x, 2), scale_factor=2),
    lambda f, x, w: f.conv_transpose2d(f.max_pool2d(x, 2), w, stride=2),
    lambda f, x, w: x + f.interpolate(f.max_pool2d(x, 2), scale_factor=2),
    lambda f, x, w: f.max_pool2d(x, 2) - f.interpolate(f.max_pool2d(x, 4), scale_factor=2),
    lambda f, x, w: x[:, :, ::2, 1::2],
    lambda f, x, w: x.flatten(1),
    lambda f, x, w: f.max_pool2d(x, 2).flatten(2).chunk(2, 1)[0],
]


def tell_of_windows(torch):
    """Sizes and ranges of programs that move windows over an image of dynamic size, and what they say of other images."""

    class Called(torch.nn.Module):
        def __init__(self, function):
            super().__init__()
            self.function = function

        def forward(self, x):
            return self.function(torch.nn.functional, x, torch.ones(3, 3, 3, 3))

    found, auto = [], torch.export.Dim.AUTO
    for function in WINDOWS:
        program = torch.export.export(
            Called(function), (torch.ones(2, 3, 16, 20),), dynamic_shapes=({2: auto, 3: auto},)
        )
        values = (node.meta.get("val") for node in program.graph.nodes if node.op == "call_function")
        found.append(
            [str(program.range_constraints), *(", ".join(map(str, getattr(each, "shape", ()))) for each in values)]
        )
        for height, width in ((24, 28), (17, 20), (3, 8), (2, 8)):
            try:
                found[-1].append(tuple(program.module()(torch.ones(2, 3, height, width)).shape))
            except AssertionError as error:
                found[-1].append(str(error))
    return found


def test_sizes_of_windows_are_pytorchs(oracle):
    for ours, theirs in zip(tell_of_windows(torch), tell_of_windows(oracle), strict=True):
        assert ours == theirs


def test_sizes_of_windows_follow_from_their_operands():
    found = tell_of_windows(torch)[3]
    assert found[0] == "{s53: VR[8, int_oo], s0: VR[8, int_oo]}" and found[-1] == "Guard failed: x.size()[2] >= 8"
    assert "2, 3, ((s53//4)) - 1, ((s0//4)) - 1" in found


def test_sizes_with_one_name_must_be_equal():
    assert "Guard failed: y.size()[0] == x.size()[0]" in tell_of_relations(torch)


@pytest.mark.parametrize(
    "shapes",
    [
        {"x": {0: torch.export.Dim("n"), 1: torch.export.Dim("m")}},
        ({0: torch.export.Dim("n"), 1: torch.export.Dim.AUTO},),
        {"x": (torch.export.Dim("n"), torch.export.Dim.DYNAMIC)},
    ],
)
def test_ways_to_say_dynamic(shapes):
    class Rows(torch.nn.Module):
        def forward(self, x):
            return x.reshape(-1).sum() + x.size(0) * x.shape[1]

    module = torch.export.export(Rows(), (torch.ones(2, 3),), dynamic_shapes=shapes).module()
    assert module(torch.ones(4, 5)).item() == 40


@pytest.mark.parametrize(
    ("compute", "free"),
    [
        (lambda x: x * x.size(0) ** 2, True),
        (lambda x: x * max(x.size(0), 2), True),
        (lambda x: x * 2 if x.size(0) > 1 else x, True),
        (lambda x: x * 2 if x.size(0) > 3 else x, False),  # the example and twice its size are larger
        (lambda x: x * min(x.size(0), 4), True),
    ],
)
def test_decisions_by_dynamic_sizes_hold_for_the_smallest(compute, free):
    class Computing(torch.nn.Module):
        def forward(self, x):
            return compute(x)

    def export():
        return torch.export.export(
            Computing(), (torch.ones(4),), dynamic_shapes={"x": {0: torch.export.Dim("n")}}
        ).module()

    if not free:
        with pytest.raises(RuntimeError, match="Not all values of n = .* in the specified range satisfy"):
            export()
        return
    module = export()
    for size in (2, 3, 4, 9):
        assert torch.equal(module(torch.ones(size)), compute(torch.ones(size)))


class After(torch.nn.Module):
    def forward(self, x, y):
        return x[1:] + y


class Halves(torch.nn.Module):
    def forward(self, x, y):
        return x.reshape(2, -1).sum(0) * y


class Pairs(torch.nn.Module):
    def forward(self, x):
        return x.view(-1, 2)


D = torch.export.Dim("d", min=3, max=20)


@pytest.mark.parametrize(
    ("model", "sizes", "shapes", "others", "refused"),
    [
        (After(), (5, 4), ({0: D}, {0: D - 1}), [(9, 8), (20, 19)], [(9, 9), (30, 29), (2, 1)]),
        (After(), (5, 4), ({0: 1 + D}, {0: D}), [(9, 8), (21, 20)], [(9, 9), (30, 29), (2, 1)]),
        (Halves(), (8, 4), ({0: 2 * D}, {0: D}), [(10, 5), (6, 3)], [(9, 4), (10, 4), (42, 21)]),
        (Halves(), (8, 4), ({0: D * 2}, None), [(8, 4)], [(10, 4), (9, 4)]),
        (Pairs(), (8,), ({0: 2 * D},), [(12,), (40,)], [(13,), (4,), (42,)]),
    ],
)
def test_a_dimension_may_follow_from_another(model, sizes, shapes, others, refused):
    args = tuple(torch.arange(float(size)) for size in sizes)
    if shapes[-1] is None:
        with pytest.raises(RuntimeError, match="specialized it to be a constant"):
            torch.export.export(model, args, dynamic_shapes=shapes)
        return
    program = torch.export.export(model, args, dynamic_shapes=shapes)
    for module in (program.module(), torch.export.load(saved(program)).module()):
        for sizes in others:
            args = [torch.randn(size) for size in sizes]
            assert torch.equal(module(*args), model(*args))
        for sizes in refused:
            with pytest.raises(AssertionError, match="Guard failed"):
                module(*map(torch.randn, sizes))


def test_derived_dimensions_are_written_as_in_pytorch(oracle):
    for library in (torch, oracle):
        d = library.export.Dim("d", min=3, max=20)
        found = [repr(each) for each in (d - 1, 2 * d, d * 3, d + 4, (2 * d + 1))]
        with pytest.raises(NotImplementedError, match="where an integer was expected"):
            d + 1.5
        assert found == ["d - 1", "2*d", "3*d", "d + 4", "2*d + 1"]
    with pytest.raises(RuntimeError, match="to be equal to d \\+ 1, where d = 4, but got 4"):
        torch.export.export(Halves(), (torch.ones(8), torch.ones(4)), dynamic_shapes=({0: 2 * D}, {0: D + 1}))


class Addition(torch.nn.Module):
    def forward(self, x, y):
        return x + y


@pytest.mark.parametrize(
    ("shapes", "message"),
    [({"x": None}, "its top-level keys must be the arg names"), ((None,), "`inputs` has 2 elements, but `dynamic_shapes` has 1")],
)  # fmt: skip
def test_every_argument_is_described(shapes, message):
    with pytest.raises(RuntimeError, match=message) as raised:
        torch.export.export(Addition(), (torch.ones(2), torch.ones(2)), dynamic_shapes=shapes)
    assert type(raised.value).__name__ == "UserError"


def test_a_size_that_is_part_of_a_number_read_from_a_tensor_is_refused():
    class Filled(torch.nn.Module):
        def forward(self, x):
            return torch.zeros(int(x.sum().item()))

    with pytest.raises(RuntimeError, match="data-dependent"):
        torch.export.export(Filled(), (torch.ones(2),))


def test_one_tensor_as_several_arguments_has_dynamic_sizes():
    class Attention(torch.nn.Module):
        def forward(self, q, k, v):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    x, y = torch.randn(2, 2, 4, 8), torch.randn(3, 2, 7, 8)
    sizes = {0: torch.export.Dim("batch"), 2: torch.export.Dim("length", max=100)}
    program = torch.export.export(Attention(), (x, x, x), dynamic_shapes=(sizes, sizes, sizes))
    assert torch.equal(program.module()(y, y, y), Attention()(y, y, y))


def make_scaling(library, settings):
    class Scaling(library.nn.Module):
        def forward(self, x):
            return library.nn.functional.interpolate(x, **settings).relu()

    return Scaling()


@pytest.mark.parametrize("settings", [{"scale_factor": (1.5, 2.0)}, {"scale_factor": 2.5, "mode": "bilinear"}])
def test_sizes_of_scaled_images_are_pytorchs(oracle, settings):
    shapes = []
    for library in (torch, oracle):
        module, dim = make_scaling(library, settings), library.export.Dim
        sizes = ({2: dim("h", min=4, max=64), 3: dim("w", min=4, max=64)},)
        program = library.export.export(module, (library.rand(2, 3, 8, 8),), dynamic_shapes=sizes)
        shapes.append([str(node.meta["val"].shape) for node in program.graph.nodes if "val" in node.meta])
        x = library.rand(2, 3, 9, 10)
        assert program.module()(x).shape == module(x).shape
    assert shapes[0] == shapes[1]


FOLLOWED = {
    "split": lambda x: x.tensor_split(2),
    "split_in_three": lambda x: x.tensor_split(3),
    "negative": lambda x: x * -x.shape[0] + -(x.shape[0] // 3),
    "rounded_up": lambda x: x.new_zeros(-(-x.shape[0] // 3)),
    "padded": lambda x: torch.nn.functional.pad(x, (0, 0, 0, -x.shape[0] % 4)),  # no rows are missing of 8 and of 16
    "rest": lambda x: x[: x.shape[0] % 8],
}


@pytest.mark.parametrize("name", FOLLOWED)
def test_arithmetic_of_sizes_is_followed(name):
    class Program(torch.nn.Module):
        def forward(self, x):
            return FOLLOWED[name](x)

    program = torch.export.export(Program(), (torch.ones(8, 4),), dynamic_shapes=({0: torch.export.Dim.AUTO},))
    for each in (program, program.run_decompositions()):
        for size in (8, 9, 10, 11):
            x = torch.arange(4.0 * size).reshape(size, 4)
            for ours, theirs in zip(each.module()(x), FOLLOWED[name](x), strict=True):
                torch.testing.assert_close(ours, theirs)


def test_sizes_of_decomposed_programs_have_names_of_their_own():
    class Program(torch.nn.Module):
        def forward(self, x):
            return torch.nn.functional.normalize(x.flatten(1))

    names, least = ("b", "h", "w"), {"min": 2, "max": 99}
    dims = {place: torch.export.Dim(name, **least) for place, name in zip((0, 2, 3), names)}
    program = torch.export.export(Program(), (torch.ones(2, 3, 8, 8),), dynamic_shapes=(dims,)).run_decompositions()
    x = torch.randn(3, 3, 4, 5)
    assert torch.equal(program.module()(x), Program()(x))


@pytest.mark.parametrize("make", [lambda n: torch.tensor(float(n)), lambda n: torch.tensor([1.0] * n)])
def test_a_tensor_that_python_makes_of_a_size_is_refused(make):
    class Program(torch.nn.Module):
        def forward(self, x):
            return x * make(x.shape[0]).sum()

    with pytest.raises(RuntimeError, match="specialized it to be a constant"):
        torch.export.export(Program(), (torch.ones(8),), dynamic_shapes=({0: torch.export.Dim.DYNAMIC},), strict=False)
