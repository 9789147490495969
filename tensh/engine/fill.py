"""New tensors of a given size: zeros, ones, one number, anything."""

import numpy as np

from tensh.engine.arguments import options, sizes
from tensh.engine.create import leaf, require_bool
from tensh.engine.dtype import of_scalar
from tensh.engine.inplace import into
from tensh.engine.table import METHODS, PUBLIC, public
from tensh.engine.tensor import wrap

KEYWORDS = frozenset({"dtype", "layout", "device", "pin_memory"})


def ones(shape, dtype):
    array = np.empty(shape, dtype)
    array.fill(1)
    return array


def made(name, make, shape, given, default=None):
    """The tensor ``make(shape, dtype)`` with PyTorch's keywords ``given``."""
    requires_grad, out = given.pop("requires_grad", False), given.pop("out", None)
    require_bool(requires_grad, name)
    unknown = given.keys() - KEYWORDS
    if unknown:
        raise TypeError(f"{name}() got an unexpected keyword argument '{sorted(unknown)[0]}'")
    numpy = options(name, **given) or default or of_scalar[float].numpy
    if out is not None:
        return into(out, wrap(make(shape, out.array.dtype)), name)
    return leaf(make(shape, numpy), requires_grad)


def filler(name, make, doc):
    def function(*size, **given):
        if not size and "size" in given:
            size = given.pop("size"),
        return made(name, make, sizes(size, name), given)

    def method(self, *size, **given):
        if not size and "size" in given:
            size = given.pop("size"),
        return made(f"new_{name}", make, sizes(size, name), given, self.array.dtype)

    def like(input, **given):
        given.pop("memory_format", None)
        return made(f"{name}_like", make, input.array.shape, given, input.array.dtype)

    for each, title in (function, name), (method, f"new_{name}"), (like, f"{name}_like"):
        each.__name__ = each.__qualname__ = title
        each.__doc__ = doc
        each.__module__ = "torch"
    PUBLIC[name] = function
    PUBLIC[f"{name}_like"] = like
    METHODS[f"new_{name}"] = method


filler("zeros", np.zeros, "A tensor of zeros.")
filler("ones", ones, "A tensor of ones.")
filler("empty", np.zeros, "A tensor.")


@public
def full(size, fill_value, **given):
    """A tensor of one number."""
    number = fill_value.item() if hasattr(fill_value, "item") else fill_value
    return made("full", lambda s, d: np.full(s, number, d), sizes((size,), "full"), given, of_scalar[type(number)].numpy)


@public
def full_like(input, fill_value, **given):
    """A tensor of one number."""
    given.pop("memory_format", None)
    return made("full_like", lambda s, d: np.full(s, fill_value, d), input.array.shape, given, input.array.dtype)
