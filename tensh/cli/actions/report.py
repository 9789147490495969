"""`tensh env`: versions, threads, and capabilities of the terminal."""

import importlib.util
import os
import platform
import sys
from importlib import metadata

from tensh.cli.process import status
from tensh.cli.render.console import Console
from tensh.show.drawing.table import LEAST
from tensh.show.drawing.text import cells, pad, wrap_lines
from tensh.support.escaping import visible_line
from tensh.support.language import _

PACKAGES = ("numpy", "ml_dtypes", "typer", "rich", "prompt_toolkit", "uniplot", "torch")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
COLORS = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TENSH_PLAIN", "TERM", "COLUMNS")


def show(env):
    """Write the report."""
    rows = [(name, visible_line(value)) for name, value in facts(env)]
    console = Console(env)
    page = console.page()
    indent = max(cells(name) for name, _fact in rows) + 2
    room = max(page.width - indent, LEAST)
    for name, value in rows:
        lines = wrap_lines(value, room) if page.is_window else [value]
        console.result([("plain", pad(name, indent) + ("\n" + " " * indent).join(lines) + "\n")])
    return status.OK


def facts(env):
    """Yield (name, value) for each fact."""
    from tensh import VERSION

    yield "tensh", f"{VERSION}  ({os.path.dirname(importlib.util.find_spec('tensh').origin)})"
    yield "Python", f"{platform.python_version()}  ({sys.executable})"
    for package in PACKAGES:
        yield package, version(package)
    yield _("engine"), _("NumPy arrays, {blas}").format(blas=blas())
    yield _("bytecode"), bytecode()
    yield (
        _("system"),
        _("{system} {machine}, {number} processors").format(
            system=platform.system(), machine=platform.machine(), number=os.cpu_count()
        ),
    )
    yield _("threads"), threads()
    for name in THREADS + COLORS:
        if env.variables.get(name):
            yield name, env.variables[name]
    for name in ("stdin", "stdout", "stderr"):
        yield name, stream(env, getattr(env, name))


def version(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return _("not installed")


def blas():
    """Return the BLAS library that NumPy was built with."""
    import numpy

    found = numpy.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return f"{found.get('name', _('unknown BLAS'))} {found.get('version', '')}".strip()


def threads():
    """Return the number of threads that share large arrays and matrix products; see get_num_threads."""
    from tensh import get_num_threads
    from tensh.engine.arrays.blas import LIMIT

    number = get_num_threads()
    return (
        f"{number}, BLAS 1"
        if number <= LIMIT
        else _("{number}; matrix products use {limit}, BLAS 1").format(number=number, limit=LIMIT)
    )


def bytecode():
    """Tell whether Python caches compiled code; compiling everything takes longer than the rest of a start."""
    if sys.dont_write_bytecode:
        return _("not written (PYTHONDONTWRITEBYTECODE): every start compiles everything again")
    folder = os.path.dirname(importlib.util.find_spec("tensh.cli").origin)
    return (
        _("kept")
        if os.access(folder, os.W_OK) or os.path.exists(os.path.join(folder, "__pycache__"))
        else (_("cannot be written in {folder}: every start compiles everything again").format(folder=folder))
    )


def stream(env, file):
    """Describe a stream."""
    if not env.is_terminal(file):
        return _("not a terminal")
    color = _("colour") if env.has_color(file) else _("no colour")
    return _("a terminal of {width} columns, {color}, {encoding}").format(
        width=env.width(file), color=color, encoding=file.encoding
    )
