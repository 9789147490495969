"""The functions and methods of a program, each checked once."""

import ast
import functools
import inspect
import typing
from pathlib import Path

from tensh.engine.core.tensor import Tensor
from tensh.jit.checking.attributes import Attributes
from tensh.jit.checking.calls import Calls
from tensh.jit.checking.classes import Classes, require_enum
from tensh.jit.checking.conditions import Conditions
from tensh.jit.checking.expressions import Expressions
from tensh.jit.checking.frames import Frame, Frames
from tensh.jit.checking.matching import Taken
from tensh.jit.checking.members import Members
from tensh.jit.checking.notes import Notes
from tensh.jit.checking.operators import Operators
from tensh.jit.checking.places import Text
from tensh.jit.checking.statements import Statements
from tensh.jit.checking.subscripts import Subscripts
from tensh.jit.checking.values import UNKNOWN, Value, is_known, settle
from tensh.jit.frontend import FrontendError, check_syntax
from tensh.jit.language.classes import (
    attributes,
    functions_of,
    is_compiled,
    is_enum,
    is_interface,
    is_script_class,
    own_methods_of,
)
from tensh.jit.language.dataclass_methods import require_plain_defaults
from tensh.jit.language.marks import find_declarations
from tensh.jit.language.overloading import give_types
from tensh.jit.language.typed_signatures import TypedSignature
from tensh.jit.language.types import class_path
from tensh.jit.running.scriptable import NO_SOURCE
from tensh.jit.scripting.calls.layers import is_layer, name_in_scripts
from tensh.jit.scripting.compiling import find_source
from tensh.jit.scripting.forms import find_method
from tensh.jit.scripting.kinds import text_of
from tensh.jit.scripting.sources import NotScriptable, Source
from tensh.jit.scripting.sugar import Known, ModuleRef, class_name, class_of
from tensh.support.naming import is_of_torch

__all__ = ["Checker", "Program", "check_class", "check_function", "check_module"]

NOT_COMPILED = ("ignore", "unused")
OVERLOADED = (
    "Function {} cannot be directly compiled because it is overloaded. It must be used in a context of a function where its "
    "inputs can determine which overload to call."
)


class Declared:
    """A function as callers see it: its parameters, its declaration, and the result (None if unknown)."""

    def __init__(self, parameters, text, result, takes_self=False):
        self.parameters, self.text, self.result, self.takes_self = parameters, text, result, takes_self


class Checker(
    Expressions, Operators, Attributes, Subscripts, Calls, Conditions, Members, Classes, Statements, Notes, Frames
):
    """Checks one function, or with ``owner`` one method of a module."""

    def __init__(self, program, fn, owner=None):
        self.program, self.fn, self.owner = program, fn, owner
        self.source, self.text = Source(fn, owner), Text(fn)
        self.frame, self.pending, self.returned = Frame(), self.source.tree, None
        self.border = TypedSignature(fn, owner if isinstance(owner, type) or owner is None else "self")
        self.wanted = None

    @property
    def path(self):
        """The name in errors."""
        if self.owner is None:
            return self.fn.__name__
        cls = self.owner if isinstance(self.owner, type) else class_of(self.owner)
        return f"{cls.__name__}.{self.fn.__name__}"

    def check(self):
        """Check the function; return its result."""
        tree = self.source.tree
        self.check_notes(tree)
        self.wanted = settle(self.border.result) if self.border.annotated else None
        parameters = list(inspect.signature(self.fn).parameters.values())
        if self.owner is not None:
            own = Value(self.owner) if isinstance(self.owner, type) else ModuleRef(self.owner, None)
            self.frame.names[parameters[0].name] = own
            parameters = parameters[1:]
        for each in parameters:
            if each.kind is each.POSITIONAL_ONLY and self.owner is None:
                continue  # scripts have no such parameters
            self.frame.names[each.name] = self.program.value_of(self.border, each)
        self.run(tree.body)
        self.end(tree)
        self.check_defaults()
        if self.wanted is not None:
            return Value(self.wanted)
        return Value(self.returned.kind) if self.returned is not None else UNKNOWN

    # ── names ────────────────────────────────────────────────────────────────
    def lookup(self, name):
        """Return what a name means outside the function; None if it means nothing."""
        try:
            known, value = self.source.find(name)
        except ValueError:  # a variable around the function that is not assigned yet
            return UNKNOWN
        return Known(value) if known and value is not None else None

    def evaluate(self, node):
        """Return (True, the value of an annotation); (False, None) for one that cannot be read."""
        try:
            return True, self.source.evaluate(node)
        except NotScriptable:
            return False, None

    @staticmethod
    def parameter(parameter):
        """Return a parameter of a function without a syntax tree."""
        return Taken(parameter.name, settle(parameter.annotation), parameter.default is not parameter.empty)

    # ── errors ───────────────────────────────────────────────────────────────
    def describe_error(self, node, text):
        """Return the text of an error at a node."""
        return f"\n{text}:\n{self.text.mark(node)}"

    def refuse(self, node, text):
        """Raise the error of a node, with the calls through which the function came to be checked."""
        raise RuntimeError(self.describe_error(node, text) + self.program.describe_calls()) from None

    def refuse_call(self, name, reasons, node):
        """Raise the error of a call that no overload of an operator takes."""
        single = read_declarations().get(name)
        if single is not None:
            self.refuse(node, f"\n{single}:\n{reasons[0][1]}\n")
        self.refuse_variants([(f"aten::{signature.text}", reason) for signature, reason in reasons], node)

    def refuse_variants(self, reasons, node):
        """Raise the error of a call; ``reasons`` are (declaration, why it does not take the call)."""
        shown = "".join(f"  \n  {text}:\n{indent(reason)}" for text, reason in reasons)
        text = (
            f"Arguments for call are not valid.\nThe following variants are available:\n{shown}\nThe original call is"
        )
        self.refuse(node, text)


class Program:
    """Checked functions and methods."""

    def __init__(self):
        self.found, self.calls = {}, []

    def describe_calls(self):
        """Return the calls through which the innermost function came to be checked."""
        return "".join(
            f"'{path}' is being compiled since it was called from '{by}'\n{caller.text.mark(at)}"
            for path, by, caller, at in reversed(self.calls)
        )

    @staticmethod
    def value_of(border, parameter):
        """Return the value of a parameter in its function."""
        kind = border.kinds.get(parameter.name, inspect.Parameter.empty)
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            return UNKNOWN
        if kind is inspect.Parameter.empty and parameter.annotation is inspect.Parameter.empty:
            return Value(Tensor, inferred=True)
        return Value(settle(kind)) if kind is not inspect.Parameter.empty else UNKNOWN

    def declare(self, fn, result=None, owner=None):
        """Return a function as its callers see it, by its annotations; ``result`` is what its check found."""
        border = TypedSignature(fn, owner if isinstance(owner, type) or owner is None else class_name(owner))
        parameters = list(inspect.signature(fn).parameters.values())
        taken = []
        for each in parameters[1:] if owner is not None else parameters:
            value = self.value_of(border, each)
            named = each.kind is each.KEYWORD_ONLY
            inferred = value.inferred and not Calls.of_library(fn)
            taken.append(Taken(each.name, value.kind, each.default is not each.empty, named, inferred))
        if owner is not None:
            taken.insert(0, Taken(parameters[0].name, typing.Any))
        result = Value(settle(border.result)) if result is None and border.annotated else result
        if result is not None and is_known(result.kind):
            border.result, border.annotated = result.kind, True
        return Declared(taken, border.declaration, result, owner is not None)

    def function(self, fn, caller, node):
        """Return a function of the program as declared, a list if it has several forms; None if nothing is known about it."""
        if getattr(fn, "_torchscript_modifier", None) in NOT_COMPILED:
            return self.declare_python(fn)
        if hasattr(fn, "__wrapped__"):
            return None
        return self.check_forms(fn, fn, None, caller, node)

    def method(self, module, name, caller, node):
        """Return a method of a module as declared; None if nothing is known about it."""
        if is_of_torch(class_of(module).__module__):
            return self.layer(module, name)
        fn = find_source(module, name)
        if not inspect.isfunction(fn):
            return None
        if getattr(fn, "_torchscript_modifier", None) in NOT_COMPILED:
            return self.declare_python(fn, module)
        return self.check_forms((id(module), name), fn, module, caller, node)

    def layer(self, module, name):
        """Return a method of a layer of the library as declared; None for one that is not declared, or has several forms."""
        form = find_method(class_of(module), name) or inspect.getattr_static(class_of(module), name, None)
        if not inspect.isfunction(form) or not is_layer(module) or name_in_scripts(module, name) != name:
            return None
        if any(each.kind is each.VAR_POSITIONAL for each in inspect.signature(form).parameters.values()):
            return None
        return self.declare(inspect.unwrap(form), None, module)

    def declare_python(self, fn, owner=None):
        """Return a function that runs as Python as declared: without defaults, and a tensor if nothing else is annotated."""
        try:
            declared = self.declare(fn, None, owner)
        except (TypeError, ValueError):
            return None
        if any(not is_known(each.kind) for each in declared.parameters[declared.takes_self :]):
            return None
        shown = [f"{text_of(each.kind)} {each.name}" for each in declared.parameters[declared.takes_self :]]
        for each in declared.parameters:
            each.optional, each.inferred = False, each.inferred and bool(fn.__annotations__)
        result = Value(Tensor) if declared.result is None else declared.result
        name = fn.__qualname__
        if owner is not None:
            shown.insert(0, f"{class_path(owner) if isinstance(owner, type) else class_name(owner)} self")
            name = "lazy_bind.<locals>.lazy_binding_method"
        text = f"{name}({', '.join(shown)}) -> {text_of(result.kind)} 0"
        return Declared(declared.parameters, text, result, owner is not None)

    def check_forms(self, key, fn, owner, caller, node):
        """Return a function as declared, after its check; a list for one with several declarations."""
        forms = [give_types(fn, each) for each in find_declarations(fn)]
        if not forms:
            return self.check(key, fn, owner, caller, node)
        found = [self.check((key, place), form, owner, caller, node) for place, form in enumerate(forms)]
        return None if None in found else found

    def check_class(self, cls, caller, node, asked=False):
        """Check the methods of a class once, so that its attributes have types; ``node`` names the class for ``caller``.

        The methods that ``dataclasses`` generates have a source only where a program ``asked`` for the class itself.
        """
        if cls in attributes:
            return
        attributes[cls] = {}
        before = list(self.calls)
        if caller is not None:
            self.calls.append((class_path(cls), caller.path, caller, caller.pending))
        try:
            if asked:
                require_plain_defaults(cls)
            for fn in () if asked else own_methods_of(cls).values():
                require_text(fn, NO_TEXT)
            functions = functions_of(cls)
            for fn in functions.values():
                require_text(fn, NO_SOURCE)
                check_syntax(fn)
            for name, fn in functions.items():
                if is_compiled(fn):
                    self.check((cls, name), fn, cls, caller, node, class_path(cls))
        except BaseException:
            del attributes[cls]
            for name in functions_of(cls):
                self.found.pop((cls, name), None)
            raise
        finally:
            self.calls = before

    def can_hold(self, cls):
        """Return True for a class of the program that scripts can compile."""
        try:
            self.check_class(cls, None, None)
        except Exception:
            return False
        return True

    def method_of_class(self, cls, name, caller, node):
        """Return a method of a class as declared; None if nothing is known about it."""
        if is_interface(cls):
            return self.declare(functions_of(cls)[name], owner=cls)
        fn = functions_of(cls)[name]
        return self.check((cls, name), fn, cls, caller, node) if is_compiled(fn) else self.declare_python(fn, cls)

    def require_syntax(self, fn):
        """Raise the error of a function that is called if its source contains what scripts cannot."""
        try:
            check_syntax(fn)
        except FrontendError as error:
            error.source_range += self.describe_calls()
            raise

    def check(self, key, fn, owner, caller, node, by=None):
        """Return a function as declared, after its check; None for one without source, or with variable arguments.

        ``by`` is the name of what calls it in errors: that of the caller, unless it is a class.
        """
        if key in self.found:
            if self.found[key] is RUNNING and (owner is None or isinstance(owner, type)):
                what = "function" if owner is None else "method"
                at = node.func if isinstance(node, ast.Call) else node
                caller.refuse(at, f" {what} '{fn.__name__}' is called recursively. Recursive calls are not supported")
            return None if self.found[key] is RUNNING else self.found[key]
        if caller is not None:
            self.require_syntax(fn)
        try:
            checker = Checker(self, fn, owner)
        except (NotScriptable, SyntaxError, OSError, TypeError):
            self.found[key] = None
            return None
        if not can_check(checker):
            self.found[key] = None
            return None
        self.found[key] = RUNNING
        if caller is not None:
            self.calls.append((checker.path, by or caller.path, caller, node if by else caller.pending))
        self.found[key] = self.declare(fn, checker.check(), owner)
        if caller is not None:
            self.calls.pop()
        return self.found[key]


RUNNING = object()
"""Stands for a function whose check has begun."""


@functools.cache
def read_declarations():
    """Return name -> declaration of the operators that have one overload only."""
    lines = Path(__file__).with_name("declarations.txt").read_text(encoding="utf-8").splitlines()
    return {line.partition("(")[0].partition("::")[2].partition(".")[0]: line for line in lines}


def can_check(checker):
    """Return True for a function whose types stand in annotations, not in comments."""
    kinds = {each.kind for each in inspect.signature(checker.fn).parameters.values()}
    variable = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    return not kinds & variable and not any("# type:" in line for line in checker.text.lines)


NO_TEXT = "Failed to get source for {} using inspect.getsource"


def require_text(fn, text):
    """Raise OSError with this text for a method without source."""
    try:
        inspect.getsource(fn)
    except (OSError, TypeError):
        raise OSError(text.format(fn)) from None


def indent(text):
    return "".join(f"  {line}\n" for line in text.split("\n"))


def check_function(fn):
    """Raise PyTorch's error for a function whose types do not fit, or that has several forms."""
    if find_declarations(fn):
        raise RuntimeError(OVERLOADED.format(class_path(fn)))
    Program().check(fn, fn, None, None, None)


def check_class(cls):
    """Raise PyTorch's error for a class whose types do not fit."""
    if is_enum(cls):
        require_enum(cls)
    elif is_script_class(cls):
        Program().check_class(cls, None, None, asked=True)


def check_module(module, names):
    """Raise PyTorch's error for methods of a module whose types do not fit."""
    program = Program()
    for name in names:
        program.method(module, name, None, None)
