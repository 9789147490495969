"""The code of functions that other code defines."""

import types

__all__ = ["find_nested"]


def find_nested(code, *names):
    """Return the code of a function that ``code`` defines; of several names, each function is within the one before.

    Other code can come first: lambdas of defaults and, from Python 3.14 on, the function that computes annotations.

    >>> from tensh.support.nested_code import find_nested
    >>> whole = compile("def outer(key=lambda x: x):\\n    def inner(x: int): pass", "<text>", "exec")
    >>> find_nested(whole, "outer", "inner").co_varnames
    ('x',)
    """
    for name in names:
        code = next(each for each in code.co_consts if isinstance(each, types.CodeType) and each.co_name == name)
    return code
