"""tensh.show: the data behind the pictures, and what they do on every kind of page."""

import math
import subprocess
import sys

import numpy as np
import pytest

import tensh as torch
from tensh import show
from tensh.show.blocks import bar, shade, sparkline
from tensh.show.describe import amount, number
from tensh.show.page import Page, Paint
from tensh.show.shrinking import shrink
from tensh.show.table import Table
from tensh.show.text import cells, pad, shorten
from tensh.support.escaping import visible
from tensh.support.language import count
from tests.support.project import plain_environment

nan, inf = math.nan, math.inf


def drawn(view, **page):
    """The plain text of a view on a page."""
    return "".join(text for _, text in view.draw(Page(**page)))


# ── statistics ───────────────────────────────────────────────────────────────

VALUES = {
    "floats": [1.0, 2.0, 6.0],
    "one": [5.0],
    "nan and inf": [1.0, nan, inf, -inf, 3.0],
    "only nan": [nan, nan],
    "whole": [1, 2, 3, 4],
    "bool": [True, False, True],
    "complex": [3 + 4j, 0j],
    "empty": [],
    "far from zero": [1e8 + 1, 1e8 + 2, 1e8 + 3],
}


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
@pytest.mark.parametrize("piece", [2, 1000])
def test_statistics_are_those_of_numpy(values, piece, monkeypatch):
    monkeypatch.setattr("tensh.show.values.PIECE", piece)
    array = np.array(values, np.float64 if not values else None)
    found = show.statistics(array)
    real = np.abs(array) if array.dtype.kind == "c" else array.astype(float)
    finite = real[np.isfinite(real)]
    assert (found.count, found.nans, found.infinities) == (array.size, np.isnan(real).sum(), np.isinf(real).sum())
    assert found.finite == finite.size and found.zeros == (finite == 0).sum()
    if finite.size:
        assert (found.low, found.high) == (finite.min(), finite.max())
        assert found.mean == pytest.approx(finite.mean())
    else:
        assert (found.low, found.high, found.mean) == (None, None, None)
    assert found.std == (pytest.approx(finite.std(ddof=1)) if finite.size > 1 else None)


@pytest.mark.parametrize(
    "dtype", ["bool", "uint8", "int64", "float16", "bfloat16", "float64", "complex32", "complex128"]
)
def test_every_dtype_has_statistics(dtype):
    found = show.statistics(torch.tensor([0, 1, 1]).to(getattr(torch, dtype)))
    assert (found.count, found.zeros, found.low, found.high) == (3, 1, 0.0, 1.0)


def test_the_first_nan_is_the_first_in_the_order_of_the_indices():
    array = np.zeros((4, 5), order="F")
    array[3, 0] = array[1, 4] = nan
    assert show.statistics(array).first_nan == show.statistics(array.T.copy().T).first_nan == (1, 4)


def test_very_large_arrays_are_sampled(monkeypatch):
    monkeypatch.setattr("tensh.show.measures.MOST", 100)
    monkeypatch.setattr("tensh.show.measures.SAMPLE", 10)
    found = show.statistics(torch.arange(1000.0).expand(3, 1000))
    assert found.is_sample and found.count == 10 and (found.low, found.high) == (0.0, 999.0)


# ── pictures ─────────────────────────────────────────────────────────────────


def test_a_histogram_counts_what_numpy_counts():
    torch.manual_seed(0)
    values = torch.randn(1000)
    view = show.hist(values, bins=7)
    expected, edges = np.histogram(values.numpy().astype(float), 7)
    assert view.counts == expected.tolist()
    assert view.edges == pytest.approx(edges.tolist())


@pytest.mark.parametrize("values, edges", [([3, 1, 1], [1, 2, 3]), ([True, True, False], [0, 1]), ([7, 7], [7])])
def test_few_whole_numbers_have_a_bar_each(values, edges):
    view = show.hist(torch.tensor(values))
    assert view.edges == edges
    assert view.counts == [values.count(edge) for edge in edges]


IMAGES = {
    # shape: (how it is read, (images, rows, columns, channels))
    (4, 6): ("height x width", (1, 4, 6, 1)),
    (3, 4, 6): ("channels x height x width", (1, 4, 6, 3)),
    (1, 4, 6): ("channels x height x width", (1, 4, 6, 1)),
    (4, 6, 3): ("height x width x channels", (1, 4, 6, 3)),
    (5, 4, 6): ("images x height x width", (5, 4, 6, 1)),
    (2, 3, 4, 6): ("images x channels x height x width", (2, 4, 6, 3)),
    (2, 4, 6, 3): ("images x height x width x channels", (2, 4, 6, 3)),
    (2, 5, 4, 6): ("images x maps x height x width", (10, 4, 6, 1)),
}


@pytest.mark.parametrize("shape, expected", IMAGES.items(), ids=str)
def test_the_axes_of_an_image(shape, expected):
    view = show.image(torch.rand(shape))
    assert (view.reading, view.images.shape) == expected


RANGES = {
    # values: (dark, bright)
    "zero to one": (torch.tensor([[0.2, 0.9]]), (0, 1)),
    "minus one to one": (torch.tensor([[-0.5, 0.9]]), (-1, 1)),
    "bytes": (torch.tensor([[3, 90]], dtype=torch.uint8), (0, 255)),
    "as whole floats": (torch.tensor([[0.0, 254.0]]), (0, 255)),
    "booleans": (torch.tensor([[True, True]]), (0, 1)),
    "what there is": (torch.tensor([[-3.0, 9.0]]), (-3, 9)),
    "very small": (torch.tensor([[0.0, 0.001]]), (0, 0.001)),
    "without the missing": (torch.tensor([[nan, -2.0, 4.0]]), (-2, 4)),
}


@pytest.mark.parametrize("values, expected", RANGES.values(), ids=RANGES)
def test_the_range_of_an_image(values, expected):
    view = show.image(values)
    assert (view.low, view.high) == pytest.approx(expected)


def test_fewer_rows_are_means():
    array = np.arange(10.0).reshape(5, 2)
    assert shrink(array, 2, 9).tolist() == [[1, 2], [6, 7]]
    assert shrink(array, 9, 1).tolist() == [[0.5], [2.5], [4.5], [6.5], [8.5]]
    assert shrink(array, 5, 2) is array


def test_a_heat_map_has_a_field_for_each_value_if_there_is_room():
    fields = [
        kind for kind, _ in show.heat(torch.tensor([[1.0, -1.0, 0.0]])).draw(Page(colors=2**24)) if type(kind) is Paint
    ]
    above, below, zero = (paint.ground for paint in fields[:3])
    assert above[0] > above[2] and below[2] > below[0] and zero == (24, 24, 28)


def test_what_cannot_be_shown_is_refused():
    for function in (show.hist, show.heat, show.image):
        with pytest.raises(TypeError, match="there are no numbers"):
            function("words")
    with pytest.raises(ValueError, match="2 to 4 dimensions"):
        show.image(torch.ones(3))
    with pytest.raises(ValueError, match="positive whole number"):
        show.hist(torch.ones(3), bins=-1)
    with pytest.raises(TypeError, match="a list, a tuple or a dict"):
        show.contents(torch.ones(3))


def test_curves():
    pytest.importorskip("uniplot")
    t = torch.linspace(0, 6, 50)
    view = show.plot(t, torch.stack([t.sin(), t.cos()], 1))
    assert len(view.ys) == 2 and repr(view).endswith("# 2 curves of 50 points")
    assert drawn(show.plot(t), unicode=False, width=40).isascii()
    kinds = {kind for kind, text in view.draw(Page(colors=16)) if text.strip() and "\033" not in text}
    assert {"bar", "attribute"} <= kinds and drawn(view, colors=16) == drawn(view)
    for series in ((), (t, t, t)):
        with pytest.raises(TypeError, match="y, or x and y"):
            show.plot(*series)
    with pytest.raises(ValueError, match="x has 50 values and y has 49"):
        show.plot(t, t[1:])
    for nothing in (t[:0], torch.full((3,), nan), torch.tensor([inf])):
        with pytest.raises(ValueError, match="no values to draw"):
            show.plot(nothing)
    with pytest.raises(ValueError, match="no values to draw"):
        show.plot(-t - 1, logy=True)


def test_axes_have_the_numbers_of_their_places():
    """A third of the way down from 1.06 to 0.02 stands 0.7, and no number rounded to 0 or 1."""
    pytest.importorskip("uniplot")
    rows = drawn(show.plot(torch.tensor([1.06, 0.5, 0.2, 0.1, 0.02]))).split("\n")[1:16]
    labels = {number: row.rpartition("│")[2].strip() for number, row in enumerate(rows)}
    values = {number: float(text) for number, text in labels.items() if text}
    assert len(values) == 5
    assert all(abs(1.06 - (number + 0.5) / 15 * 1.04 - value) < 1.04 / 15 for number, value in values.items())
    logarithmic = drawn(show.plot(torch.tensor([0.001, 1000.0]), logy=True))
    assert all(f"│ {text}" in logarithmic for text in ("1000", "10", "0.1", "0.001"))


ODD = {
    "constant": ([3.0, 3.0], {}, "1 curve of 2 points"),
    "one point": ([1.0], {}, "1 curve of 1 point"),
    "inf": ([1.0, inf, nan, 2.0], {}, "1 curve of 4 points · 2 points left out"),
    "zero has no logarithm": ([0.0, 1.0, 2.0], {"logx": True, "logy": True}, "1 curve of 3 points · 1 point left out"),
    "complex": ([1 + 1j, 2j], {}, "1 curve of 2 points"),
    "one curve is missing": ([[1.0, nan], [2.0, nan]], {}, "2 curves of 2 points · 2 points left out"),
}


@pytest.mark.parametrize("values, options, remark", ODD.values(), ids=ODD)
def test_odd_curves(values, options, remark):
    pytest.importorskip("uniplot")
    assert repr(show.plot(torch.tensor(values), **options)).endswith("# " + remark)


def test_without_the_library_of_curves_there_is_an_explanation(monkeypatch):
    monkeypatch.setitem(sys.modules, "uniplot", None)
    with pytest.raises(ImportError, match="pip install uniplot"):
        show.plot(torch.ones(3))


# ── every view on every page ─────────────────────────────────────────────────


def views():
    torch.manual_seed(0)
    w = torch.randn(30, 40, requires_grad=True)
    loss = (w * 2).sum()
    loss.backward()
    missing = w.detach().clone()
    missing[0, 0] = nan
    names = {"w": w, "loss": loss, "missing": missing, "损失": torch.ones(2), "n": 5, "params": [w, missing]}
    return {
        "who": show.who(names),
        "who of nothing": show.who({}),
        "grads": show.grads(names),
        "grads of nothing": show.grads({}),
        "full": show.full(torch.arange(2.0)),
        "hist": show.hist(missing),
        "hist of nothing": show.hist(torch.zeros(0)),
        "heat": show.heat(missing),
        "heat of nothing": show.heat(torch.zeros(0, 3)),
        "heat of many": show.heat(torch.randn(20, 3, 4)),
        "image": show.image(torch.rand(9, 3, 20, 20)),
        "contents": show.contents({"a": [w, missing], "b": "words " * 50, "c": {"d": w}}),
    }


PAGES = {
    "pipe": Page(),
    "narrow window": Page(width=40, height=20, is_window=True),
    "wide window": Page(width=300, height=60, is_window=True),
    "few colours": Page(colors=16, is_window=True, height=24),
    "many colours": Page(colors=2**24, is_window=True, height=24),
    "ascii": Page(unicode=False, is_window=True, height=24),
    "plain": Page(unicode=False, plain=True, is_window=True, height=24),
    "light": Page(colors=256, is_dark=False, is_window=True, height=24),
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
@pytest.mark.parametrize("name", views())
def test_a_view_fits_its_page(name, page):
    pairs = [*views()[name].draw(page)]
    text = "".join(text for _, text in pairs)
    assert text and not text.endswith("\n")
    assert not page.is_window or max(map(cells, text.split("\n"))) <= page.width
    assert page.height is None or name in ("full", "contents") or text.count("\n") < page.height
    assert page.unicode or text.replace("损失", "").isascii()
    assert page.colors > 16 or not any(isinstance(kind, Paint) for kind, _ in pairs)
    assert "\033" not in text


@pytest.mark.parametrize("width, height", [(20, 1), (21, 5), (39, 8)])
def test_the_smallest_windows_have_room(width, height):
    for view in views().values():
        for colors in (0, 2**24):
            assert drawn(view, width=width, height=height, colors=colors, is_window=True)


def test_the_repr_of_a_view_is_its_text_on_a_usual_page():
    view = show.hist(torch.ones(3))
    assert repr(view) == str(view) == drawn(view)


def test_every_function_of_show_is_public_and_documented():
    assert set(show.__all__) <= set(dir(show))
    for name in show.__all__:
        assert getattr(show, name).__doc__.split("\n")[0].endswith((".", ":")), name


def test_naming_the_module_loads_nothing_heavy():
    code = "import sys, tensh.show; print(sorted({'numpy', 'uniplot', 'rich', 'textwrap'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], env=plain_environment(), capture_output=True, encoding="utf-8")
    assert done.stdout == "[]\n"


# ── tables and texts ─────────────────────────────────────────────────────────


def test_columns_are_as_wide_as_what_the_terminal_draws():
    text = drawn(Table(("a", "b"), [("损失", "1"), ("x", "22")]))
    assert text == "a     b\n损失  1\nx     22"


def test_a_table_too_wide_for_its_window_becomes_sentences():
    table = Table(
        ("name", "shape", "dtype"), [("weight", "[2, 3]", "float32"), ("b", "[2]", "")], title="two", notes=["end"]
    )
    wide = "two\nname    shape   dtype\nweight  [2, 3]  float32\nb       [2]\n# end"
    assert drawn(table, is_window=True) == drawn(table, width=3) == wide
    narrow = "two\nweight: shape [2, 3],\n    dtype float32\nb: shape [2]\n# end"
    assert drawn(table, width=22, is_window=True) == narrow
    assert drawn(table, plain=True) == "two\nweight: shape [2, 3], dtype float32\nb: shape [2]\n# end"


TEXTS = {
    ("abc", 3): "abc",
    ("abcd", 3): "ab…",
    ("损失损失", 5): "损失…",
    ("损失损失", 4): "损…",
    ("a\u0301b", 2): "a\u0301b",
}


@pytest.mark.parametrize("case, expected", TEXTS.items(), ids=str)
def test_texts_are_cut_by_their_width(case, expected):
    assert shorten(*case) == expected
    assert cells(shorten(*case)) <= case[1]


def test_small_parts():
    assert shorten("abcdefgh", 5, unicode=False) == "ab..."
    assert pad("损", 4) == "损  " and pad("x", 3, to_the_right=True) == "  x"
    assert visible("a\033[1mb\n") == "a\\x1b[1mb\n" and cells("a\033[1mb") == 9
    assert sparkline([]) == "" and sparkline([0, 0]) == "▁▁" and sparkline([0, 8], unicode=False) == "_#"
    assert bar(0, 8) == bar(0, 8, unicode=False) == "" and bar(1e-9, 8) == "▏" and bar(1e-9, 8, unicode=False) == "#"
    assert shade(0) == " " and shade(1) == "@"
    assert [amount(n) for n in (0, 1023, 1024, 3 * 2**30)] == ["0 B", "1023 B", "1.0 KiB", "3.0 GiB"]
    assert [number(x) for x in (1234567, 0.000123456, 2.0, 10**12)] == ["1,234,567", "0.0001235", "2", "1e+12"]
    assert [count(n, "value") for n in (1, 2000)] == ["1 value", "2,000 values"]


# ── gradients ────────────────────────────────────────────────────────────────


def rows(names):
    """name -> row of the table of gradients, without the name."""
    return {row[0]: row[1:] for row in show.grads(names).rows}


def test_the_gradients_of_the_lesson():
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(1.0, requires_grad=True)
    a, b = x + w, w + 1
    y = a * b
    names = {"x": x, "w": w, "a": a, "b": b, "y": y}
    assert [row[-2] for row in rows(names).values()] == ["not yet", "not yet", "no", "no", "no"]
    expected = {
        "x": ("-", "[]", "2", "yes", "2", "yes", ""),
        "w": ("-", "[]", "1", "yes", "5", "yes", "used 2 times: 2 + 3"),
        "a": ("add(x, w)", "[]", "3", "no", "2", "no", ""),
        "b": ("add(w, ...)", "[]", "2", "no", "3", "no", ""),
        "y": ("mul(a, b)", "[]", "6", "no", "1", "no", ""),
    }
    y.backward(retain_graph=True)
    assert rows(names) == expected
    y.backward()  # the graph gives its values back: what is not kept is no longer known
    for name in "aby":
        expected[name] = (*expected[name][:4], "-", "no", "")
    expected |= {"x": (*expected["x"][:4], "4", "yes", ""), "w": (*expected["w"][:4], "10", "yes", "")}
    assert rows(names) == expected


def test_a_gradient_that_adds_up_over_backward_passes():
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 3
    y.backward(retain_graph=True)
    y.backward(retain_graph=True)
    assert rows({"x": x, "y": y})["x"][-1] == ".grad is 6, with other passes added"


def test_where_a_gradient_goes_wrong_first():
    x = torch.tensor([-1.0, -2.0], requires_grad=True)
    w = torch.tensor([1.0, 1.0], requires_grad=True)
    hidden = torch.relu(x * w)
    y = (hidden * 3).sum()
    assert rows({"x": x, "w": w, "y": y})["w"][-1] == "all zero: nothing passes relu"
    z = torch.log(x * w).sum() * 0.0
    assert rows({"x": x, "w": w, "z": z})["w"][-1] == "all zero: nothing passes mul"
    z = torch.sqrt(x * w).sum()
    assert rows({"x": x, "w": w, "z": z})["w"][-1] == "NaN: first in sqrt"


def test_why_there_is_no_gradient():
    x, other = (torch.ones(2, requires_grad=True) for _ in range(2))
    y = (x * 2).sum()
    y.backward()
    found = rows({"x": x, "other": other, "y": y})
    assert found["other"][-2:] == ("no", "not in y")
    assert rows({"other": other})["other"][-2:] == ("no", "not used in any named result")
    assert "not recorded, requires_grad is False: data" in drawn(show.grads({"x": x, "data": torch.ones(2)}))


def test_what_is_wrong_with_a_gradient():
    tensors = {name: torch.ones(3, requires_grad=True) for name in ("zero", "missing", "large")}
    for tensor, value in zip(tensors.values(), (0.0, nan, 100.0), strict=True):
        tensor.grad = torch.full((3,), value)
    assert [row[-1] for row in rows(tensors).values()] == ["all zero", "NaN", "100 times its value"]


def test_parameters_of_containers_and_each_tensor_once():
    w = torch.ones(2, requires_grad=True)
    assert list(rows({"w": w, "same": w, "params": [w, torch.zeros(1, requires_grad=True)]})) == ["w", "params[1]"]


def test_a_large_graph_is_walked_without_recursion():
    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(3000):
        y = y + 1
    assert rows({"x": x, "y": y})["x"][-2] == "not yet"


def test_names_of_the_caller():
    namespace = {"torch": torch, "tensh": torch}
    exec(
        "x = torch.ones(2, requires_grad=True)\nnames = repr(tensh.show.who())\ngrads = repr(tensh.show.grads())",
        namespace,
    )
    assert namespace["names"].split("\n")[1].startswith("x ") and "\nx " in "\n" + namespace["grads"]


def test_a_narrow_window_breaks_the_chain_rule_between_words():
    w = torch.tensor(2.0, requires_grad=True)
    loss = (w * 3 - 1) ** 2 + torch.sigmoid(w) * 5.5
    view = show.why(w, loss, {"w": w, "loss": loss})
    wide, narrow = drawn(view, is_window=True, width=200), drawn(view, is_window=True, width=50)
    assert [word for word in narrow.split() if word != "#"] == [word for word in wide.split() if word != "#"]
    assert max(map(cells, narrow.split("\n"))) < 50 < max(map(cells, wide.split("\n")))


def test_the_reason_of_a_gradient_fits_the_window():
    x = torch.ones(3, 4, requires_grad=True)
    weights_of_layer = torch.ones(4, 2)
    y = (x @ weights_of_layer).relu().sum() + (x @ weights_of_layer).tanh().sum()
    view = show.why(x, y, {"x": x, "weights_of_layer": weights_of_layer, "y": y})
    for width in (30, 60, 80, 300):
        head = drawn(view, width=width, is_window=True).partition("\n\n")[0]
        assert head.startswith("x.grad = ") and " ".join(head.split()).endswith("x reaches y along 2 paths")
        assert max(map(len, head.split("\n"))) < width
        assert ("\n" in head) == (width < 80)


@pytest.mark.parametrize("function", [show.who, show.grads])
@pytest.mark.parametrize("value", [5, torch.ones(2), torch.nn.Linear(1, 1)], ids=lambda value: type(value).__name__)
def test_what_is_no_dict_of_names_is_refused_in_words(function, value):
    with pytest.raises(TypeError, match="expected a dict from names to values"):
        function(value)
