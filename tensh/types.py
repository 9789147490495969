"""torch.types: names for annotations."""

import os
from collections.abc import Sequence
from typing import IO, Any, Union

from tensh.engine import device, dtype
from tensh.engine.absent import lacking
from tensh.engine.device import layout
from tensh.engine.tensor import Size, Tensor

Number = Union[int, float, bool]  # noqa: UP007 (as PyTorch shows it)
Device = Union[device, str, int, None]  # noqa: UP007

_TensorOrTensors = Union[Tensor, Sequence[Tensor]]  # noqa: UP007
_dtype, _device, _layout = dtype, device, layout
_int, _float, _bool, _complex = int, float, bool, complex
_size = Union[Size, list[int], tuple[int, ...]]  # noqa: UP007
_symsize, Storage = _size, Any

FileLike = Union[str, os.PathLike[str], IO[bytes]]  # noqa: UP007

__all__ = ["Number", "Device", "FileLike", "Storage"]

__getattr__ = lacking("torch.types")
