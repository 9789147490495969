"""NumPy's floating point errors: silent for tensors, as in PyTorch; warnings for NumPy code of the user.

NumPy keeps, for each thread and context, its reaction to overflow and invalid values.  Changing that around a kernel
would cost 150 ns, a tenth of a small operation.  Instead NumPy calls `report` in all of them, which finds out whose
code was computing; there is no cost without an error.
"""

import contextvars
import ctypes
import sys
import warnings

import numpy as np

OPERATORS = {
    "Add": "add", "Sub": "subtract", "Mult": "multiply", "Div": "divide", "FloorDiv": "floor_divide", "Mod": "remainder",
    "Pow": "power", "MatMult": "matmul",
}  # fmt: skip
POWERS = {"2": "square", "0.5": "sqrt", "-1": "reciprocal"}  # powers for which NumPy calls special functions
OWN = ("tensh.", "torch.")  # modules of tensh, under both names that they may have
METHODS = {"astype": "cast", **dict.fromkeys(["umr_sum", "umr_prod", "umr_maximum", "umr_minimum"], "reduce")}


class Settings(ctypes.Structure):
    """NumPy's settings of a context, as in its header ``extobj.h``."""

    _fields_ = [("errors", ctypes.c_int), ("buffer_size", ctypes.c_ssize_t), ("function", ctypes.py_object)]


def install(buffer_size):
    """Make NumPy report to tensh and use buffers of that size, in this and every other thread."""
    np.seterrcall(report)
    np.seterr(divide="call", over="call", invalid="call", under="ignore")
    np.setbufsize(buffer_size)
    here, default = settings_of(contextvars.copy_context()), settings_of(contextvars.Context())
    if here and default:
        ctypes.memmove(ctypes.addressof(default), ctypes.addressof(here), ctypes.sizeof(Settings))
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(report))  # for the defaults, which live as long as NumPy


def settings_of(context):
    """Return NumPy's settings in a context, by default those of a new one; None if NumPy stores them differently."""
    try:
        from numpy._core.umath import _extobj_contextvar as variable

        read = ctypes.pythonapi.PyCapsule_GetPointer
        read.restype, read.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        found = Settings.from_address(read(context.run(variable.get), b"numpy.ufunc.extobj"))
    except (ImportError, LookupError, ValueError):
        return None
    return found if found.buffer_size == context.run(np.getbufsize) else None


def report(kind, flag):
    """Warn of a floating point error as NumPy does, unless a kernel of tensh was computing."""
    inner = frame = sys._getframe(1)
    while frame is not None and module_of(frame).partition(".")[0] == "numpy":
        frame = frame.f_back
    if frame is None or module_of(frame).startswith(OWN):
        return
    name = find_function(inner)
    warnings.warn_explicit(
        f"{kind} encountered in {name}" if name else f"{kind} encountered", RuntimeWarning, inner.f_code.co_filename,
        inner.f_lineno, module_of(inner), inner.f_globals.setdefault("__warningregistry__", {}),
    )  # fmt: skip


def module_of(frame):
    return frame.f_globals.get("__name__") or ""


def find_function(frame):
    """Return the NumPy function that a frame is calling, by its source; None if the source does not show it."""
    import ast
    import linecache

    line, last_line, start, end = [*frame.f_code.co_positions()][frame.f_lasti // 2]
    text = linecache.getline(frame.f_code.co_filename, line).encode()
    if start is None or line != last_line or not text:
        return None
    try:
        match ast.parse(text[start:end].decode(), mode="eval").body:
            case ast.BinOp(op=ast.Pow(), right=power) if (text := ast.unparse(power)) in POWERS:
                return POWERS[text]
            case ast.BinOp(op=operator):
                return OPERATORS.get(type(operator).__name__)
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
                return METHODS.get(name, name)
    except (SyntaxError, ValueError):  # the file has changed since it was loaded
        pass
    return None
