"""Functions from generated source text."""

import linecache

INDENT = "    "
WRITTEN = "tensh.written"
"""The module that functions written here say they are of, in warnings."""


def compiled(source, title, namespace):
    """Execute ``source`` in ``namespace``; tracebacks and debuggers can show its lines."""
    filename = f"<tensh {title}>"
    namespace.setdefault("__name__", WRITTEN)
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), namespace)


def indented(lines):
    return lines[0] + "\n" + "".join(f"{INDENT}{line}\n" for line in lines[1:])
