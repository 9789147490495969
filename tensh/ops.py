"""torch.ops: operators by namespace; ``aten`` holds tensh's own, other namespaces those of ``torch.library``."""

import os
import sys
from operator import attrgetter
from types import ModuleType

from tensh._aten.operator_classes import OpOverloadPacket
from tensh._library.late import LATE, load_late

OF_GROUPS = frozenset(
    """_allgather_base_ _reduce_scatter_base_ allgather_ allgather_coalesced_ allgather_into_tensor_coalesced_ allreduce_
    allreduce_coalesced_ alltoall_ alltoall_base_ barrier broadcast_ check_for_nan gather_ monitored_barrier_ recv_ recv_any_source_
    reduce_ reduce_scatter_ reduce_scatter_tensor_coalesced_ scatter_ send""".split()
)
"""Operators of PyTorch on its own process groups, in the namespace ``c10d``."""


class Operator(OpOverloadPacket):
    """An operator without a schema: every overload is the operator itself."""

    def __init__(self, space, name, function):
        self._qualified_op_name, self._function = f"{space}::{name}", function
        self.__name__ = name

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)

    def overloads(self):
        """Return ["default"]."""
        return ["default"]

    def __getattr__(self, overload):
        if overload.startswith("_"):
            raise AttributeError(overload)
        return self


class _OpNamespace(ModuleType):
    """The operators of a namespace."""

    __module__, __file__ = "torch._ops", "torch.ops"

    def __init__(self, name):
        super().__init__(f"torch.ops.{name}")
        self.name = name

    def __getattr__(self, name):
        if name in ("__origin__", "__self__"):
            raise AttributeError(f"Invalid attribute '{name}' for '_OpNamespace' '{self.name}'")
        load_late(self.name)
        found = find_operator(self.name, name)
        if found is None:
            kind = "'_OpNamespace' '"
            if self.name == "higher_order":
                kind = "'_HigherOrderNamespace' 'torch.ops."
            raise AttributeError(f"{kind}{self.name}' object has no attribute '{name}'")
        return found


def find_operator(space, name):
    """Return an operator of a namespace, or None."""
    from tensh._higher_order_ops import HigherOrderOperator
    from tensh._library.custom_ops import find_packet

    if (packet := find_packet(space, name)) is not None:
        return packet
    if space == "higher_order":
        return HigherOrderOperator.known.get(name)
    if space == "prim" and name in ("device", "dtype", "layout"):
        return Operator(space, name, attrgetter(name))
    if space == "c10d" and name in OF_GROUPS:
        return Operator(space, name, refuse_call(f"{space}.{name}"))
    return find_aten(space, name) if space in ("aten", "prims") else None


def find_aten(space, name):
    """Return an operator of PyTorch, or one of tensh that derivatives consist of, or None."""
    from tensh._aten.derivatives.names import derivative_by_name
    from tensh._aten.overloads import Word, schemas
    from tensh._aten.packets import Packet, all_overloads, packet_of
    from tensh.engine.codegen.vocabulary import OPS

    if space == "aten" and name in schemas():
        return packet_of(name)
    if space == "aten" and (derivative := derivative_by_name(name)):
        return Packet(name, {"default": derivative})
    known = f"{space}::{name}" in all_overloads()
    if space == "aten" and name in OPS:  # in derivatives that traces contain
        return Operator(space, name, either(Word(name), packet_of(name)) if known else Word(name))
    return packet_of(name, space) if known else None


def refuse_call(name):
    """Return a function that raises: a library may list an operator in a table, and only a call needs it."""

    def call(*args, **kwargs):
        raise NotImplementedError(f"torch.ops.{name} exists in PyTorch but not in tensh")

    return call


def either(one, other):
    """Return a function that calls one of two: the second, if the first does not take the arguments."""

    def call(*args, **kwargs):
        try:
            return one(*args, **kwargs)
        except TypeError:
            return other(*args, **kwargs)

    return call


class _Ops(ModuleType):
    """The module ``torch.ops``: its attributes are namespaces, made when they are first used."""

    __module__ = "torch._ops"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"module 'torch.ops' has no attribute '{name}'")
        value = self.__dict__[name] = _OpNamespace(name)
        return value

    def __iter__(self):
        return iter([name for name, value in self.__dict__.items() if isinstance(value, _OpNamespace)])

    def load_library(self, path):
        """Register tensh's operators for a library that it knows by name; raise OSError for others, made for PyTorch."""
        path = os.path.realpath(path)
        if (name := os.path.basename(path).partition(".")[0].removeprefix("lib")) in LATE:
            load_late(name)
            loaded_libraries.add(path)
            return
        reason = OSError("tensh loads no libraries of PyTorch's operators")
        raise OSError(f"Could not load this library: {path}") from reason


loaded_libraries: set = set()
"""The paths of the libraries whose operators tensh has registered."""
sys.modules[__name__.replace("torch", "tensh", 1)].__class__ = _Ops
