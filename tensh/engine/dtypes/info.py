"""The limits of number types: ``finfo`` for floating point and complex types, ``iinfo`` for integers."""

from functools import cache

import numpy as np

from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.dtypes.dtype import BUILTIN, COMPLEX, FLOAT, INTEGER, bool_, dtype, get_default_dtype
from tensh.support.naming import OfTorch, final, name_type


class Limits(metaclass=OfTorch):
    """Read-only limits of one dtype, made once and shared; equal if all numbers are equal."""

    __slots__ = ()
    __hash__ = None

    def __getattr__(self, name):
        raise AttributeError(f"'torch.{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        if name in self.__slots__:
            raise AttributeError(f"attribute '{name}' of 'torch.{type(self).__name__}' objects is not writable")
        self.__getattr__(name)

    def __eq__(self, other):
        return self.dtype == other.dtype if type(other) is type(self) else NotImplemented

    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle 'torch.{type(self).__name__}' object")

    def __repr__(self):
        numbers = [f"{name}={getattr(self, name):g}, " for name in self.shown]
        return f"{type(self).__name__}({''.join(numbers)}dtype={self.dtype})"


@cache
def limits(cls, which):
    """Return the limits of ``which`` as an object of ``cls``, made once."""
    self = object.__new__(cls)
    for name, value in cls.facts(which).items():
        object.__setattr__(self, name, value)
    return self


@final
class finfo(Limits):
    """The limits of a floating point dtype (of the default dtype if none is given), or of a complex dtype's parts.

    Attributes: ``bits``, ``eps`` (distance from 1 to the next larger number), ``max``, ``min`` (the most negative
    number), ``tiny`` and ``smallest_normal`` (the smallest positive number at full precision), ``resolution`` and
    ``dtype`` (its name, a string).

    >>> import tensh as torch
    >>> torch.finfo(torch.float32).eps
    1.1920928955078125e-07
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")
    __module__ = "torch"
    shown = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")

    @shows("cls, type=None", "")
    def __new__(cls, *args, **kwargs):
        if len(args) + len(kwargs) > 1:
            raise TypeError(describe_misfit(args, kwargs))
        which = argument("finfo", args, kwargs) if args or kwargs else get_default_dtype()
        if which.category not in (FLOAT, COMPLEX):
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'"
            )
        return limits(cls, which.to_real())

    @staticmethod
    def facts(which):
        about = float_facts(which)
        normal = float(about.smallest_normal)
        return {
            "bits": int(about.bits),
            "dtype": which.name,
            "eps": 0.125
            if which.name == "float8_e5m2fnuz"
            else float(about.eps),  # as in PyTorch; the distance is 0.25
            "max": float(about.max),
            "min": float(about.min),
            "resolution": 1.0 if about.bits == 8 else float(f"1e-{about.precision}"),
            "smallest_normal": normal,
            "tiny": normal,
        }


@final
class iinfo(Limits):
    """The limits of an integer dtype: ``bits``, ``max``, ``min`` and ``dtype`` (its name, a string).

    >>> import tensh as torch
    >>> torch.iinfo(torch.int8).max
    127
    """

    __slots__ = ("bits", "dtype", "max", "min")
    __module__ = "torch"
    shown = ("min", "max")

    @shows("cls, type", "")
    def __new__(cls, *args, **kwargs):
        if len(args) > 1:
            raise TypeError(f"iinfo() takes 1 positional argument but {len(args)} were given")
        if args and "type" in kwargs:
            raise TypeError("iinfo() got multiple values for argument 'type'")
        which = argument("iinfo", args, kwargs)
        if which is bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if which.category != INTEGER:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        return limits(cls, which)

    @staticmethod
    def facts(which):
        about = np.iinfo(which.numpy)
        return {"bits": about.bits, "dtype": which.name, "max": about.max, "min": about.min}


def float_facts(which):
    """Return the limits of a floating point dtype; ml_dtypes has those of bfloat16 and of eight bits."""
    if which.name in ("float16", "float32", "float64"):
        return np.finfo(which.numpy)
    import ml_dtypes

    return ml_dtypes.finfo(getattr(ml_dtypes, which.name))


def argument(name, args, kwargs):
    """Return the dtype that ``name`` was called with, by position or as ``type``."""
    if not args and "type" not in kwargs:
        raise TypeError(f'{name}() missing 1 required positional arguments: "type"')
    given = args[0] if args else kwargs["type"]
    which = BUILTIN.get(given, given) if isinstance(given, type) else given
    if not isinstance(which, dtype):
        position = " (position 1)" if args else ""
        raise TypeError(f"{name}(): argument 'type'{position} must be torch.dtype, not {name_type(given)}")
    return which


def describe_misfit(args, kwargs):
    """Return the message for arguments that fit no form of ``finfo``."""
    names = [type_name(value) for value in args] + [f"{name}={type_name(kwargs[name])}" for name in sorted(kwargs)]
    got = ", ".join(names) + ("" if args else ", ")
    return (
        f"finfo() received an invalid combination of arguments - got ({got}), but expected one of:\n"
        " * (torch.dtype type)\n * ()\n"
    )


def type_name(value):
    return "torch.dtype" if isinstance(value, dtype) else type(value).__name__
