"""Generated functions: their source for tracebacks, and descriptions of errors within."""

import itertools
import linecache
import os
import sys
import traceback

FILE = "<eval_with_key>"
ROOT = os.path.dirname(os.path.dirname(__file__))
COMPILED = os.path.join(ROOT, "engine", ""), os.path.join(ROOT, "amp", "casting"), "<tensh"
"""The beginnings of files whose functions are compiled in PyTorch, where they have no frame."""
numbers = itertools.count()


def compile_function(source, values, name="forward", fields=None):
    """Compile the function ``name`` of a source with globals ``values``; ``fields`` is the traced function's place."""
    file = f"{FILE}.{next(numbers)}"
    if fields:
        file += f" from {fields['co_filename']}:{fields['co_firstlineno']} in {fields['co_name']}"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    names = dict(values)
    exec(compile(source, file, "exec", dont_inherit=True), names)
    return names.pop(name)


def call_generated(call, *args, **kwargs):
    """Call ``call(*args, **kwargs)``; an error in a generated function is printed with its line, then raised."""
    try:
        return call(*args, **kwargs)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        while frames and frames[-1].filename.startswith(COMPILED):
            frames.pop()
        if frames and frames[-1].filename.startswith(FILE):
            print(describe_error(frames[-1]), file=sys.stderr)
        raise


def describe_error(frame):
    """Return the traceback of the current error, with the lines of generated code around it."""
    lines, number = linecache.getlines(frame.filename), frame.lineno
    return "\n".join(
        [
            traceback.format_exc(),
            f"Call using an FX-traced Module, line {number} of the traced Module's generated forward function:",
            "".join(lines[number - 2 : number]),
            f"{'~' * len(frame.line)}~~~ <--- HERE",
            "\n".join(lines[number : number + 2]),
        ]
    )
