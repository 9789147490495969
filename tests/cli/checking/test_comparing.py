"""When two texts say the same: numbers within tolerances, everything else to the letter."""

import random
import re

import pytest

from tensh.cli.checking.compare import compare
from tensh.cli.checking.tokens import tokens
from tensh.cli.checking.verdicts import text_of
from tensh.cli.documents import files
from tests.cli.checking.checks import LESSONS

SAME = [
    ("tensor([1., 2.])", "tensor([1.0000, 2.0000])"),
    ("tensor([ 1.,  -2.])", "tensor([1., -2.])"),
    ("tensor([[1.,\n         2.]])", "tensor([[1., 2.]])"),
    ("tensor([1.000001])", "tensor([1.000002])"),
    ("tensor([nan, inf, -inf])", "tensor([ nan,  inf, -inf])"),
    ("0.30000001192092896", "0.3000001013278961"),
    ("<AddBackward0 object at 0x7f01>", "<AddBackward0 object at 0x7fff>"),
    ("y was computed within torch.no_grad() (line 2)", "y was computed within torch.no_grad() (line 6)"),
    ("<built-in method tensor of type object at 0x1>", "<function tensor at 0x2>"),
    ("took 0.31 s", "took 12.5 s"),
    ("Wall time: 3.2 ms\n1", "Wall time: 14 ms\n1"),
    ("2024-01-02 10:11:12 done", "2025-03-04 01:02:03 done"),
    ("a  \nb\n\n", "a\nb"),
    ("1" * 5000, "1" * 5000 + " "),
]
OTHER = [
    ("tensor([1., 2.])", "tensor([1, 2])", None),
    ("tensor([1, 2])", "tensor([1, 3])", [1]),
    ("tensor([1.], dtype=torch.float64)", "tensor([1.])", None),
    ("tensor([0.1234])", "tensor([0.1235])", [0]),
    ("tensor([1.000001], dtype=torch.float64)", "tensor([1.000002], dtype=torch.float64)", [0]),
    ("tensor([[1., 2.], [3., 4.]])", "tensor([[1., 2.], [5., 4.]])", [1, 0]),
    ("tensor([0., 1., ..., 8., 9.])", "tensor([0., 1., ..., 7., 9.])", [-2]),
    ("tensor([[0., ..., 9.],\n ...,\n [1., ..., 2.]])", "tensor([[0., ..., 9.],\n ...,\n [1., ..., 3.]])", [-1, -1]),
    ("tensor(nan)", "tensor(0.)", []),
    ("True", "False", None),
    ("a\nb", "a b", None),
    ("1.+2.j", "1.-2.j", []),
    ("1" * 5000, "1" * 4999 + "2", []),
    ("took 1 s: 3", "took 2 s: 4", []),
    ("max 3 min 1", "max 4 min 1", []),
    ("at time 3", "at time 4", []),
    ("[" * 50_000 + "1, " * 50_000 + "]" * 50_000, "[" * 50_000 + "1, " * 49_999 + "2, " + "]" * 50_000, []),
    ("<function " + "a" * 100_000, "<function " + "a" * 100_001, None),
]  # fmt: skip


@pytest.mark.parametrize(("stored", "now"), SAME)
def test_texts_that_say_the_same(stored, now):
    assert compare(stored, now).same


@pytest.mark.parametrize(("stored", "now", "index"), OTHER)
def test_texts_that_do_not(stored, now, index):
    comparison = compare(stored, now)
    assert not comparison.same
    assert ([wrong.now.path for wrong in comparison.wrong] or [None]) == [index]


@pytest.mark.parametrize("lesson", LESSONS, ids=[each.stem for each in LESSONS])
def test_any_digit_of_a_lesson_that_changes_is_seen(lesson):
    draw = random.Random(0)
    for cell in files.load(str(lesson)).cells:
        text = text_of(cell.outputs)
        if not cell.settings.get("random"):
            for place in (match.start() for match in re.finditer(r"\d", text)):
                other = draw.choice([digit for digit in "0123456789" if digit != text[place]])
                assert not compare(text, text[:place] + other + text[place + 1 :], cell.settings).same


def test_tolerances_can_be_chosen():
    assert not compare("tensor([1.00])", "tensor([1.01])").same
    assert compare("tensor([1.00])", "tensor([1.01])", rtol=0.1).same
    assert not compare("tensor([1.000001])", "tensor([1.000002])", rtol=0, atol=0).same


def test_tolerance_is_that_of_the_dtype_shown():
    note = compare("tensor([1.00], dtype=torch.bfloat16)", "tensor([1.01], dtype=torch.bfloat16)").note
    assert note == "numbers agree within rtol 0.016, atol 1e-05 (bfloat16)"


def test_numbers_know_where_they_are():
    words, numbers = tokens("x1 = (tensor([[1, 2]]), tensor([3.], dtype=torch.float64))")
    assert [(number.path, number.dtype) for number in numbers] == [
        ([0, 0], "float32"), ([0, 1], "float32"), ([0], "float64")
    ]  # fmt: skip
    assert words[:2] == ["x1", "="]


def test_metadata_says_how_texts_are_compared():
    assert compare("tensor([0.1, -0.2])", "tensor([ 1.5, 2.25])", {"random": True}).same
    assert not compare("tensor([0.1])", "tensor([0.1, 0.2])", {"random": True}).same
    assert compare("140001111 140001111", "150002222 150002222", {"random": True, "addresses": True}).same
    assert not compare("140001111 140001111", "150002222 150003333", {"random": True, "addresses": True}).same
    assert compare(r"..\data\a.csv", "../data/a.csv", {"platform": True}).same
