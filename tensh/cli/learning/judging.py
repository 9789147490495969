"""Judging an answer by its value, within the precision of mental arithmetic."""

import re
from typing import NamedTuple

import numpy as np

from tensh.cli.learning import hints
from tensh.cli.learning.reading import LONGEST, NO, YES, Unreadable, normalize, read_dtype, read_shape, read_value
from tensh.support.language import _

ROUNDED = 0.015  # relative tolerance for a number with many digits
SHORT = 5e-4  # tolerance for a number with at most three decimals
ABSENT = 1e-6  # numbers below count as zero
IT_FAILS = YES | frozenset(("fails", "it fails", "error", "an error", "raises", "报错", "出错", "失败", "会报错"))
IT_RUNS = NO | frozenset(
    ("runs", "it runs", "works", "it works", "no error", "ok", "fine", "不报错", "不会报错", "正常", "能运行")
)
SAME = (
    frozenset("shape shapes size sizes dimension dimensions broadcast broadcasting broadcastable mismatch".split()),
    frozenset("dtype dtypes type types float floats double long integer integers".split()),
    frozenset("gradient gradients grad".split()),
)
"""Words for one reason: an answer may have one where the message has another."""
DENIAL = re.compile(
    r"\bno[, ]|does ?n[o']t (?:fail|raise)|doesnt (?:fail|raise)|won'?t (?:fail|raise)|\bworks\b|\bruns\b"
)
FORMULA = re.compile(r"(?=.*[^\W\d])(?=.*[-+*/@])[\w\s.()*/+@-]+")
COUNTED = re.compile(r"(\d+) ?-? ?(?:d|dims?|dimensions?|dimensional)")
WITHOUT_BITS = frozenset(
    ("integer", "integers", "whole number", "floating point", "a float", "floats", "整数", "浮点数")
)
DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
WORD = re.compile(r"[a-z]{4,}")
COMMON = frozenset("with that this have from must they them than same does because cannot which there error".split())


class Judgement(NamedTuple):
    """A judgement: whether an answer is right, and a hint if it is not."""

    is_right: bool
    hint: str = ""
    is_answer: bool = True  # False if the text is not an answer to this kind of question


RIGHT = Judgement(True)


def judge(kind, text, truth):
    """Judge an answer to a kind of question."""
    if len(text) > LONGEST:
        return Judgement(False, EXPECTED[kind](), False)
    if kind == "fails" or truth.error is not None:
        return judge_failure(text, truth)
    try:
        return JUDGES[kind](text, truth)
    except Unreadable:
        if normalize(text).lower() in IT_FAILS:
            return Judgement(False, _("it runs, and returns a result"))
        if kind in ("value", "grad") and FORMULA.fullmatch(normalize(text)):
            return Judgement(False, _("write the resulting numbers, not how they are computed"), False)
        return Judgement(False, EXPECTED[kind](), False)


def judge_shape(text, truth):
    """Judge a shape."""
    counted = COUNTED.fullmatch(normalize(text).lower())
    if counted:
        is_right = int(counted[1]) == len(truth.shape)
        return Judgement(False, hints.ask_for_sizes() if is_right else _("a different number of dimensions"))
    answered = read_shape(text)
    return RIGHT if answered == truth.shape else Judgement(False, hints.hint_at_shape(answered, truth.shape))


def judge_dtype(text, truth):
    """Judge a dtype."""
    if normalize(text).lower() in WITHOUT_BITS:
        return Judgement(False, _("include the number of bits, as in float32 or int64"), False)
    answered = read_dtype(text)
    return RIGHT if answered == truth.dtype else Judgement(False, hints.hint_at_dtype(answered, truth.dtype))


def judge_value(text, truth):
    """Judge elements, or a name."""
    if truth.data is None and truth.name is None:
        return judge_shape(text, truth)
    if truth.data is None:
        return judge_name(text, truth.name)
    if truth.data.ndim == 0 and DECIMAL_COMMA.fullmatch(normalize(text)):
        return Judgement(False, _("a number is written with a point: 0.5"), False)
    answered = read_value(text)
    if isinstance(answered, str):
        if answered == "None":
            return Judgement(False, _("it is not None"))
        raise Unreadable(text)
    return (
        RIGHT
        if is_same(answered, truth.data)
        else Judgement(False, hints.hint_at_value(answered, truth.data, is_close))
    )


def judge_name(text, name):
    """Judge a word: None, a dtype, a graph node."""
    answered = normalize(text).strip("\"'<>").removeprefix("torch.").lower()
    short = re.sub(r"(backward)?\d*$", "", name.lower())
    if answered in (name.lower(), short) or ALIKE.get(answered) == name.lower():
        return RIGHT
    if name == "None":
        return Judgement(False, _("there is no value"))
    return Judgement(False, _("another name"))


ALIKE = {"nothing": "none", "没有": "none", "无": "none", "空": "none"}


def judge_failure(text, truth):
    """Judge an answer about a line that may fail: `no`, or the reason."""
    answered = normalize(text).lower().rstrip(".!")
    is_denied = answered in IT_RUNS or DENIAL.search(answered) is not None
    if truth.error is None:
        return RIGHT if is_denied else Judgement(False, _("it runs: think about its result"))
    if is_denied and not any(phrase in answered for phrase in phrases_of(truth)):
        return Judgement(False, _("it fails"))
    if answered in IT_FAILS:
        return Judgement(False, _("yes, it fails; why? a word or two, or the name of the error"))
    kinds = {each.__name__.lower() for each in type(truth.error).__mro__ if each.__name__.endswith("Error")}
    is_known = any(phrase in answered for phrase in phrases_of(truth))
    if answered in kinds or is_known or have_reason_in_common(answered, truth.said.lower()):
        return RIGHT
    if answered.endswith("error"):
        return Judgement(False, _("it fails, but with another kind of error"))
    if any(character.isdigit() for character in answered):
        return Judgement(False, _("it fails: there is no value"))
    return Judgement(False, _("it fails, but not for that reason"))


def phrases_of(truth):
    """Return the reasons that the author of a lesson accepts."""
    return {normalize(phrase).lower() for phrase in truth.phrases if phrase.strip()}


def have_reason_in_common(answered, said):
    """Return True if an answer and a message share a word, or name the same thing by different words."""
    words, own = {*WORD.findall(said)} - COMMON, {*WORD.findall(answered)}
    return bool(words & own) or any(words & same and own & same for same in SAME)


def is_same(answered, truth):
    """Return True if an array given as an answer is right."""
    if answered.shape != truth.shape:
        return False
    return bool(np.all(is_close(answered, truth)))


def is_close(answered, truth):
    """Return a mask of equal elements: integers exactly, others to the digits that one would write."""
    answered, truth = np.asarray(answered), np.asarray(truth)
    with np.errstate(all="ignore"):
        if truth.dtype.kind in "biu":
            return answered == truth
        size = np.abs(truth)
        is_short = np.abs(np.round(truth, 3) - truth) <= np.maximum(1e-6 * size, ABSENT)
        allowed = np.where(is_short, SHORT * size, ROUNDED * size) + ABSENT
        same = (answered == truth) | (np.isnan(answered) & np.isnan(truth))
        return same | (np.abs(answered - truth) <= np.where(np.isfinite(truth), allowed, -1))


def judge_code(value, solution):
    """Judge the result of a learner's code against that of the lesson's own code."""
    if value.error is not None:
        return Judgement(False, f"{type(value.error).__name__}: {value.said}")
    if value.shape != solution.shape and None not in (value.shape, solution.shape):
        shapes = _("the shape is {found}, but should be {wanted}").format(
            found=list(value.shape), wanted=list(solution.shape)
        )
        return Judgement(False, f"{shapes}: {hints.hint_at_shape(value.shape, solution.shape)}")
    if value.dtype != solution.dtype and None not in (value.dtype, solution.dtype):
        return Judgement(False, hints.hint_at_dtype(value.dtype, solution.dtype))
    if value.data is None or solution.data is None:
        facts = [(each.shape, each.dtype, each.data is None, each.name) for each in (value, solution)]
        return RIGHT if facts[0] == facts[1] else Judgement(False, _("the result is something else"))
    if is_same(value.data, solution.data):
        return RIGHT
    return Judgement(False, hints.hint_at_value(value.data, solution.data, is_close))


JUDGES = {"shape": judge_shape, "dtype": judge_dtype, "value": judge_value, "grad": judge_value}
EXPECTED = {
    "shape": lambda: _("a shape is written (3, 2) or 3 x 2; that of a single number is ()"),
    "dtype": lambda: _("a dtype is written float32, int64, bool, ..."),
    "value": lambda: _("write a number, a list [1, 2], rows [[1, 2], [3, 4]], yes or no"),
    "grad": lambda: _("write a number, a list [1, 2], rows [[1, 2], [3, 4]], or None"),
    "fails": lambda: _("a word or two, or the name of the error"),
}
