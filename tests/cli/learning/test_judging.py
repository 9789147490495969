"""Answers are judged by their value, however they are written, and a wrong one gets a hint that fits it."""

import numpy as np
import pytest

import tensh as torch
from tensh.cli.learning.facts import Truth, state_error, state_value
from tensh.cli.learning.judging import judge, judge_code
from tensh.cli.learning.reading import Unreadable, read_value


def raised(function):
    try:
        function()
    except Exception as error:
        return state_error(error)
    return state_error(None)


MISMATCH = raised(lambda: torch.zeros(2, 3) + torch.zeros(4, 5))
W = torch.ones(3, requires_grad=True)
VALUES = {
    "matrix": torch.tensor([[1.0, 2.0], [3.0, 4.0]]),
    "vector": torch.tensor([1.0, -2.0, 3.0]),
    "third": torch.tensor(1 / 3),
    "count": torch.tensor(6),
    "flags": torch.tensor([True, False]),
    "flag": torch.tensor([1, 2]).sum() > 2,
    "empty": torch.zeros(0, 3),
    "none": W.grad,
    "node": (W * 2).grad_fn,
    "size": torch.zeros(3, 2).shape,
    "dtype": torch.zeros(1).dtype,
    "long": torch.zeros(3, 2, 1, dtype=torch.int64),
    "complex": torch.tensor(3 + 4j),
    "infinite": torch.tensor([float("inf"), float("nan")]),
    "row": torch.zeros(1, 3),
}

RIGHT = [
    ("shape", "matrix", ["(2, 2)", "torch.Size([2, 2])", "[2,2]", "2 x 2", "2×2", "（2，2）", "2, 2", "2 2", "2 by 2", "Size([2,2])"]),
    ("shape", "vector", ["(3,)", "3", "[3]", "torch.Size([3])"]),
    ("shape", "count", ["()", "[]", "scalar", "torch.Size([])", "a single number"]),
    ("shape", "empty", ["(0, 3)", "0 x 3", "0 rows, 3 columns", "{0, 3}", "0 X 3", "0 and 3"]),
    ("dtype", "matrix", ["float32", "torch.float32", "float", "Float 32", "torch.float", "fp32", "f32", "np.float32", "torch.FloatTensor"]),
    ("dtype", "long", ["int64", "torch.long", "long"]),
    ("dtype", "flags", ["bool", "torch.bool"]),
    ("value", "matrix", ["[[1, 2], [3, 4]]", "1 2; 3 4", "torch.tensor([[1., 2.], [3., 4.]])", "((1,2),(3,4))"]),
    ("value", "vector", ["[1, -2, 3]", "1 -2 3", "1, -2, 3", "tensor([1., -2., 3.])", "[1，-2，3]", "tensor([1., -2., 3.], grad_fn=<MulBackward0>)", "tensor([1., -2., 3.], requires_grad=True)", "x = [1, -2, 3]", "[1, -2, 3].", "[1, –2, 3]"]),
    ("value", "third", ["1/3", "0.33", "0.3333", ".333"]),
    ("value", "count", ["6", "2*3", "6.0", "tensor(6)", "sqrt(36)", "2**2 + 2", "= 6", "2^2 + 2", "√36", "12 ÷ 2", "six"]),
    ("value", "flags", ["[True, False]", "True False", "[1, 0]"]),
    ("value", "flag", ["yes", "True", "是", "1"]),
    ("grad", "none", ["None", "none", "nothing", "没有"]),
    ("value", "node", ["MulBackward0", "<MulBackward0>", "mul"]),
    ("value", "size", ["(3, 2)", "3 x 2"]),
    ("value", "dtype", ["float32", "torch.float32"]),
    ("value", "complex", ["3+4j"]),
    ("value", "infinite", ["[inf, nan]", "[∞, nan]", "[infinity, nan]", 'tensor([float("inf"), nan])']),
    ("value", "empty", []),
]  # fmt: skip

WRONG = [
    ("shape", "long", "1, 2, 3", "reverse order"),
    ("shape", "long", "2, 3, 1", "another order"),
    ("shape", "long", "3, 2", "size 1"),
    ("shape", "matrix", "4", "how many elements"),
    ("shape", "matrix", "2, 3", "off by one"),
    ("shape", "matrix", "2, 2, 5", "too many"),
    ("shape", "row", "(2, 3)", "kept with size 1"),
    ("shape", "matrix", "(1, 2)", "stretched"),
    ("shape", "count", "1", "single number"),
    ("dtype", "matrix", "float64", "width"),
    ("dtype", "matrix", "int64", "decimal places"),
    ("dtype", "flags", "int64", "yes or no"),
    ("dtype", "long", "float32", "whole"),
    ("dtype", "long", "int32", "bits"),
    ("value", "matrix", "[[1, 3], [2, 4]]", "transposed"),
    ("value", "matrix", "[[2, 4], [6, 8]]", "2 times too large"),
    ("value", "matrix", "[[-1, -2], [-3, -4]]", "sign"),
    ("value", "matrix", "[[2, 3], [4, 5]]", "off by one"),
    ("value", "matrix", "[[1, 2], [3, 7]]", "3 of 4"),
    ("value", "matrix", "1 2 3 4", "in another shape"),
    ("value", "vector", "3 -2 1", "reverse"),
    ("value", "vector", "1", "more than one"),
    ("value", "third", "3", "upside down"),
    ("value", "third", "0.3", "close"),
    ("value", "third", "2/3", "2 times too large"),
    ("value", "third", "-1/3", "sign"),
    ("value", "count", "12", "2 times too large"),
    ("value", "count", "3", "2 times too small"),
    ("value", "count", "7", "off by one"),
    ("value", "count", "[6]", "no brackets"),
    ("shape", "matrix", "2d", "how large is each"),
    ("shape", "matrix", "3 dimensions", "a different number of dimensions"),
    ("shape", "count", "0", "empty list"),
    ("grad", "none", "3", "no value"),
    ("grad", "vector", "None", "not None"),
]


@pytest.mark.parametrize(
    ("kind", "name", "text"), [(kind, name, text) for kind, name, texts in RIGHT for text in texts]
)
def test_right_answers_in_any_form(kind, name, text):
    assert judge(kind, text, state_value(VALUES[name])).is_right


@pytest.mark.parametrize(("kind", "name", "text", "hint"), WRONG)
def test_hints_look_at_the_answer(kind, name, text, hint):
    found = judge(kind, text, state_value(VALUES[name]))
    assert not found.is_right and found.is_answer and hint in found.hint


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError",
        "runtimeerror",
        "the sizes must match",
        "because size 3 and 5 differ",
        "the shapes differ",
        "dimensions",
    ],
)
def test_a_failure_is_known_by_its_name_or_a_reason(text):
    assert judge("fails", text, MISMATCH).is_right


@pytest.mark.parametrize(
    "text", ["no", "it runs", "no, it works", "it does not fail", "yes", "TypeError", "(2, 3)", "bananas", ""]
)
def test_other_words_for_a_failure_are_wrong_and_get_a_hint(text):
    found = judge("fails", text, MISMATCH)
    assert not found.is_right and found.hint


@pytest.mark.parametrize(
    ("text", "is_right"),
    [
        ("no", True),
        ("runs", True),
        ("no, it works", True),
        ("it doesn't fail", True),
        ("yes", False),
        ("ValueError", False),
        ("不会", True),
    ],
)
def test_what_runs_does_not_fail(text, is_right):
    assert judge("fails", text, state_error(None)).is_right is is_right


HOSTILE = ["__import__('os').system('true')", "open('x')", "().__class__", "[x for x in y]", "lambda: 1", "9" * 1999, "(" * 1500,
           "9**9**9**9**9", "-" * 1900 + "1", "[[1], [1, 2]]", "1/0", "2**(2**60)", "f'{1}'", "\0", "\ud800", "tensor()", "1" * 3000, "(" * 300_000 + ")" * 300_000, "10**50", "[1]*10**400",
           "*".join(str(np.ones([9 if dim == long else 1 for dim in range(8)], int).tolist()) for long in range(8))]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("kind", ["shape", "dtype", "value", "grad", "fails"])
def test_an_answer_is_read_and_never_run(kind, text):
    assert not judge(kind, text, state_value(VALUES["matrix"])).is_right


def test_every_value_answers_for_itself():
    rng = np.random.default_rng(0)
    for shape in [(), (1,), (3,), (2, 3), (1, 1), (3, 1, 2)]:
        for dtype in (torch.float32, torch.float64, torch.int64, torch.bool, torch.complex64):
            value = torch.tensor(rng.normal(size=shape) * 3).to(dtype)
            truth = state_value(value)
            assert judge("value", str(value.tolist()), truth).is_right
            assert judge("shape", str(value.shape), truth).is_right
            assert judge("dtype", str(value.dtype), truth).is_right


def test_every_wrong_shape_gets_a_hint():
    shapes = [(), (1,), (2,), (2, 3), (3, 2), (1, 3), (6,), (1, 2, 3), (2, 1, 3), (4, 4), (2, 2, 2, 2)]
    for true in shapes:
        for answered in shapes:
            found = judge("shape", str(answered), Truth(shape=true))
            assert found.is_right == (answered == true) and bool(found.hint) != found.is_right


def test_code_is_judged_by_what_it_gives():
    want = state_value(torch.tensor([1.0, 2.0]))
    assert judge_code(state_value(torch.tensor([1.0, 2.0])), want).is_right
    assert "float64" not in judge_code(state_value(torch.tensor([1.0, 2.0]).double()), want).hint
    assert "shape" in judge_code(state_value(torch.tensor([[1.0, 2.0]])), want).hint
    assert judge_code(state_value(None), state_value(None)).is_right
    for other in ([9, 9], torch.ones(2), 3):
        assert not judge_code(state_value(other), state_value(None)).is_right
        assert not judge_code(state_value(None), state_value(other)).is_right
    assert "ZeroDivisionError" in judge_code(state_error(ZeroDivisionError("division by zero")), want).hint


def test_arithmetic_is_bounded():
    with pytest.raises(Unreadable):
        read_value("2**" * 300 + "2")
    assert read_value("2**70") == 2.0**70


UNREADABLE = [
    ("value", "count", "2*n", "not how they are computed"),
    ("value", "third", "0,33", "with a point"),
    ("dtype", "matrix", "floating point", "number of bits"),
    ("shape", "matrix", "wide", "a shape is written"),
]


@pytest.mark.parametrize(("kind", "name", "text", "hint"), UNREADABLE)
def test_what_is_no_answer_is_told_how_one_is_written(kind, name, text, hint):
    found = judge(kind, text, state_value(VALUES[name]))
    assert not found.is_right and not found.is_answer and hint in found.hint
