"""Facts that cannot be known without elements: PyTorch's exceptions, and the failures of tensh that they replace."""

import tensh as torch


class UnsupportedFakeTensorException(RuntimeError):
    """A tensor that has no fake form."""


class UnsupportedOperatorException(RuntimeError):
    """An operator that cannot be computed without elements; ``func`` is the operator."""

    def __init__(self, func=None):
        RuntimeError.__init__(self, func)
        self.func = func


class DynamicOutputShapeException(RuntimeError):
    """An operator, ``func``, whose elements determine the shape of its result."""

    __init__ = UnsupportedOperatorException.__init__


class DataDependentOutputException(RuntimeError):
    """An operator, ``func``, that returns elements as Python numbers."""

    __init__ = UnsupportedOperatorException.__init__


class UnsupportedMutationAliasingException(RuntimeError):
    """A write into memory that is shared in a way that fake tensors do not have."""


class FakeTensorDeviceMismatchError(RuntimeError):
    """Tensors of several devices in one call."""


NUMBERS = "_local_scalar_dense"
READERS = {"allclose": "allclose", "equal": "equal"} | dict.fromkeys(
    "item tolist __bool__ __int__ __float__ __index__ __complex__".split(), NUMBERS
)
"""Functions that return elements -> PyTorch's operators that do so."""
SHAPED = {"unique": "_unique2"} | dict.fromkeys("nonzero argwhere __getitem__".split(), "nonzero")
"""Functions whose results have a shape that depends on elements -> PyTorch's operators."""
ABSENCE = ("on meta tensors", "with Meta tensors", "no data!")
"""Words of the errors of the device meta that say that elements are missing."""


def translate(error, name):
    """Return PyTorch's exception for a failure that is due to missing elements; None for any other failure."""
    text = str(error)
    if not any(each in text for each in ABSENCE):
        return None
    spoken = text.split("::")[1].split(":")[0] if text.startswith("aten::") else NUMBERS
    operator = READERS.get(name) or SHAPED.get(name) or spoken
    kind = DataDependentOutputException if operator in READERS.values() else DynamicOutputShapeException
    base, _, overload = operator.partition(".")
    return kind(getattr(getattr(torch.ops.aten, base), overload or "default"))
