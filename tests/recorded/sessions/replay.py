"""Sessions: Markdown files of small programs at a Python prompt, with the answers that PyTorch gives.

Every section ``## title`` holds one ``pycon`` block.  ``replay`` runs a block on any module with PyTorch's interface and
writes down what it answers: what is printed, the value of an expression, or the type and text of an exception.
Addresses are masked, sizes of ragged dimensions numbered anew, and lists of backends left out.

``python -m tests.recorded sessions/NAME``, where PyTorch is installed, records the answers anew.
"""

import builtins
import contextlib
import doctest
import importlib
import io
import math
import re
import warnings
from pathlib import Path

import numpy

from tensh.alias.finder import MEANT

FOLDER = Path(__file__).parent
SEED = 67280421310721
"""The seed of PyTorch's generator before any other is set."""
SECTION = re.compile(r"^## (?P<title>[^\n]*)\n\n```pycon\n(?P<session>.*?)```$", re.MULTILINE | re.DOTALL)


def sections(path):
    """title -> session, in the order of the file."""
    return {match["title"]: match["session"] for match in SECTION.finditer(path.read_text(encoding="utf-8"))}


def replay(session, torch):
    """The session with the answers that ``torch`` gives."""
    names = {"torch": torch, "np": numpy, "inf": math.inf, "nan": math.nan, "__name__": "__main__"}
    names["__builtins__"] = vars(builtins) | {"__import__": importing(torch)}
    lines = []
    with usual_defaults(torch):
        for example in doctest.DocTestParser().get_examples(session):
            first, *more = example.source.splitlines()
            lines += [f">>> {first}", *(f"... {line}" for line in more)]
            lines += [line or "<BLANKLINE>" for line in answer(example.source, names).splitlines()]
    return number_anew("".join(line + "\n" for line in lines))


def number_anew(text):
    """The text with the sizes of ragged dimensions, which a process counts, as j1, j2 ... in the order of the text."""
    found = list(dict.fromkeys(re.findall(r"\bj\d+\b", text)))
    return re.sub(r"\bj\d+\b", lambda match: f"j{found.index(match[0]) + 1}", text)


@contextlib.contextmanager
def usual_defaults(torch):
    """Start with the random numbers of a new process; give the default print options and dtype back at the end."""
    torch.manual_seed(SEED)
    try:
        yield
    finally:
        torch.set_printoptions(profile="default")
        torch.set_default_dtype(torch.float32)


def importing(torch):
    """An ``__import__`` for which ``torch`` is the given module, and ``functorch`` the package that belongs to it."""
    homes = {"torch": torch.__name__, "functorch": MEANT["functorch"] if torch.__name__ == "tensh" else "functorch"}

    def imported(name, *args):
        top, dot, below = name.partition(".")
        if top not in homes:
            return builtins.__import__(name, *args)
        module = importlib.import_module(homes[top] + dot + below)
        return module if len(args) > 2 and args[2] else importlib.import_module(homes[top])

    return imported


def answer(source, names):
    """Return the output of running ``source``, or the exception that it raises."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(source, "<session>", "single"), names)
        except Exception as error:
            text = str(error).partition(" This could be because the operator doesn't exist for this backend")[0]
            print(f"{type(error).__name__}: {text}", file=printed)
    return re.sub(r"\bat 0x[0-9a-f]+", "at 0x", printed.getvalue())


def record_sections(path, torch):
    """The text of a file with the answers of ``torch``."""

    def answer_section(match):
        return match[0].replace(match["session"], replay(match["session"], torch))

    return SECTION.sub(answer_section, path.read_text(encoding="utf-8"))
