"""Histograms in a terminal: `hist`."""

import math

from tensh.show.drawing.blocks import bar
from tensh.show.drawing.page import View
from tensh.show.drawing.text import comment, pad
from tensh.show.reading import describe
from tensh.show.reading.measures import counts, range_of, statistics, trouble
from tensh.show.reading.values import array_of
from tensh.support.language import _, count

FEWEST, MOST = 5, 20  # bars
WIDEST = 50  # columns of a bar


class Histogram(View):
    """Counts of values in equal parts of their range; for few integers, the count of each."""

    def __init__(self, value, bins=None, name=""):
        self.name = name
        self.facts = statistics(value)
        self.brief = describe.brief(value) if describe.is_array(value) else ""
        low, high = self.facts.low, self.facts.high
        if low is None:
            self.edges, self.counts = [], []
            return
        self.words = ("False", "True") if self.facts.is_bool else ()
        if low == high:
            self.of_each, self.edges, self.counts = True, [low], [self.facts.finite]
            return
        self.of_each = bins is None and self.facts.is_whole and high - low < MOST
        if self.of_each:
            self.edges = [int(low) + number for number in range(int(high) - int(low) + 1)]
            self.counts = [int(n) for n in counts(value, low - 0.5, high + 0.5, len(self.edges))]
            return
        bins = bins or usual_bins(self.facts.finite)
        self.edges = [low + (high - low) * number / bins for number in range(bins + 1)]
        self.counts = [int(n) for n in counts(value, low, high, bins)]

    def labels(self):
        """Name the values or ranges of the bars."""
        if self.of_each:
            return [self.words[int(edge)] if self.words else describe.number(edge) for edge in self.edges]
        step = self.edges[1] - self.edges[0]
        digits = min(max(1 - math.floor(math.log10(step)), 0), 17)
        style = ".3e" if digits > 8 or max(map(abs, self.edges)) >= 10**7 else f".{digits}f"
        ends = [format(edge, style) for edge in self.edges]
        width = max(map(len, ends))
        pairs = [(one.rjust(width), other.rjust(width)) for one, other in zip(ends, ends[1:], strict=False)]
        return [
            f"[{one}, {other}" + (")" if place + 1 < len(pairs) else "]") for place, (one, other) in enumerate(pairs)
        ]

    def draw(self, page):
        if self.counts:
            labels, numbers = self.labels(), [f"{number:,}" for number in self.counts]
            sides = max(map(len, labels)), max(map(len, numbers))
            width = max(min(page.width - sum(sides) - 4, WIDEST), 4)
            most = max(self.counts)
            for label, text, number in zip(labels, numbers, self.counts, strict=True):
                yield "name", pad(label, sides[0], to_the_right=self.of_each)
                yield "plain", "  " + pad(text, sides[1], to_the_right=True) + ("  " if number else "")
                yield "bar", bar(number / most, width, page.unicode)
                yield "plain", "\n"
        yield from comment(self.remarks(), page)

    def remarks(self):
        """Describe the values that were counted, and those that could not be."""
        facts = self.facts
        yield f"{self.name}  {self.brief}".strip() if self.brief else count(facts.count, "value")
        yield from trouble(facts)
        if facts.low is None:
            yield _("no finite value") if facts.count else _("no elements")
            return
        counted = count(facts.finite, "absolute value" if facts.is_complex else "value")
        yield (_("a sample of ") if facts.is_sample else "") + f"{counted} {range_of(facts)}"
        if facts.low < facts.high:
            yield _("mean {mean}").format(mean=describe.number(facts.mean))
            yield _("std {std}").format(std=describe.number(facts.std))


def usual_bins(number):
    """Return a suitable number of bars for a number of values, by Sturges' rule."""
    return min(max(math.ceil(math.log2(max(number, 1))) + 1, FEWEST), MOST)


def hist(input, bins=None, name=""):
    """Draw a histogram of a tensor's values. NaN and infinities are counted separately.

    Args:
        input: a tensor or array of any shape and dtype; complex numbers count by their absolute values.
        bins: the number of bars; default: depends on the number of values, or one bar for each of few integers.
        name: the name in the summary line.

    >>> import tensh
    >>> tensh.show.hist(tensh.tensor([1., 2., 2., 4.]), bins=3)
    [1.0, 2.0)  1  █████████████████████████
    [2.0, 3.0)  2  ██████████████████████████████████████████████████
    [3.0, 4.0]  1  █████████████████████████
    # [4] float32 · 4 values in [1, 4] · mean 2.25 · std 1.258
    """
    array_of(input)
    if bins is not None and (not isinstance(bins, int) or bins < 1):
        raise ValueError(_("hist(): bins must be a positive whole number, not {bins!r}").format(bins=bins))
    return Histogram(input, bins, name)
