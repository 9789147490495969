"""Functions that are Python in PyTorch, too: Python refuses their calls, and what fails inside is said of an argument."""

import functools
import inspect
import types

from tensh.engine.calls.misfits import misfit


def guarded(fn, name):
    """Wrap ``fn``: a failure inside that an argument of the wrong kind has caused becomes PyTorch's error for the argument.

    A call takes 0.1 µs longer.
    """
    if not isinstance(fn, types.FunctionType):
        return fn

    @functools.wraps(fn)
    def function(*args, **options):
        try:
            return fn(*args, **options)
        except Exception as failure:
            wrong = misfit(failure, name, inspect.signature(fn).parameters, args, options, python=True)
            if wrong is None:
                raise
        raise wrong

    return function
