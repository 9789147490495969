"""Operators that cast their arguments while autocast is on.

Note [Autocast]
A program without autocast must not pay for it.  So no operator asks whether it is on, until it is switched on first:
then the code of the functions in policies.txt is exchanged for a few instructions that cast the arguments, and go on to a
twin with the function's own code.  The function object stays, and with it every reference to it.  Exchanged functions
ask for the mode of their thread, which takes 0.1 µs.  What a cast function calls itself casts nothing.
Where classes and modes can step in (dispatch/override/points.py), they are asked first, and the casts come after them.
"""

import os
import threading
from importlib import import_module
from types import FunctionType

from tensh.engine.arguments.caller import AUTOCAST
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import own_code, replace_code
from tensh.engine.dispatch.override.templates import code_of
from tensh.engine.dtypes.dtype import float32, float64
from tensh.support.locks import make_shared_lock

CODE = """
def casting(*args, **options):
    call = "CALL"
    return call("TWIN", "CAST", args, options)
"""
exchanged: dict = {}  # function -> its twin
policies: dict = {}  # function -> how it casts
finished: list = []  # holds True when all have been exchanged, which ^C may have stopped half way
lock = make_shared_lock()


class State(threading.local):
    """The settings of autocast in one thread."""

    def __init__(self):
        self.enabled, self.dtypes = set(), {}
        self.caching, self.nesting, self.cache = True, 0, {}
        self.recorder = None  # is told of regions, if there is one
        self.lower = None  # the dtype of lower precision of the CPU, while operators choose their precision


state = State()


def read_settings():
    """Return the settings of autocast in this thread, for ``restore_settings``."""
    return set(state.enabled), dict(state.dtypes), state.caching, state.nesting, state.lower


def restore_settings(settings):
    """Restore settings where regions were left without their ends."""
    state.enabled, state.dtypes, state.caching, state.nesting, state.lower = settings
    if not state.nesting:
        state.cache.clear()


# ── casts ────────────────────────────────────────────────────────────────────
def eligible(value):
    """Return True if a value is a tensor that autocast may cast."""
    return isinstance(value, Tensor) and value.is_floating_point() and value.dtype is not float64


def cast(value, dtype):
    """A tensor, or the tensors in lists and tuples, in ``dtype``; a leaf that requires grad is cast once in a region."""
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(cast(each, dtype) for each in value)
    if not eligible(value) or value.dtype is dtype:
        return value
    kept = state.caching and value.dtype is float32 and dtype is state.region and value.requires_grad
    if not (kept and value.is_leaf and not value._is_view()):
        return value.to(dtype)
    if id(value) not in state.cache:
        state.cache[id(value)] = value, value.to(dtype)  # the leaf is kept, so that its id stays its own
    return state.cache[id(value)][1]


def lower(values, dtype):
    """Return all in lower precision."""
    return cast(values, dtype)


def single(values, dtype):
    """Return all in float32."""
    return cast(values, float32)


def widest(values, dtype):
    """Return all in float32 if anything is; raise RuntimeError for the other dtype of 16 bits."""
    return cast(values, widest_dtype(values, dtype, dtype))


def widest_dtype(values, widest, dtype):
    """Return the wider of ``widest`` and the dtypes of the values, which are float32 or ``dtype``, that of autocast."""
    for each in values:
        if isinstance(each, (list, tuple)):
            widest = widest_dtype(each, widest, dtype)
        elif eligible(each) and widest is not float32:
            if each.dtype not in (float32, dtype):
                raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
            widest = each.dtype
    return widest


def call(twin, policy, args, options):
    """Return the result of an exchanged function."""
    dtype = state.lower
    if dtype is None:
        return twin(*args, **options)
    state.lower, state.region = None, dtype
    try:
        if options.get("out") is None:
            values = policy((*args, *options.values()), dtype)
            args, options = values[: len(args)], dict(zip(options, values[len(args) :], strict=True))
        return twin(*args, **options)
    finally:
        state.lower = dtype


def cast_apart(function, args, options, casting, go_on):
    """Cast the arguments within the context ``casting``, then let ``go_on(args, options)`` make the call without casts.

    As in PyTorch, the last argument is cast first.
    Return NotImplemented for a function that casts nothing now. Recorders call this, so that casts become separate steps.
    """
    policy = None
    function = getattr(function, "fn", function)
    while policy is None and isinstance(function, FunctionType):
        policy = policies.get(function)
        function = getattr(function, "without_out", None) or getattr(function, "__wrapped__", None)
    if policy is None:
        return NotImplemented
    dtype, state.lower = state.lower, None
    state.region = dtype
    try:
        with casting:
            values = policy((*args, *options.values())[::-1], dtype)[::-1]
        return go_on(values[: len(args)], dict(zip(options, values[len(args) :], strict=True)))
    finally:
        state.lower = dtype


# ── the exchange ─────────────────────────────────────────────────────────────
def exchange_functions():
    """Exchange the code of the functions in policies.txt, once."""
    with lock:
        if finished:
            return
        with open(os.path.join(os.path.dirname(__file__), "policies.txt"), encoding="utf-8") as file:
            lines = [line.split() for line in file.read().split("\n\n")[1].splitlines()]
        # all, before any is exchanged: some are copied from others
        found = [
            (function, POLICIES[policy])
            for policy, place, *names in lines
            for name in names
            for function in functions(find_place(place), name)
        ]
        for function, policy in found:
            exchange(function, policy)
        finished.append(True)


POLICIES = {"lower": lower, "single": single, "widest": widest}


def find_place(path):
    """Return the module, class or table of a line."""
    if path == ".":
        return import_module("tensh")
    module, _, last = f"tensh.{path}".rpartition(".")
    return getattr(import_module(module), last, None) or import_module(f"tensh.{path}")


def functions(place, name):
    """Return the functions of a name, and those behind their wrappers."""
    found = place.get(name) if isinstance(place, dict) else getattr(place, name, None)
    function, chain = getattr(found, "fn", found), []
    while isinstance(function, FunctionType):
        chain.append(function)
        function = getattr(function, "without_out", None) or getattr(function, "__wrapped__", None)
    return chain


def exchange(function, policy):
    """Give a function the code that casts, and a twin that does not."""
    if function in exchanged:
        return
    own, behind = own_code(function)
    twin = FunctionType(own, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    twin.__kwdefaults__, twin.__qualname__ = function.__kwdefaults__, function.__qualname__
    exchanged[function] = exchanged[behind] = twin
    policies[function] = policy
    function.__dict__.setdefault("__wrapped__", twin)  # its signature
    values = {"CALL": call, "TWIN": twin, "CAST": policy}
    code = code_of(CODE, AUTOCAST, len(own.co_freevars), values)
    replace_code(function, code.replace(co_name=own.co_name))
