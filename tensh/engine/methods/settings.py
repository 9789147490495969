"""PyTorch's settings: they are stored and can be read back.

Only the number of threads has an effect here; results are always deterministic and of the highest precision.
"""

import sys

import numpy as np

from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays.threads import pool
from tensh.engine.codegen.table import public
from tensh.engine.errors.warnings import always, warn
from tensh.support.processors import count_processors

state = {"interop": None, "debug": 0, "warns": False, "precision": "highest"}
MODES = {"default": 0, "warn": 1, "error": 2}


@public
def get_num_threads():
    """Return the number of threads: the one set, ``OMP_NUM_THREADS``, ``MKL_NUM_THREADS``, or that of processors."""
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


def require_kind(name, value, kind):
    """Raise RuntimeError, with PyTorch's ``name`` for a setting, unless the value is of a kind."""
    if not isinstance(value, kind) or kind is int and isinstance(value, bool):
        article = "an" if kind is int else "a"
        raise RuntimeError(f"{name} expects {article} {kind.__name__}, but got {type_name(value)}")


def require_positive(name, n):
    require_kind(name, n, int)
    if not -(2**31) <= n < 2**31:
        raise ValueError("Overflow when unpacking long")
    if n < 1:
        raise RuntimeError(f"{name} expects a positive integer")


@public
def use_deterministic_algorithms(mode, *, warn_only=False):
    """Require algorithms that always return the same result, as all of them do.  Raise TypeError unless both are bools."""
    if not isinstance(mode, bool):  # PyTorch names an inner function
        text = f"argument 'mode' (position 1) must be bool, not {type_name(mode)}"
        raise TypeError(f"_set_deterministic_algorithms(): {text}")
    if not isinstance(warn_only, bool):
        raise TypeError(
            f"_set_deterministic_algorithms(): argument 'warn_only' must be bool, not {type_name(warn_only)}"
        )
    state["debug"], state["warns"] = 0 if not mode else 1 if warn_only else 2, warn_only


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
    return state["warns"]


@public
def set_deterministic_debug_mode(debug_mode):
    """Set the requirement of deterministic algorithms: 0 or "default", 1 or "warn", 2 or "error".

    Raise RuntimeError for anything else.
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    mode = MODES.get(debug_mode, debug_mode) if isinstance(debug_mode, str) else debug_mode
    if mode not in (0, 1, 2):
        expected = "one of `default`, `warn`, `error`" if isinstance(debug_mode, str) else "0, 1, or 2"
        raise RuntimeError(f"invalid value of debug_mode, expected {expected}, but got {debug_mode}")
    state["debug"], state["warns"] = mode, mode == 1


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
    """Set the precision of matrix products: "highest", "high" or "medium".  Warn of any other word, which has no effect.

    Raise RuntimeError unless it is a word.
    """
    require_kind("set_float32_matmul_precision", precision, str)
    if precision not in ("highest", "high", "medium"):
        warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current"
            "setFloat32MatmulPrecision call has no effect."
        )
    else:
        state["precision"] = precision


@public
def set_warn_always(b):
    """Set whether warnings are repeated every time.  Raise RuntimeError unless ``b`` is a bool."""
    require_kind("setWarnOnlyOnce", b, bool)
    always[0] = b


@public
def is_warn_always_enabled():
    """Return True if warnings are repeated every time."""
    return always[0]


@public
def set_flush_denormal(mode):
    """Flush denormal numbers, such as 1e-310, to zero (True) or not (False).  Return True if that is supported.

    x86-64 with Linux does; elsewhere the setting has no effect and the result is False. Raise RuntimeError unless ``mode``
    is a bool.

    >>> import tensh as torch
    >>> torch.set_flush_denormal(False)
    True
    """
    from tensh.engine.arrays.denormal import flush_denormals

    require_kind("flush_denormal", mode, bool)
    return flush_denormals(mode)
