"""The picture of `tensh launch --timeline`, from times that processes noted."""

import json
import re
import xml.etree.ElementTree as ET

import pytest

from tensh.cli.launching import timeline
from tensh.cli.launching.timeline import Process

FIRST = Process(0, 10.0, 12.0, [("blocked", "all_reduce", 11.0, 11.5), ("wait", "all_reduce", 11.0, 11.25), ("transfer", "all_reduce", 11.25, 11.5)])  # fmt: skip
SECOND = Process(1, 10.5, 12.0, [("transfer", "<b>&", 11.0, 11.5)])


def bars(page):
    """Return (class, x, width, title) of the bars of a page."""
    svg = ET.fromstring(re.search(r"<svg.*</svg>", page, re.S)[0])
    return [(r.get("class"), float(r.get("x")), float(r.get("width")), r.findtext("title")) for r in svg.iter("rect")]


def test_bars_are_where_the_times_are():
    found = bars(timeline.make_page("a.py", [FIRST, SECOND]))
    scale = timeline.NARROW / 2.0
    assert found[0] == ("computing", timeline.LEFT, timeline.NARROW, None)
    assert found[1] == ("blocked", timeline.LEFT + scale, scale / 2, "all_reduce 500 ms")
    assert found[4] == ("computing", timeline.LEFT + scale / 2, timeline.NARROW * 3 / 4, None)
    assert found[5] == ("transfer", timeline.LEFT + scale, scale / 2, "<b>& 500 ms")


def test_blocked_and_hidden_seconds_are_counted():
    assert (FIRST.seconds("blocked"), FIRST.hidden, SECOND.hidden) == (0.5, 0.0, 0.5)
    assert timeline.summarize([FIRST, SECOND]).startswith("2 ranks, 2 s: computing 86%")


@pytest.mark.parametrize("number", [0, 1, 30_000])
def test_a_page_stays_small(number):
    spans = [("transfer", "send", i * 1e-3, (i + 1) * 1e-3) for i in range(number)]
    page = timeline.make_page("a.py", [Process(0, 0.0, max(number * 1e-3, 1e-3), spans)])
    assert len(page) < 3_000_000 and page.count("<rect") <= timeline.WIDE / timeline.CLOSE


def test_spans_that_meet_on_the_page_become_one():
    spans = [("wait", "a", 0.0, 0.1), ("wait", "b", 0.11, 0.2), ("wait", "c", 5.0, 6.0), ("transfer", "d", 0.0, 1.0)]
    assert timeline.join(spans, "wait", 0.06) == [("a, b", 0.0, 0.2), ("c", 5.0, 6.0)]


def lines(process):
    """The lines that a process writes."""
    return "".join(
        json.dumps(each) + "\n"
        for each in ({"rank": process.rank, "start": process.start}, *process.spans, {"end": process.end})
    )


def test_files_are_read_by_rank(tmp_path):
    for each in (SECOND, FIRST):
        (tmp_path / f"{each.rank}.jsonl").write_text(lines(each))
    assert [each.rank for each in timeline.read(tmp_path)] == [0, 1]


@pytest.mark.parametrize("length", range(0, len(lines(FIRST)), 7))
def test_files_of_killed_processes_are_read(tmp_path, length):
    (tmp_path / "0.jsonl").write_text(lines(FIRST)[:length])
    for each in (found := timeline.read(tmp_path)):
        assert (each.rank, each.start) == (0, 10.0) and [*map(tuple, each.spans)] == FIRST.spans[: len(each.spans)]
        assert each.end >= max([each.start, *(end for *_, end in each.spans)])
        assert "1 rank, " in timeline.make_page("a.py", found)
    assert len(found) == ("\n" in lines(FIRST)[:length])


def test_more_spans_than_are_noted_are_mentioned():
    assert timeline.summarize([FIRST._replace(limit=2)]).endswith("; only the first 2 spans of a rank were noted")
