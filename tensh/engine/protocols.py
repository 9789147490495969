"""Python's protocols: what len, bool, float, iter, copy, pickle and NumPy ask of a tensor."""

from tensh.engine.tensor import Tensor


def _hang(name):
    def hang(fn):
        setattr(Tensor, name, fn)
        return fn

    return hang


@_hang("__len__")
def length(t):
    """The size of the first dimension."""
    if not t.array.ndim:
        raise TypeError("len() of a 0-d tensor")
    return len(t.array)


@_hang("__bool__")
def truth(t):
    if t.array.size != 1:
        if not t.array.size:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(t.array.item())


for _kind in int, float, complex:
    setattr(Tensor, f"__{_kind.__name__}__", lambda t, kind=_kind: kind(t.item()))


@_hang("__array__")
def array(t, dtype=None, copy=None):
    return t.numpy() if dtype is None else t.numpy().astype(dtype, copy=False)


@_hang("__iter__")
def iterate(t):
    if not t.array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter([t[i] for i in range(len(t.array))])
