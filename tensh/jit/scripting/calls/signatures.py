"""Signatures of the operators that scripts call: names of overloads, parameters and results."""

import re
from functools import cache
from pathlib import Path

from tensh._aten.overloads import Parameter, schemas
from tensh.jit.scripting.kinds import read_kind

__all__ = ["overloads_of"]


class Formal:
    """A parameter of an operator: its name, type and default; one number may stand for a list of ``length`` numbers."""

    def __init__(self, text, named):
        kind, _, _ = text.rpartition(" ") if "=" not in text else text.partition("=")[0].rpartition(" ")
        parsed = Parameter(re.sub(r"^(Dict)?\(.*\)(?=[\[? ])|^t\w*(?=[\[? ])", "Any", text), named)
        self.name, self.named, self.kind = parsed.name, named, read_kind(kind)
        self.default = parsed.default
        self.length = int(found[1]) if (found := re.search(r"\[(\d+)\]", kind)) else 0
        self.list = kind.endswith("[]") or bool(self.length)
        self.optional = kind.endswith("?")


class Signature:
    """One overload of an operator; ``text`` is its declaration."""

    def __init__(self, full, parameters, result):
        self.full = full
        self.name, self.text = full.partition(".")[0], f"{full}({parameters}) -> {result}"
        self.formals, self.result = read_formals(parameters), read_kind(result)


def read_formals(text):
    formals, named = [], False
    for each in re.split(r", (?![^\[(]*[\])])", text) if text else ():
        if each == "*":
            named = True
        else:
            formals.append(Formal(each, named))
    return formals


@cache
def read_file():
    """Return (name of an overload -> its result, name of an operator -> (name, parameters, result) of further overloads)."""
    results, further = {}, {}
    for line in Path(__file__).with_name("signatures.txt").read_text(encoding="utf-8").splitlines():
        head, _, result = line.rpartition(" -> ")
        name, opened, rest = head.partition("(")
        if not opened:
            results[name] = result
        else:
            further.setdefault(name.partition(".")[0], []).append((name, rest[:-1], result))
    return results, further


@cache
def overloads_of(name):
    """Return the signatures of an operator, those of tensors first; an empty list if there is no such operator."""
    results, further = read_file()
    found = []
    own = schemas().get(name, {}).values()
    for overload in sorted(
        own, key=lambda each: (each._overloadname != "default", "Tensor" not in each._overloadname, len(each._text))
    ):
        full = f"{name}.{overload._overloadname}" if overload._overloadname != "default" else name
        found.append(Signature(full, overload._text, results.get(full, "Tensor")))
    return found + [Signature(*each) for each in further.get(name, ())]
