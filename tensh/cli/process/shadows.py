"""Files of a program that hide a library: Python finds `numpy.py` beside a script before NumPy."""

import contextlib
import importlib.machinery
import os
import sys
import sysconfig
import traceback

from tensh.support.escaping import visible_line
from tensh.support.language import _

NEEDED = frozenset("numpy ml_dtypes typer click rich prompt_toolkit pygments".split())
LIBRARIES = sys.stdlib_module_names | NEEDED


def find_shadow(error, folders):
    """Return (a file, the library whose name it has) of what led to an exception or was loaded before; None if there is none.

    NumPy's import hides what failed within it: after an ImportError the files of ``folders`` are looked at, too.
    """
    is_hidden = isinstance(error, ImportError) and not isinstance(error, ModuleNotFoundError)
    listed = list_files(folders) if is_hidden else ()
    for name, file in (*named_files(error), *loaded_files(), *listed):
        if is_in_the_place(name, file):
            return file, name
    return None


def named_files(error):
    """Yield (name, file) of the modules that an exception and its causes speak of."""
    seen = []
    while error is not None and error not in seen:
        seen.append(error)
        if isinstance(error, SyntaxError) and isinstance(error.filename, str):
            yield stem(error.filename), error.filename
        for frame, _line in traceback.walk_tb(error.__traceback__):
            if isinstance(name := frame.f_globals.get("__name__"), str):
                yield name, frame.f_code.co_filename
        error = error.__cause__ or error.__context__


def loaded_files():
    """Yield (name, file) of the modules that have been loaded."""
    for name, module in [*sys.modules.items()]:
        if "." not in name and isinstance(file := getattr(module, "__file__", None), str):
            yield name, file


def list_files(folders):
    """Yield (name, file) of the files that are named as modules of Python."""
    for folder in dict.fromkeys(map(os.path.abspath, folders)):
        with contextlib.suppress(OSError):
            names = [each.removesuffix(".py") for each in os.listdir(folder) if each.endswith(".py")]
            yield from ((name, os.path.join(folder, f"{name}.py")) for name in sorted(names) if name in LIBRARIES)


def stem(file):
    """Return the name of the module that a file would be."""
    folder, name = os.path.split(file)
    return os.path.basename(folder) if name == "__init__.py" else name.removesuffix(".py")


def is_in_the_place(name, file):
    """Return True if a file of the user's is found as a library that lies elsewhere."""
    folder = os.path.dirname(os.path.dirname(file) if os.path.basename(file) == "__init__.py" else file)
    if name not in LIBRARIES or stem(file) != name or is_library(folder) or not os.path.isfile(file):
        return False
    own = os.path.realpath(folder)
    others = [each for each in sys.path if os.path.realpath(each or os.curdir) != own]
    spec = importlib.machinery.PathFinder.find_spec(name, others)
    return spec is not None and spec.origin is not None


def is_library(folder):
    """Return True for the folders in which Python and its packages are installed."""
    return os.path.realpath(folder).startswith(tuple(map(os.path.realpath, sysconfig.get_paths().values())))


def describe_shadow(error, files=()):
    """Say in one line which file of the user's an exception is due to; None if no file has the name of a library.

    Files are looked for in the current folder and in those of ``files``.
    """
    found = find_shadow(error, [os.curdir, *(os.path.dirname(each) for each in files if os.path.isfile(each))])
    if found is None:
        return None
    file, name = found
    return _("{file} has the name of the library {name}, so Python loads it instead: rename the file").format(
        file=visible_line(file), name=visible_line(name)
    )
