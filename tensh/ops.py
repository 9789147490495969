"""torch.ops: operators by namespace; ``aten`` holds tensh's own, other namespaces those of ``torch.library``."""

import sys
from importlib import import_module
from operator import attrgetter
from types import ModuleType

LATE = dict.fromkeys(("_c10d_functional", "c10d_functional"), "tensh.distributed.functional_operators")
"""Namespace -> the module that registers its operators when one of them is first used."""


OF_GROUPS = frozenset(
    """_allgather_base_ _reduce_scatter_base_ allgather_ allgather_coalesced_ allgather_into_tensor_coalesced_ allreduce_
    allreduce_coalesced_ alltoall_ alltoall_base_ barrier broadcast_ check_for_nan gather_ monitored_barrier_ recv_ recv_any_source_
    reduce_ reduce_scatter_ reduce_scatter_tensor_coalesced_ scatter_ send""".split()
)
"""Operators of PyTorch on process groups of its own, in the namespace ``c10d``."""


class Operator:
    """An operator or one of its overloads, both callable."""

    def __init__(self, space, name, function):
        self._name, self._function = f"{space}::{name}", function
        self.__name__ = name

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)

    def __getattr__(self, overload):
        if overload.startswith("__"):
            raise AttributeError(overload)
        return self

    def __str__(self):
        return self._name.replace("::", ".")

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self}')>"


class Operators(ModuleType):
    """The operators of a namespace."""

    __file__ = "torch.ops"

    def __getattr__(self, name):
        from tensh._aten.derivative_names import derivative_by_name
        from tensh._aten.overloads import Packet, Word, packet_of, schemas
        from tensh._higher_order_ops import HigherOrderOperator
        from tensh._library.custom_ops import OPERATORS
        from tensh.engine.codegen.vocabulary import OPS
        from tensh.jit.checking.attributes import read_absent_operators

        space = self.__name__.rpartition(".")[2]
        if space in LATE:
            import_module(LATE[space])
        call_operator = OPERATORS.get(f"{space}::{name}")
        if call_operator is not None:
            return call_operator._packet
        if space == "aten" and name in schemas():
            return packet_of(name)
        if space == "higher_order" and name in HigherOrderOperator.known:
            return HigherOrderOperator.known[name]
        if space in ("aten", "prims") and call_operator is None and not name.startswith("__"):
            import tensh

            call_operator = getattr(tensh, name, None) or getattr(tensh.nn.functional, name, None)
            call_operator = call_operator or getattr(tensh.Tensor, name, None)
        if space == "aten" and (derivative := derivative_by_name(name)):
            return Packet(name, {"default": derivative})
        if space == "aten" and name in OPS:  # of tensh, in derivatives that traces contain
            call_operator = either(Word(name), call_operator) if call_operator else Word(name)
        if call_operator is None and space == "prim" and name in ("device", "dtype", "layout"):
            call_operator = attrgetter(name)
        # a library may list it in a table; only a call needs the operator
        if call_operator is None and (
            name in read_absent_operators() if space == "aten" else space == "c10d" and name in OF_GROUPS
        ):

            def call_operator(*args, **kwargs):
                raise NotImplementedError(f"torch.ops.{space}.{name} exists in PyTorch but not in tensh")

        if call_operator is None:
            raise AttributeError(f"'_OpNamespace' '{space}' object has no attribute '{name}'")
        return Operator(space, name, call_operator)


def either(one, other):
    """Return a function that calls one of two: the second, if the first does not take the arguments."""

    def call(*args, **kwargs):
        try:
            return one(*args, **kwargs)
        except TypeError:
            return other(*args, **kwargs)

    return call


def load_library(path):
    """Raise an error: compiled libraries are made for PyTorch."""
    raise OSError(f"{path}: tensh loads no libraries of PyTorch's operators")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.ops' has no attribute '{name}'")
    value = Operators(f"torch.ops.{name}")
    setattr(sys.modules[__name__.replace("torch", "tensh", 1)], name, value)
    return value
