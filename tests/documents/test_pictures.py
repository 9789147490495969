"""The pictures of the documents show the current output of their sessions."""

import importlib.util
import re

import pytest

from tests.support.project import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def picture():
    spec = importlib.util.spec_from_file_location("picture", ROOT / "tools" / "picture.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NAMES = sorted(path.stem for path in (ROOT / "docs" / "_static").glob("*.svg") if path.stem != "speed")


def test_every_picture_is_of_a_session(picture):
    assert sorted(picture.SESSIONS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_shows_what_its_session_gives(picture, name):
    assert picture.is_current(name), "python tools/picture.py draws it anew"


@pytest.mark.parametrize("name", NAMES)
def test_rich_draws_the_same_text(picture, name):
    drawn = picture.text_of(picture.draw(picture.run_session(name)))
    kept = picture.text_of(picture.path(name).read_text(encoding="utf-8"))
    assert [*filter(None, drawn)] == [*filter(None, kept)]


def test_rows_of_a_moving_picture_appear_one_after_the_other(picture):
    for name in NAMES:
        drawn = picture.path(name).read_text(encoding="utf-8")
        seconds = [float(each) for each in re.findall(r'<text [^>]*animation-delay: ([\d.]+)s"', drawn)]
        assert seconds == sorted(seconds) and (len(set(seconds)) > 10) == (name in picture.MOVING)
        assert not seconds or (seconds[0] < 1 and seconds[-1] < 30 and "prefers-reduced-motion" in drawn)


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_asks_nobody_for_anything(picture, name):
    addresses = picture.path(name).read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert "http" not in addresses and "url(" not in addresses.replace("url(#", "")


def test_the_readme_has_one_near_the_top():
    assert "](docs/_static/session.svg)" in README.partition("```sh")[0]


def test_the_chart_of_speed_is_drawn_from_the_figures():
    spec = importlib.util.spec_from_file_location("chart", ROOT / "tools" / "chart.py")
    chart = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(chart)
    assert chart.main(["--check"]) == 0, "python tools/chart.py draws it anew"
    for label in chart.ROWS.values():
        assert label in chart.CHART.read_text(encoding="utf-8")
