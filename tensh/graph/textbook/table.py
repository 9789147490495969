"""Formulas by the name of the function: ``entries("tanh")``.

An entry of a table reads::

    softmax softmax_dim (x, dim=-1)
        when dim is not None
        x: y * (g - sum(g * y, dim))  -- a reason
        n = size(x, dim)

First the names of functions and operators, and the letters of the formulas with their defaults. A letter with the name
of a parameter is that parameter; the others, if they have no default, are the remaining parameters in order. ``-> mean,
var`` names several results. Then follow a condition under which the formulas hold, the function through which the
derivative goes (``through softmax``), the gradient of each operand, and definitions of letters.
"""

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

FAMILIES = "elementwise activations special reductions shapes products linalg losses layers fourier".split()


class Formula(NamedTuple):
    """The gradient of one operand as an expression, with an optional short reason."""

    text: str
    reason: str = ""

    @property
    def sentence(self):
        """The sentence that replaces an expression if none is short; otherwise ""."""
        return self.text[1:-1] if self.text.startswith("'") else ""


class Entry(NamedTuple):
    """The formulas of one function, letter -> Formula; ``letters`` have defaults, or None, as texts."""

    names: tuple[str, ...]
    letters: dict[str, str | None]
    outputs: tuple[str, ...]
    formulas: dict[str, Formula]
    parts: dict[str, str]
    family: str
    when: str = "True"
    through: str = ""

    def bind(self, parameters):
        """Return letter -> the parameter of a function that it represents, for existing parameters."""
        bound = {letter: letter for letter in self.letters if letter in parameters}
        if "p" in self.letters and "ord" in parameters:
            bound["p"] = "ord"
        rest = iter([name for name in parameters if name not in bound.values()])
        for letter, default in self.letters.items():
            if letter not in bound and default is None and (name := next(rest, None)) is not None:
                bound[letter] = name
        return bound


@cache
def entries(name):
    """Return the entries of a function or operator: ``linalg.norm`` may use those of ``norm``, ``abs_`` of ``abs``."""
    short = name.rpartition(".")[2]
    return next(filter(None, map(_table().get, (name, short, short.removesuffix("_")))), ())


@cache
def _table():
    found = {}
    for family in FAMILIES:
        text = Path(__file__).with_name(f"{family}.txt").read_text(encoding="utf-8")
        for entry in read(text, family):
            for name in entry.names:
                found[name] = (*found.get(name, ()), entry)
    return found


def texts():
    """Yield the texts in the tables for translation: sentences instead of formulas, and reasons."""
    for known in _table().values():
        for formula in (formula for entry in known for formula in entry.formulas.values()):
            yield from filter(None, (formula.sentence, formula.reason))


def read(text, family):
    """Yield the entries in the text of a table."""
    block = []
    for line in [*text.split("\n"), "end"]:
        if not line or line.startswith("#"):
            continue
        if not line.startswith(" ") and block:
            yield _entry(family, *block)
            block = []
        block.append(line.strip())


def _entry(family, head, *lines):
    call, _, outputs = head.partition(" -> ")
    names, _, letters = call.removesuffix(")").partition(" (")
    made = Entry(tuple(names.split()), _letters(letters), tuple(outputs.replace(",", " ").split()), {}, {}, family)
    for line in lines:
        if line.startswith(("when ", "through ")):
            word, _, text = line.partition(" ")
            made = made._replace(**{word: text})
        elif _is_part(line):
            target, _, value = line.partition(" = ")
            made.parts[target] = value
        else:
            letter, _, rest = line.partition(": ")
            formula, _, reason = rest.partition("  -- ")
            made.formulas[letter] = Formula(formula, reason)
    return made


def _letters(text):
    arguments = ast.parse(f"def f({text}): pass").body[0].args
    plain = [None] * (len(arguments.args) - len(arguments.defaults))
    defaults = [*plain, *map(ast.unparse, arguments.defaults)]
    return {a.arg: default for a, default in zip(arguments.args, defaults, strict=True)}


def _is_part(line):
    name, _, _ = line.partition(" = ")
    return all(each.strip().isidentifier() for each in name.split(","))
