"""Find what the documentation of each public name lacks.

``python -m tests.documents.docstrings [PREFIX]`` lists the names that begin with a prefix, and what each lacks:

- ``summary``: one line that ends with a period and begins with an imperative verb or a noun phrase;
- ``shapes``: shapes in brackets, such as ``[N, C, L]`` or ``[*]``, unless the operator is elementwise;
- ``errors``: the errors that the code itself raises for values (TypeError need not be mentioned);
- ``gradient``: that a function (not its in-place form) is differentiable, or its gradient, if the textbook's tables have its formula;
- ``example``: an example, in the documentation or generated for its kind;
- ``arguments``: each setting of a layer, an optimizer, a scheduler or a loader by its name, unless it means the same everywhere;
- ``signature``: parameters with names that mean something, not only ``*args, **kwargs``.
"""

import ast
import inspect
import linecache
import re
import sys
import types
from collections import Counter
from functools import cache
from pathlib import Path

import tensh
from tensh.cli.session.help import examples, names, page
from tensh.engine.codegen.operator import Inplace, Op
from tensh.graph.textbook.table import entries

HOME = Path(tensh.__file__).parent
PARTS = ("summary", "shapes", "errors", "gradient", "example", "arguments", "signature")
CALLED = ("operator", "in-place operator", "function", "method", "class")

# Namespaces and names with fewer requirements: functions of absent devices, named tuples, constants of PyTorch's API.
EXEMPT = {
    "torch.cuda": {"shapes", "errors", "example"},
    "torch.backends": {"shapes", "errors", "example"},
    "torch.return_types": {"shapes", "errors", "example", "signature"},
    "torch.nn.Identity": {"signature"},  # takes anything
    "torch.nn.Module": {"signature"},  # passes all arguments on to another base class
    # the function that it calls refuses a setting that it does not pass
    "torch.nn.utils.rnn.unpack_sequence": {"errors"},
    "torch.Size": {"summary"},  # methods of Python's tuple
}
FAMILIES = {"reductions", "shapes", "indexing", "linalg", "layers", "fourier"}
"""Folders of operators whose results have other shapes than their inputs, or for which dimensions have a meaning."""
# files of these folders
EXCEPT = {"activation", "activations", "dropout", "layout", "resizing", "storage", "typed_storage"}
SIZES = {"shape", "ndim", "dim", "size", "ndimension", "numel"}  # code that reads them depends on shapes

OPENING = re.compile(
    r"(It|This|That|These|What|The same|Returns|Computes|Applies|Gives|Creates|Makes|Performs|Calculates)\b"
)
SHAPE = re.compile(r"(?<![\w\])`])`{0,2}\[(?=[^\]]*[A-Za-z*…])[\w\s,.*…+/()'²³_-]*\]|(?<!\w)\[\](?!\w)")
ERROR = re.compile(r"\b\w*(Error|Exception)\b")
GRADIENT = re.compile(r"ifferentiable|gradient|derivative", re.IGNORECASE)
DIFFERENTIABLE = {"torch", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special"}
SETTINGS = ("torch.nn", "torch.optim", "torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch.utils.data")
COMMON = {  # settings of many classes, which a base class or a guide describes, and deprecated ones
    *"""
        device dtype inplace bias params lr maximize foreach capturable differentiable fused last_epoch size_average
        reduce
    """.split(),
    *"min_value max_value verbose dataset datasets data_source named_datasets".split(),
}
NAMELESS = {"args", "kwargs", "arguments", "options", "more"}  # names of parameters that say nothing
CHECKING = ("__init__", "__new__", "_check", "forward", "step")  # methods of a class that receive the user's arguments
MANY = 500  # calls that are followed from one function


def check(name):
    """The parts that the documentation of a Name lacks."""
    wanted = set(PARTS) - EXEMPT.get(name.space, set()) - EXEMPT.get(name.path, set())
    tests = {"summary": has_summary, "shapes": has_shapes, "errors": has_errors, "gradient": has_gradient}
    if name.kind in CALLED:
        tests |= {"example": has_example, "signature": has_signature}
    if name.kind == "class" and name.space in SETTINGS:
        tests |= {"arguments": has_arguments}
    if name.kind in ("constant", "module"):
        tests = {"summary": has_summary} if name.kind == "module" else {}
    return [part for part in PARTS if part in wanted and part in tests and not tests[part](name)]


def text_of(name):
    """The documentation without examples; for a class, its own and not that of a base."""
    doc = name.doc
    if isinstance(name.entry, type):
        doc = inspect.cleandoc(vars(name.entry).get("__doc__") or "")
    return page.prose(doc)


def has_summary(name):
    line, _, rest = text_of(name).partition("\n")
    return line.endswith((".", ":")) and (not rest or rest.startswith("\n")) and not OPENING.match(line)


def has_shapes(name):
    return not depends_on_shapes(name) or bool(SHAPE.search(text_of(name).replace("\n", " ")))


def has_errors(name):
    return not raises(name) or bool(ERROR.search(text_of(name)))


def has_gradient(name):
    if name.kind not in ("operator", "function") or name.space not in DIFFERENTIABLE or name.name.endswith("_"):
        return True
    return not [*entries(name.path.removeprefix("torch.")), *entries(name.name)] or bool(GRADIENT.search(name.doc))


def has_example(name):
    return bool(examples.read_docstring_examples(name.doc) or examples.code_of(name))


def has_signature(name):
    if isinstance(name.entry, type) and issubclass(name.entry, BaseException):
        return True
    try:
        parameters = [p for p in inspect.signature(name.value).parameters.values() if p.name != "self"]
    except (ValueError, TypeError):
        return False
    collecting = [p.kind for p in parameters] == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]
    return not (collecting and NAMELESS & {p.name for p in parameters})


def has_arguments(name):
    """True if each setting that is not private is named. A lazy layer or a former name has the settings of another class."""
    if issubclass(name.value, BaseException) or re.match(r"Lazy|Uninitialized", name.name):
        return True
    settings = (
        {each for each in inspect.signature(name.value).parameters if not each.startswith("_")} - NAMELESS - COMMON
    )
    return all(re.search(rf"\b{each}\b", name.doc) for each in settings)


# ── shapes ───────────────────────────────────────────────────────────────────
def depends_on_shapes(name):
    """Return True if the shapes of inputs and outputs have a meaning."""
    entry = name.entry.op if isinstance(name.entry, Inplace) else name.entry
    if isinstance(entry, Op):
        return not entry.pointwise and in_families(entry.place[0])
    if isinstance(entry, type):
        if issubclass(entry, tensh.nn.Module):
            return layer_depends_on_shapes(entry)
        return has_events(entry)
    code = getattr(inspect.unwrap(name.value), "__code__", None) if name.kind in ("function", "method") else None
    if code is None:
        return False
    return in_families(code.co_filename) or "engine" not in places(code.co_filename) and bool(SIZES & {*code.co_names})


def places(file):
    """The folders of the package that lead to a file, and its stem."""
    path = Path(file)
    return path.relative_to(HOME).with_suffix("").parts if path.is_relative_to(HOME) else ()


def in_families(file):
    parts = places(file)
    return bool(FAMILIES & {*parts}) and parts[-1] not in EXCEPT


def layer_depends_on_shapes(cls):
    """Return True if ``forward`` calls something that does. A layer that passes its input to others has their shapes."""
    forward = cls.forward
    code = getattr(forward, "__code__", None)
    if code is None or forward is tensh.nn.Module.forward or "containers" in code.co_filename:
        return False
    if code.co_argcount == 1:  # only ``self``: it passes arguments on, or takes none
        return False
    called = [names.find_name(f"{space}.{each}") for each in words_of(code) for space in ("nn.functional", "Tensor")]
    return any(map(depends_on_shapes, filter(None, called))) if any(called) else True


def words_of(code):
    """The names that a function uses, and the texts that may name others."""
    return [*code.co_names, *(each for each in code.co_consts if isinstance(each, str) and each.isidentifier())]


def has_events(cls):
    """Return True for a distribution of vectors or matrices."""
    constraints = vars(cls).get("arg_constraints")
    return isinstance(constraints, dict) and any(getattr(c, "event_dim", 0) for c in constraints.values())


# ── errors ───────────────────────────────────────────────────────────────────
def raises(name):
    """Return True if the code of a name raises errors for values, itself or in functions of its folder."""
    entry = name.entry.op if isinstance(name.entry, Inplace) else name.entry
    if isinstance(entry, Op):
        return isinstance(entry.kernel, types.FunctionType) and function_raises(entry.kernel)
    if isinstance(entry, type):
        return class_raises(entry)
    if name.kind not in ("function", "method"):
        return False
    function = inspect.unwrap(name.value)
    function = getattr(function, "__func__", function)
    return isinstance(function, types.FunctionType) and function_raises(function)


def class_raises(cls):
    """Return True if the constructor, ``forward``, ``step`` or methods they call raise.

    Public bases document their own errors.
    """
    for base in own_bases(cls):
        for method in CHECKING:
            function = vars(base).get(method)
            function = getattr(function, "__func__", function)
            if isinstance(function, types.FunctionType) and function_raises(function, cls):
                return True
    return False


def own_bases(cls):
    """The class, and those of its bases that have no public name."""
    return [base for base in cls.__mro__ if base is cls or base.__name__.startswith("_")]


def function_raises(function, cls=None):
    """Return True if a function raises an error, or calls one in a file of the same folder that does."""
    seen, waiting = set(), [function]
    while waiting and len(seen) < MANY:
        each = waiting.pop()
        tree = None if each.__code__ in seen else source_tree(each.__code__)
        seen.add(each.__code__)
        if tree is None:
            continue
        if any(map(is_error, ast.walk(tree))):
            return True
        called = [called_function(node.func, each, cls) for node in ast.walk(tree) if isinstance(node, ast.Call)]
        waiting += [f for f in called if f is not None and is_beside(f, function)]
    return False


def is_beside(called, caller):
    return Path(called.__code__.co_filename).parent == Path(caller.__code__.co_filename).parent


def called_function(node, function, cls):
    """The function of the program that a call names: a global, or a method of ``self``."""
    found = None
    if isinstance(node, ast.Name):
        found = function.__globals__.get(node.id)
    elif (
        cls is not None
        and isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    ):
        found = next((vars(base)[node.attr] for base in own_bases(cls) if node.attr in vars(base)), None)
    found = inspect.unwrap(found) if callable(found) else None
    return found if isinstance(found, types.FunctionType) else None


def is_error(node):
    """Return True for a ``raise`` of an error about a value."""
    if not isinstance(node, ast.Raise) or node.exc is None:
        return False
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    word = raised.id if isinstance(raised, ast.Name) else ""
    return word.endswith("Error") and word not in ("TypeError", "NotImplementedError", "AttributeError")


@cache
def functions_of(file):
    """first line -> the tree of each function in a file."""
    text = "".join(linecache.getlines(file))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    trees = [node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
    return {min([tree.lineno, *(each.lineno for each in tree.decorator_list)]): tree for tree in trees}


def source_tree(code):
    return functions_of(code.co_filename).get(code.co_firstlineno) if Path(code.co_filename).is_file() else None


# ── the figures ──────────────────────────────────────────────────────────────
@cache
def lacking():
    """[(name, the parts that it lacks)] of every public name that lacks some."""
    return [(name, parts) for name in names.list_names() if (parts := check(name))]


def count():
    """namespace -> part -> how many names lack it."""
    table = {}
    for name, parts in lacking():
        table.setdefault(name.space, Counter()).update(parts)
    return {space: {part: counts[part] for part in PARTS if counts[part]} for space, counts in table.items()}


def main(prefix=""):
    """List names with what they lack, and the figures of all namespaces."""
    for name, parts in lacking():
        if name.path.startswith(names.spell_out(prefix)):
            print(f"{name.path}: {', '.join(parts)}")
    print()
    for space, counts in count().items():
        print(f"{space!r}: {counts},".replace("'", '"'))


if __name__ == "__main__":
    main(*sys.argv[1:2])
