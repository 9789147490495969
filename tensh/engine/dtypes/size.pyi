"""Size.

Written by tools/stubs.py; do not edit."""
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable as _Callable, Iterator as _Iterator, Sequence as _Sequence
from typing import Any as _Any
from typing import TypeVar as _TypeVar
import numpy as _np
class Size(tuple[_int, ...]):
    """The shape of a tensor: a tuple that prints as PyTorch prints it and knows its number of elements."""
    def __new__(cls, sizes: _Sequence[_int] = ...) -> Size: ...
    def numel(self) -> _int:
        """Return the number of elements of a tensor of this shape."""
SIZES: dict[tuple[_int, ...], Size]
def size_of(sizes: _Sequence[_int], /) -> Size: ...
