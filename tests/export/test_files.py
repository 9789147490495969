"""Files of exported programs: loaded and refused contents."""

import io
import json
import zipfile

import pytest

import tensh as torch
from tensh.export.values import DamagedFile
from tensh.fx import graph_module
from tests.export.branching import make_programs
from tests.export.programs import Model, make_counting, saved


def test_programs_from_files_guard_their_arguments_and_know_their_buffers():
    program = torch.export.export(make_counting(torch), (torch.ones(3, 2), 3))
    again = torch.export.load(saved(program))
    assert again.graph_signature == program.graph_signature
    assert repr(again.graph_signature).startswith("ExportGraphSignature(input_specs=[InputSpec(kind=<InputKind.")
    assert list(again.constants) == ["scale"] and again.graph_signature.user_inputs == ("x", 3)
    assert again.module()(torch.ones(3, 2), 3)[0].shape == (3, 2)
    with pytest.raises(AssertionError, match="Guard failed: factor == 3"):
        again.module()(torch.ones(3, 2), 4)


def altered(change):
    """The file of a program whose description is changed."""
    before, after = saved(torch.export.export(Model(), (torch.ones(2, 3),))), io.BytesIO()
    with zipfile.ZipFile(before) as source, zipfile.ZipFile(after, "w") as target:
        content = json.loads(source.read("program.json"))
        change(content)
        target.writestr("program.json", json.dumps(content))
        target.writestr("tensors.pt", source.read("tensors.pt"))
    after.seek(0)
    return after


def call_of(content):
    return next(each for each in content["nodes"] if each["op"] == "call_function")


CHANGES = [
    lambda content: content.update(tensh=9), lambda content: call_of(content).update(target="os.system"), lambda content: call_of(content).update(target="torch.load"),
    lambda content: call_of(content).update(target="torch.nn.functional.__builtins__"), lambda content: call_of(content).update(name="x); import os #"),
    lambda content: call_of(content).update(op="call_method", target="__reduce__"), lambda content: call_of(content).update(op="call_method", target="set_"),
    lambda content: call_of(content).update(op="call_method", target=["neg"]), lambda content: call_of(content).update(op="call_module", target="neg"), lambda content: call_of(content).update(op="call_module"),
    lambda content: call_of(content)["args"].append({"node": "nobody"}), lambda content: content.pop("nodes"), lambda content: content["parameters"].append("none"),
    lambda content: call_of(content).update(target="aten.nonsense.default"), lambda content: call_of(content).update(target="aten.from_file.default"), lambda content: call_of(content)["args"].append({"object": 1}),
    lambda content: content["nodes"].pop(), lambda content: content["nodes"][0].update(target="x, y=print()"), lambda content: content["nodes"][0].update(target="import"),
    lambda content: content["nodes"].insert(1, content["nodes"][0] | {"name": "another"}), lambda content: content["nodes"][0]["val"].update(shape=[[2], 3]),
    lambda content: content["nodes"][0].pop("val"), lambda content: content.update(structure=[]), lambda content: content.update(structure={"place": 0}),
    lambda content: content.update(structure={"tuple": [{"tuple": []}, {"dict": []}]}), lambda content: content.update(structure={"tuple": [{"tuple": [{"place": 1}]}, {"dict": []}]}),
    lambda content: content.update(structure={"tuple": [{"tuple": [{"place": 0}]}, {"dict": [[1, 2]]}]}),
    lambda content: content.update(dynamic={"3": {"0": "n"}}, bounds={"n": [2, None]}), lambda content: content.update(dynamic={"0": {"7": "n"}}, bounds={"n": [2, None]}),
    lambda content: content.update(dynamic={"0": {"0": "n"}}), lambda content: content.update(bounds={"n": [2, "many"]}), lambda content: content.update(bounds={"n": 3}),
    lambda content: content["nodes"][0]["val"].update(shape=[2, "\x1b[31mred"]), lambda content: content["nodes"][0]["val"].update(shape=[2, -1]),
    lambda content: content["nodes"][0]["val"].update(shape=[2, 2**70]), lambda content: content.update(bounds={"\x1b[31mred": [2, None]}),
    lambda content: content["leaves"][0].__setitem__(0, "x\x1b[31m"), lambda content: content["nodes"][-1]["args"].append(1),
    lambda content: call_of(content)["args"].append("\x1b[31mred"), lambda content: call_of(content)["args"].append({"dict": [["\u202ered", 1]]}),
    lambda content: call_of(content).update(kwargs={"dict": [["\ud800", 1]]}), lambda content: call_of(content).update(val={"parts": 2**40}),
    lambda content: call_of(content).update(val={"parts": -1}), lambda content: call_of(content).update(val={"parts": "9"}),
]  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("change", CHANGES)
def test_damaged_and_hostile_files_are_refused(change):
    with pytest.raises(DamagedFile) as refused:
        torch.export.load(altered(change))
    assert str(refused.value).isprintable() and len(str(refused.value)) < 200


@pytest.mark.parametrize("name", ["neg", "double", "lu"])
def test_a_file_may_call_methods_of_tensors(name):
    def call_method(content):
        call_of(content).update(op="call_method", target=name, args=call_of(content)["args"][:1])

    program = torch.export.load(altered(call_method))
    assert [node.target for node in program.graph.find_nodes(op="call_method")] == [name]


def test_the_number_of_results_that_a_file_claims_takes_no_memory():
    program = torch.export.load(altered(lambda content: call_of(content).update(val={"parts": 2**30})))
    content = json.loads(zipfile.ZipFile(saved(program)).read("program.json"))
    assert call_of(content)["val"] == {"parts": 2**30}


def nest(content, depth):
    """Put the branches of a description into branches of branches."""
    place = next(number for number, each in enumerate(content["nodes"]) if "graph" in each)
    innermost = content["nodes"][place]
    for _ in range(depth):
        content["nodes"][place] = innermost | {"graph": [content["nodes"][place], *innermost["graph"]]}


def test_nested_branches_are_compiled_a_few_times_each(monkeypatch):
    model, arguments, _ = make_programs(torch)["plain"]
    file, counts = saved(torch.export.export(model, arguments)), []
    tensors = zipfile.ZipFile(file).read("tensors.pt")
    compile_function = graph_module.compile_function
    monkeypatch.setattr(graph_module, "compile_function", lambda *a, **k: counts.append(1) or compile_function(*a, **k))
    for depth in 8, 16:
        content, deep = json.loads(zipfile.ZipFile(file).read("program.json")), io.BytesIO()
        nest(content, depth)
        with zipfile.ZipFile(deep, "w") as archive:
            archive.writestr("program.json", json.dumps(content))
            archive.writestr("tensors.pt", tensors)
        deep.seek(0)
        counts.clear()
        torch.export.load(deep)
        assert len(counts) < 6 * (depth + 3)


def refilled(file, values):
    """The file of a program with other values in place of its tensors."""
    after, content = io.BytesIO(), io.BytesIO()
    torch.save(values, content)
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(after, "w") as target:
        target.writestr("program.json", source.read("program.json"))
        target.writestr("tensors.pt", content.getvalue())
    after.seek(0)
    return after


@pytest.mark.parametrize("value", ["text", 3, None, [1], {"a": 1}])
def test_members_that_are_no_tensors_are_refused(value):
    file = saved(torch.export.export(Model(), (torch.ones(2, 3),)))
    tensors = torch.load(io.BytesIO(zipfile.ZipFile(file).read("tensors.pt")))
    for values in (value, *(tensors | {path: value} for path in tensors)):
        with pytest.raises(DamagedFile, match="not tensors"):
            torch.export.load(refilled(file, values))


@pytest.mark.parametrize("name", ["named_parameters", "named_buffers"])
def test_members_are_listed_a_few_times_however_many_there_are(name, monkeypatch):
    class Many(torch.nn.Module):
        def __init__(self, count):
            super().__init__()
            self.parts = torch.nn.ParameterList([torch.nn.Parameter(torch.ones(1)) for _ in range(count)])
            for place in range(count):
                self.register_buffer(f"b{place}", torch.ones(1))

        def forward(self, x):
            for each in (*self.parts, *self.buffers()):
                x = x + each
            return x

    files = [saved(torch.export.export(Many(count), (torch.ones(1),))) for count in (5, 20)]
    counts, original = [], getattr(torch.nn.Module, name)
    monkeypatch.setattr(torch.nn.Module, name, lambda *a, **k: counts.append(1) or original(*a, **k))
    found = []
    for file in files:
        counts.clear()
        torch.export.load(file)
        found.append(len(counts))
    assert found[0] == found[1]


def test_other_files_are_refused():
    for content in (b"", b"PK", b"nothing"):
        with pytest.raises(ValueError, match="not an exported program"):
            torch.export.load(io.BytesIO(content))


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("data.pkl", "not an exported program of tensh: it has no program.json"),
        ("program/models/model.json", "an exported program of PyTorch, whose format tensh does not read"),
    ],
)
def test_archives_of_others_are_refused(record, message):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(record, "{}")
    with pytest.raises(ValueError, match=message):
        torch.export.load(file)


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


def test_programs_from_files_have_their_example():
    class Pairs(torch.nn.Module):
        def forward(self, x, pair, *, factor=2):
            return {"sum": x + pair[0] * factor, "other": pair[1]}

    args, kwargs = (torch.ones(2), [torch.zeros(2), torch.ones(1)]), {"factor": 3}
    program = torch.export.export(Pairs(), args, kwargs)
    again = torch.export.load(saved(program))
    (x, pair), keywords = again.example_inputs
    assert torch.equal(x, args[0]) and all(map(torch.equal, pair, args[1])) and keywords == kwargs
    assert str(again.call_spec.in_spec) == str(program.call_spec.in_spec)
    twice = torch.export.load(saved(again))
    assert torch.equal(twice.module()(*twice.example_inputs[0], **keywords)["sum"], torch.ones(2))


@pytest.mark.parametrize("example", [[], [torch.ones(2)] * 2, [1], torch.ones(1), {"x": torch.ones(1)}], ids=str)
def test_files_with_another_example_are_refused(example):
    before, after = saved(torch.export.export(Model(), (torch.ones(2, 3),))), io.BytesIO()
    with zipfile.ZipFile(before) as source, zipfile.ZipFile(after, "w") as target:
        for name in ("program.json", "tensors.pt"):
            target.writestr(name, source.read(name))
        tensors = io.BytesIO()
        torch.save(example, tensors)
        target.writestr("example.pt", tensors.getvalue())
    after.seek(0)
    with pytest.raises(DamagedFile, match="its example is not a list of 1 tensors"):
        torch.export.load(after)


def test_constants_keep_their_names():
    class Inner(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.arange(2.0)

        def forward(self, x):
            return x * self.w + torch.tensor([1.0, 2.0])

    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.k = Inner(), torch.ones(2)

        def forward(self, x):
            return self.a(self.a(x)) + self.k

    x = torch.ones(2)
    program = torch.export.export(Outer(), (x,))
    names = ["a.w", "a.lifted_tensor_0", "a.lifted_tensor_1", "k"]
    again = torch.export.load(saved(program))
    for each in (program, again, again.run_decompositions(), torch.export.load(saved(again))):
        assert list(each.constants) == names
        assert torch.equal(torch.export.unflatten(each)(x), Outer()(x))
