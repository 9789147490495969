"""Correct programs, broken by known edits: their outcome, and the outcome after following the advice."""

import ast
import io
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tensh.cli.app import main
from tensh.cli.process.environment import Environment
from tests.explain.mutations import mutations
from tests.explain.test_mistakes import FITS, MARKED, fixed

PROGRAM = re.compile(r"^### (.*)\n((?:(?!### ).*\n?)*)", re.MULTILINE)
RIGHT = dict(PROGRAM.findall(Path(__file__).with_name("right.txt").read_text(encoding="utf-8")))
MEANT = re.compile(r"^ +did you mean (?P<names>[\w. ]+)(?P<keyword>=)?\?", re.MULTILINE)
IMPORT = re.compile(r"^ +try: +(?P<code>(?:import|from) .+)$", re.MULTILINE)
ASKED = re.compile(
    r"attribute '(\w+)'|name '(\w+)'|argument '(\w+)'|cannot import name '(\w+)'|dataset's|named '(\w+)'"
)
ADVICE = re.compile(r"^ +(fits|or|try|did you mean)\b", re.MULTILINE)
LIMIT = 20  # seconds of one program
ROUNDS = 3  # of advice that is followed
MOST_WAYS = 3  # that are followed in a round
LOST = {
    "other_size": "of two layers whose sizes differ, nothing says which has the right one",
    "other_dim": "nothing says which dimension was meant",
    "other_dtype": "fractions that were cut off do not come back",
    "unstepped": "a sum is as good as a mean",
}
"""Kinds of mistakes after which several programs are as likely: what is advised is to run, and may print something else."""

DOUBTS = {
    ("functional", "exchanged", 1): "within, the shapes of one sample fit the other way round, too",
    ("least squares", "exchanged", 2): "the solution of the other problem is taken for that of this one",
    ("embedding bag", "unstepped", 3): "all words of all reviews are as likely as a mean of each",
}
"""Mistakes that nothing in the program tells from others, with the reason."""


class Broken(NamedTuple):
    """A program with one mistake: of which right one, the kind of the mistake, its number among these, and the code."""

    name: str
    kind: str
    number: int
    code: str

    @property
    def title(self):
        return f"{self.name}: {self.kind} {self.number}"


class Outcome(NamedTuple):
    """A broken program's fate: "right" or "wrong" where it runs, "silent", "told" or "mended" where it fails, or "false"."""

    word: str
    text: str = ""
    after: str = ""


def broken(names=tuple(RIGHT)):
    """All Broken programs."""
    for name in names:
        count = Counter()
        for kind, code in mutations(RIGHT[name]):
            count[kind] += 1
            yield Broken(name, kind, count[kind], code)


def run(path):
    """Return (status, stdout, stderr) of a program."""
    streams = [io.StringIO() for _ in range(3)]
    status = main(["run", "--quiet", "--timeout", str(LIMIT), str(path)], Environment(*streams, variables={}))
    return status, streams[1].getvalue(), streams[2].getvalue()


def advised(path, text):
    """The programs with each piece of advice applied."""
    code = fixed(path, text)
    if code is not None:
        yield code
        yield from others(path, text)
        return
    source = path.read_text(encoding="utf-8")
    wanted = IMPORT.search(text)
    if wanted:
        yield f"{wanted['code']}\n{source}"
    meant, asked, marked = MEANT.search(text), ASKED.search(text), MARKED.search(text)
    if not meant or not asked:
        return
    wrong = next(filter(None, asked.groups()))
    for name in meant["names"].split(" or "):
        yield re.sub(rf"\b{wrong}\b", name, source)
        if marked:
            lines = source.split("\n")
            n = int(marked["line"]) - 1
            lines[n] = re.sub(rf"(?<![\w.]){wrong}\b" if "." in name else rf"\b{wrong}\b", name, lines[n])
            yield "\n".join(lines)


def others(path, text):
    """The programs with each of the other fixes that are offered: "or" before code."""
    for line in re.findall(r"^ +or: .*$", text, re.MULTILINE):
        alone = FITS.sub("", text)
        code = fixed(path, f"{alone}\n{line.replace('or: ', 'fits: ', 1)}\n")
        if code is not None and is_python(code):
            yield code


def is_python(code):
    try:
        ast.parse(code)
    except SyntaxError:
        return False
    return True


def outcome(program, path, printed):
    """The Outcome of a broken program, which should print the same as the correct one.

    What is advised is done, and again where that fails in turn, as somebody would: ROUNDS times.
    """
    path.write_text(program.code, encoding="utf-8")
    status, shown, text = run(path)
    if status == 0:
        return Outcome("right" if shown == printed else "wrong")
    if not ADVICE.search(text):
        return Outcome("silent", text)
    waiting, last = [(program.code, text)], ""
    for _ in range(ROUNDS):
        following = []
        for code, said in waiting:
            path.write_text(code, encoding="utf-8")
            for each in [*advised(path, said)]:
                path.write_text(each, encoding="utf-8")
                status, shown, after = run(path)
                if (status, shown) == (0, printed):
                    return Outcome("mended", text)
                if status == 0 and program.kind in LOST or (program.name, program.kind, program.number) in DOUBTS:
                    return Outcome("other", text, shown)
                last = after or shown
                if status and ADVICE.search(after):
                    following.append((each, after))
        waiting = following[:MOST_WAYS]
    return Outcome("false", text, last) if last else Outcome("told", text)
