"""Checking a lesson: verify that its questions can be asked and that its own answers are right."""

import io

from tensh.cli.checking.running import Result
from tensh.cli.checking.verdicts import DIFFERS, OK, Verdict
from tensh.cli.documents.model import Cell
from tensh.cli.lessons import format
from tensh.cli.lessons.proving import prove
from tensh.cli.process import status
from tensh.cli.process.environment import Environment
from tensh.cli.programs.isolation import fresh_world
from tensh.cli.programs.limits import TimeLimit, time_limit
from tensh.show.drawing.text import shorten

WIDEST = 60  # columns for the code of a question


def verdicts(path, options):
    """Return (verdict on each question, and on code that fails; status of the run: OK, or OUT_OF_TIME)."""
    lesson = format.load(path)
    env = Environment(io.StringIO(), io.StringIO(), io.StringIO(), variables={}, color="never")
    found, ended = [], status.OK
    try:
        with fresh_world(options.engine or "tensh"), env.install(), time_limit(options.timeout):
            for number, proof in enumerate(prove(env, options, lesson), 1):
                note = proof.wrong or proof.answer
                cell = Cell("code", proof.code)
                label = f"[{proof.label}]"
                found.append(Verdict(cell, number, label, Result(), DIFFERS if proof.wrong else OK, note))
    except TimeLimit:
        ended = status.OUT_OF_TIME
    return found, ended


def lines(verdict, width):
    """Yield (kind, text) pairs for the report line of a question."""
    code = shorten(" ".join(verdict.cell.text.split()), WIDEST)
    yield "name", f"  {verdict.label:<{width}}  "
    if verdict.status == OK:
        yield "plain", "ok       "
        yield "plain", code
        yield "note", f"   {shorten(verdict.note, WIDEST)}\n"
    else:
        yield "trouble", "WRONG"
        yield "plain", f"    {code}\n"
        yield "message", f"{' ' * (width + 4)}{verdict.note}\n"
