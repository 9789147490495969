"""Reductions over processes: sum, maximum, ..."""

import enum


class RedOpType(enum.IntEnum):
    """The kinds of reductions over processes.

    >>> import tensh as torch
    >>> torch.distributed.ReduceOp.SUM
    <RedOpType.SUM: 0>
    """

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = range(9)
    __str__ = enum.Enum.__str__


BITWISE = RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR
REAL = RedOpType.PRODUCT, RedOpType.MIN, RedOpType.MAX, *BITWISE


class ReduceOp:
    """The reductions of collectives: SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR; an instance represents one of them.

    >>> import tensh as torch
    >>> torch.distributed.ReduceOp(torch.distributed.ReduceOp.MAX) == torch.distributed.ReduceOp.MAX
    True
    """

    RedOpType = RedOpType

    def __init__(self, op):
        self.op = reduction_of(op, RedOpType)

    def __eq__(self, other):
        return isinstance(other, (ReduceOp, RedOpType)) and self.op is getattr(other, "op", other)

    def __hash__(self):
        return hash(self.op)


for _each in RedOpType:
    setattr(ReduceOp, _each.name, _each)
ReduceOp.__module__ = RedOpType.__module__ = "torch.distributed.distributed_c10d"
RedOpType.__qualname__ = "ReduceOp.RedOpType"


def supports_complex(reduceOp):
    """Return True if a reduction is defined for complex numbers.

    >>> import tensh as torch
    >>> torch.distributed.supports_complex(torch.distributed.ReduceOp.MAX)
    False
    """
    return getattr(reduceOp, "op", reduceOp) not in REAL


def reduction_of(op, allowed=tuple(RedOpType)[:-1]):
    """Return the kind of a reduction; raise TypeError for other values, and for one that only other devices have."""
    found = op.op if isinstance(op, ReduceOp) else op
    if not isinstance(found, RedOpType) or found not in allowed:
        names = ", ".join(each.name for each in allowed)
        raise TypeError(f"incompatible function arguments: op must be one of ReduceOp's {names}, not {op!r}")
    return found


def check_reduction(op, tensor):
    """Raise RuntimeError for a reduction that the tensor's dtype lacks."""
    op = reduction_of(op)
    if op in BITWISE and tensor.is_floating_point():
        raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
    if tensor.is_complex() and not supports_complex(op):
        raise RuntimeError(f"reduce does not support ReduceOp.{op.name} on complex tensors")
    if op is RedOpType.AVG and not (tensor.is_floating_point() or tensor.is_complex()):
        kind = tensor.type().removeprefix("torch.").removesuffix("Tensor")
        raise RuntimeError(f"result type Float can't be cast to the desired output type {kind}")
