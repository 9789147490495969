"""Every view on every page: it fits, and is public and documented."""

import subprocess
import sys
from math import nan

import pytest

import tensh as torch
from tensh import show
from tensh.show.drawing.page import Page, Paint
from tensh.show.drawing.text import cells
from tests.show.views import drawn
from tests.support.project import plain_environment


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


def test_a_view_over_a_few_numbers_is_not_written_out_a_billion_times():
    with pytest.raises(ValueError, match="2,147,483,648 elements are too many"):
        show.full(torch.zeros(1).expand(2**31))
