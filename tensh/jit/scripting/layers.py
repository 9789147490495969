"""The library's layers as scripts see them: what their methods take and give, without compiling them."""

import inspect

from tensh.engine.core.tensor import Tensor
from tensh.jit.scripting.sugar import class_of

__all__ = ["declare_layer", "is_layer"]

PAIR = tuple[Tensor, Tensor]
RESULTS = {
    "RNN": PAIR, "GRU": PAIR, "LSTM": tuple[Tensor, PAIR], "LSTMCell": PAIR,
    "MultiheadAttention": tuple[Tensor, Tensor | None],
}  # fmt: skip
"""Layers whose ``forward`` gives more than one tensor."""
NAMES = {"LSTM": "forward__0", "GRU": "forward__0"}
"""Layers whose ``forward`` has several forms, under the name of the one that takes tensors."""
KINDS = {("LSTM", "hx"): PAIR | None, ("LSTMCell", "hx"): PAIR | None}
CONTAINERS = frozenset("Sequential ModuleList ModuleDict".split())


class Declared:
    """A method of a layer that is not compiled: its parameters and the type of its result."""

    def __init__(self, module, method, signature, kinds):
        cls = class_of(module)
        self.module, self.method, self.signature, self.kinds, self.graph = module, method, signature, kinds, None
        self.name = NAMES.get(cls.__name__, method) if method == "forward" else method
        self.result = RESULTS.get(cls.__name__, Tensor)


def is_layer(module):
    """Return True for a layer of the library that is no container."""
    cls = class_of(module)
    return cls.__module__.startswith(("torch.nn", "tensh.nn")) and cls.__name__ not in CONTAINERS


def declare_layer(module, name):
    """Return a method of a layer as a script calls it; None if the layer has no such method."""
    cls = class_of(module)
    fn = inspect.getattr_static(cls, name, None)
    if not inspect.isfunction(fn):
        return None
    parameters = list(inspect.signature(fn).parameters.values())[1:]
    kinds = {each.name: KINDS.get((cls.__name__, each.name), kind_of_parameter(each)) for each in parameters}
    return Declared(module, name, inspect.Signature(parameters), kinds)


def kind_of_parameter(parameter):
    if parameter.default is None:
        return Tensor | None
    return type(parameter.default) if isinstance(parameter.default, (bool, int, float, str)) else Tensor
