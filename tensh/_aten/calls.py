"""Calls of ``aten`` operators by name: the overload that takes the arguments is chosen."""

import tensh as torch
from tensh._aten.overloads import schemas
from tensh.engine.dispatch.override.state import state
from tensh.func.trees import leaves_of


def choose_overload(name, args, options):
    """Return (overload, args, options) of the first overload that takes these arguments; () if none does."""
    for overload in schemas()[name].values():
        try:
            return overload, *overload.bind(args, options)
        except (TypeError, KeyError):
            continue
    return ()


def call_overload(overload, args=(), options=None):
    """Call an overload with the default options that PyTorch passes on.

    The options are those of its Python functions, or of its C++ functions within derivatives.
    """
    options = options or {}
    names = [p.name for p in overload.parameters if p.named]
    if state.formulas or overload._opname == "scalar_tensor":
        if "device" in names and not overload._text.startswith("Tensor"):
            options |= {"layout": torch.strided, "device": torch.device("cpu")}
    elif "pin_memory" in names and overload._opname != "_to_copy":
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


def call_named(name, *args):
    """Call an operator by "NAME" or "NAME.OVERLOAD"; the last argument may be a dictionary of keywords."""
    name, _, overload = name.partition(".")
    *args, options = args if isinstance(args[-1], dict) else (*args, {})
    if not overload:
        return aten(name, *args, **{key: value for key, value in options.items() if value is not None})
    found = schemas()[name][overload]
    return call_overload(found, *found.bind(args, {}))


class HandedOn:
    """The next call of an operator stands for a function of tensh: a mode that hands the call on gets what that computes.

    ``compute(replace)`` returns (the function's own result, the operator's), for other tensors if ``replace`` gives some.
    """

    def __init__(self, compute):
        self.compute, self.overload, self.results = compute, None, []

    def __enter__(self):
        self.before, state.handed = state.handed, self
        return self

    def __exit__(self, *failure):
        state.handed = self.before

    def claim(self, overload, args):
        """Note the call that stands for the function."""
        if self.overload is None:
            self.overload, self.args = overload, args

    def answers(self, args):
        """Return True if that call has these arguments."""
        return is_same(args, self.args)

    def result(self, args):
        """Return the result as the operator has it, with other tensors where the mode changed them."""
        given, changed = leaves_of(self.args), leaves_of(args)
        others = {id(one): other for one, other in zip(given, changed, strict=True) if one is not other}
        self.results.append(self.compute(lambda value: others.get(id(value), value)))
        return self.results[-1][1]

    def own(self, answer):
        """Return the function's result for the answer of a mode."""
        return next((own for own, shown in self.results if shown is answer), answer)


def is_same(one, other):
    """Return True for the same values, also within lists."""
    if type(one) in (list, tuple):
        return type(other) in (list, tuple) and len(one) == len(other) and all(map(is_same, one, other))
    return one is other or type(one) is type(other) in (int, float, bool, str) and one == other
