"""The parameters of a script with their types, which take the arguments of a call."""

import contextlib
import inspect
import typing

from tensh.engine.core.tensor import Tensor
from tensh.jit.language.classes import is_interface, is_script_class
from tensh.jit.language.converting import Unfit, convert
from tensh.jit.language.types import default_text, names_around, short_name_of, title_of
from tensh.support.naming import is_of_torch


def converted_defaults(kinds, parameters):
    """Return name -> default, as a value of the declared type, of the parameters whose default has another class."""
    found = {}
    for name, kind in kinds.items():
        default = parameters[name].default
        if default is None or default is inspect.Parameter.empty:
            continue
        with contextlib.suppress(Unfit):
            value = convert(default, kind)
            if type(value) is not type(default):
                found[name] = value
    return found


class TypedSignature:
    """The typed parameters of a scripted function, which check and convert arguments."""

    def __init__(self, fn, owner=None):
        self.name = fn.__name__
        self.owner = short_name_of(owner) if is_script_class(owner) or is_interface(owner) else owner
        self.signature = inspect.signature(fn)
        try:
            hints = typing.get_type_hints(
                fn, localns=names_around(fn) | ({owner.__name__: owner} if is_script_class(owner) else {})
            )
        except Exception:  # a name known only to type checkers
            hints = {}
        own = self.own = next(iter(self.signature.parameters), None) if owner else None  # the name of "self"
        self.kinds = {
            name: hints.get(name, inspect.Parameter.empty if isinstance(p.annotation, str) else p.annotation)
            for name, p in self.signature.parameters.items()
            if name != own
        }
        if is_of_torch(fn.__module__ or ""):  # our layers have no annotations
            for name, p in self.signature.parameters.items():
                if self.kinds.get(name) is inspect.Parameter.empty and p.default is not inspect.Parameter.empty:
                    self.kinds[name] = typing.Any
        self.defaults = converted_defaults(self.kinds, self.signature.parameters)
        self.result = hints.get("return", Tensor)
        self.annotated, self.infer = "return" in hints, None  # a function that finds the type of the result

    @property
    def declaration(self):
        """The function with its types, as messages show it."""
        parts = [f"{self.owner} {self.own}"] if self.owner else []
        for name, kind in self.kinds.items():
            if self.signature.parameters[name].kind is inspect.Parameter.KEYWORD_ONLY and "*" not in parts:
                parts.append("*")
            default = self.signature.parameters[name].default
            shown = "" if default is inspect.Parameter.empty else f"={default_text(default, kind)}"
            parts.append(f"{short_name_of(kind)} {name}{shown}")
        result = short_name_of(self.result if self.annotated or self.infer is None else self.infer())
        return f"{self.name}({', '.join(parts)}) -> {f'({result})' if result.startswith('(') else result}"

    def take(self, args, kwargs):
        """Return arguments as values of the declared types.  Raise PyTorch's RuntimeError for those of other types."""
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in self.signature.parameters.values()):
            return args, kwargs
        names = list(self.kinds)
        self.check_number(args, kwargs, names)
        taken = {**dict(zip(names, args)), **{name: value for name, value in kwargs.items() if name in self.kinds}}
        for place, (name, kind) in enumerate(self.kinds.items(), 1 if self.owner else 0):
            if name in taken:
                try:
                    taken[name] = convert(taken[name], kind)
                except Unfit:
                    self.refuse(name, kind, taken[name], place)
            elif name in self.defaults:
                taken[name] = self.defaults[name]
            elif self.signature.parameters[name].default is inspect.Parameter.empty:
                raise RuntimeError(
                    f"{self.name}() is missing value for argument '{name}'. Declaration: {self.declaration}"
                )
        if unknown := [name for name in kwargs if name not in self.kinds]:
            raise RuntimeError(
                f"Unknown keyword argument '{unknown[0]}' for operator '{self.name}'. Schema: {self.declaration}"
            )
        return [taken.pop(name) for name in names[: len(args)]], taken

    def check_number(self, args, kwargs, names):
        """Raise PyTorch's RuntimeError for too many arguments, and for one that is given twice."""
        offset = 1 if self.owner else 0
        if len(args) > len(names):
            most, given = len(names) + offset, len(args) + offset
            raise RuntimeError(
                f"{self.name}() expected at most {most} argument(s) but received {given} argument(s). Declaration: {self.declaration}"
            )
        if twice := next((name for name in names[: len(args)] if name in kwargs), None):
            raise RuntimeError(
                f"Argument '{twice}' specified both as positional and keyword argument. Schema: {self.declaration}"
            )

    def refuse(self, name, kind, value, place):
        inferred = kind is inspect.Parameter.empty
        why = (
            f"Inferred '{name}' to be of type 'Tensor' because it was not annotated with an explicit type.\n"
            if inferred
            else ""
        )
        raise RuntimeError(
            f"{self.name}() Expected a value of type '{title_of(kind)}{' (inferred)' if inferred else ''}' for argument '{name}' but "
            f"instead found type '{type(value).__name__}'.\n{why}Position: {place}\nValue: {value!r}\nDeclaration: {self.declaration}"
        )
