"""Conversions: to another dtype, to NumPy, to Python's numbers."""

from tensh.engine.device import device as Device
from tensh.engine.device import require_cpu
from tensh.engine.dtype import ALL, BY_NUMPY, dtype
from tensh.engine.table import METHODS, OPS
from tensh.engine.tensor import Tensor


def cast(t, to):
    """``t`` in another dtype: itself if it has it."""
    return t if t.array.dtype is to.numpy else OPS["cast"].fn(t, to.numpy)


def to(self, *args, dtype=None, device=None, copy=False, non_blocking=False, memory_format=None):
    """The tensor in another dtype; itself when nothing changes."""
    for each in args:
        if isinstance(each, Tensor):
            dtype = BY_NUMPY[each.array.dtype]
        elif isinstance(each, (str, Device)):
            device = each
        elif each is not None and not isinstance(each, bool):
            dtype = each
    require_cpu(device)
    t = self if dtype is None else cast(self, dtype)
    return OPS["clone"].fn(t) if copy and t is self else t


def numpy(self, *, force=False):
    """The values as a NumPy array over the same memory."""
    if self.requires_grad and not force:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    return self.array.view()


def item(self):
    """The only element as a Python number."""
    return self.array.item()


def tolist(self):
    """The values as nested lists."""
    return self.array.tolist()


def type_as(self, other):
    """The tensor in the dtype of ``other``."""
    return cast(self, BY_NUMPY[other.array.dtype])


def cpu(self, memory_format=None):
    """The tensor itself: it is on the CPU."""
    return self


for _each in to, numpy, item, tolist, type_as, cpu:
    METHODS[_each.__name__] = _each


CASTS = {
    "float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16", "int": "int32", "long": "int64",
    "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool", "cfloat": "complex64", "cdouble": "complex128",
    "chalf": "complex32",
}  # fmt: skip


def caster(name, dtype):
    def method(self, memory_format=None):
        return cast(self, dtype)

    method.__name__ = method.__qualname__ = name
    method.__module__ = "torch"
    method.__doc__ = f"The tensor in {dtype}; itself if it is of that dtype."
    METHODS[name] = method


for _name, _dtype in CASTS.items():
    caster(_name, ALL[_dtype])
