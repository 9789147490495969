"""Functions as syntax trees, and the functions made of such trees."""

import ast
import inspect
import linecache
import textwrap
import types
import weakref

from tensh.compiler.syntax.statements import indent, locate, parameters
from tensh.support.nested_code import find_nested

FUNCTION = "_compiled_function"
"""The name of a function that is being made; a global variable may have its own."""
trees: dict = weakref.WeakKeyDictionary()
"""Function of a part -> its syntax tree, which no file contains."""


class Whole(Exception):
    """Raised if a function cannot be split."""


def find_tree(function):
    """Return the syntax tree of a function, with the positions of its file."""
    if function in trees:
        return trees[function]
    code = function.__code__
    if code.co_name == "<lambda>":
        return find_lambda(function)
    try:
        lines, first = inspect.getsourcelines(code)
        source = textwrap.dedent("".join(lines))
        tree = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        raise Whole from None
    if type(tree) is not ast.FunctionDef or code.co_cellvars:
        raise Whole
    ast.increment_lineno(tree, first - 1)
    indent(tree, len(lines[0]) - len(source.partition("\n")[0] + "\n"))
    tree.decorator_list = []
    if not any(
        make_function(tree, function, {}, names).__code__.co_code == code.co_code for names in list_imported(function)
    ):
        raise Whole  # the file has changed
    return tree


def find_lambda(function):
    """Return the syntax tree of a lambda as that of a function, which returns its expression."""
    code = function.__code__
    if code.co_cellvars:
        raise Whole
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except SyntaxError:
        raise Whole from None
    for each in ast.walk(tree):
        if isinstance(each, ast.Lambda) and each.lineno == code.co_firstlineno:
            made = ast.FunctionDef(code.co_name, each.args, [locate(ast.Return(each.body), each.body)], [], None)
            made.type_params = []
            made = ast.copy_location(made, each)
            for names in list_imported(function):
                other = make_function(made, function, {}, names).__code__
                if other.co_code == code.co_code and list_positions(other) == list_positions(code):
                    return made
    raise Whole


def list_positions(code):
    """Return the positions of the instructions of a lambda, apart from those around its expression."""
    return [each for each in list(code.co_positions())[:-1] if any(each[2:])]


def list_imported(function):
    """Yield the names that the file of a function may import: Python compiles calls of their attributes differently."""
    yield ()
    known = [name for name in function.__code__.co_names if name in function.__globals__]
    yield [name for name in known if isinstance(function.__globals__[name], types.ModuleType)]
    yield known


def make_function(tree, function, more, imported=()):
    """Return the function of a tree, with globals, free variables and defaults of another; ``more`` are added names.

    It is compiled as in a file that imports the names ``imported``.
    """
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells |= {name: types.CellType(value) for name, value in more.items()}
    plain = ast.FunctionDef(**{name: getattr(tree, name, None) for name in ast.FunctionDef._fields})
    arguments = tree.args
    empty = {
        "defaults": [ast.Constant(None)] * len(arguments.defaults),
        "kw_defaults": [each and ast.Constant(None) for each in arguments.kw_defaults],
    }
    plain.args = ast.arguments(**{name: empty.get(name, getattr(arguments, name)) for name in ast.arguments._fields})
    plain.returns, plain.decorator_list, plain.name = None, [], FUNCTION  # a global variable may have its name
    outer = ast.FunctionDef("outer", parameters(cells), [ast.copy_location(plain, tree)], [], None)
    outer.type_params = []
    imports = [ast.Import([ast.alias(name)]) for name in imported]
    module = ast.fix_missing_locations(ast.Module([*imports, ast.copy_location(outer, tree)], []))
    code = compile(module, function.__code__.co_filename, "exec", dont_inherit=True)
    code = find_nested(code, "outer", FUNCTION).replace(co_name=tree.name, co_qualname=function.__code__.co_qualname)
    closure = tuple(cells[name] for name in code.co_freevars)
    made = types.FunctionType(code, function.__globals__, tree.name, function.__defaults__, closure)
    made.__kwdefaults__, made.__module__ = function.__kwdefaults__, function.__module__
    return made
