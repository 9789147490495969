"""tensh.show.grads and why: where gradients go wrong, and why there is none."""

from math import nan

import pytest

import tensh as torch
from tensh import show
from tensh.show.drawing.text import cells
from tests.show.views import drawn


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
    y.backward()  # frees the graph's values: those that are not kept are lost
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


def test_a_factor_that_is_all_zero():
    w, data, dead = torch.ones(3, 2, requires_grad=True), torch.zeros(4, 3), torch.tensor([-1.0, -2.0, -3.0])
    y = (data @ w).sum()
    found = rows({"w": w, "data": data, "y": y})["w"][-1]
    assert found == "all zero: so is data, its factor in mm"
    hidden = torch.relu(dead)
    z = (hidden * w.sum(1)).sum()
    assert rows({"w": w, "hidden": hidden, "z": z})["w"][-1] == "all zero: so is hidden, its factor in mul"
    z = (w * 0.0).sum()
    assert rows({"w": w, "z": z})["w"][-1] == "all zero: nothing passes mul"


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


@pytest.mark.parametrize("width", [55, 60, 70, 80])
def test_the_columns_of_a_path_are_aligned_in_narrow_windows(width):
    x = torch.ones(3, requires_grad=True)
    loss = ((x @ torch.ones(3, 2)) ** 2).mean()
    text = drawn(show.why(x, loss, {"x": x, "loss": loss}), width=width, is_window=True)
    rows = text.partition("path 1\n")[2].splitlines()[:6]
    places = {row.index("[") for row in rows}
    assert len(places) == 1 and all(len(row) < width for row in rows), text
    ends = {row.index("g * ") for row in rows if "g * " in row} | {row.index("1 / 2") for row in rows if "1 / 2" in row}
    assert len(ends) == 1, text
