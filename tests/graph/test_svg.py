"""Graphs as SVG: well-formed, without markup from users, and with boxes, text and arrows that do not overlap."""

import io
import re
import xml.etree.ElementTree as ET

import pytest

import tensh
from tensh.cli.app import main
from tensh.cli.process.environment import Environment
from tensh.graph import tokens
from tensh.graph.formats import svg
from tensh.graph.formats.tree import Shown
from tensh.graph.walk import Graph

NN = tensh.nn


def test_formulas_stand_in_the_boxes_of_what_gets_them():
    x, w = tensh.ones(3, requires_grad=True), tensh.ones(3, requires_grad=True)
    y = x * w
    drawn = "\n".join(svg.lines(Graph(y.sum(), {"x": x, "w": w, "y": y}), Shown(formulas=True)))
    assert "gets g * w" in drawn and "gets g * x" in drawn


def product():
    x, w = tensh.ones(3, requires_grad=True), tensh.ones(3, requires_grad=True)
    y = (x + w) * (w + 1) * x
    return y, locals()


def several():
    """An operation of several outputs, and one with the same operand twice."""
    x = tensh.ones(4, 3, requires_grad=True)
    a, b = x.chunk(2)
    y = (a * b * b).sum() + (x * x).sum()
    return y, locals()


def leaf():
    x = tensh.ones(2, requires_grad=True)
    return x, locals()


def network():
    net = NN.Sequential(*[layer for _ in range(6) for layer in (NN.Linear(4, 4), NN.Tanh())])
    loss = net(tensh.ones(2, 4)).sum()
    return loss, locals()


def recurrent():
    cell, h = NN.GRUCell(3, 4), tensh.zeros(2, 4)
    for _ in range(6):
        h = cell(tensh.ones(2, 3), h)
    return h.sum(), locals()


def skips():
    """Edges that span any number of layers."""
    xs = [tensh.ones(2, requires_grad=True)]
    for k in range(30):
        xs.append((xs[-1] + xs[len(xs) // 2]).tanh() * xs[k // 3])
    return sum(xs), locals()


def wide():
    """Letters that take two columns, and titles longer than a box."""
    世界 = tensh.ones(2, requires_grad=True)
    return (世界 + 世界 * 2 + 世界 * 3 + 世界 * 4 + 世界 * 5 + 世界 * 6 + 世界 * 7 + 世界 * 8).exp().sum(), locals()


GRAPHS = [leaf, product, several, network, recurrent, skips, wide]


@pytest.fixture(params=GRAPHS, ids=lambda program: program.__name__)
def graph(request):
    return Graph(*request.param())


def test_boxes_stand_apart_and_within_the_picture(graph):
    picture = svg.Picture(graph)
    boxes = [*picture.boxes.values()]
    assert len(boxes) == len(graph)
    for i, a in enumerate(boxes):
        assert a.left >= svg.MARGIN / 2 and a.left + a.width <= picture.width and a.y > 0 and a.bottom < picture.height
        for b in boxes[:i]:
            beside = a.left + a.width < b.left or b.left + b.width < a.left
            assert beside or a.bottom < b.y or b.bottom < a.y, (a.rows, b.rows)


def test_text_is_within_its_box(graph):
    for box in svg.Picture(graph).boxes.values():
        assert max(map(tokens.width, box.rows)) * svg.CHARACTER < box.width
        assert len(box.rows) * svg.LINE < box.height


def points(path, steps=12):
    """Points along a path of M, V and C."""
    place, found = None, []
    for letter, numbers in re.findall(r"([MVC])([^MVC]*)", path):
        at = [float(each) for each in numbers.split()]
        if letter == "M":
            place = at
        elif letter == "V":
            found += [(place[0], place[1] + (at[0] - place[1]) * n / steps) for n in range(steps + 1)]
            place = [place[0], at[0]]
        else:
            ends = [place, at[:2], at[2:4], at[4:]]
            for n in range(steps + 1):
                t = n / steps
                weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
                found.append(tuple(sum(w * end[axis] for w, end in zip(weights, ends, strict=True)) for axis in (0, 1)))
            place = at[4:]
    return found


@pytest.mark.thorough
def test_no_line_runs_through_a_box(graph):
    picture = svg.Picture(graph)
    for arrow in picture.arrows:
        for x, y in points(arrow.path):
            for box in picture.boxes.values():
                inside = box.left + 1 < x < box.left + box.width - 1 and box.y + 1 < y < box.bottom - 1
                assert not inside, box.rows


def test_arrows_meet_the_boxes_that_the_graph_joins(graph):
    """Every pair of nodes with an edge is joined by a way of lines that ends in an arrow, and no other is."""
    picture = svg.Picture(graph)
    heads = [arrow for arrow in picture.arrows if arrow.end]
    joined = {(edge.number, node.number) for node in graph for edge in node.edges if edge.number is not None}
    assert len(heads) == len(joined)
    assert sum(arrow.times for arrow in heads) == sum(e.number is not None for node in graph for e in node.edges)
    for arrow in heads:
        x, y = arrow.end
        assert any(box.left <= x <= box.left + box.width and abs(box.y - y) < 0.1 for box in picture.boxes.values())
    starts = {arrow.path.partition("V")[0] for arrow in picture.arrows}
    ends = {f"M{points(arrow.path)[-1][0]:.1f} {points(arrow.path)[-1][1]:.1f}" for arrow in picture.arrows}
    below = {f"M{box.x:.1f} {box.bottom:.1f}" for box in picture.boxes.values()}
    assert starts <= below | ends


def test_the_document_is_xml_and_every_node_is_in_it(graph):
    root = ET.fromstring("\n".join(svg.lines(graph)))
    groups = [each for each in root.iter() if each.get("class", "").startswith("node")]
    assert len(groups) == len(graph)
    assert not [each for each in root.iter() if each.get("id") or each.tag.endswith(("script", "a", "image", "use"))]


def test_names_cannot_bring_markup_into_the_picture():
    evil = "</text><script>alert(1)</script><!--\" onload='x' &amp; ]]> \x1b[2J\u202e\ud800"
    x = tensh.ones(2, requires_grad=True)
    graph = Graph(x * 2, {evil: x})
    text = "\n".join(svg.lines(graph))
    root = ET.fromstring(text)
    assert not any(each.tag.endswith("script") or each.get("onload") for each in root.iter())
    assert "alert(1)" in "".join(root.itertext()) and not set("\x1b\u202e\ud800") & set(text)


def test_a_graph_that_nobody_could_look_at_is_refused():
    x = y = tensh.ones(1, requires_grad=True)
    for _ in range(svg.MOST):
        y = y + 1
    with pytest.raises(ValueError, match=r"up to 1,500 nodes, this graph has 1,501"):
        next(svg.lines(Graph(y, {"x": x})))


CODE = "x = torch.ones(2, requires_grad=True)\ny = (x * 2).sum()\ny.backward(retain_graph=True)"
KINDS = {"svg": "<svg ", "dot": "digraph", "gv": "digraph", "mmd": "flowchart", "json": '{"', "txt": "y = ", "": "y = "}


def graph_command(*words):
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={})
    return main(["graph", "-c", CODE, *words], env), env.stdout.getvalue(), env.stderr.getvalue()


@pytest.mark.parametrize("ending", KINDS)
def test_the_kind_follows_from_the_name_of_the_file(ending, tmp_path):
    path = tmp_path / f"graph.{ending}"
    assert graph_command("y", "-o", str(path)) == (0, "", "")
    assert path.read_text(encoding="utf-8").startswith(KINDS[ending])


@pytest.mark.parametrize(
    "words, complaint",
    [
        ("-o out.svg --format text", "a .svg file holds svg, but text was requested"),
        ("-o out.json --format svg", "a .json file holds json, but svg was requested"),
        ("--view tape -o out.svg", "--view tape can be written only as text, not as svg"),
        ("--view tree --format dot --static", "--view tree can be written only as text, not as dot"),
        ("-o out.svg --mode forward", "--mode can be written only as text, not as svg"),
        ("--steps --format dot", "--steps can be written only as text, not as dot"),
        ("--why x --format json", "--why can be written only as text, not as json"),
        ("--format png", "png must be written to a file"),
        ("-o out.html", "cannot write HTML; for a picture to put in a page, use -o graph.svg"),
        ("-o out.HTM --format text", "cannot write HTML"),
    ],
)
def test_what_cannot_be_written_is_refused(words, complaint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = graph_command("y", *words.split())
    assert status == 2 and not out and complaint in err and not [*tmp_path.iterdir()]
