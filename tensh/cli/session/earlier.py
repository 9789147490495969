"""The code that ran before a source: an explanation of a failure at a prompt finds causes there, as in a script.

A prompt has no numbers for its lines, so that what an explanation says of an earlier one is put without them.
"""

import re
from itertools import takewhile

from tensh.graph.source import is_python
from tensh.language import _

MOST_LINES = 1000  # before a source that are searched: 10 ms
LINE = re.compile(r"line (\d+)|第 (\d+) 行")  # as sentences name one in each language


def put_behind_earlier(source, sources):
    """Return the code of the sources that ran up to `source`, and the number of lines in front of it."""
    before = []
    ran = takewhile(lambda each: each is not source, sources.values())
    for each in reversed(list(ran)):
        if len(before) >= MOST_LINES:
            break
        if not each.has_failed:
            before[:0] = [line if is_python(line) else "" for line in each.lines]
    before = before[-MOST_LINES:]
    return "\n".join([*before, source.text]), len(before)


def count_from_source(explanation, before):
    """Return an explanation whose lines are counted from the beginning of a source that has `before` lines in front of it."""

    def rename(sentence):
        return sentence and LINE.sub(lambda found: name_line(found, before), sentence)

    return explanation._replace(
        rule=rename(explanation.rule),
        advice=rename(explanation.advice),
        then=rename(explanation.then),
        fits=tuple(move(fit, before) for fit in explanation.fits),
        made=tuple((name, line - before) for name, line in explanation.made if line > before),
        turn=(explanation.turn[0] - before, explanation.turn[1])
        if explanation.turn and explanation.turn[0] > before
        else None,
    )


def name_line(found, before):
    """The name of a line in a sentence: its number within the source, or that it was an earlier one."""
    number = int(found[1] or found[2])
    return _("an earlier line") if number <= before else found[0].replace(str(number), str(number - before))


def move(fit, before):
    """A change with its line counted from the beginning of the source; 0 for an earlier one."""
    line = fit.line and max(fit.line - before, 0)
    return fit._replace(line=line, more=tuple(move(each, before) for each in fit.more))
