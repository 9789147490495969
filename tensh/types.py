"""torch.types: names for annotations."""

import os
from collections.abc import Sequence
from typing import IO, Union

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes import device, dtype
from tensh.engine.dtypes.device import layout
from tensh.engine.dtypes.size import Size
from tensh.engine.dtypes.symbols import SymBool, SymFloat, SymInt
from tensh.engine.methods.unsupported import unsupported_lookup

Number = Union[int, float, bool]  # noqa: UP007 (as PyTorch shows it)
Device = Union[device, str, int, None]  # noqa: UP007

_TensorOrTensors = Union[Tensor, Sequence[Tensor]]  # noqa: UP007
_dtype, _device, _layout = dtype, device, layout
_int, _float, _bool, _complex = int, float, bool, complex
_size = Union[Size, list[int], tuple[int, ...]]  # noqa: UP007
_symsize = _size

IntLikeType, FloatLikeType, BoolLikeType = int | SymInt, float | SymFloat, bool | SymBool
PySymType = SymInt | SymFloat | SymBool
py_sym_types = SymInt, SymFloat, SymBool

FileLike = Union[str, os.PathLike[str], IO[bytes]]  # noqa: UP007


class Storage:
    """The memory of a tensor, for annotations.

    >>> import tensh as torch
    >>> def count_bytes(memory: torch.types.Storage) -> int:
    ...     return memory.nbytes()
    >>> count_bytes(torch.ones(2).untyped_storage())
    8
    """

    device: Device
    dtype: dtype


__all__ = ["Number", "Device", "FileLike", "Storage"]

__getattr__ = unsupported_lookup("torch.types")
