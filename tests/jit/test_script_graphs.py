"""The graphs of scripts have PyTorch's lines, in its order, with its types and places; values are numbered in another way."""

import difflib
import re

import pytest

import tensh as torch
from tests.jit.scripted_functions import make_scripts
from tests.jit.scripted_modules import make_scripted_modules

pytestmark = pytest.mark.filterwarnings("ignore")
CONSTANT = re.compile(r"\s*(%[\w.]+) : (.*?) = prim::(Constant|Uninitialized)(\[.*\])?\(\)")


OTHER = {
    "s_return_of_loop_in_branch": "the flags of an inner loop are those of the outer one",
}
"""Function -> why its graph differs."""


def normalize(text, places=True):
    """Return the lines of a graph with constants where they are used, and values numbered by their names."""
    constants, lines, names, counts = {}, [], {}, {}
    for line in str(text).splitlines():
        if found := CONSTANT.match(line):
            constants[found[1]] = f"<{found[2]} {found[3]}{found[4] or ''}>"
        else:
            line = re.sub(r"___torch_mangle_\d+\.", "", line)
            lines.append(line if places else line.partition(" # ")[0])

    def rename(found):
        name = found[0]
        if name not in names and name not in constants:
            base = re.sub(r"\.\d+$", "", name[1:])
            base = "" if base.isdigit() else base
            counts[base] = counts.get(base, 0) + 1
            names[name] = f"%{base}#{counts[base]}"
        return constants.get(name) or names[name]

    return [re.sub(r"%[A-Za-z0-9_]+(\.\d+)*", rename, line) for line in lines]


def same_lines(ours, theirs):
    one, other = normalize(ours), normalize(theirs)
    for place, line in enumerate(other[: len(one)]):
        own = re.search(r" # \S*scripted_(functions|modules|programs)", line)
        if " # " in line and not own:  # a place in PyTorch's own source
            one[place], other[place] = one[place].partition(" # ")[0], line.partition(" # ")[0]
    return "\n".join(difflib.unified_diff(other, one, "PyTorch", "tensh", lineterm="", n=0))


@pytest.mark.parametrize("name", make_scripts(torch))
def test_graphs_are_pytorchs(oracle, name):
    ours, theirs = (library.jit.script(make_scripts(library)[name]) for library in (torch, oracle))
    assert (same_lines(ours.graph, theirs.graph) == "") is (name not in OTHER)


@pytest.mark.parametrize("name", make_scripted_modules(torch))
def test_graphs_of_modules_are_pytorchs(oracle, name):
    ours, theirs = (library.jit.script(make_scripted_modules(library)[name]) for library in (torch, oracle))
    assert same_lines(ours.graph, theirs.graph) == ""


@pytest.mark.parametrize("name", make_scripts(torch))
def test_every_value_of_a_graph_is_made_before_it_is_read(name):
    """Branches and loops see the values outside them, and nothing sees the values inside them."""

    def visit(block, known):
        known = known | set(block.inputs())
        for line in block.nodes():
            assert known.issuperset(line.inputs()), line
            for inner in line.blocks():
                visit(inner, known)
            known |= set(line.outputs())
        assert known.issuperset(block.outputs())

    graph = torch.jit.script(make_scripts(torch)[name]).graph
    visit(graph, set())
    names = re.findall(r"(?:^|[(, ])(%[\w.]+) : ", re.sub(r"= .*", "", str(graph)))
    assert len(names) == len(set(names))


def test_calls_are_taken_into_an_inlined_graph():
    module = make_scripted_modules(torch)["Layers"]
    scripted = torch.jit.script(module)
    assert "CallMethod" in str(scripted.graph) and "CallMethod" not in str(scripted.inlined_graph)
    assert scripted.helper.graph.findNode("aten::mul") and scripted.helper.code.startswith("def helper")
    assert [each.kind() for each in scripted.layers[0].graph.nodes()][-1] == "aten::linear"


def test_declarations_have_the_inferred_result(oracle):
    def pair(x, k: int):
        return x * k, k

    def same(k: int, mode: str = "sum", scale: float = 2.0):
        return k

    for function in (pair, same):
        assert str(torch.jit.script(function).schema) == str(oracle.jit.script(function).schema)
