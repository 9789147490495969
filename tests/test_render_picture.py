"""The picture of the README shows what its session gives today."""

import importlib.util

import pytest
from conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def picture():
    spec = importlib.util.spec_from_file_location("picture", ROOT / "scripts" / "picture.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_shows_what_the_session_gives(picture):
    assert picture.is_current(), "python scripts/picture.py draws it anew"


def test_rich_draws_the_same_text(picture):
    text = picture.shown()
    assert [*filter(None, picture.text_of(picture.drawn(text)))] == [
        *filter(None, picture.text_of(picture.PICTURE.read_text(encoding="utf-8")))
    ]


def test_the_picture_asks_nobody_for_anything(picture):
    addresses = picture.PICTURE.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert "http" not in addresses and "url(" not in addresses.replace("url(#", "")


def test_the_readme_has_it_near_the_top():
    assert "](scripts/session.svg)" in README.partition("```sh")[0]
