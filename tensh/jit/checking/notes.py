"""The check of annotations: types that scripts do not have, and defaults of other types."""

import ast
import collections.abc
import inspect
import typing

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import layout, memory_format
from tensh.engine.dtypes.size import Size
from tensh.jit.checking.classes import require_enum
from tensh.jit.checking.values import describe, is_known, settle
from tensh.jit.language.classes import is_enum, is_script_class
from tensh.jit.language.types import KEYS, NO_KEY, PLAIN, fits_type, origin_of
from tensh.jit.scripting.kinds import text_of
from tensh.nn.modules.module import Module

__all__ = ["Notes"]

EXPRESSIONS = {ast.Call: "apply", ast.List: "list-literal", ast.Tuple: "tuple-literal", ast.Dict: "dict-literal"}
"""Expression that is not a type -> its name."""
CONTAINERS = {
    "List": ("a contained type", "a contained type", "List[int]"),
    "Tuple": ("a contained type", "a contained type", "Tuple[int]"),
    "Dict": ("contained types", "contained type", "Dict[int, int]"),
    "Optional": ("a contained type", "a contained type", "Optional[int]"),
    "Union": ("a contained type", "a contained type", "Union[int]"),
}
"""Annotation of ``typing`` that needs others -> what it lacks, in two forms, and an example."""
ABSENT = (Size, layout, memory_format)
IN_TEXT = (ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.expr_context)
"""Kinds of expressions in an annotation that is quoted."""
MISSING = object()
ORIGINS = (list, dict, tuple, typing.Union)
OWN_SPACES = ("builtins", "typing", "collections", "collections.abc")
WRITTEN_IN_C = 1 << 8
"""The flag of classes that cannot be changed, which a class statement does not set."""


class Notes:
    """The part of the checker that reads annotations."""

    def annotation(self, node):
        """Return the type of an annotation."""
        self.check_note(node)
        known, note = self.evaluate(node)
        return settle(note) if known and not isinstance(note, (str, tuple)) else typing.Any

    def check_notes(self, tree):
        """Refuse annotations of parameters, and that of the result, which are no types."""
        given, found = tree.args, self.fn.__annotations__
        for each in (*given.posonlyargs, *given.args, *given.kwonlyargs):
            if each.annotation is not None:
                self.check_note(each.annotation, found.get(each.arg, MISSING))
        if tree.returns is not None:
            self.check_note(tree.returns, found.get("return", MISSING))

    def check_note(self, node, note=MISSING):
        """Refuse an annotation that is not a type; ``note`` is its value, if Python has evaluated it."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if not self.is_text_of_type(node.value):
                self.refuse(node, f"Unknown type name '{node.value}'")
        elif isinstance(node, ast.Constant) and node.value is not None:
            kind = "dots" if node.value is ... else "const"
            self.refuse(node, f"Expression of type {kind} cannot be used in a type expression")
        elif type(node) in EXPRESSIONS:
            self.refuse(node, f"Expression of type {EXPRESSIONS[type(node)]} cannot be used in a type expression")
        elif isinstance(node, ast.BinOp):
            parts = typing.get_args(note)
            for each, part in zip((node.left, node.right), parts if len(parts) == 2 else (MISSING, MISSING)):
                self.check_note(each, part)
        elif isinstance(node, ast.Subscript):
            self.check_container(node, self.value_of_note(node, note))
        else:
            self.check_name(node, note)

    def check_name(self, node, note):
        """Refuse a name that is not a type."""
        unknown = f"Unknown type name '{ast.unparse(node)}'"
        if note is MISSING and isinstance(node, ast.Name) and self.lookup(node.id) is None:
            self.refuse(node, unknown)
        note = self.value_of_note(node, note)
        require_contents(note)
        if note is not MISSING and not is_type(note) and not hasattr(note, "__torch_script_interface__"):
            self.refuse(node, unknown)
        if is_enum(note):
            require_enum(note)
        elif is_script_class(note):
            self.program.check_class(note, self, node)

    def value_of_note(self, node, note):
        """Return the value of an annotation; MISSING for one that cannot be read."""
        if note is not MISSING and not isinstance(note, str):
            return note
        known, found = self.evaluate(node)
        return found if known else MISSING

    def is_text_of_type(self, text):
        """Return True for the text of an annotation that is a type, or may be one: names, and others in brackets."""
        try:
            node = ast.parse(text.strip(), mode="eval").body
        except SyntaxError:
            return False
        if not all(isinstance(each, IN_TEXT) for each in ast.walk(node)):
            return False
        if any(isinstance(each, ast.Name) and self.lookup(each.id) is None for each in ast.walk(node)):
            return False
        known, note = self.evaluate(node)
        require_contents(note)
        return not known or is_type(note) and note not in (list, dict, tuple)

    def check_container(self, node, note):
        """Refuse an annotation with brackets that is not a type, or has no type within the brackets."""
        origin = origin_of(note)
        if origin is not None and origin not in ORIGINS:
            if getattr(origin, "__module__", "typing") in OWN_SPACES:
                self.refuse(node, f"Unknown type constructor {ast.unparse(node.value)}")
            return
        if origin is dict or origin is tuple:
            self.check_parts(origin, typing.get_args(note), node)
        inner, parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice], typing.get_args(note)
        if ... in parts or origin in (list, dict, tuple):
            for each, part in zip(inner, parts):
                self.check_note(each, part)
        elif origin is typing.Union:
            for each in parts:
                if origin_of(each) is collections.abc.Callable:
                    self.check_note(inner[0], each)
                elif not is_type(each):
                    whole = typing.Union[parts]  # noqa: UP007  (prints with the name of typing)
                    text = (
                        f"Unsupported annotation {whole} could not be resolved because {each} could not be resolved. At"
                    )
                    raise AssertionError(f"{text}\n{self.text.mark(node)}")

    def check_parts(self, origin, parts, node):
        """Refuse a dictionary, or a tuple, of what is not a type."""
        if origin is tuple:
            if not all(each is ... or each == () or is_type(each) for each in parts):
                raise RuntimeError("Can not create tuple with None type")
            return
        for each in parts:
            if not is_type(each):
                raise ValueError(f"Unknown type annotation: '{each}' at {self.text.mark(node)}")
        key = settle(parts[0])
        if is_known(key) and key not in KEYS:
            raise RuntimeError(NO_KEY.format(text_of(key)))

    def check_defaults(self):
        """Refuse defaults whose types are not those of their parameters."""
        for name, parameter in self.border.signature.parameters.items():
            kind, default = self.border.kinds.get(name), parameter.default
            if kind is None or default is parameter.empty or fits_default(default, kind):
                continue
            inferred = kind is inspect.Parameter.empty
            text = f'Expected a default value of type {describe(settle(kind))}{" (inferred)" if inferred else ""} on parameter "{name}".'
            if inferred:
                text += f"Because \"{name}\" was not annotated with an explicit type it is assumed to be type 'Tensor'."
            raise RuntimeError(self.describe_error(self.source.tree, text))


def fits_default(value, kind):
    """Return True for a default that a parameter may have: also None for a tensor."""
    if value is None and (kind is inspect.Parameter.empty or kind in PLAIN) and PLAIN[kind] == "Tensor":
        return True
    if kind in (bool, int, float, complex) and isinstance(value, Tensor):
        return True
    return fits_type(value, kind) or kind in (bool, complex) and type(value) in (bool, int, float)


def require_contents(note):
    """Raise RuntimeError for an annotation that needs others, and has none."""
    for name, (lacks, add, example) in CONTAINERS.items():
        if note is vars(typing)[name]:
            raise RuntimeError(f"Attempted to use {name} without {lacks}. Please add {add}, e.g. {example}")


def is_type(note):
    """Return True for a type that scripts may have."""
    origin = origin_of(note)
    if origin is not None:
        return origin in ORIGINS or getattr(origin, "__module__", "typing") not in OWN_SPACES
    if note is None or note is typing.Any or note is list or note is tuple:
        return True
    if not isinstance(note, type):
        free = isinstance(note, (typing.TypeVar, typing.ForwardRef, str))
        return free or getattr(note, "__module__", None) != "typing" or note._name in CONTAINERS
    if note in PLAIN and note is not inspect.Parameter.empty:
        return True
    return not issubclass(note, (*ABSENT, Module)) and not note.__flags__ & WRITTEN_IN_C
