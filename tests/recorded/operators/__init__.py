"""Calls of every operator, as data: one file per family, read by test_ops.py.

A family's file defines ``SAMPLES``, which maps a name in the torch namespace (dotted for ``special.entr``; ``Tensor.x``
where there is only a method) to calls of it, and ``COVERS``, the files of tensh/engine whose public operators must all
have a sample there.  What PyTorch answers to the calls stands beside it in FAMILY.json:

    python -m tests.recorded operators/FAMILY          # needs PyTorch

``OF_MEMORY`` names what depends on where the elements lie, ``RESHAPED`` what has an in-place form that changes the shape.

A call is ``call(*args, **kwargs)``.  Tensors among the arguments are written as ``x(2, 3)`` and the like: an argument
of the dtype under test, float64 unless the test says otherwise, and a leaf where gradients are tested.
"""

import functools
import importlib
import pkgutil
import zlib
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Argument:
    """A tensor to be made: its shape, and numbers drawn evenly from ``low`` to ``high``."""

    shape: tuple
    low: float
    high: float
    kind: str = "tested"  # or "complex", or the name of a fixed dtype

    def values(self, seed, dtype):
        """The numbers, the same in every run, as an array for the dtype."""
        rng = np.random.default_rng(seed)
        values = rng.uniform(self.low, self.high, self.shape)
        if self.kind == "complex" or dtype.startswith("complex"):
            values = values + 1j * rng.uniform(self.low, self.high, self.shape)
        if dtype == "bool":
            return np.asarray(values.real > (self.low + self.high) / 2)
        if dtype.startswith(("int", "uint")):
            values = np.rint(values.real * (1 if self.kind == dtype else 4))
            return np.asarray(abs(values) if dtype.startswith("u") else values)
        return np.asarray(values)

    def dtype(self, tested):
        """The name of the dtype it takes when ``tested`` is under test."""
        if self.kind == "tested":
            return tested
        return "complex128" if self.kind == "complex" else self.kind

    differentiable = property(lambda self: self.kind in ("tested", "complex"))


def x(*shape, low=-2.0, high=2.0):
    """A tensor of the dtype under test."""
    return Argument(shape, low, high)


def c(*shape, low=-2.0, high=2.0):
    """A complex tensor."""
    return Argument(shape, low, high, "complex")


def i(*shape, low=-3.0, high=3.0):
    """A tensor of int64."""
    return Argument(shape, low, high, "int64")


def b(*shape):
    """A tensor of bools."""
    return Argument(shape, 0.0, 1.0, "bool")


@dataclass(frozen=True)
class Call:
    """The arguments of one call.

    ``smooth``: differences of values may test its derivatives; ``in_place``: the in-place form takes them, too.
    """

    args: tuple
    kwargs: dict
    smooth: bool = True
    in_place: bool = True

    def arrays(self, tested="float64", prefix=""):
        """[(Argument, dtype name, NumPy array)] of the tensors among the arguments, in order."""
        found = []
        for argument in (*self.args, *self.kwargs.values()):
            for each in argument if isinstance(argument, (list, tuple)) else (argument,):
                if isinstance(each, Argument):
                    dtype = each.dtype(tested)
                    seed = zlib.crc32(repr((prefix, len(found), each)).encode())
                    found.append((each, dtype, each.values(seed, dtype)))
        return found

    def filled(self, tensors):
        """Return (args, kwargs) with the tensors in the places of the Arguments."""
        rest = iter(tensors)

        def fill(value):
            if isinstance(value, (list, tuple)):
                return type(value)(map(fill, value))
            return next(rest) if isinstance(value, Argument) else value

        return tuple(map(fill, self.args)), {name: fill(value) for name, value in self.kwargs.items()}


def call(*args, **kwargs):
    """A call with these arguments."""
    return Call(args, kwargs)


def rough(*args, **kwargs):
    """A call whose derivative differences of values do not show: at a jump, or refused by PyTorch."""
    return Call(args, kwargs, smooth=False)


def resolve(m, name):
    """The function ``name`` in module ``m``."""
    return functools.reduce(getattr, name.split("."), m)


def tensor(m, array, dtype):
    """An array as a tensor of ``m``."""
    return m.tensor(array.tolist() if array.ndim == 0 else array).to(getattr(m, dtype))


def families():
    """The modules of this package."""
    return [
        importlib.import_module(f"{__name__}.{each.name}")
        for each in pkgutil.iter_modules(__path__)
        if each.name != "record"
    ]


__all__ = ["Call", "b", "c", "call", "families", "i", "replace", "resolve", "rough", "tensor", "x"]
