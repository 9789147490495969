"""PyTorch's settings: they are stored and can be read back.

Only the number of threads has an effect here; results are always deterministic and of the highest precision.
"""

import sys

import numpy as np

from tensh.engine.arrays.threads import pool
from tensh.engine.codegen.table import public
from tensh.engine.errors.warnings import always, warn
from tensh.support.processors import count_processors

state = {"interop": None, "debug": 0, "precision": "highest"}
MODES = {"default": 0, "warn": 1, "error": 2}


@public
def get_num_threads():
    """Return the number of threads that was set; by default ``OMP_NUM_THREADS``, ``MKL_NUM_THREADS`` or the number of processors."""
    return pool.size()


@public
def set_num_threads(n):
    """Set how many threads compute one large array or matrix product.  Results do not depend on it.

    Raise RuntimeError unless it is positive.
    """
    require_positive("set_num_threads", n)
    pool.limit = n


@public
def get_num_interop_threads():
    """Return the number of threads for concurrent operators that was set, by default that of processors; it has no effect."""
    return state["interop"] or count_processors()


@public
def set_num_interop_threads(n):
    """Set the value that ``get_num_interop_threads`` returns.  Raise RuntimeError unless it is positive."""
    require_positive("set_num_interop_threads", n)
    state["interop"] = n


def require_positive(name, n):
    if not isinstance(n, int) or isinstance(n, bool):
        raise RuntimeError(f"{name} expects an int, but got {type(n).__name__}")
    if not -(2**31) <= n < 2**31:
        raise ValueError("Overflow when unpacking long")
    if n < 1:
        raise RuntimeError(f"{name} expects a positive integer")


@public
def use_deterministic_algorithms(mode, *, warn_only=False):
    """Require algorithms that always return the same result, as all of them do."""
    state["debug"] = 0 if not mode else 1 if warn_only else 2


def alert(name):
    """Raise RuntimeError, or warn, if deterministic algorithms are required and PyTorch has none."""
    if not state["debug"]:
        return
    text = (
        f"{name} does not have a deterministic implementation, but you set 'torch.use_deterministic_algorithms(True"
        + (
            ", warn_only=True)'. "
            if state["debug"] == 1
            else ")'. You can turn off determinism just for this operation, or you can use the 'warn_only=True' option, if that's acceptable for your application. "
        )
        + f"You can {'also ' * (state['debug'] == 2)}file an issue at https://github.com/pytorch/pytorch/issues to help us prioritize adding deterministic "
        "support for this operation."
    )
    if state["debug"] == 2:
        raise RuntimeError(text)
    warn(text)


def fill_unset(array):
    """Fill an uninitialized array with nan, or the largest integer, if deterministic algorithms are required."""
    if state["debug"]:
        chosen = sys.modules.get("tensh.utils.deterministic")
        if chosen is None or chosen.fill_uninitialized_memory:
            kind = array.dtype.kind
            array.fill(True if kind == "b" else np.iinfo(array.dtype).max if kind in "iu" else np.nan)
    return array


@public
def are_deterministic_algorithms_enabled():
    """Return True if deterministic algorithms are required."""
    return state["debug"] > 0


@public
def is_deterministic_algorithms_warn_only_enabled():
    """Return True if deterministic algorithms are required with only a warning."""
    return state["debug"] == 1


@public
def set_deterministic_debug_mode(debug_mode):
    """Set the requirement of deterministic algorithms: 0 or "default", 1 or "warn", 2 or "error".

    Raise RuntimeError for anything else.
    """
    mode = MODES.get(debug_mode, debug_mode) if isinstance(debug_mode, str) else debug_mode
    if mode not in (0, 1, 2):
        expected = "one of `default`, `warn`, `error`" if isinstance(debug_mode, str) else "0, 1, or 2"
        raise RuntimeError(f"invalid value of debug_mode, expected {expected}, but got {debug_mode}")
    state["debug"] = mode


@public
def get_deterministic_debug_mode():
    """Return the mode that ``set_deterministic_debug_mode`` has set, as a number: 0, 1 or 2."""
    return state["debug"]


@public
def get_float32_matmul_precision():
    """Return the precision of matrix products that was set."""
    return state["precision"]


@public
def set_float32_matmul_precision(precision):
    """Set the precision of matrix products: "highest", "high" or "medium"."""
    state["precision"] = precision


@public
def set_warn_always(b):
    """Set whether warnings are repeated every time."""
    always[0] = bool(b)


@public
def is_warn_always_enabled():
    """Return True if warnings are repeated every time."""
    return always[0]


@public
def set_flush_denormal(mode):
    """Flush denormal numbers, such as 1e-310, to zero (True) or not (False).  Return True if that is supported.

    x86-64 with Linux does; elsewhere the setting has no effect and the result is False.

    >>> import tensh as torch
    >>> torch.set_flush_denormal(False)
    True
    """
    from tensh.engine.arrays.denormal import flush_denormals

    return flush_denormals(bool(mode))
