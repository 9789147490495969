"""Expressions whose values differ between scripts and Python.

Powers are floats, sizes, views of dictionaries and tuples beside lists are lists, and texts are C++'s.
"""

import ast
import builtins
import inspect
import math
import re
import types
from functools import partial

from tensh.engine.dtypes.size import Size
from tensh.jit.language.types import fits_type
from tensh.jit.language.value_text import describe_value
from tensh.support.naming import is_of_torch
from tensh.support.nested_code import find_nested

__all__ = ["FUNCTIONS", "divide", "greatest", "least", "power", "round_number", "translate"]

LISTS = (Size, type({}.keys()), type({}.values()), type({}.items()))
NUMBERS = (int, float)


def power(base, exponent):
    """Return a power, which is a float for numbers. Raise ZeroDivisionError for a negative power of zero."""
    if type(base) not in NUMBERS or type(exponent) not in NUMBERS:
        return base**exponent
    try:
        return math.pow(base, exponent)
    except ValueError:
        return float(base) ** exponent if base == 0 else math.nan
    except OverflowError:
        return math.inf


def divide(value, divisor):
    """Return a quotient; of numbers and zero, infinity or nan."""
    try:
        return value / divisor
    except ZeroDivisionError:
        return math.nan if value == 0 else math.copysign(math.inf, value) * math.copysign(1, divisor)


def join(value, other):
    """Return a sum, in which a tuple beside a list is a list."""
    value, other = as_lists(value, other)
    return value + other


def is_same(value, other):
    """Return whether two values are equal, of which a tuple beside a list is a list."""
    value, other = as_lists(value, other)
    return value == other


def differs(value, other):
    """Return whether two values are not equal, of which a tuple beside a list is a list."""
    value, other = as_lists(value, other)
    return value != other


def as_lists(value, other):
    """Return two values, as lists if one is a list and the other a tuple."""
    return (list(value), list(other)) if {type(value), type(other)} == {list, tuple} else (value, other)


def compute(function, *args):
    """Return a function of ``math``, which is infinity or nan where Python raises."""
    try:
        return function(*args)
    except ValueError:
        return -math.inf if function.__name__ in LOGARITHMS and args[0] == LOGARITHMS[function.__name__] else math.nan
    except OverflowError:
        return math.inf


def factorial(number):
    """Return the factorial of an integer of 64 bits."""
    if not 0 <= number <= 20:
        raise ValueError("factorial() is not defined for negative values" if number < 0 else "factorial() is too large")
    return math.factorial(number)


def round_number(number, *places):
    """Return a rounded number, as a float."""
    rounded = builtins.round(number, *places)
    return float(rounded) if type(rounded) is int else rounded


def greatest(*values, **options):
    """Return the greatest value, which is a float if two numbers have different types."""
    return mix(values, builtins.max(*values, **options))


def least(*values, **options):
    """Return the least value, which is a float if two numbers have different types."""
    return mix(values, builtins.min(*values, **options))


def mix(values, chosen):
    return float(chosen) if len(values) == 2 and {type(each) for each in values} == set(NUMBERS) else chosen


def remainder(value, divisor):
    """Return a remainder, or a text with values in the places of percent signs."""
    if not isinstance(value, str):
        return value % divisor
    given = divisor if isinstance(divisor, tuple) else (divisor,)
    kinds = [each for each in re.findall(r"%(.)", value) if each != "%"]
    if len(kinds) != len(given):
        return value % divisor
    return value % tuple(describe_value(each) if kind == "s" else each for kind, each in zip(kinds, given))


def format_text(text, *values, **options):
    """Return a text with values in the places of braces."""
    if not isinstance(text, str) or options:
        return text.format(*values, **options)
    parts = text.split("{}")
    if len(parts) - 1 != len(values):
        word = "few" if len(parts) - 1 > len(values) else "many"
        raise RuntimeError(f"Too {word} arguments for format string: {text}")
    return "".join(part for pair in zip(parts, [*map(describe_value, values), ""]) for part in pair)


def print_values(*values, **options):
    """Print values as scripts do."""
    print(*map(describe_value, values), **options)


def as_list(value):
    """Return sizes, or a view of a dictionary, as a list; another value unchanged."""
    return list(value) if type(value) in LISTS else value


def as_tuple(values):
    """Return values as a tuple."""
    return tuple(values)


def strides(value):
    """Return strides, or the parts of a tensor, as a list."""
    return list(value) if type(value) is tuple else value


LOGARITHMS = {"log": 0, "log2": 0, "log10": 0, "log1p": -1}
"""Logarithm -> where it is minus infinity."""
REAL = {
    *LOGARITHMS,
    "sqrt",
    "exp",
    "expm1",
    "sinh",
    "cosh",
    "acos",
    "asin",
    "acosh",
    "atanh",
    "sin",
    "cos",
    "tan",
    "lgamma",
    "gamma",
}
"""Functions of ``math`` that have a value everywhere."""
FUNCTIONS = {
    "factorial": factorial, **{name: partial(compute, getattr(math, name)) for name in sorted(REAL)},
    "floor": math.floor, "ceil": math.ceil, "fabs": math.fabs, "atan2": math.atan2, "copysign": math.copysign, "fmod": math.fmod,
    "degrees": math.degrees, "radians": math.radians, "gcd": math.gcd, "erf": math.erf, "erfc": math.erfc, "isnan": math.isnan,
    "isinf": math.isinf, "isfinite": math.isfinite, "ldexp": math.ldexp, "frexp": math.frexp, "modf": math.modf,
    "asinh": math.asinh, "atan": math.atan, "tanh": math.tanh, "mathremainder": math.remainder,
}  # fmt: skip
"""Functions of ``math`` in files."""
CALLS = {
    "round": round_number,
    "max": greatest,
    "min": least,
    "pow": power,
    "str": describe_value,
    "print": print_values,
}
"""Function of Python -> the function of scripts."""


def has_type(value, kinds):
    """Return True for a value of a type that may have parameters, such as ``List[int]``, or of one of several."""
    return any(fits_type(value, each, exact=True) for each in (kinds if isinstance(kinds, tuple) else (kinds,)))


def has_parameters(nodes):
    """Return True if types have parameters, which Python's ``isinstance`` refuses."""
    return any(isinstance(each, ast.Subscript) for node in nodes for each in ast.walk(node))


METHODS = {"size": as_list, "keys": as_list, "values": as_list, "items": as_list, "stride": strides}
"""Method without arguments -> the function that is applied to its result."""
OPERATORS = {ast.Pow: power, ast.Div: divide, ast.Mod: remainder}
BETWEEN_LISTS = {ast.Add: join, ast.Eq: is_same, ast.NotEq: differs}
"""Operator -> its function for operands that may be a list and a tuple."""
PARTS = frozenset(
    "unbind chunk split split_with_sizes tensor_split hsplit vsplit dsplit meshgrid broadcast_tensors".split()
)
"""Functions of tensors that return a list in scripts."""
HELPERS = {
    f"_script_{each.__name__}": each
    for each in (
        *(has_type, as_list, as_tuple, strides, compute, format_text),
        *(*OPERATORS.values(), *BETWEEN_LISTS.values(), *CALLS.values()),
    )
}


class Meanings(ast.NodeTransformer):
    """Replaces the expressions; ``changed`` is True if there were any.

    ``known`` are names that the program gives to other things, ``called`` those of its functions.
    """

    def __init__(self, known, called=()):
        self.known, self.called, self.changed = known, called, False

    def call(self, function, args, node, keywords=()):
        self.changed = True
        name = ast.copy_location(ast.Name(f"_script_{function.__name__}", ast.Load()), node)
        return ast.copy_location(ast.Call(name, list(args), list(keywords)), node)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        function = OPERATORS.get(type(node.op)) or find_function(BETWEEN_LISTS, node.op, node.left, node.right)
        return self.call(function, [node.left, node.right], node) if function else node

    def visit_Compare(self, node):
        self.generic_visit(node)
        function = find_function(BETWEEN_LISTS, node.ops[0], node.left, *node.comparators)
        return self.call(function, [node.left, *node.comparators], node) if function and len(node.ops) == 1 else node

    def visit_Assign(self, node):
        """Make tuples of what starred targets take."""
        self.generic_visit(node)
        starred = [each for target in node.targets for each in ast.walk(target) if isinstance(each, ast.Starred)]
        names = [each.value for each in starred if isinstance(each.value, ast.Name)]
        return [node, *(self.make_tuple(each, node) for each in names)]

    def make_tuple(self, name, node):
        """Return the assignment of a list to its name as a tuple."""
        read = ast.copy_location(ast.Name(name.id, ast.Load()), name)
        return ast.copy_location(ast.Assign([name], self.call(as_tuple, [read], node)), node)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        function = OPERATORS.get(type(node.op))
        if function is not power or not isinstance(node.target, ast.Name):
            return node
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        return ast.copy_location(ast.Assign([node.target], self.call(function, [read, node.value], node)), node)

    def visit_Attribute(self, node):
        self.generic_visit(node)
        return self.call(as_list, [node], node) if node.attr == "shape" and isinstance(node.ctx, ast.Load) else node

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self.called:
            self.changed = True
            meaning = ast.copy_location(ast.Name("_script_meaning", ast.Load()), node)
            node.func = ast.copy_location(ast.Call(meaning, [node.func], []), node.func)
            return node
        if isinstance(node.func, ast.Name) and node.func.id == "isinstance" and has_parameters(node.args[-1:]):
            return self.call(has_type, node.args, node)
        if isinstance(node.func, ast.Name) and node.func.id in CALLS and node.func.id not in self.known:
            return self.call(CALLS[node.func.id], node.args, node, node.keywords)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "format" and not is_own(node.func.value):
            return self.call(format_text, [node.func.value, *node.args], node, node.keywords)
        if isinstance(node.func, ast.Attribute) and node.func.attr in REAL and is_math(node.func.value):
            return self.call(compute, [node.func, *node.args], node, node.keywords)
        if isinstance(node.func, ast.Attribute) and node.func.attr in PARTS and not is_own(node.func.value):
            return self.call(strides, [node], node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS and not node.args and not node.keywords:
            return self.call(METHODS[node.func.attr], [node], node)
        return node

    def visit_JoinedStr(self, node):
        self.generic_visit(node)
        for each in node.values:
            if isinstance(each, ast.FormattedValue) and each.conversion == -1 and each.format_spec is None:
                each.value = self.call(describe_value, [each.value], each.value)
        return node

    def visit_Subscript(self, node):
        """Leave ``x.shape[0]`` as it is: scripts and Python agree on it."""
        inner = node.value
        if isinstance(inner, ast.Attribute) and inner.attr == "shape" and not isinstance(node.slice, ast.Slice):
            inner.value, node.slice = self.visit(inner.value), self.visit(node.slice)
            return node
        return self.generic_visit(node)


def find_function(functions, op, *operands):
    """Return the function of an operator; None if there is none, or if an operand is a constant."""
    return None if any(isinstance(each, ast.Constant) for each in operands) else functions.get(type(op))


def is_own(node):
    """Return True for ``self`` and its attributes, whose methods belong to the program."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return isinstance(node, ast.Name) and node.id == "self"


def is_math(node):
    return isinstance(node, ast.Name) and node.id == "math"


def parse_function(fn):
    """Return the syntax tree of a function, with the lines and columns of its file."""
    lines, first = inspect.getsourcelines(fn)
    indented = lines[0][:1] in " \t"
    tree = ast.parse("".join(["if 1:\n", *lines] if indented else lines))
    ast.increment_lineno(tree, first - 1 - indented)
    (found,) = tree.body[0].body if indented else tree.body
    return found


def functions_named(fn, tree):
    """Return the names by which a function calls other functions of the program."""
    names = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
    return {name for name in names if is_of_program(name, fn, cells)}


def is_of_program(name, fn, cells):
    """Return True for the name of a function that the program defines."""
    try:
        found = cells[name].cell_contents if name in cells else fn.__globals__.get(name)
    except ValueError:  # a variable that is not assigned yet
        return False
    local = name in fn.__code__.co_varnames
    return inspect.isfunction(found) and not local and not is_of_torch(found.__module__ or "")


def translate(fn, find_meaning=None):
    """Return a function that computes what a script of ``fn`` does; ``fn`` itself if both agree, or without a source.

    ``find_meaning`` returns the same for a function that the source calls.

    >>> from tensh.jit.language.meanings import translate
    >>> translate(len) is len
    True
    """
    if not inspect.isfunction(fn) or hasattr(fn, "__wrapped__") or is_of_torch(fn.__module__ or ""):
        return fn
    try:
        tree = parse_function(fn)
    except (OSError, TypeError, SyntaxError, ValueError):
        return fn
    if not isinstance(tree, ast.FunctionDef):
        return fn
    called = functions_named(fn, tree) if find_meaning is not None else ()
    meanings = Meanings({*fn.__globals__, *fn.__code__.co_varnames, *fn.__code__.co_freevars}, called)
    meanings.generic_visit(tree)
    if not meanings.changed:
        return fn
    tree.decorator_list, tree.name = [], "_script_function"  # its own name in the body may be that of a global function
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
    helpers = HELPERS | {"_script_meaning": find_meaning}
    cells |= {name: types.CellType(helper) for name, helper in helpers.items()}
    parameters = ast.arguments([], [ast.arg(name) for name in cells], None, [], [], None, [])
    outer = ast.copy_location(ast.FunctionDef("outer", parameters, [tree], [], None, None), tree)
    if "type_params" in outer._fields:
        outer.type_params = []
    whole = compile(
        ast.fix_missing_locations(ast.Module([outer], [])), fn.__code__.co_filename, "exec", dont_inherit=True
    )
    code = find_nested(whole, "outer", tree.name).replace(co_name=fn.__name__)
    made = types.FunctionType(
        code, fn.__globals__, fn.__name__, fn.__defaults__, tuple(cells[name] for name in code.co_freevars)
    )
    made.__kwdefaults__, made.__annotations__ = fn.__kwdefaults__, fn.__annotations__
    made.__qualname__, made.__module__, made.__doc__ = fn.__qualname__, fn.__module__, fn.__doc__
    return made
