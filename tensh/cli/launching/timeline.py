"""The picture of `tensh launch --timeline`: what each process computes, and what it waits for."""

import json
from html import escape
from typing import NamedTuple

from tensh.support.language import _, count

LEFT, LANE, GAP, ROW = 64, 16, 4, 56  # pixels: the margin, a bar, between bars, from process to process
NARROW, WIDE, PER_SPAN = 1000, 12_000, 6  # pixels of the time axis, and of a span on average
TICK = 90  # pixels between ticks of the axis, at least
CLOSE = 0.5  # pixels below which spans are drawn as one

COLORS = {"computing": "#8fbf8f", "blocked": "#d9d9d9", "wait": "#e6a04c", "transfer": "#4c86c6"}
FILLS = " ".join(f".{kind} {{ fill: {color} }}" for kind, color in COLORS.items())
STYLE = """
body { font: 14px system-ui, sans-serif; margin: 24px; color: #222; background: #fff }
div { overflow-x: auto } text { font: 12px system-ui, sans-serif; fill: #222 }
table { border-collapse: collapse; margin: 16px 0 } td, th { padding: 2px 12px; text-align: right }
line { stroke: #bbb }
i { display: inline-block; width: 12px; height: 12px; margin: 0 6px 0 18px }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1b1b1b } text { fill: #ddd } .blocked { fill: #444 } line { stroke: #555 } }
"""


class Process(NamedTuple):
    """The notes of one process: its rank, when it started and ended, and its spans (kind, name, begin, end).

    After `limit` spans it has noted no more.
    """

    rank: int
    start: float
    end: float
    spans: list
    limit: int | None = None

    def seconds(self, *kinds):
        """Return how long the spans of some kinds take."""
        return sum(end - begin for kind, _name, begin, end in self.spans if kind in kinds)

    @property
    def hidden(self):
        """The seconds in which data is exchanged while the program computes."""
        return max(0.0, self.seconds("wait", "transfer") - self.seconds("blocked"))


def read(folder):
    """Return the processes that have written their times to a folder."""
    return sorted(filter(None, map(read_process, folder.glob("*.jsonl"))))


def read_process(path):
    """Return the process of a file, which ends anywhere if the process was killed; None if nothing was written."""
    facts, spans = {}, []
    for line in path.read_text("utf-8").splitlines(keepends=True):
        if line.endswith("\n"):
            value = json.loads(line)
            spans.append(value) if isinstance(value, list) else facts.update(value)
    if not facts:
        return None
    facts["end"] = max([facts.get("end", facts["start"]), *(end for _kind, _name, _begin, end in spans)])
    return Process(**facts, spans=spans)


def summarize(processes):
    """Describe the processes in a line."""
    total = sum(each.end - each.start for each in processes) or 1.0  # killed at once
    blocked = sum(each.seconds("blocked") for each in processes)
    text = _(
        "{ranks}, {seconds:.3g} s: computing {computing:.0%}, waiting for others and for data {blocked:.0%}"
    ).format(
        ranks=count(len(processes), "rank"),
        seconds=max(each.end for each in processes) - min(each.start for each in processes),
        computing=1 - blocked / total,
        blocked=blocked / total,
    )
    limit = max(each.limit or 0 for each in processes)
    return text + (_("; only the first {number:,} spans of a rank were noted").format(number=limit) if limit else "")


def make_page(title, processes):
    """Return a page of HTML with a row for each process: above what the program does, below its exchanges."""
    first, last = min(each.start for each in processes), max(each.end for each in processes)
    width = min(max(NARROW, PER_SPAN * max(len(each.spans) for each in processes)), WIDE)
    scale = width / max(last - first, 1e-6)
    height = ROW * len(processes) + 24
    parts = [f'<svg width="{LEFT + width + 40}" height="{height}" role="img" aria-label="{escape(title)}">']
    parts += draw_axis(last - first, scale, height)
    for number, each in enumerate(processes):
        parts += draw_process(each, first, scale, ROW * number + GAP)
    words = [_("computing"), _("standing still"), _("waiting for other ranks"), _("transferring")]
    legend = "".join(
        f'<i style="background:{color}"></i>{escape(word)}' for color, word in zip(COLORS.values(), words, strict=True)
    )
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{escape(title)}</title><style>{FILLS}{STYLE}</style></head>\n'
        f"<body><h1>{escape(title)}</h1>\n<p>{escape(summarize(processes))}</p>\n<p>{legend}</p>\n"
        f"<div>{''.join(parts)}</svg></div>\n{make_table(processes)}</body></html>\n"
    )


def draw_axis(seconds, scale, height):
    """Yield lines at round times."""
    step = next(size * 10**power for power in range(-6, 9) for size in (1, 2, 5) if size * 10**power * scale >= TICK)
    for number in range(int(seconds / step) + 1):
        x = LEFT + number * step * scale
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height - 16}"/>'
        yield f'<text x="{x + 3:.1f}" y="{height - 4}">{number * step:g} s</text>'


def draw_process(process, first, scale, top):
    """Yield the bars of a process."""
    yield f'<text x="0" y="{top + LANE - 3}">{_("rank {rank}").format(rank=process.rank)}</text>'
    lower = top + LANE + GAP
    yield draw_bar("computing", "", process.start, process.end, first, scale, top)
    for kind, y in (("blocked", top), ("wait", lower), ("transfer", lower)):
        for name, begin, end in join(process.spans, kind, CLOSE / scale):
            yield draw_bar(kind, name, begin, end, first, scale, y)


def draw_bar(kind, name, begin, end, first, scale, y):
    """Return a bar with a title, which browsers show under the pointer."""
    x, width = LEFT + (begin - first) * scale, max((end - begin) * scale, CLOSE)
    title = f"<title>{escape(name)} {1000 * (end - begin):.3g} ms</title>" if name else ""
    return f'<rect class="{kind}" x="{x:.2f}" y="{y}" width="{width:.2f}" height="{LANE}">{title}</rect>'


def join(spans, kind, least):
    """Return (name, begin, end) of the spans of a kind; those that would overlap on the page become one."""
    found = []
    for name, begin, end in sorted((each[1:] for each in spans if each[0] == kind), key=lambda span: span[1]):
        if found and begin - found[-1][2] < least and end - found[-1][1] < 4 * least:
            before, start, _end = found[-1]
            found[-1] = (before if name in before else f"{before}, {name}", start, max(end, found[-1][2]))
        else:
            found.append((name, begin, end))
    return found


def make_table(processes):
    """Return the seconds of each process as a table of HTML."""
    heads = _("rank"), _("seconds"), _("computing"), _("waiting"), _("transferring"), _("exchanged while computing")
    rows = [
        (each.rank, each.end - each.start, each.end - each.start - each.seconds("blocked"),
         each.seconds("wait"), each.seconds("transfer"), each.hidden)
        for each in processes
    ]  # fmt: skip
    lines = ["".join(f"<th>{escape(head)}</th>" for head in heads)]
    lines += ["".join(f"<td>{value:.4g}</td>" for value in row) for row in rows]
    return "<table>" + "".join(f"<tr>{line}</tr>\n" for line in lines) + "</table>\n"
