"""Functions from generated source text."""

import linecache

INDENT = "    "
WRITTEN = "tensh.written"
"""The module name of generated functions, for warnings."""


def compile_source(source, title, namespace, defined=None):
    """Execute ``source`` in ``namespace``; tracebacks and debuggers can show its lines.

    What it defines goes into ``defined``, by default ``namespace`` itself.
    """
    filename = f"<tensh {title}>"
    namespace.setdefault("__name__", WRITTEN)
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), namespace, defined)


def indent_lines(lines):
    return lines[0] + "\n" + "".join(f"{INDENT}{line}\n" for line in lines[1:])


def set_public_module(function):
    """Name a function's public module, not the one that defines it."""
    function.__module__ = "torch"
    return function
