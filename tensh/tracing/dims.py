"""Dynamic dimensions of an exported program."""

import keyword


class Dim:
    """A named dimension whose size may vary between calls, from ``min`` to ``max``.

    ``Dim.AUTO`` and ``Dim.DYNAMIC`` are dynamic dimensions without a name, ``Dim.STATIC`` is one of fixed size.

    >>> import tensh as torch
    >>> batch = torch.export.Dim("batch", min=1, max=64)
    >>> batch
    Dim('batch', min=1, max=64)
    """

    __module__ = "torch.export"

    def __init__(self, name, *, min=None, max=None):
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            raise AssertionError(f"Dim name must be a valid identifier, got {name}")
        low, high = 0 if min is None else min, 2**63 - 1 if max is None else max
        if high <= low:
            raise AssertionError(f"Cannot create Dim with inconsistent min={min}, max={max}")
        self.__name__, self.min, self.max = name, min, max

    def __repr__(self):
        low = [f"min={self.min or 0}"] if self.min != 2 else []  # PyTorch specialises on sizes 0 and 1
        high = [f"max={self.max}"] if self.max is not None else []
        return f"Dim({', '.join([repr(self.__name__), *low, *high])})"


def dims(*names, min=None, max=None):
    """Return dimensions with these names and one range.

    >>> import tensh as torch
    >>> torch.export.dims("batch", "length", max=64)
    (Dim('batch', min=0, max=64), Dim('length', min=0, max=64))
    """
    return tuple(Dim(name, min=min, max=max) for name in names)


class Hint:
    """An unnamed kind of dimension."""

    min = max = None

    def __init__(self, name):
        self.__name__ = name

    def __repr__(self):
        return f"DimHint({self.__name__})"


Dim.AUTO, Dim.DYNAMIC, Dim.STATIC = Hint("AUTO"), Hint("DYNAMIC"), Hint("STATIC")
STATIC = Dim.STATIC
