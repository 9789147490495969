"""Static graphs: lines before and after they are optimized, other views, and those of a program's tensor."""

import pytest

import tensh as torch
from tensh import nn
from tensh.engine.dispatch.capture.recorder import Recorder
from tensh.show import graph, static
from tensh.show.drawing.page import Page
from tensh.show.graphs.captured import static_of
from tensh.show.graphs.static_graph import StaticGraph


def test_the_tape_shows_what_was_fused_and_how_many_bytes_move():
    text = str(static(lambda x, y: ((x * 2 + y).tanh() * x).sum(), torch.ones(300, 300), torch.ones(300)))
    assert "captured\n" in text and "optimized\n" in text
    assert "fused: 4 steps, block by block" in text
    assert "reads 351.6 KiB  writes 351.6 KiB  x * 2" in text
    assert "; 4 fused into 1" in text


def test_backward_passes_have_a_tape_of_their_own():
    text = str(static(nn.Sequential(nn.Linear(3, 2), nn.Tanh()), torch.ones(1, 3)))
    captured, _, rest = text.partition("captured, backward")
    assert "addmm(_0_bias, input, %1)" in captured and "0: Linear" in captured
    assert "tanh_backward(g, %3)" in rest


def test_trees_pictures_and_source():
    def f(x):
        return (x * x).sin() + 1

    x = torch.ones(2)
    tree = str(static(f, x, view="tree"))
    assert tree.startswith("(x * x).sin() + 1")
    assert "x  (*) again" in tree and "4 nodes, 4 edges" in tree
    assert graph(f, x, static=True, view="dag")._repr_svg_().startswith("<svg")
    source = str(graph(f, x, compiled=True))
    assert source.startswith("# c1 = 1.0\n") and "def forward(x):\n    v1 = mul(x, x)" in source
    fused = StaticGraph(static(lambda x: (x * 2).exp() - 1, torch.ones(40000)).program, optimized=True)
    assert [node.name for node in fused] == ["input", "mul + exp + sub"]


def test_the_tensor_of_a_program():
    with Recorder() as recorder:
        x, w = torch.ones(2, 3), torch.ones(3, requires_grad=True)
        unrelated = torch.rand(4) * 2
        y = (x * w).sum()
        x.relu()
    text = str(static_of(recorder, y, {"x": x, "w": w, "y": y}))
    assert "mul(x, w)" in text and "rand" not in text and "relu" not in text
    assert "captured, backward" in text
    y.backward()
    assert "backward" not in str(static_of(recorder, y, {}))
    with pytest.raises(ValueError, match="not computed by operators"):
        static_of(recorder, torch.ones(1), {})
    assert unrelated.numel() == 4


@pytest.mark.parametrize("width", [80, 60, 48])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_narrow_window_keeps_columns_and_code(width, compiled):
    def f(w, x):
        return torch.relu(w @ x + 1).sum() * 2 + torch.tanh(w @ x).mean()

    view = static(f, torch.ones(2, 3, requires_grad=True), torch.ones(3), compiled=compiled)
    text = "".join(text for _kind, text in view.draw(Page(width=width, is_window=True)))
    lines = text.split("\n")
    assert max(map(len, lines)) < width
    assert "".join(text.split()).count("torch.relu(w@x+1).sum()*2") == "".join(str(view).split()).count(
        "torch.relu(w@x+1).sum()*2"
    )
    if compiled:
        compile(text, "shown", "exec")  # comments stay comments
    else:
        begins = [line.index("float32") for line in lines[1 : lines.index("")] if "float32" in line]
        assert len(begins) > 5 and len(set(begins)) == 1


def test_what_is_no_graph_says_why():
    with pytest.raises(RuntimeError, match="print is called"):
        static(lambda x: print(end="") or x, torch.ones(1))
    with pytest.raises(TypeError, match="expected a function or a module"):
        static(torch.ones(1))
    with pytest.raises(ValueError, match="view must be one of"):
        static(torch.sin, torch.ones(1), view="ring")


def test_a_function_without_tensors_is_an_error():
    with pytest.raises(ValueError, match=r"add computed nothing from tensors: pass tensors to it"):
        graph(make_add(), 3, static=True)


def make_add():
    def add(x):
        return x * 2 + 1

    return add
