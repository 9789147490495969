"""Wrong calls end soon, with an error of PyTorch's type: recorded ones, and some from a generator."""

import pytest

pytest.importorskip("resource", reason="limits on memory and time are those of Unix")

from tests.fuzz.wrong_calls import compare as wrong_calls
from tests.fuzz.wrong_calls import worker
from tests.fuzz.wrong_calls.spoiling import ABSURD, VALID, sized_calls, spoiled_calls

pytestmark = pytest.mark.thorough

SEED, SAMPLES = 20, 800


@pytest.fixture(scope="module")
def answers():
    """Return the answer of tensh to each recorded call."""
    calls = [call for _, call in wrong_calls.recorded()]
    return dict(zip(calls, worker.answers("tensh", calls), strict=True))


@pytest.mark.parametrize(("kind", "call"), wrong_calls.recorded(), ids=lambda text: text[:60])
def test_a_recorded_call_answers_as_in_pytorch(kind, call, answers):
    assert answers[call][0] == kind, answers[call]


def test_spoiled_calls_neither_crash_nor_fail_inside(oracle):
    calls = spoiled_calls(SAMPLES, SEED)
    found = [each for each in wrong_calls.findings(calls, wrong_calls.Kept(None)) if each[1] in wrong_calls.SEVERE]
    assert found == []


def test_absurd_sizes_neither_crash_nor_fail_inside(oracle):
    calls = list(sized_calls())[SEED :: len(ABSURD) * 12 + 1]
    found = [each for each in wrong_calls.findings(calls, wrong_calls.Kept(None)) if each[1] in wrong_calls.SEVERE]
    assert len(calls) > 150 and found == []


def test_absurd_sizes_take_the_place_of_every_integer():
    calls = sized_calls()
    assert calls["torch.rot90(t((5, 5, 5)), 2 ** 63, (0, 1))"] == "torch.rot90"
    assert (
        "torch.rot90(t((5, 5, 5)), -5, [2 ** 40, 2 ** 40])" in calls
        and "torch.rot90(t((5, 5, 5)), -5, (-1, 1))" in calls
    )


def test_a_call_without_an_end_and_a_crash_are_answers():
    lines = [
        "t((2, 3))",
        "[None for _ in iter(int, 1)]",
        "__import__('os').abort()",
        "bytearray(2**40)",
        "t((2,)).nobody",
    ]
    kinds = [kind for kind, _ in worker.answers("tensh", lines)]
    assert kinds == ["ok", "died", "died", "MemoryError", "AttributeError"]


def test_differences_are_told_by_their_kind():
    ok, wrong, inside = ("ok", ""), ("TypeError", "no"), ("AttributeError", "no")
    assert wrong_calls.verdict(wrong, inside) == "internal type"
    assert wrong_calls.verdict(inside, inside) is None
    assert wrong_calls.verdict(ok, wrong) == "only PyTorch takes it"
    assert wrong_calls.verdict(wrong, ok) == "only tensh takes it"
    assert wrong_calls.verdict(wrong, ("died", "SIGSEGV")) == "died: SIGSEGV"
    assert wrong_calls.verdict(("died", "time"), ("died", "time")) is None
    assert wrong_calls.verdict(wrong, ("TypeError", "yes")) == "text"


def test_spoiled_calls_are_the_same_for_a_seed_and_others_than_the_right_ones():
    calls = spoiled_calls(300, SEED)
    assert list(calls) == list(spoiled_calls(300, SEED))
    assert len(calls) == 300 and list(calls) != list(spoiled_calls(300, SEED + 1))
    right = set(VALID.read_text(encoding="utf-8").splitlines())
    assert sum(call in right for call in calls) < 30
