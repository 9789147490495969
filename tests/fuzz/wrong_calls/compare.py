"""Wrong calls on tensh and on PyTorch:  python -m tests.fuzz.wrong_calls.compare --calls 200000 --seed 1

Each call is one that both libraries accept (tests/recorded/wrong_calls/valid.txt), with one or two arguments spoiled.
Both evaluate it in separate processes, with limits on memory and time. Differences are printed as tables: crashes and
endless calls, exceptions of an internal type where PyTorch has another, other types, and calls that only one of them
refuses.
"""

import argparse
import json
import re
import signal
import sqlite3
import sys
from collections import Counter, defaultdict

from tests.fuzz.wrong_calls import worker
from tests.fuzz.wrong_calls.spoiling import sized_calls, spoiled_calls
from tests.support.project import RECORDED

ANSWERS = RECORDED / "wrong_calls" / "errors.txt"
AT_ONCE = 12000  # calls for one process

# ── comparing ────────────────────────────────────────────────────────────────
INTERNAL = frozenset(
    """
    AttributeError KeyError UnboundLocalError AssertionError RecursionError OverflowError MemoryError SystemError
    ZeroDivisionError NameError StopIteration FloatingPointError BufferError UnicodeDecodeError ArithmeticError LookupError
    AxisError UFuncTypeError _UFuncNoLoopError _UFuncBinaryResolutionError _UFuncOutputCastingError _UFuncInputCastingError
    _ArrayMemoryError DTypePromotionError EOFError SystemExit KeyboardInterrupt TooHardError Lift Rare UnpackError ElementError
""".split()
)
"""Types of errors that say something about the library rather than about the call."""
UNSUPPORTED = re.compile(
    "exists in PyTorch but not in tensh|tensh (has|computes|is|knows|runs|keeps)|only.*CPU|dense|not supported by tensh"
)
BROKEN = re.compile(
    "INTERNAL ASSERT FAILED|please report a bug|could not create a primitive|Torch not compiled with CUDA|_C_|^/__w/"
)
"""Messages of PyTorch about its own mistakes, and about devices that this build lacks."""


SEVERE = frozenset(["internal type", "died: time", *(f"died: {name.name}" for name in signal.Signals)])
"""The kinds of differences of which there may be none."""


ELSEWHERE = re.compile("expected a sequence of integers or a single integer, got")
"""Messages of NumPy about PyTorch's tensors while an argument is made: the library says nothing about the call."""


TRACE = re.compile("\nException raised from .*", re.DOTALL)
"""Where in PyTorch's own source an error arose: addresses, and paths of the machine that built it."""


def verdict(theirs, ours):
    """The kind of difference between two answers, or None."""
    if theirs[0] == "MemoryError":  # Python's own: the call never reached the library
        return None
    if ours[0] == "died":
        return None if theirs[0] == "died" and theirs[1] == ours[1] == "time" else f"died: {ours[1]}"
    if theirs[0] == "died" or BROKEN.search(theirs[1]) or ELSEWHERE.search(theirs[1]):
        return None
    if UNSUPPORTED.search(ours[1]):
        return None
    if ours[0] != theirs[0] and ours[0] in INTERNAL:
        return "internal type"
    if "ok" in (ours[0], theirs[0]) and ours[0] != theirs[0]:
        return "only PyTorch takes it" if theirs[0] == "ok" else "only tensh takes it"
    if ours[0] != theirs[0]:
        return "other type"
    return None if without_trace(ours[1]) == without_trace(theirs[1]) else "text"


def without_trace(text):
    """Return the message, with its closing quotation mark."""
    return TRACE.sub("", text).removesuffix('"')


class Kept:
    """Answers of an earlier run, kept in a file."""

    def __init__(self, path):
        self.file = sqlite3.connect(path) if path else None
        if self.file:
            self.file.execute("create table if not exists answers (line text primary key, kind text, said text)")

    def answers(self, lines):
        """PyTorch's answers."""
        if not self.file:
            return worker.answers("torch", lines)
        known = {}
        for line in lines:
            if row := self.file.execute("select kind, said from answers where line = ?", (line,)).fetchone():
                known[line] = row
        missing = [line for line in lines if line not in known]
        if missing:
            known |= zip(missing, worker.answers("torch", missing), strict=True)
            rows = [(line, *known[line]) for line in missing]
            self.file.executemany("insert or replace into answers values (?, ?, ?)", rows)
            self.file.commit()
        return [known[line] for line in lines]


def findings(lines, kept, progress=lambda *given: None):
    """Yield (line, kind of difference, PyTorch's answer, tensh's answer) of each call that differs."""
    lines = list(lines)
    for start in range(0, len(lines), AT_ONCE):
        part = lines[start : start + AT_ONCE]
        theirs, ours = kept.answers(part), worker.answers("tensh", part)
        progress(start + len(part))
        for line, expected, found in zip(part, theirs, ours, strict=True):
            if (kind := verdict(expected, found)) is not None:
                yield line, kind, expected, found


def recorded():
    """Return (type of PyTorch's error, call) of each line of the record."""
    return [tuple(line.split("\t")) for line in ANSWERS.read_text(encoding="utf-8").splitlines()]


def table(counter, shown):
    width = max((len(str(key)) for key, _ in counter.most_common(shown)), default=0)
    return "\n".join(f"    {key!s:{width}}  {count:6}" for key, count in counter.most_common(shown))


def main():
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--calls", type=int, default=200_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--sizes", action="store_true", help="put absurd sizes in place of every integer instead")
    options.add_argument("--only", default="", help="a regular expression for the names of functions")
    options.add_argument("--keep", help="a file that keeps PyTorch's answers for the next run")
    options.add_argument("--write", help="a file for the findings, a line of JSON each")
    options.add_argument("--shown", type=int, default=25, help="how many rows of a table")
    given = options.parse_args()
    made = sized_calls() if given.sizes else spoiled_calls(given.calls, given.seed)
    made = {line: name for line, name in made.items() if re.search(given.only, name)}
    kinds, functions, types = Counter(), defaultdict(Counter), defaultdict(Counter)
    written = open(given.write, "w", encoding="utf-8") if given.write else None  # noqa: SIM115

    def progress(done):
        print(f"{done} of {len(made)}: {dict(kinds)}", file=sys.stderr)

    for line, kind, expected, found in findings(made, Kept(given.keep), progress):
        kinds[kind] += 1
        functions[kind][made[line]] += 1
        types[kind][f"{expected[0]} -> {found[0]}"] += 1
        if written:
            written.write(json.dumps([kind, made[line], line, expected, found]) + "\n")
    print(f"{len(made)} calls")
    for kind, count in sorted(kinds.items()):
        print(
            f"\n{kind}: {count}\n{table(types[kind], given.shown)}\n  by function\n{table(functions[kind], given.shown)}"
        )


if __name__ == "__main__":
    main()
