"""torch.export: programs compute what the modules computed, say what their inputs are, and come back from files that run nothing."""

import copy
import io
import json
import zipfile

import pytest

import tensh as torch
from tensh.export.values import DamagedFile
from tests.support.zoo import make_models

MODELS = {name: (model.eval(), inputs) for name, (model, inputs) in make_models(torch).items()}


def same(a, b):
    if isinstance(b, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in b)
    if isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    return torch.equal(a, b) if isinstance(b, torch.Tensor) else a == b


def saved(program):
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    return file


@pytest.mark.parametrize("name", MODELS)
def test_models_of_the_zoo_compute_the_same_and_come_back(name):
    model, inputs = MODELS[name]
    program = torch.export.export(model, tuple(inputs))
    other = [each.flip(0) for each in inputs]
    assert same(program.module()(*other), model(*other))
    assert same(torch.export.load(saved(program)).module()(*other), model(*other))
    assert set(program.state_dict) == set(model.state_dict())


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 4)
        self.register_buffer("shift", torch.zeros(4))
        self.scale = torch.ones(4)

    def forward(self, x, y=None):
        z = (self.linear(x) + self.shift) * self.scale + torch.tensor([1.0, 2.0, 3.0, 4.0])
        return {"z": z.view(x.shape[0] * 2, 2), "n": 3}


def test_the_signature_is_pytorchs(oracle):

    class Theirs(oracle.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = oracle.nn.Linear(3, 4)
            self.register_buffer("shift", oracle.zeros(4))
            self.scale = oracle.ones(4)

        def forward(self, x, y=None):
            z = (self.linear(x) + self.shift) * self.scale + oracle.tensor([1.0, 2.0, 3.0, 4.0])
            return {"z": z.view(x.shape[0] * 2, 2), "n": 3}

    theirs = oracle.export.export(Theirs(), (oracle.randn(5, 3),))
    ours = torch.export.export(Model(), (torch.randn(5, 3),))
    assert str(ours.graph_signature) == str(theirs.graph_signature)
    assert list(ours.state_dict) == list(theirs.state_dict) and list(ours.constants) == list(theirs.constants)
    assert str(ours.graph) == str(theirs.graph)


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


def test_sizes_with_one_name_must_be_equal():
    assert "Guard failed: y.size()[0] == x.size()[0]" in tell_of_relations(torch)


@pytest.mark.parametrize(
    "shapes",
    [
        {"x": {0: "n", 1: "m"}},
        ({0: "n", 1: torch.export.Dim.AUTO},),
        {"x": (torch.export.Dim("n"), torch.export.Dim.DYNAMIC)},
    ],
)
def test_ways_to_say_dynamic(shapes):
    class Rows(torch.nn.Module):
        def forward(self, x):
            return x.reshape(-1).sum() + x.size(0) * x.shape[1]

    module = torch.export.export(Rows(), (torch.ones(2, 3),), dynamic_shapes=shapes).module()
    assert module(torch.ones(4, 5)).item() == 40


def make_counting(torch):
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("steps", torch.zeros(1))
            self.register_buffer("total", torch.zeros(1))
            self.register_buffer("scale", torch.ones(1), persistent=False)
            self.norm = torch.nn.BatchNorm1d(2)

        def forward(self, x, factor, *, name="a", more=(1, None)):
            self.steps.add_(1)
            self.total = self.total + factor
            x.mul_(2)
            return self.norm(x + torch.rand(2)) * self.scale * self.steps + self.total, x.max(1)

    return Counting()


def tell_of_counting(torch):
    """What an export leaves, what the program is, what its calls give, and what they refuse."""
    torch.manual_seed(0)
    model, x = make_counting(torch), torch.arange(6.0).view(3, 2)
    program = torch.export.export(model, (x, 3), {"name": "b", "more": (2, None)})
    left = [x.tolist(), {name: value.tolist() for name, value in model.state_dict().items()}, torch.rand(1).tolist()]
    signature, known = program.graph_signature, [list(program.state_dict), list(program.constants)]
    known += [signature.user_inputs, [name for name, _ in program.named_buffers()], str(signature)]
    module, answers = program.module(), []
    for args, kwargs in (
        ((x, 3), {"more": (2, None), "name": "b"}),
        ((x, 3), {"name": "b", "more": (2, None)}),
        ((x, 4), {"name": "b", "more": (2, None)}),
        ((x, 3.0), {"name": "b", "more": (2, None)}),
        ((x, 3), {"name": "c", "more": (2, None)}),
        ((x, 3), {"name": "b", "more": (2, 5)}),
        ((x, 3), {"name": "b"}),
        ((x, 3, "b"), {"more": (2, None)}),
        ((x, 3), {"name": "b", "more": [2, None]}),
        ((x, (3,)), {"name": "b", "more": (2, None)}),
        ((x[:2], 3), {"name": "b", "more": (2, None)}),
    ):
        torch.manual_seed(1)
        try:
            result, largest = module(*args, **kwargs)
            answers.append(
                ([[round(each, 4) for each in row] for row in result.tolist()], type(largest).__name__, x.tolist())
            )
        except (AssertionError, ValueError) as error:
            answers.append(f"{type(error).__name__}: {error}")
    return left, known, answers


def test_exports_leave_modules_as_they_were_and_guard_all_arguments_as_pytorch_does(oracle):
    for ours, theirs in zip(tell_of_counting(torch), tell_of_counting(oracle), strict=True):
        assert ours == theirs


def test_programs_from_files_guard_their_arguments_and_know_their_buffers():
    program = torch.export.export(make_counting(torch), (torch.ones(3, 2), 3))
    again = torch.export.load(saved(program))
    assert str(again.graph_signature) == str(program.graph_signature)
    assert list(again.constants) == ["scale"] and again.graph_signature.user_inputs == ("x", 3)
    assert again.module()(torch.ones(3, 2), 3)[0].shape == (3, 2)
    with pytest.raises(AssertionError, match="Guard failed: factor == 3"):
        again.module()(torch.ones(3, 2), 4)


@pytest.mark.parametrize(
    ("compute", "free"),
    [
        (lambda x: x * x.size(0) ** 2, True),
        (lambda x: x * max(x.size(0), 2), True),
        (lambda x: x * 2 if x.size(0) > 1 else x, True),
        (lambda x: x * 2 if x.size(0) > 3 else x, False),  # the example and twice its size are larger
        (lambda x: x * min(x.size(0), 4), False),
    ],
)
def test_decisions_by_dynamic_sizes_hold_for_the_smallest(compute, free):
    class Computing(torch.nn.Module):
        def forward(self, x):
            return compute(x)

    def export():
        return torch.export.export(Computing(), (torch.ones(4),), dynamic_shapes={"x": {0: "n"}}).module()

    if not free:
        with pytest.raises(ValueError, match="depends on a size that is marked as dynamic"):
            export()
        return
    module = export()
    for size in (2, 3, 4, 9):
        assert torch.equal(module(torch.ones(size)), compute(torch.ones(size)))


class Deciding(torch.nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x


class Fixing(torch.nn.Module):
    def forward(self, x):
        return x * 2 if x.size(0) > 3 else x


def test_what_cannot_be_exported_says_which_line():
    with pytest.raises(
        RuntimeError, match=r"Could not guard on data-dependent expression(.|\n)*return x if x.sum\(\) > 0 else -x"
    ):
        torch.export.export(Deciding(), (torch.ones(2),))
    with pytest.raises(ValueError, match="depends on a size that is marked as dynamic"):
        torch.export.export(Fixing(), (torch.ones(2, 3),), dynamic_shapes={"x": {0: "n"}})
    with pytest.raises(ValueError, match="its top-level keys must be the arg names"):
        torch.export.export(Model(), (torch.ones(2, 3),), dynamic_shapes={"z": {0: "n"}})
    with pytest.raises(ValueError, match="has the size 1, and n is from 2"):
        torch.export.export(
            Model(), (torch.ones(1, 3),), dynamic_shapes={"x": {0: torch.export.Dim("n", min=2, max=4)}}
        )
    with pytest.raises(ValueError, match="to be an instance of `torch.nn.Module`"):
        torch.export.export(lambda x: x, (torch.ones(1),))
    with pytest.raises(RuntimeError, match="Unable to call ExportedProgram directly"):
        torch.export.export(Model(), (torch.ones(2, 3),))(torch.ones(2, 3))


def test_gradients_reach_the_parameters_of_the_module():
    model = Model()
    torch.export.export(model, (torch.ones(2, 3),)).module()(torch.ones(2, 3))["z"].sum().backward()
    assert model.linear.weight.grad.tolist() == [[2.0] * 3] * 4


def altered(change):
    """The file of a program whose description is changed."""
    before, after = saved(torch.export.export(Model(), (torch.ones(2, 3),))), io.BytesIO()
    with zipfile.ZipFile(before) as source, zipfile.ZipFile(after, "w") as target:
        said = json.loads(source.read("program.json"))
        change(said)
        target.writestr("program.json", json.dumps(said))
        target.writestr("tensors.pt", source.read("tensors.pt"))
    after.seek(0)
    return after


def call_of(said):
    return next(each for each in said["nodes"] if each["op"] == "call_function")


CHANGES = [
    lambda said: said.update(tensh=9), lambda said: call_of(said).update(target="os.system"), lambda said: call_of(said).update(target="torch.load"),
    lambda said: call_of(said).update(target="torch.nn.functional.__builtins__"), lambda said: call_of(said).update(name="x); import os #"),
    lambda said: call_of(said).update(op="call_method", target="__reduce__"), lambda said: call_of(said).update(op="call_module"),
    lambda said: call_of(said)["args"].append({"node": "nobody"}), lambda said: said.pop("nodes"), lambda said: said["parameters"].append("none"),
    lambda said: call_of(said).update(target="aten.nonsense.default"), lambda said: call_of(said).update(target="aten.from_file.default"), lambda said: call_of(said)["args"].append({"object": 1}),
    lambda said: said["nodes"].pop(), lambda said: said["nodes"][0].update(target="x, y=print()"), lambda said: said["nodes"][0].update(target="import"),
    lambda said: said["nodes"].insert(1, said["nodes"][0] | {"name": "another"}), lambda said: said["nodes"][0]["val"].update(shape=[[2], 3]),
    lambda said: said["nodes"][0].pop("val"), lambda said: said.update(structure=[]), lambda said: said.update(structure={"place": 0}),
    lambda said: said.update(structure={"tuple": [{"tuple": []}, {"dict": []}]}), lambda said: said.update(structure={"tuple": [{"tuple": [{"place": 1}]}, {"dict": []}]}),
    lambda said: said.update(structure={"tuple": [{"tuple": [{"place": 0}]}, {"dict": [[1, 2]]}]}),
    lambda said: said.update(dynamic={"3": {"0": "n"}}, bounds={"n": [2, None]}), lambda said: said.update(dynamic={"0": {"7": "n"}}, bounds={"n": [2, None]}),
    lambda said: said.update(dynamic={"0": {"0": "n"}}), lambda said: said.update(bounds={"n": [2, "many"]}), lambda said: said.update(bounds={"n": 3}),
    lambda said: said["nodes"][0]["val"].update(shape=[2, "\x1b[31mred"]), lambda said: said["nodes"][0]["val"].update(shape=[2, -1]),
    lambda said: said["nodes"][0]["val"].update(shape=[2, 2**70]), lambda said: said.update(bounds={"\x1b[31mred": [2, None]}),
    lambda said: said["leaves"][0].__setitem__(0, "x\x1b[31m"), lambda said: said["nodes"][-1]["args"].append(1),
]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("change", CHANGES)
def test_damaged_and_hostile_files_are_refused(change):
    with pytest.raises(DamagedFile) as refused:
        torch.export.load(altered(change))
    assert str(refused.value).isprintable() and len(str(refused.value)) < 200


def test_other_files_are_refused():
    for content in (b"", b"PK", b"nothing"):
        with pytest.raises(ValueError, match="not an exported program"):
            torch.export.load(io.BytesIO(content))


def test_a_program_knows_the_structures_of_its_call_and_keeps_them_in_a_file():
    class Model(torch.nn.Module):
        def forward(self, x, *, y):
            return {"sum": x + y, "given": (x, [y])}

    program = torch.export.export(Model(), (torch.ones(3, 2),), {"y": torch.ones(2)})
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    for each in (program, torch.export.load(file)):
        spec = each.call_spec
        assert str(spec.in_spec) == "TreeSpec(tuple, None, [TreeSpec(tuple, None, [*]),\n  TreeSpec(dict, ['y'], [*])])"
        assert spec.out_spec.unflatten([1, 2, 3]) == {"sum": 1, "given": (2, [3])}
        assert each.tensor_constants == {}


def test_the_module_of_a_program_is_a_graph_that_can_be_read_and_changed():
    class Scaled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = torch.nn.Linear(2, 2)
            self.register_buffer("scale", torch.full((2,), 3.0))

        def forward(self, x, *rest, k=None):
            return {"y": self.lin(x["a"]) * self.scale + rest[0], "k": k}

    module = Scaled()
    program = torch.export.export(module, ({"a": torch.ones(1, 2)}, torch.zeros(2)), {"k": torch.ones(1)})
    made, arguments = program.module(), ({"a": torch.full((1, 2), 2.0)}, torch.ones(2))
    assert isinstance(made, torch.fx.GraphModule) and list(made.state_dict()) == list(module.state_dict())
    assert made.code.split("\n")[3:6] == [
        "def forward(self, x, rest_0, k):",
        "    x_a, rest_0, k, = fx_pytree.tree_flatten_spec(([x, rest_0], {'k':k}), self._in_spec)",
        "    lin_weight = self.lin.weight",
    ]
    named = {"k": torch.ones(1)}
    assert same(made(*arguments, **named), module(*arguments, **named))
    for node in made.graph.find_nodes(op="call_function", target=torch.ops.aten.mul.Tensor):
        node.target = torch.ops.aten.sub.Tensor
    made.recompile()
    assert made(*arguments, **named)["y"].equal(module.lin(arguments[0]["a"]) - 3 + 1)
    assert copy.deepcopy(made)(*arguments, **named)["y"].equal(made(*arguments, **named)["y"])
    with pytest.raises(NotImplementedError, match="eval"):
        made.eval()
