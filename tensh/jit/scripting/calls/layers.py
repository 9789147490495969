"""The library's layers as scripts see them: what their methods take and give, without compiling them."""

import inspect

from tensh.engine.core.tensor import Tensor
from tensh.jit.language.typed_signatures import TypedSignature
from tensh.jit.scripting.forms import find_method
from tensh.jit.scripting.kinds import uniform
from tensh.jit.scripting.sources import NotScriptable
from tensh.jit.scripting.sugar import class_of

__all__ = ["declare_layer", "is_layer", "name_in_scripts"]

NAMES = {"LSTM": "forward__0", "GRU": "forward__0"}
"""Layers whose ``forward`` has several forms, under the name of the one that takes tensors."""
CONTAINERS = frozenset("Sequential ModuleList ModuleDict".split())


class Declared:
    """A method of a layer that is not compiled: its parameters and the type of its result."""

    def __init__(self, program, module, method, signature, kinds):
        self.module, self.method, self.signature, self.kinds, self.graph = module, method, signature, kinds, None
        self.name = name_in_scripts(module, method)
        self.program, self.known = program, None

    @property
    def result(self):
        """The type of the result; a tensor if the method cannot be compiled."""
        if self.known is None:
            try:
                self.known = self.program.layer(self).result
            except NotScriptable:
                self.known = Tensor
        return self.known


def name_in_scripts(module, method):
    """Return the name by which scripts call a method."""
    return NAMES.get(class_of(module).__name__, method) if method == "forward" else method


def is_layer(module):
    """Return True for a layer of the library that is not a container."""
    cls = class_of(module)
    return cls.__module__.startswith(("torch.nn", "tensh.nn")) and cls.__name__ not in CONTAINERS


def declare_layer(program, module, name):
    """Return a method of a layer as a script calls it; None if the layer has no such method."""
    cls = class_of(module)
    form = find_method(cls, name)
    if form is not None:
        border = TypedSignature(form, "self")
        declared = Declared(
            program, module, name, plain_signature(form), {key: uniform(kind) for key, kind in border.kinds.items()}
        )
        declared.kinds = {
            key: Tensor if kind is inspect.Parameter.empty else kind for key, kind in declared.kinds.items()
        }
        declared.known = uniform(border.result) if border.annotated else None
        return declared
    fn = inspect.getattr_static(cls, name, None)
    if not inspect.isfunction(fn):
        return None
    signature = plain_signature(fn)
    kinds = {name: kind_of_parameter(each) for name, each in signature.parameters.items()}
    return Declared(program, module, name, signature, kinds)


def plain_signature(fn):
    """Return the signature of a method without ``self``."""
    return inspect.Signature(list(inspect.signature(fn).parameters.values())[1:])


def kind_of_parameter(parameter):
    if parameter.default is None:
        return Tensor | None
    return type(parameter.default) if isinstance(parameter.default, (bool, int, float, str)) else Tensor
