"""The classes that write and read the parts of a checkpoint."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tensh.distributed.checkpoint.metadata import MetadataIndex

__all__ = ["StorageReader", "StorageWriter", "WriteResult"]


@dataclass(frozen=True)
class WriteResult:
    """A part that has been written: its name, its bytes, and where it is."""

    index: MetadataIndex
    size_in_bytes: int
    storage_data: Any


@dataclass
class _StorageInfo:
    """The place of a part: the name of a file in the folder, the position of its first byte, and the number of its bytes."""

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Sequence[str] | None = None  # how the bytes have been transformed, which tensh never does

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if value is not None}


_StorageInfo.__module__ = "tensh.distributed.checkpoint.filesystem"  # its place in files


class StorageWriter(ABC):
    """Writes a checkpoint. ``save`` calls the methods in the order in which they stand here.

    ``prepare_global_plan`` and ``finish`` are called on the first rank only, the others on all.
    """

    @abstractmethod
    def reset(self, checkpoint_id=None):
        """Begin a checkpoint, with another identifier if given."""

    @abstractmethod
    def set_up_storage_writer(self, is_coordinator, *args, **kwargs):
        """Learn whether this is the first rank."""

    @abstractmethod
    def prepare_local_plan(self, plan):
        """Return this rank's plan, with additions."""

    @abstractmethod
    def prepare_global_plan(self, plans):
        """Return the plans of all ranks, with additions."""

    @abstractmethod
    def write_data(self, plan, planner):
        """Write what this rank's plan contains; return a future of a list of ``WriteResult``."""

    @abstractmethod
    def finish(self, metadata, results):
        """Complete the checkpoint when all ranks have written; from then on, it is the one to read."""

    @classmethod
    @abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id):
        """Return True if a checkpoint of this name can be written."""

    def storage_meta(self):
        """Return the ``StorageMeta`` of this checkpoint, or None."""
        return None


class StorageReader(ABC):
    """Reads a checkpoint. ``load`` calls the methods in the order in which they stand here.

    ``prepare_global_plan`` is called on the first rank only, the others on all.
    """

    @abstractmethod
    def reset(self, checkpoint_id=None):
        """Begin to read, a checkpoint of another identifier if given."""

    @abstractmethod
    def read_metadata(self, *args, **kwargs):
        """Return the ``Metadata`` of the checkpoint."""

    @abstractmethod
    def set_up_storage_reader(self, metadata, is_coordinator, *args, **kwargs):
        """Learn the metadata, and whether this is the first rank."""

    @abstractmethod
    def prepare_local_plan(self, plan):
        """Return this rank's plan, with additions."""

    @abstractmethod
    def prepare_global_plan(self, plans):
        """Return the plans of all ranks, with additions."""

    @abstractmethod
    def read_data(self, plan, planner):
        """Read what this rank's plan contains into the places that the planner names; return a future of None."""

    @classmethod
    @abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id):
        """Return True if a checkpoint of this name can be read."""
