"""The declarations of a function's derivative: those of the operator it is, or of the operators it consists of."""

import ast
import inspect
import re
import textwrap
import types
from functools import cache
from typing import NamedTuple

from tensh.engine.codegen.operator import Inplace, Op
from tensh.engine.codegen.registry import METHODS
from tensh.engine.codegen.vocabulary import OPS

DEEPEST = 3  # levels of calls that are searched
# a declaration of the error that backward raises
ERROR = re.compile(r"(not_differentiable|no_derivative|refuse_derivative)\(")

NO_TENSORS = ("array", "np", "math", "text", "name", "dims", "shape")  # names whose methods are not those of tensors


class Derivation(NamedTuple):
    """An operator, and the text of its declaration: the part that its derivatives share, and each derivative."""

    op: Op
    parts: dict[str, str]
    derivatives: dict[str, str]


def derivations(entry):
    """Return the derivations of a function, most direct first; [] if nothing is differentiable."""
    if isinstance(entry, Op | Inplace):
        ops = [entry] if isinstance(entry, Op) else [entry.op]
    else:
        ops = [*operators_in(entry)] if is_of_tensors(entry) else []
    formulas = [{key: text for key, text in op.derivatives.items() if not ERROR.match(text)} for op in ops]
    return [Derivation(op, op.let, texts) for op, texts in zip(ops, formulas, strict=True) if texts]


def operators_in(function, depth=DEEPEST, seen=None):
    """Yield the operators named in a composite's code, or in that of the engine functions it names."""
    seen = set() if seen is None else seen
    function = inspect.unwrap(function) if callable(function) else function
    if not isinstance(function, types.FunctionType) or function in seen:
        return
    seen.add(function)
    further = []
    for thing in look_up(function):
        if isinstance(thing, Op):
            if thing.name not in seen:
                seen.add(thing.name)
                yield thing
        elif depth > 1 and is_composite(thing):
            further.append(thing)
    for thing in further:
        yield from operators_in(thing, depth - 1, seen)


@cache
def look_up(function):
    """Return ``things`` as a tuple, cached per function."""
    return tuple(things(function))


def things(function):
    """Yield the objects that a function's code names: ``OPS["name"]``, global and enclosing names, attributes of modules."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):  # a function defined at run time
        return
    names = inspect.getclosurevars(function)
    values = names.globals | names.nonlocals
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(ast.Name("OPS"), ast.Name(name)) if values.get(name) in OPS:
                yield OPS[values[name]]
            case ast.Subscript(ast.Name("OPS"), key):
                yield from (OPS[text] for text in texts(key))
            case ast.Constant(str(text)) if "_" in text and text in OPS and not OPS[text].public:
                yield OPS[text]  # passed to a function shared by a family of operators
            case ast.Call(ast.Attribute(ast.Name(tensor), method)) if method in METHODS and tensor not in NO_TENSORS:
                yield METHODS[method]
            case ast.Attribute(ast.Name(module), part) if isinstance(values.get(module), types.ModuleType):
                yield getattr(values[module], part, None)
            case ast.Name(name) if name in values:
                yield values[name]


def texts(key):
    """Yield the operators that ``OPS[key]`` can be, for a key chosen among names or built by an f-string."""
    for node in ast.walk(key):
        if isinstance(node, ast.Constant) and node.value in OPS:
            yield node.value
        if isinstance(node, ast.JoinedStr):
            parts = [re.escape(each.value) if isinstance(each, ast.Constant) else r"\w*" for each in node.values]
            pattern = re.compile("".join(parts))
            yield from (name for name in OPS if len(parts[0]) > 3 and pattern.fullmatch(name))


def is_of_tensors(entry):
    """Return True if a function is defined in the engine or nn.utils, whatever its ``__module__``."""
    function = inspect.unwrap(entry) if callable(entry) else entry
    return getattr(function, "__globals__", {}).get("__name__", "").startswith(("tensh.engine.", "tensh.nn.utils."))


def is_composite(thing):
    """Return True if a function is a composite of operators."""
    module = getattr(thing, "__module__", "")
    return ".composites." in module or module.startswith("torch")
