"""The choice of an operator's overload, or the check of a function's arguments, by types; errors of misfits."""

from typing import Any

from tensh._aten.overloads import REQUIRED
from tensh.jit.checking.values import UNKNOWN, Value, bind, convert, describe, fits, has_variable, is_known
from tensh.jit.language.classes import is_interface, is_script_class
from tensh.jit.language.interfaces import explain_misfit
from tensh.jit.language.types import optional_of
from tensh.jit.scripting.kinds import element_of, fill, none

__all__ = ["Taken", "Unmatched", "match", "match_operator"]


class Unmatched(Exception):
    """Raised with the reason why a call does not fit a declaration."""


class Taken:
    """A parameter: its name and type, whether it has a default, and whether it is given by name only.

    ``spread`` is True for a list that takes all further arguments, ``length`` that of a list that one element stands for.
    """

    def __init__(self, name, kind, optional=False, named=False, inferred=False, length=0, spread=False):
        self.name, self.kind, self.optional, self.named, self.inferred = name, kind, optional, named, inferred
        self.length, self.spread = length, spread


def match(parameters, args, options, loose=True, bound=False):
    """Return variable -> type for a call whose arguments fit the parameters.  Raise Unmatched for another.

    ``bound`` is True for a method, whose first argument is its owner.
    """
    known, used, taken = {}, 0, set()
    for each in parameters:
        if used < len(args) and not each.named:
            if each.spread and loose and not is_list(args[used], each.kind):
                for value in args[used:]:
                    take(Taken("<varargs>", element_of(each.kind)), value, known, loose)
                used = len(args)
                continue
            take(each, args[used], known, loose)
            used += 1
        elif each.name in options:
            take(each, options[each.name], known, loose)
            taken.add(each.name)
        elif not each.optional:
            raise Unmatched(f"Argument {each.name} not provided.")
    if used < len(args):
        most, given = used - bound, len(args) - bound
        raise Unmatched(f"Expected at most {most} arguments but found {given} positional arguments.")
    for name in options:
        if name not in taken:
            twice = any(each.name == name for each in parameters)
            raise Unmatched(f"Keyword argument {name} {'specified twice' if twice else 'unknown'}.")
    return known


def is_list(value, kind):
    """Return True for a list, or for a tuple that becomes one."""
    return element_of(value.kind) is not None or convert(value, kind).kind == kind or not is_known(value.kind)


def take(parameter, value, known, loose):
    """Raise Unmatched if a parameter does not take a value."""
    kind = parameter.kind
    if not is_known(value.kind):
        return
    element = element_of(optional_of(kind) or kind)
    if parameter.length and element is not None and value.kind is not bool and fits(value.kind, element):
        return
    own = element_of(value.kind)
    if own is not None and element is not None and optional_of(element) == own:  # PyTorch has twins of such operators
        return
    if parameter.name == "reduction" and value.kind is str:
        return
    if has_variable(kind):
        if value.empty and element is not None:
            return
        reason = bind(kind, value.kind, known, describe(value))
        if reason is not None:
            text = f"Could not match type {describe(value)} to {describe(kind)} in argument '{parameter.name}'"
            raise Unmatched(f"{text}: {reason}")
        kind = fill(kind, known)
    if not fits(convert(value, kind, loose).kind, kind):
        wanted = describe(Value(kind, parameter.inferred))
        text = f"Expected a value of type '{wanted}' for argument '{parameter.name}' but instead found type '{describe(value)}'."
        if parameter.inferred:
            text += f"\nInferred '{parameter.name}' to be of type 'Tensor' because it was not annotated with an explicit type."
        elif value.inferred:
            text += (
                f"\nInferred the value for argument '{parameter.name}' to be of type 'Tensor' because it was not annotated with an "
                "explicit type."
            )
        if is_interface(kind) and is_script_class(value.kind):
            text += f"\n{explain_misfit(value.kind, kind)}"
        raise Unmatched(text)


def as_taken(formal, last):
    """Return the parameter of an operator."""
    kind, spread = optional_of(formal.kind) or formal.kind, False
    if last and not formal.length and element_of(kind) is not None:
        spread = not has_variable(kind)
    optional = formal.default is not REQUIRED
    return Taken(formal.name, formal.kind, optional, formal.named, length=formal.length, spread=spread)


def parameters_of(signature):
    """Return the parameters of an overload."""
    places = [each for each in signature.formals if not each.named]
    return [as_taken(each, bool(places) and each is places[-1]) for each in signature.formals]


def match_operator(signatures, args, options, bound=False):
    """Return the type of an operator's result.  Raise Unmatched, with (signature, reason) of each overload, for a misfit."""
    if not all(is_known(each.kind) for each in [*args, *options.values()]):
        return guess(signatures, args, options)
    reasons = []
    for loose in (False, True):
        reasons = []
        for signature in signatures:
            try:
                known = match(parameters_of(signature), args, rename(signature, options), loose, bound)
            except Unmatched as error:
                reasons.append((signature, str(error)))
            else:
                return result_of(signature, known)
    raise Unmatched(reasons)


def guess(signatures, args, options):
    """Return the result that all overloads have in common that may take a call with arguments of unknown types."""
    found = []
    for signature in signatures:
        try:
            found.append(result_of(signature, match(parameters_of(signature), args, rename(signature, options))))
        except Unmatched:
            continue
    kinds = {each.kind for each in found}
    return found[0] if len(kinds) == 1 else UNKNOWN


def rename(signature, options):
    """Return options by the names of the overload: ``input`` may stand for ``self``."""
    names = {each.name for each in signature.formals}
    return {
        "self" if name == "input" and name not in names and "self" in names else name: value
        for name, value in options.items()
    }


def result_of(signature, known):
    kind = fill(signature.result, known)
    return Value(kind if is_known(kind) and kind is not none else Any)
