"""Code that ran before a source, so that an explanation of a failure at a prompt finds causes there, as in a script.

Lines of a prompt have no numbers: an explanation speaks of "an earlier line".
"""

import re
from itertools import takewhile

from tensh.support.command_lines import blank_commands
from tensh.support.language import _

MOST_LINES = 1000  # searched before a source: 10 ms
LINE = re.compile(r"line (\d+)|第 (\d+) 行")  # how sentences name a line, in each language


def put_behind_earlier(source, sources):
    """Return the code of the sources that ran up to `source`, and the number of lines before it."""
    before = []
    ran = takewhile(lambda each: each is not source, sources.values())
    for each in reversed(list(ran)):
        if len(before) >= MOST_LINES:
            break
        if not each.has_failed:
            before[:0] = blank_commands(each.text).split("\n")
    before = before[-MOST_LINES:]
    return "\n".join([*before, source.text]), len(before)


def count_from_source(explanation, before):
    """Renumber the lines of an explanation from the beginning of a source with `before` lines in front of it."""

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
    """Name a line in a sentence: by its number within the source, or as an earlier one."""
    number = int(found[1] or found[2])
    return _("an earlier line") if number <= before else found[0].replace(str(number), str(number - before))


def move(fit, before):
    """Renumber the line of a change from the beginning of the source; 0 for an earlier one."""
    line = fit.line and max(fit.line - before, 0)
    return fit._replace(line=line, more=tuple(move(each, before) for each in fit.more))
