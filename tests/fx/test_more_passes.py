"""Passes that split, normalise, merge and measure graphs: what they make computes the same, and is what PyTorch makes."""

import importlib

import pytest

import tensh
from tensh.switched_off import load

PLACES = {
    "split_by_tags": "passes.split_utils", "getattr_recursive": "passes.split_utils", "setattr_recursive": "passes.split_utils",
    "NormalizeArgs": "experimental.normalize", "NormalizeOperators": "experimental.normalize",
    "AnnotateTypesWithSchema": "experimental.schema_type_annotation", "merge_matmul": "experimental.merge_matmul",
    "get_size_of_all_nodes": "passes.graph_manipulation", "replace_target_nodes_with": "passes.graph_manipulation",
    "stable_topological_sort": "passes.tools_common", "is_node_output_tensor": "passes.tools_common",
    "get_acc_ops_name": "passes.tools_common", "ShapeProp": "passes.shape_prop", "split_module": "passes.split_module",
    "compare_graphs": "passes.utils.common", "get_source_partitions": "passes.utils.source_matcher_utils",
    "check_subgraphs_connected": "passes.utils.source_matcher_utils",
    "annotate": "annotate", "TensorType": "tensor_type", "Dyn": "tensor_type", "is_consistent": "tensor_type",
    "is_more_precise": "tensor_type",
}  # fmt: skip
"""Name -> its module in ``torch.fx``."""


class Library:
    """A library, with names of ``torch.fx`` as attributes."""

    def __init__(self, torch):
        self.torch = torch

    def __getattr__(self, name):
        path = f"fx.{PLACES[name]}"
        ours = self.torch is tensh
        return getattr(load(f"tensh.{path}") if ours else importlib.import_module(f"torch.{path}"), name)


def make_model(torch):
    torch.manual_seed(0)
    layers = (
        torch.nn.Linear(4, 8),
        torch.nn.BatchNorm1d(8),
        torch.nn.ReLU(),
        torch.nn.Dropout(0.5),
        torch.nn.Linear(8, 2),
    )
    return torch.fx.symbolic_trace(torch.nn.Sequential(*layers).eval())


def trace(torch, function):
    """Trace a function that imports the library as ``torch``."""
    return torch.fx.symbolic_trace(lambda x, y: function(torch, x, y))


def formula(torch, x, y):
    return torch.add(x, y) + x * y - torch.nn.functional.relu(x) + torch.cat((x, y)).sum()


def split(lib):
    gm, x = make_model(lib.torch), lib.torch.ones(2, 4)
    for number, node in enumerate(each for each in gm.graph.nodes if each.op == "call_module"):
        node.tag = "head" if number < 2 else "tail"
    made, paths = lib.split_by_tags(gm, ["head", "tail"], return_fqn_mapping=True)
    assert lib.torch.equal(made(x), gm(x))
    tuples = lib.split_by_tags(gm, ["head", "tail"], return_tuple=True)
    assert lib.torch.equal(tuples(x), gm(x))
    refused = []
    for tags in (["tail", "head"],):
        with pytest.raises(AssertionError) as raised:
            lib.split_by_tags(gm, tags)
        refused.append(str(raised.value))
    lib.setattr_recursive(made, "head.mark", 3)
    found = [lib.getattr_recursive(made, path) for path in ("head.mark", "head.nothing")]
    return [made.code, made.head.code, made.tail.code, paths, tuples.code, tuples.head.code, refused, found]


def split_with_paths(lib):
    gm, paths = make_model(lib.torch), {}
    made = lib.split_module(gm, gm, lambda node: int(node.name > "_2"), paths)
    return [made.code, paths]


def normalise(lib):
    torch = lib.torch
    gm, x = trace(torch, formula), torch.ones(2)
    lib.ShapeProp(gm).propagate(x, x)
    named, plain = lib.NormalizeArgs(gm).transform(), lib.NormalizeOperators(gm).transform()
    for each in named, plain:
        assert torch.equal(each(x, x), gm(x, x))
    model = lib.NormalizeArgs(make_model(torch)).transform()
    types = [node.type is torch.Tensor for node in lib.AnnotateTypesWithSchema(gm).transform().graph.nodes]
    return [named.code, plain.code, model.code, types]


def merge(lib):
    torch = lib.torch

    class Products(torch.nn.Module):
        def forward(self, a, b, c, d):
            return torch.matmul(a, c) + torch.matmul(b, c), torch.matmul(c, d), torch.matmul(torch.matmul(a, d), d)

    values = [torch.arange(4.0).view(2, 2) + number for number in range(4)]
    made = lib.merge_matmul(Products())
    assert all(map(torch.equal, made(*values), Products()(*values)))
    return [made.code]


def measure(lib):
    gm = make_model(lib.torch)
    lib.get_size_of_all_nodes(gm, [lib.torch.ones(3, 4)])
    found = [tuple(node.size_bytes) for node in gm.graph.nodes if node.op != "output"]
    tensors = [lib.is_node_output_tensor(node) for node in gm.graph.nodes]
    return [found, tensors, lib.get_acc_ops_name("name"), lib.get_acc_ops_name(lib.torch.nn.ReLU)]


def sort(lib):
    torch = lib.torch
    gm = trace(torch, formula)
    nodes = list(gm.graph.nodes)
    nodes[2].append(nodes[-2])  # the last sum before its operands
    lib.stable_topological_sort(gm)
    gm.recompile()
    gm.graph.lint()
    lib.replace_target_nodes_with(gm, "call_function", torch.add, "call_function", torch.sub)
    gm.recompile()
    return [gm.code, gm(torch.ones(2), torch.ones(2)).tolist()]


def compare(lib):
    torch = lib.torch
    same = lib.compare_graphs(make_model(torch).graph, make_model(torch).graph)
    other = lib.compare_graphs(trace(torch, formula).graph, trace(torch, lambda torch, x, y: x + y).graph)
    program = torch.export.export(
        torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 2)), (torch.ones(1, 2),)
    )
    parts = lib.get_source_partitions(program.graph, [torch.nn.Linear, torch.nn.ReLU, "linear"])
    found = {str(key): [[node.name for node in part.nodes] for part in value] for key, value in parts.items()}
    (relu,), linear = parts[torch.nn.ReLU], parts["linear"]
    return [
        same,
        other,
        found,
        lib.check_subgraphs_connected(linear[0], relu),
        lib.check_subgraphs_connected(relu, linear[0]),
    ]


def describe(lib):
    shape, dyn = lib.TensorType, lib.Dyn
    gm = lib.torch.fx.symbolic_trace(lambda x: lib.annotate(x, shape((1, 2))) + 1)
    with pytest.raises(RuntimeError, match="already had a type"):
        lib.torch.fx.symbolic_trace(lambda x: lib.annotate(lib.annotate(x, int), int))
    found = [repr(node.type) for node in gm.graph.nodes]
    for one, two in (((1, 2), (1, dyn)), ((1, dyn), (1, 2)), ((1, 2), (1, 3)), ((1,), (1, 2))):
        found += [lib.is_consistent(shape(one), shape(two)), lib.is_more_precise(shape(one), shape(two))]
    return [
        *found,
        lib.is_consistent(dyn, int),
        lib.is_more_precise(int, dyn),
        repr(shape[1, 2]),
        shape((1,)) == shape((1,)),
    ]


CASES = [split, split_with_paths, normalise, merge, measure, sort, compare, describe]


@pytest.mark.parametrize("case", CASES, ids=lambda each: each.__name__)
def test_passes_keep_what_is_computed(case):
    assert case(Library(tensh))


@pytest.mark.parametrize("case", CASES, ids=lambda each: each.__name__)
def test_passes_make_what_pytorchs_make(oracle, case):
    for ours, theirs in zip(case(Library(tensh)), case(Library(oracle)), strict=True):
        assert ours == theirs


def tell_of_managers(passes, infra, make):
    """Run the two managers of passes, and their failures."""
    found, seen = [], []

    def note(gm):
        seen.append("note")
        return gm

    older = passes.PassManager([note, passes.inplace_wrapper(lambda gm: seen.append("in"))])
    older.add_pass(passes.loop_pass(note, n_iter=2))
    older(make())
    older.remove_pass(["note"])
    found.append([each.__name__ for each in older.passes])
    older = passes.PassManager([note, len], [passes.these_before_those_pass_constraint(len, note)])
    with pytest.raises(RuntimeError, match="pass schedule constraint violated"):
        older(make())
    with pytest.raises(AssertionError, match="Exactly one"):
        passes.loop_pass(note)

    def fail(gm):
        raise ValueError("no")

    for each in (fail, lambda gm: 3):
        with pytest.raises(Exception, match="An error occurred when running") as raised:
            infra.PassManager([infra.pass_result_wrapper(note), each])(make())
        found.append([str(raised.value), type(raised.value).__name__, type(raised.value.__cause__).__name__])
    return [*found, seen]


def test_passes_are_removed_by_name():
    manager = load("tensh.fx.passes.pass_manager").PassManager([len, abs, max])
    manager.remove_pass(["abs", "max"])
    assert manager.passes == [len]


def test_managers_of_passes_are_pytorchs(oracle):
    ours = [load(f"tensh.fx.passes.{name}") for name in ("pass_manager", "infra.pass_manager")]
    theirs = [importlib.import_module(f"torch.fx.passes.{name}") for name in ("pass_manager", "infra.pass_manager")]
    found = tell_of_managers(*ours, lambda: make_model(tensh))
    assert found == tell_of_managers(*theirs, lambda: make_model(oracle))


def tell_of_sizes(sizes):
    """The answers of functions about sizes."""
    found = [
        sizes.guard_or_false(True), sizes.guard_or_true(False), sizes.statically_known_true(True), sizes.sym_eq((1, 2), [1, 2]),
        sizes.sym_eq((1,), (1, 2)), sizes.sym_or(False, True), sizes.sym_and(True, False), sizes.is_symbolic(3), sizes.guard_int(3),
        sizes.guard_scalar(2.5), sizes.has_free_symbols(3), len(sizes.free_symbols(3)), sizes.is_concrete_int(2), sizes.has_static_value(1),
    ]  # fmt: skip
    for call in (
        lambda: sizes.guard_int("a"),
        lambda: sizes.guard_bool(3),
        lambda: sizes.sym_eq(1, (1,)),
        lambda: sizes.guard_scalar("x"),
        lambda: sizes.statically_known_true(3),
        lambda: sizes.guard_or_true(1),
    ):
        with pytest.raises(AssertionError) as raised:
            call()
        found.append(str(raised.value))
    return found


def test_questions_about_sizes_are_answered_as_by_pytorch(oracle):
    theirs = importlib.import_module("torch.fx.experimental.symbolic_shapes")
    assert tell_of_sizes(load("tensh.fx.experimental.symbolic_shapes")) == tell_of_sizes(theirs)


def test_conditions_on_elements_have_a_default_in_exports():
    sizes = load("tensh.fx.experimental.symbolic_shapes")

    class Choosing(tensh.nn.Module):
        def forward(self, x):
            return x + 1 if sizes.guard_or_false(x.sum().int().item() > 3) else x - 1

    assert tensh.export.export(Choosing(), (tensh.ones(9),)).module()(tensh.ones(9)).tolist() == [0.0] * 9
