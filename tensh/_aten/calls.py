"""Calls of ``aten`` operators by name: the overload that takes the arguments is chosen."""

import tensh as torch
from tensh._aten.overloads import schemas
from tensh.engine.dispatch.override.state import state


def choose_overload(name, args, options):
    """(overload, args, options) of the first overload that takes these arguments; () if none does."""
    for overload in schemas()[name].values():
        try:
            return overload, *overload.bind(args, options)
        except (TypeError, KeyError):
            continue
    return ()


def call_overload(overload, args=(), options=None):
    """Call an overload with the options that PyTorch's functions in Python pass on although nobody gave them."""
    options = options or {}
    names = [p.name for p in overload.parameters if p.named]
    if "pin_memory" in names and overload._opname != "_to_copy":
        if "device" in names and not overload._text.startswith("Tensor"):
            options.setdefault("device", torch.device("cpu"))
        options.setdefault("pin_memory", False)
    return overload(*args, **options)


def aten(name, *args, **options):
    """Call the operator ``name``, by the overload that takes the arguments."""
    found = choose_overload(name, args, options)
    if not found:
        raise NotImplementedError(f"aten::{name} takes no such arguments")
    return call_overload(*found)


def call_plain(function, *args, **options):
    """Call a function below all classes and modes that override functions."""
    before, state.below = state.below, True
    try:
        return function(*args, **options)
    finally:
        state.below = before
