"""Plans of what each rank writes or reads, and the classes that make them."""

import io
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import tensh as torch
from tensh.distributed.checkpoint.metadata import ChunkStorageMetadata, MetadataIndex, TensorProperties

__all__ = [
    "BytesIOWriteData",
    "LoadItemType",
    "LoadPlan",
    "LoadPlanner",
    "ReadItem",
    "SavePlan",
    "SavePlanner",
    "TensorWriteData",
    "WriteItem",
    "WriteItemType",
]


class WriteItemType(Enum):
    """A kind of value to be written: a tensor that each rank has, a part of one, or an object."""

    TENSOR = auto()
    SHARD = auto()
    BYTE_IO = auto()


class LoadItemType(Enum):
    """A kind of value to be read: a part of a tensor, or an object."""

    TENSOR = auto()
    BYTE_IO = auto()


@dataclass(frozen=True)
class BytesIOWriteData:
    """The number of bytes of an object."""

    nbytes: int


@dataclass(frozen=True)
class TensorWriteData:
    """The part of a tensor that is written, and the properties and size of the whole."""

    chunk: ChunkStorageMetadata
    properties: TensorProperties
    size: torch.Size


@dataclass(frozen=True)
class WriteItem:
    """A part of the state dict to be written as one."""

    index: MetadataIndex
    type: WriteItemType
    bytes_io_data: BytesIOWriteData | None = None
    tensor_data: TensorWriteData | None = None

    def tensor_storage_size(self):
        """Return the bytes of the whole tensor; None for an object."""
        if self.tensor_data is None:
            return None
        return math.prod(self.tensor_data.size) * self.tensor_data.properties.dtype.itemsize


@dataclass(frozen=True)
class ReadItem:
    """A box that a stored part and a local tensor share: ``lengths``, and where it begins in either of them."""

    type: LoadItemType
    dest_index: MetadataIndex
    dest_offsets: torch.Size
    storage_index: MetadataIndex
    storage_offsets: torch.Size
    lengths: torch.Size


@dataclass(frozen=True)
class SavePlan:
    """The items that one rank writes, with additions of the planner and the storage."""

    items: list[WriteItem]
    storage_data: Any = None
    planner_data: Any = None
    usable: bool = True


@dataclass
class LoadPlan:
    """The items that one rank reads, with additions of the planner and the storage."""

    items: list[ReadItem]
    storage_data: Any = None
    planner_data: Any = None


class SavePlanner(ABC):
    """Decides what is written. ``save`` calls the methods in the order in which they stand here.

    ``create_global_plan`` is called on the first rank only, the others on all.
    """

    @abstractmethod
    def set_up_planner(self, state_dict, storage_meta=None, is_coordinator=False):
        """Begin a save of ``state_dict``."""

    @abstractmethod
    def create_local_plan(self):
        """Return the ``SavePlan`` of all that this rank could write."""

    @abstractmethod
    def create_global_plan(self, all_plans):
        """Return the plans of all ranks, and the ``Metadata`` of the checkpoint."""

    @abstractmethod
    def finish_plan(self, new_plan):
        """Return the final plan of this rank, from its share of the global one."""

    @abstractmethod
    def resolve_data(self, write_item: WriteItem) -> torch.Tensor | io.BytesIO:
        """Return the tensor, or the bytes of the object, for an item."""


class LoadPlanner(ABC):
    """Decides what is read. ``load`` calls the methods in the order in which they stand here.

    ``create_global_plan`` is called on the first rank only, the others on all.
    """

    @abstractmethod
    def set_up_planner(self, state_dict, metadata=None, is_coordinator=False):
        """Begin a load into ``state_dict``."""

    @abstractmethod
    def create_local_plan(self):
        """Return the ``LoadPlan`` of all that this rank needs."""

    @abstractmethod
    def create_global_plan(self, global_plan):
        """Return the plans of all ranks."""

    @abstractmethod
    def finish_plan(self, central_plan):
        """Return the final plan of this rank, from its share of the global one."""

    @abstractmethod
    def load_bytes(self, read_item, value):
        """Put the object in the stream ``value`` into the state dict."""

    def resolve_bytes(self, read_item):
        """Return the stream that an object is read into."""
        raise NotImplementedError("LoadPlanner.resolve_bytes is not implemented")

    @abstractmethod
    def resolve_tensor(self, read_item):
        """Return the tensor that an item is copied into: the box of the local tensor."""

    @abstractmethod
    def commit_tensor(self, read_item, tensor):
        """End the copy of an item into ``tensor``, which ``resolve_tensor`` returned."""
