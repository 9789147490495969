"""Operators in files of exported programs: which functions a graph may call, by their names."""

import operator
from types import FunctionType

import tensh as torch
from tensh._aten.overloads import schemas_for_files
from tensh._higher_order_ops import HigherOrderOperator
from tensh._higher_order_ops.functionalized import auto_functionalized_v2
from tensh._higher_order_ops.wrappers import wrap_with_autocast, wrap_with_set_grad_enabled
from tensh.engine.codegen.public_forms import name_in_space
from tensh.engine.dtypes.symbols import sym_max, sym_min, sym_not
from tensh.engine.methods.conversion import CASTS
from tensh.export.values import DamagedFile, find_custom
from tensh.tracing.sizes.numbers import ARITHMETIC

COMPARISONS = tuple(getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne"))
ON_NUMBERS = (sym_max, sym_min, sym_not)
OPERATORS = {
    each.__name__: each for each in (operator.getitem, operator.truediv, *ARITHMETIC, *COMPARISONS, *ON_NUMBERS)
}
"""Operators of Python, and functions of numbers, that a graph may call."""
ON_GRAPHS = {str(each): each for each in (auto_functionalized_v2, wrap_with_autocast, wrap_with_set_grad_enabled)}
"""Operators that only exported programs call."""
METHODS = frozenset((*CASTS, "cpu", "lu", "to_sparse_coo", "type", "unique"))
"""Methods of tensors that a graph may call, beside those of the names of operators."""
LIBRARIES = (["nn", "functional"], ["linalg"], ["special"], ["fft"])
"""Namespaces of functions that graphs may call where there is no operator: they have no side effects."""
DRAWING = frozenset("rand randn randint rand_like randn_like bernoulli multinomial normal poisson".split())
"""Functions of torch that draw random numbers."""


def name_operator(function):
    """Return the name of a function in a file: the inverse of ``find_operator``."""
    if hasattr(function, "_definition"):
        return f"custom.{function.name()}"
    if hasattr(function, "_opname"):
        return f"aten.{function._opname}.{function._overloadname}"
    if OPERATORS.get(name_in_space(function)) is function:
        return name_in_space(function)
    if isinstance(function, HigherOrderOperator):
        return f"higher_order.{function}"
    if name_in_space(function) in DRAWING or function.__module__.split(".")[1:] in LIBRARIES:
        return f"{function.__module__}.{name_in_space(function)}"
    raise RuntimeError(f"a file of an exported program cannot call {function.__module__}.{name_in_space(function)}")


def find_operator(name):
    """Return the function that a file names: an operator of ``aten``, of Python, or a public function of torch."""
    if name in OPERATORS:
        return OPERATORS[name]
    space, _, rest = name.partition(".")
    if space == "custom":
        return find_custom(rest)
    if space == "aten":
        operator_name, _, overload = rest.partition(".")
        return schemas_for_files()[operator_name][overload]
    if space == "higher_order" and (found := (HigherOrderOperator.known | ON_GRAPHS).get(rest)) is not None:
        return found
    *path, last = name.split(".")[1:]
    if space == "torch" and (path in LIBRARIES or not path and last in DRAWING) and last in list_functions(path):
        return getattr(find_place(path), last)
    raise DamagedFile(f"it calls {name!r}, which is not an operator")


def may_call_method(name):
    """Return True for the name of a method that a graph in a file may call: it computes, and reaches nothing else."""
    return isinstance(name, str) and (name in METHODS or name in schemas_for_files())


def find_place(path):
    place = torch
    for part in path:
        place = getattr(place, part)
    return place


def list_functions(path):
    """Return the public functions of a namespace."""
    place = find_place(path)
    return {name for name in dir(place) if name[0] != "_" and isinstance(getattr(place, name), FunctionType)}
