"""The description of a checkpoint, which its file ``.metadata`` stores: what there is, and where."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import tensh as torch
from tensh.switched_off import lookup

__all__ = [
    "BytesStorageMetadata",
    "ChunkStorageMetadata",
    "Metadata",
    "MetadataIndex",
    "StorageMeta",
    "TensorProperties",
    "TensorStorageMetadata",
]

__getattr__ = lookup("torch.distributed.checkpoint.metadata")


@dataclass
class ChunkStorageMetadata:
    """A box of a tensor, stored as one: where it begins in each dimension, and its sizes.

    >>> import tensh as torch
    >>> torch.distributed.checkpoint.ChunkStorageMetadata(torch.Size([2, 0]), torch.Size([2, 4])).offsets
    torch.Size([2, 0])
    """

    offsets: torch.Size
    sizes: torch.Size


class _MEM_FORMAT_ENCODING(Enum):
    """Memory formats, by the numbers that files have for them."""

    TORCH_CONTIGUOUS_FORMAT = 0
    TORCH_CHANNELS_LAST = 1
    TORCH_PRESERVE_FORMAT = 2


FORMATS = dict(
    zip(_MEM_FORMAT_ENCODING, (torch.contiguous_format, torch.channels_last, torch.preserve_format), strict=True)
)


@dataclass
class TensorProperties:
    """The dtype of a stored tensor. The other properties are those that PyTorch's files have, and loading ignores them."""

    dtype: torch.dtype = field(default_factory=torch.get_default_dtype)
    layout: torch.layout = torch.strided
    requires_grad: bool = False
    memory_format: torch.memory_format = torch.contiguous_format
    pin_memory: bool = False

    def __getstate__(self):
        number = next(number for number, form in FORMATS.items() if form is self.memory_format)
        return self.dtype, self.layout, self.requires_grad, number, self.pin_memory

    def __setstate__(self, state):
        self.dtype, self.layout, self.requires_grad, number, self.pin_memory = state
        self.memory_format = FORMATS[number]

    @staticmethod
    def create_from_tensor(tensor):
        """Return the properties of a tensor."""
        return TensorProperties(dtype=tensor.dtype, layout=tensor.layout, requires_grad=tensor.requires_grad)


@dataclass
class TensorStorageMetadata:
    """A stored tensor: its properties, its size, and the boxes that it consists of."""

    properties: TensorProperties
    size: torch.Size
    chunks: list[ChunkStorageMetadata]


@dataclass
class BytesStorageMetadata:
    """A stored object that is not a tensor."""


@dataclass
class StorageMeta:
    """The place that a checkpoint was written to, and identifiers of the calls that wrote and read it."""

    checkpoint_id: str | os.PathLike | None = None
    save_id: str | None = None
    load_id: str | None = None
    modules: list[str] = field(default_factory=list)


@dataclass
class Metadata:
    """The description of a checkpoint.

    ``state_dict_metadata`` describes the value of each key of the flat state dict, ``planner_data`` has the path of each
    key in the nested one, and ``storage_data`` the file and position of each stored part.
    """

    state_dict_metadata: dict[str, TensorStorageMetadata | BytesStorageMetadata]
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: StorageMeta | None = None
    version: str | None = None


@dataclass(frozen=True)
class MetadataIndex:
    """The name of a stored part: a key of the flat state dict and, of a tensor, where the part begins.

    ``index`` is its probable number among the parts of the tensor; indices that differ only there are equal.
    """

    fqn: str
    offset: torch.Size | None = None
    index: int | None = field(hash=False, compare=False, default=None)

    def __init__(self, fqn: str, offset: Sequence[int] | None = None, index: int | None = None):
        set_field = object.__setattr__  # a frozen class refuses its own
        set_field(self, "fqn", fqn)
        set_field(self, "offset", None if offset is None else torch.Size(offset))
        set_field(self, "index", index)
