"""The code of armed functions: see Note [Override points] in points.py.

The replacement code of a function cannot use its own globals, since those are the function's, where ``type`` may be a
method. Instead, strings in the template are replaced by the values that it needs.
"""

import functools

from tensh.engine.arguments.caller import ARMED
from tensh.engine.core import ports

ANY = """
def armed(*args, **options):
    plain = "PLAIN"
    type = "TYPE"
    original = "ORIGINAL"
    for each in args:
        if type(each) not in plain: break
    else:
        if not options: return original(*args)
        for each in options.values():
            if type(each) not in plain: break
        else: return original(*args, **options)
    dispatch = "DISPATCH"
    return dispatch("POINT", args, options)
"""
FIXED = {
    1: """
def armed(a):
    plain = "PLAIN"
    type = "TYPE"
    if type(a) in plain:
        original = "ORIGINAL"
        return original(a)
    dispatch = "DISPATCH"
    return dispatch("POINT", (a,), {})
""",
    2: """
def armed(a, b):
    plain = "PLAIN"
    type = "TYPE"
    if type(a) in plain and type(b) in plain:
        original = "ORIGINAL"
        return original(a, b)
    dispatch = "DISPATCH"
    return dispatch("POINT", (a, b), {})
""",
}


@functools.cache
def template(source, filename, count):
    """Return the code of the function in ``source``, compiled with ``count`` free variables."""
    free = [f"_free_{n}" for n in range(count)]  # with any names: new code must have as many free variables as the old
    if free:  # names in code that never runs become free variables
        body = source.replace(":\n", f":\n    if 0: {', '.join(free)}\n", 1)
        source = f"def outer({', '.join(free)}):" + body.replace("\n", "\n    ")
    code = compile(source, filename, "exec")
    for _ in range(1 + bool(free)):
        code = next(each for each in code.co_consts if hasattr(each, "co_code"))
    return code


def code_of(source, filename, count, values):
    """Return the code of a template with its placeholder strings replaced by ``values``."""
    code = template(source, filename, count)
    return code.replace(
        co_consts=tuple(values.get(each, each) if type(each) is str else each for each in code.co_consts)
    )


def code_for(point, plain, fixed):
    """Return the code of an armed point; with ``fixed``, for exactly the parameters of its function."""
    own = point.code
    simple = fixed and not own.co_flags & 0x0C and not own.co_kwonlyargcount and not point.function.__defaults__
    values = {
        "PLAIN": plain,
        "TYPE": type,
        "ORIGINAL": point.original,
        "DISPATCH": ports.dispatch_override,
        "POINT": point,
    }
    source = FIXED.get(own.co_argcount if simple else None, ANY)
    return code_of(source, ARMED, len(own.co_freevars), values).replace(co_name=own.co_name)
