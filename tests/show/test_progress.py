"""track: how far a long loop is, on stderr."""

import io
import re
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import tensh as torch
from tensh.cli.watching.page import FolderView, TrackedView
from tensh.show import track
from tensh.show.drawing.page import Page
from tensh.show.loops import bars, progress, tracked


class Clock:
    """A clock that the loops of a test wind on themselves."""

    now = 0.0

    def __call__(self):
        return self.now


class Window(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress, "perf_counter", clock)
    return clock


@pytest.fixture
def opened(monkeypatch):
    """A window becomes stderr when it is asked for: before a test begins, pytest sets streams of its own."""

    def window():
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.setattr(sys, "stderr", Window())
        return sys.stderr

    return window


def slowly(clock, items, seconds=0.1):
    for item in items:
        clock.now += seconds
        yield item


def test_the_items_come_through_and_a_short_loop_says_nothing(clock, capsys):
    assert [*track(slowly(clock, range(4)), total=4)] == [0, 1, 2, 3]
    assert capsys.readouterr() == ("", "")


def test_a_line_for_each_tenth_where_nobody_watches(clock, capsys):
    for _ in track(range(20), "epochs"):
        clock.now += 0.1
    assert capsys.readouterr().err.splitlines() == [
        "epochs:  20 %  5 of 20  0.5 s", "epochs:  30 %  6 of 20  0.6 s",
        *(f"epochs: {10 * n:3} %  {2 * n} of 20  {0.2 * n:.1f} s" for n in range(4, 11)),
    ]  # fmt: skip


def test_rare_lines_where_the_end_is_not_known(clock, capsys):
    for _ in track(slowly(clock, range(100), 0.25)):
        pass
    assert [line.split() for line in capsys.readouterr().err.splitlines()] == [
        ["2", "0.5", "s"], ["42", "10.5", "s"], ["82", "20.5", "s"],
    ]  # fmt: skip


def test_a_bar_in_a_terminal(clock, opened):
    window = opened()
    for _ in track(range(10), "epochs"):
        clock.now += 0.2
    assert "epochs" in window.getvalue() and "10/10" in window.getvalue()


def test_loops_within_loops_share_a_display_that_ends_with_the_outermost(clock, opened):
    window = opened()
    for _ in track(range(2), "epochs"):
        for _ in track(range(4), "batches"):
            clock.now += 0.2
        assert bars.Bar.display is not None
    assert bars.Bar.display is None and bars.Bar.running == []
    last = window.getvalue().rstrip("\n\x1b[?25h").splitlines()[-1]
    assert "epochs" in last and "2/2" in last


@pytest.mark.parametrize("how", ["break", "raise"])
def test_nothing_is_left_when_a_loop_ends_early(how, clock, opened):
    opened()

    def loop():
        for item in track(range(10)):
            clock.now += 0.3
            if item == 5 and how == "break":
                break
            if item == 5:
                raise KeyboardInterrupt

    if how == "break":
        loop()
    else:
        pytest.raises(KeyboardInterrupt, loop)
    assert bars.Bar.display is None and bars.Bar.running == []


def test_silence_can_be_asked_for(clock, opened, monkeypatch):
    window = opened()
    monkeypatch.setattr(progress, "style", "none")
    for _ in track(range(10)):
        clock.now += 1
    assert window.getvalue() == ""


# ── values ───────────────────────────────────────────────────────────────────
def loop(name, number, **values):
    """Run a loop that tracks values, each given as an iterable."""
    for _ in track(range(number), name, **{key: iter(each).__next__ for key, each in values.items()}):
        pass


def points(value, name):
    return [(each.step, each.value) for each in tracked.curves[value][name]]


def test_values_are_read_after_each_step(clock, capsys):
    leaves = [torch.tensor(number, requires_grad=True) for number in (0.5, 1.5)]
    loop("steps", 2, double=[0, 2], leaf=leaves)
    assert points("double", "steps") == [(1, 0.0), (2, 2.0)] and points("leaf", "steps") == [(1, 0.5), (2, 1.5)]
    for _ in track(range(10), "told", loss=lambda: 0.25):
        clock.now += 1
    assert capsys.readouterr().err.splitlines()[-1].endswith("10 of 10  10.0 s  loss 0.25")


def test_a_loop_of_the_same_name_begins_anew(clock):
    loop("again", 5, value=range(5))
    loop("again", 2, value=range(2))
    assert points("value", "again") == [(1, 0.0), (2, 1.0)]


def test_a_long_loop_keeps_some_points(clock):
    loop("long", 5 * tracked.MOST, value=range(5 * tracked.MOST))
    kept = points("value", "long")
    assert tracked.MOST / 2 <= len(kept) <= tracked.MOST and kept[-1][0] > 4.9 * tracked.MOST


def test_what_is_no_function_is_refused():
    with pytest.raises(
        TypeError, match="loss must be a function that returns a number, such as loss=lambda: loss, not float"
    ):
        track(range(3), loss=1.0)


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (torch.ones(2), "Tensor [2] float32"), (torch.empty(0), "Tensor [0] float32"), (torch.tensor(1j), "Tensor [] complex64"),
        (np.ones(2), "ndarray [2] float64"), (None, "NoneType"), ("3.5", "str"), (1j, "complex"), ([1.0], "list"),
    ],
)  # fmt: skip
def test_values_that_are_no_numbers_are_named(value, named):
    said = f"loss must return a number, or a tensor of one, not {named}"
    with pytest.raises(TypeError, match=re.escape(said)):
        list(track(range(3), loss=lambda: value))


@pytest.mark.parametrize(
    "value", [3, True, np.float32(3), torch.ones(1, 1), Fraction(1, 3), Decimal("0.5"), float("inf")]
)
def test_values_of_one_number_are_taken(value):
    assert list(track(range(3), loss=lambda: value)) == [0, 1, 2]


def test_curves_are_drawn(clock):
    page = Page(width=80)
    loop("drawn", 3, height=range(3))
    shown = "".join(text for _, text in TrackedView("height").draw(page))
    assert "# height: drawn · 1 curve of 3 points" in shown and "height  drawn  3     2     0      2" in shown
    assert "no loop has tracked a value" in "".join(text for _, text in TrackedView("none").draw(page))


def test_event_files_need_no_writer(clock, tmp_path):
    pytest.importorskip("tensorboard", reason="tensorboard is not installed")
    for _ in track(range(3), "fit", folder=str(tmp_path), loss=iter(range(3)).__next__):
        pass
    view = FolderView(str(tmp_path))
    assert [point.value for point in view.runs.numbers["loss"]["fit"]] == [0.0, 1.0, 2.0]
