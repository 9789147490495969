"""Calls of functions that scripts leave to Python, or that they must not call."""

import inspect

from tensh.jit.leaving import UNUSED
from tensh.jit.scripting.building import Raised
from tensh.jit.scripting.kinds import none, uniform
from tensh.jit.types import TypedSignature

__all__ = ["PythonCalls"]


class PythonCalls:
    """The part of the compiler for functions that are marked by ``torch.jit.ignore`` and ``unused``."""

    def call_python(self, function, args, options, node):
        """Emit the call of a function that scripts leave to Python, or that they must not call; return None for another."""
        modifier = getattr(function, "_torchscript_modifier", None)
        if modifier not in ("ignore", "unused"):
            return None
        kind = TypedSignature(function).result
        kind = none if kind is None else uniform(kind)
        if modifier == "ignore":
            signature = inspect.signature(function)
            taken = [self.as_value(each, node) for each in signature.bind(*args, **options).arguments.values()]
            return self.emit(f"^{function.__name__}[]()", taken, [kind], node)
        self.emit("prim::RaiseException", [self.constant(UNUSED), self.constant(None)], (), node)
        self.raised_kind = kind
        raise Raised
