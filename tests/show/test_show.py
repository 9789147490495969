"""tensh.show: the data behind the pictures, tables and texts."""

import sys
from math import inf, nan

import numpy as np
import pytest

import tensh as torch
from tensh import show
from tensh.show.drawing.blocks import bar, shade, sparkline
from tensh.show.drawing.page import Page, Paint
from tensh.show.drawing.shrinking import shrink
from tensh.show.drawing.table import Table
from tensh.show.drawing.text import cells, pad, shorten
from tensh.show.reading.describe import amount, number
from tensh.support.escaping import visible
from tensh.support.language import count
from tests.show.views import drawn

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
    monkeypatch.setattr("tensh.show.reading.values.PIECE", piece)
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
    monkeypatch.setattr("tensh.show.reading.measures.MOST", 100)
    monkeypatch.setattr("tensh.show.reading.measures.SAMPLE", 10)
    found = show.statistics(torch.arange(1000.0).expand(3, 1000))
    assert found.is_sample and found.count == 10 and (found.low, found.high) == (0.0, 999.0)


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


def test_curves_are_drawn_with_and_without_colors():
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
    """A third of the way down from 1.06 to 0.02 the axis says 0.7, and no label is rounded to 0 or 1."""
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


def test_the_memory_of_a_graph_that_keeps_nothing_is_a_sentence():
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    y.backward()
    assert drawn(show.memory(y, {"x": x, "y": y})).startswith("# the graph keeps no values")


@pytest.mark.parametrize(
    ("function", "text"),
    [(1, "expected a function, not int"), (lambda x: x.sum().item(), "returns a tensor, not float")],
)
def test_the_gradient_of_what_is_no_function_of_tensors_is_not_checked(function, text):
    with pytest.raises(TypeError, match=text):
        show.gradcheck(function, torch.ones(2))
