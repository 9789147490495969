"""Functions of operators: declared as public, with ``out=`` and a form that writes in place."""

import functools
import inspect

from tensh.engine.arguments.lazy_signatures import Later
from tensh.engine.codegen.describe import describe_inplace
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.codegen.source import set_public_module
from tensh.engine.inplace.out import check_out, refuse_growth, write_out
from tensh.engine.inplace.writes import begin_write, write_inplace


def composite(fn=None, *, function=True, method=True, inplace=False, out=False, apart=False):
    """Make ``fn`` public: a function of other operators, which give its derivative.

    ``inplace`` adds ``NAME_`` and ``out`` the keyword ``out=``, which must lie ``apart`` from the inputs as at ``op``.
    """
    if fn is None:
        return lambda f: composite(f, function=function, method=method, inplace=inplace, out=out, apart=apart)
    name = fn.__name__
    if out:
        fn = add_out(fn, apart)
    set_public_module(fn)
    if function:
        PUBLIC[name] = fn
    if method:
        METHODS[name] = fn
    if inplace:
        METHODS[f"{name}_"] = PUBLIC[f"{name}_"] = inplace_composite(fn)
    return fn


def add_out(fn, apart=False, name=None):
    """``fn`` with the keyword ``out=``, which lies ``apart`` from the arguments; errors are found under ``name``."""
    name = name or fn.__name__

    @functools.wraps(fn)
    def function(*args, out=None, **options):
        if out is None:
            return fn(*args, **options)
        check_out(out, name, (*args, *options.values()))
        result = fn(*args, **options)
        if not isinstance(result, tuple):
            refuse_growth(out, result, args)
        inputs = (*args, *options.values()) if apart else ()
        return write_out(out, result, name, inputs=inputs, apart=apart is True)

    function.without_out = fn
    function.__signature__ = Later(lambda: add_keyword(inspect.signature(fn), "out"))
    return function


def add_keyword(signature, name):
    """Add a keyword to the signature, None by default."""
    *parameters, last = signature.parameters.values()
    keyword = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None)
    tail = [keyword, last] if last.kind is last.VAR_KEYWORD else [last, keyword]
    return signature.replace(parameters=[*parameters, *tail])


def inplace_composite(fn):
    """Return the in-place form of a composite."""
    name = f"{fn.__name__}_"

    def function(input, *args, **options):
        return write_inplace(input, begin_write(input, *args, *options.values()), fn(input, *args, **options), name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = describe_inplace(fn.__name__)
    function.__wrapped__ = getattr(fn, "without_out", fn)  # its signature
    function.passes_on = True
    return set_public_module(function)
