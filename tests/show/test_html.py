"""What can be looked at as HTML: the text of the plain page and nothing else, whatever names, values and notes hold."""

from html.parser import HTMLParser

import pytest

import tensh
from tensh.show.drawing.page import WIDE, View
from tensh.show.drawing.table import Table, Tables
from tensh.show.graphs.reasons import Why
from tensh.show.printed.html import value_html
from tensh.support.escaping import visible

EVIL = "<script>alert('1')</script> & \"' onload=x \x1b[2J\u202e"
TAGS = {"pre", "span", "table", "thead", "tbody", "tr", "th", "td", "caption"}


class Failing:
    """A key whose repr fails."""

    def __repr__(self):
        raise ValueError(EVIL)


class Reader(HTMLParser):
    """Collects the text of a document, and refuses forbidden markup."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.text, self.open = "", []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        assert tag in TAGS and {name for name, _ in attributes} <= {"style"}
        assert all("url" not in value and ";;" not in value for _, value in attributes)
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def views():
    w = tensh.arange(6.0).reshape(2, 3).requires_grad_()
    loss = (w * 2).sum()
    loss.backward(retain_graph=True)
    names = {EVIL: w, "loss": loss, "text": EVIL, "n": float("nan")}
    show = tensh.show
    yield show.who(names)
    yield show.grads(names)
    yield show.graph(loss, names, view="tree")
    yield show.graph(loss, names, view="tape")
    yield show.why(w, loss, names)
    yield show.steps(loss, names)
    yield show.accumulation(loss, "reverse", names)
    yield show.memory(loss, names)
    yield show.hist(w.detach())
    yield show.heat(w.detach())
    yield show.image(w.detach())
    yield show.plot(w.detach()[0])
    yield show.full(w)
    yield show.cmp(w, w + 1)
    yield show.contents({EVIL: w, "b": [w, EVIL]})
    yield show.summary(tensh.nn.Sequential(tensh.nn.Linear(2, 3), tensh.nn.Linear(3, 1)))
    yield show.gradcheck(lambda x: x * x, tensh.ones(2, dtype=tensh.float64, requires_grad=True))


@pytest.mark.parametrize("view", [*views()], ids=lambda view: type(view).__name__)
def test_a_view_says_the_same_as_in_text(view):
    assert isinstance(view, View)
    text = Reader(view._repr_html_()).text
    if isinstance(view, Table | Tables):  # there are no spaces between cells
        assert "".join(repr(view).split()) == "".join(text.split())
    elif isinstance(view, Why):  # its headline is broken, as in a window
        assert text.split() == visible(repr(view)).split()
    else:
        assert text == visible("".join(text for _, text in view.draw(WIDE)))


@pytest.mark.parametrize(
    "value, text",
    [
        (tensh.ones(2), "tensor([1., 1.])\n# [2] float32 · leaf · 8 B"),
        (tensh.tensor(3), "tensor(3)\n# [] int64 · leaf · 8 B"),
        (tensh.ones(0, 2), "tensor([], size=(0, 2))\n# [0, 2] float32 · leaf · 0 B"),
        (tensh.tensor([float("nan")]), "tensor([nan])\n# [1] float32 · NaN 1 (first at [0]) · leaf"),
        (tensh.ones(2, device="meta"), "tensor(..., device='meta', size=(2,))\n# [2] float32 meta · leaf · 8 B"),
        (tensh.nn.Parameter(tensh.ones(1)), "Parameter containing:\ntensor([1.], requires_grad=True)\n"),
        (tensh.eye(2).to_sparse(), "tensor(indices=tensor([[0, 1],"),
        (tensh.ones(2, dtype=tensh.complex64), "tensor([1.+0.j, 1.+0.j])\n# [2] complex64"),
    ],
)
def test_a_tensor_has_its_text_and_a_line_of_facts(value, text):
    assert Reader(value._repr_html_()).text.startswith(text)
    assert Reader(value_html(value, "name<b>")).text.replace("name<b>  ", "").startswith(text)


def test_a_large_tensor_is_summarised():
    text = Reader(tensh.zeros(100, 100)._repr_html_()).text
    assert "...," in text and "# [100, 100] float32 · leaf" in text and len(text) < 1000
    assert "tensh.show.full(_) shows all" in text and "%full x shows all" in value_html(tensh.zeros(100, 100), "x")


@pytest.mark.parametrize("value", [3, EVIL, None, [1, 2], [tensh.ones(1)], tensh.nn.Linear(1, 1), tensh.float32,
                                   {Failing(): tensh.ones(1)}])  # fmt: skip
def test_what_is_text_alone_has_no_html(value):
    assert value_html(value) is None


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("layout", [tensh.strided, tensh.jagged])
def test_a_nested_tensor_has_no_html(layout):
    assert value_html(tensh.nested.nested_tensor([tensh.ones(1), tensh.ones(2)], layout=layout)) is None


def test_long_containers_are_their_contents():
    assert "list of 5 tensors" in Reader(value_html([tensh.ones(1)] * 5)).text
    assert EVIL[:8] in Reader(value_html({EVIL + str(k): tensh.ones(1) for k in range(5)})).text


def test_a_graph_is_a_picture_unless_text_was_asked_for():
    x = tensh.ones(2, requires_grad=True)
    names = {EVIL: x}
    picture, tree = tensh.show.graph(x * 2, names), tensh.show.graph(x * 2, names, view="tree")
    assert picture._repr_svg_().startswith("<svg") and picture._repr_html_() is None and value_html(picture) is None
    assert tree._repr_svg_() is None and "<pre" in tree._repr_html_()
    y = x
    for _ in range(200):
        y = y * 2
    assert tensh.show.graph(y, names)._repr_svg_() is None
