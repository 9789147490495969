"""The text of an operator's signature, and its facts about the arguments."""

import re
from ast import literal_eval

ARGUMENT = re.compile(
    r"(?P<kind>\w+)(?:\(\w+!?(?: -> [\w*|]+)?\))?(?P<list>\[\d*\])?(?P<optional>\?)? (?P<name>\w+)(?:=(?P<default>.+))?"
)
TYPES = {"Scalar": "number", "SymInt": "int", "ScalarType": "int", "Layout": "int", "MemoryFormat": "int"}
"""Kind of a parameter -> how its type is printed."""
CONSTANTS = {"Mean": 1, "contiguous_format": 0}


class Argument:
    """An argument of an operator: its name and type, and its default, None where it has none."""

    __module__ = "torch"

    def __init__(self, text, kwarg_only):
        found = ARGUMENT.fullmatch(text)
        self.name, self.kwarg_only, self._default = found["name"], kwarg_only, found["default"]
        kind = TYPES.get(found["kind"], found["kind"])
        kind = f"List[{kind}]" if found["list"] else kind
        self.type = f"Optional[{kind}]" if found["optional"] else kind

    def has_default_value(self):
        """True if the argument may be left out."""
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
    def arguments(self):
        """The arguments, in order."""
        text = self.partition(" -> ")[0].partition("(")[2].removesuffix(")")
        parts = re.split(r", (?![^\[]*\])", text) if text else []
        named = parts.index("*") if "*" in parts else len(parts)
        return [Argument(each, place > named) for place, each in enumerate(parts) if each != "*"]
