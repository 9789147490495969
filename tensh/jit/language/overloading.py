"""Functions with several declarations: each declaration as a function."""

import inspect
import types

from tensh.jit.language.types import class_path

__all__ = ["give_types"]

ONLY_DECLARED = """Implementation for the function "{}" is missing. Please make sure a definition is provided and defined after all overload declarations.
File "{}", line {}:
{}

Example usage of overload function:
@torch.jit._overload
def my_function(x: type0) -> type0: # decl 1
    pass

@torch.jit._overload
def my_function(x: type1) -> type1: # decl 2
    pass

def my_function(x):                 # implementation
    if isinstance(x, type0):
        return x
    elif isinstance(x, type1):
        return x
"""


def give_types(fn, declaration):
    """Return a function with the types of one of its declarations.  Raise RuntimeError if it has no implementation."""
    if fn is declaration:
        lines, first = inspect.getsourcelines(fn)
        raise RuntimeError(ONLY_DECLARED.format(class_path(fn), inspect.getsourcefile(fn), first, "".join(lines)))
    made = types.FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
    made.__kwdefaults__, made.__qualname__, made.__module__ = fn.__kwdefaults__, fn.__qualname__, fn.__module__
    made.__annotations__ = {**fn.__annotations__, **declaration.__annotations__}
    made._overloads = ()
    return made
