"""The text of an operator's signature, and its facts about the arguments."""

import re
from ast import literal_eval
from functools import cache
from pathlib import Path
from typing import NamedTuple

ALIAS = r"(?:\((?P<before{0}>[\w|*]+)(?P<write{0}>!?)(?: -> (?P<after{0}>[\w*|]+))?\))?"
ARGUMENT = re.compile(
    rf"(?P<kind>\w+(?<!Dict)|(?:Dict)?\([^()]*\)){ALIAS.format('')}(?P<list>\??\[\d*\])?{ALIAS.format(2)}(?P<optional>\?)?"
    r"(?: (?P<name>\w+))?(?:=(?P<default>.+))?"
)
TYPES = {"Scalar": "number", "SymInt": "int", "ScalarType": "int", "Layout": "int", "MemoryFormat": "int"}
"""Kind of a parameter -> how its type is printed."""
CONSTANTS = {"Mean": 1, "contiguous_format": 0}


def split_arguments(text):
    """Return the arguments in the text of a schema, also those of ``(int, Tensor) pair`` and ``int[2] sizes=[1, 1]``."""
    return re.split(r", (?![^\[]*\])(?![^()]*\))", text) if text else []


class AliasInfo(NamedTuple):
    """The memory of an argument or result: whether the operator writes into it, and the sets of tensors that share it."""

    is_write: bool
    before_set: set
    after_set: set


class Argument:
    """An argument or result of an operator: its name and type, and its default, None where it has none."""

    __module__ = "torch"

    def __init__(self, text, kwarg_only):
        found = ARGUMENT.fullmatch(text)
        self.name, self.kwarg_only, self._default = found["name"], kwarg_only, found["default"]
        kind = TYPES.get(found["kind"], found["kind"])
        kind = f"List[{kind}]" if found["list"] else kind
        self.type = f"Optional[{kind}]" if found["optional"] else kind
        place = "2" if found["before2"] else ""  # after the brackets of a list
        before, after = (
            {f"alias::{each}" for each in (found[key + place] or "").split("|") if each} for key in ("before", "after")
        )
        self.alias_info = AliasInfo(found["write" + place] == "!", before, after or before) if before else None

    def has_default_value(self):
        """Return True if the argument may be left out."""
        return self._default is not None

    @property
    def default_value(self):
        if self._default in CONSTANTS:
            return CONSTANTS[self._default]
        try:
            return None if self._default is None else literal_eval(self._default)
        except (ValueError, SyntaxError):
            return self._default


class FunctionSchema(str):
    """The text of a schema, which shows itself without quotes."""

    __module__ = "torch"
    __slots__ = ()
    __repr__ = str.__str__
    name = property(lambda self: self._full_name().partition(".")[0], doc="The qualified name of the operator.")
    overload_name = property(lambda self: self._full_name().partition(".")[2], doc="The name of the overload, or ''.")
    is_mutable = property(lambda self: "!" in self.partition(" -> ")[0], doc="True if an argument is written.")

    def _full_name(self):
        return self.partition("(")[0]

    @property
    def returns(self):
        """The results, in order."""
        text = self[self.rindex(") -> ") + 5 :]
        inside = text[1:-1] if text.startswith("(") else text
        return [Argument(each, False) for each in split_arguments(inside)]

    @property
    def arguments(self):
        """The arguments, in order."""
        text = (
            self[: self.rindex(") -> ")].partition("(")[2]
            if ") -> " in self
            else self.partition("(")[2].removesuffix(")")
        )
        parts = split_arguments(text)
        named = parts.index("*") if "*" in parts else len(parts)
        return [Argument(each, place > named) for place, each in enumerate(parts) if each not in ("*", "...")]


@cache
def declarations():
    """Name of an overload -> its declaration, where the signature does not tell it."""
    lines = Path(__file__).with_name("declarations.txt").read_text(encoding="utf-8").splitlines()
    return {line.partition("(")[0]: line for line in lines}


def declare(name, text):
    """Return the declaration of an overload of ``aten`` with the signature ``text``."""
    return FunctionSchema(f"aten::{declarations().get(name) or f'{name}({text}) -> Tensor'}")
