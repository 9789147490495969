"""Operators with all of PyTorch's overloads, also with numbers, lists and ``out``: ``torch.ops.aten.NAME``.

``all_overloads.txt`` is written by ``tools/aten.py``.  A line is the name of an overload, its declaration if
``schemas.txt`` does not have it, and after ``#`` its tags.
"""

import re
from functools import cache
from pathlib import Path

import tensh as torch
from tensh._aten.handlers import ask_overrides, find_overrides
from tensh._aten.kernels.table import kernel_of
from tensh._aten.misfits import describe_misfits, require_fitting
from tensh._aten.operator_classes import OpOverloadPacket
from tensh._aten.overloads import Overload, schemas
from tensh._aten.schema import FunctionSchema
from tensh.engine.core.ports import Port
from tensh.engine.core.tensor import Tensor
from tensh.engine.inplace.out import write_out
from tensh.func.trees import leaves_of

call_with_numbers = Port("jit.files.operators", "call_operator")
"""``call_with_numbers(name, args, kwargs)``: the result of an operator on numbers, texts and lists."""


@cache
def all_overloads():
    """(namespace::operator) -> name of each overload -> its declaration, "" for one in ``schemas``, and its tags."""
    found = {}
    for line in Path(__file__).with_name("all_overloads.txt").read_text(encoding="utf-8").splitlines():
        declaration, _, tags = line.partition(" #")
        full, bracket, _ = declaration.partition("(")
        name, _, overload = full.partition(".")
        name = name if "::" in name else f"aten::{name}"
        found.setdefault(name, {})[overload or "default"] = (declaration if bracket else "", tags.split())
    return found


def tags_of(overload):
    """Return the tags of an overload; those that PyTorch lacks have none."""
    known = all_overloads().get(f"{overload.namespace}::{overload._opname}", {}).get(overload._overloadname)
    names = [*known[1], "pt2_compliant_tag"] if known else ()
    return sorted((torch.Tag[name] for name in names), key=int)


ALIAS = re.compile(r"\(\w+!?( -> [\w*|]+)?\)")


class Further(Overload):
    """An overload without an entry in ``schemas``: computes by one with an entry, and writes the results into ``out``."""

    def __init__(self, namespace, name, overload, declaration):
        self.namespace = namespace
        self.declared = FunctionSchema(declaration if "::" in declaration else f"aten::{declaration}")
        arguments = self.declared[: self.declared.rindex(") -> ")].partition("(")[2]
        super().__init__(name, overload, ALIAS.sub("", arguments).replace("SymInt", "int"), False)
        self.__module__ = f"torch._ops.{namespace}"

    _schema = property(lambda self: self.declared)

    @property
    def overloadpacket(self):
        return packet_of(self._opname, self.namespace)

    def __call__(self, /, *args, **kwargs):
        require_fitting(self, args, kwargs)
        return self.ask_and_compute(args, kwargs)

    def compute(self, args, kwargs):
        """Return the result, computed by an overload that has a function."""
        if self.namespace != "aten":
            return kernel_of(self)(*args, **kwargs)
        if self._opname not in schemas() or not any(isinstance(each, Tensor) for each in leaves_of([args, kwargs])):
            return self.compute_numbers(args, kwargs)
        targets = [each.name for each in self.declared.arguments if each.kwarg_only and each.alias_info]
        written = [kwargs[name] for name in targets]
        rest = {name: value for name, value in kwargs.items() if name not in targets}
        result = packet_of(self._opname)(*args, **rest)
        if len(written) == 1:
            return write_out(written[0], result, self._opname)
        if written:
            write_out(written, tuple(result), self._opname)
        return tuple(written) or result

    def compute_numbers(self, args, kwargs):
        """Return the result for numbers, texts and lists."""
        try:
            return call_with_numbers(self._opname, args, kwargs)
        except NotImplementedError:
            raise NotImplementedError(f"torch.ops.{self.overloadpacket} exists in PyTorch but not in tensh") from None


class Packet(OpOverloadPacket):
    """An operator with its overloads as attributes; called, it takes the one that fits."""

    def __init__(self, name, overloads, namespace="aten"):
        self._qualified_op_name, self.__name__, self._computed = f"{namespace}::{name}", name, overloads
        self.__module__ = f"torch._ops.{namespace}"
        self.__dict__.update(overloads)

    def __reduce__(self):
        return packet_of, (self.__name__, self._qualified_op_name.partition("::")[0])

    def overloads(self):
        """Return the names of the overloads."""
        return list(all_overloads().get(self._qualified_op_name, self._computed))

    def __getattr__(self, name):
        declaration, _ = all_overloads().get(self._qualified_op_name, {}).get(name, ("", ()))
        if not declaration:
            return super().__getattr__(name)
        found = self.__dict__[name] = Further(*self._qualified_op_name.split("::"), name, declaration)
        return found

    def __call__(self, *args, **kwargs):
        if (found := find_overrides(args, kwargs)) is not None:
            return ask_overrides(self, found, args, kwargs)
        for overload in self._computed.values():
            try:
                bound = overload.bind(args, kwargs)
            except (TypeError, KeyError):
                continue
            return overload(*bound[0], **bound[1])
        for overload in self.find_further(args, kwargs):
            return overload(*args, **kwargs)
        raise RuntimeError(describe_misfits(self._computed.values(), args, kwargs))

    def find_further(self, args, kwargs):
        """Yield the other overloads that take these arguments."""
        for name in self.overloads():
            overload = getattr(self, name)
            if isinstance(overload, Further) and not describe_misfits([overload], args, kwargs, ""):
                yield overload


@cache
def packet_of(name, namespace="aten"):
    """Return the operator of a name, with all its overloads."""
    return Packet(name, schemas().get(name, {}) if namespace == "aten" else {}, namespace)
