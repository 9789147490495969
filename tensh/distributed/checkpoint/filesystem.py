"""Checkpoints in folders, in PyTorch's format: ``.metadata`` describes what is where in the files ``__RANK_NUMBER.distcp``.

A save never changes the files of the checkpoint that is there: it writes new ones, then replaces ``.metadata`` in one
step, then removes those that the new description does not name. A process killed at any moment leaves a whole checkpoint.
"""

import contextlib
import os
import re
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

import tensh as torch
from tensh.distributed.checkpoint import metadata_file
from tensh.distributed.checkpoint.chunks import narrow_to
from tensh.distributed.checkpoint.file_view import FileView
from tensh.distributed.checkpoint.metadata import StorageMeta
from tensh.distributed.checkpoint.planner import LoadItemType, WriteItemType
from tensh.distributed.checkpoint.storage import StorageReader, StorageWriter, WriteResult, _StorageInfo
from tensh.futures import Future
from tensh.support.escaping import visible_line
from tensh.switched_off import lookup

__all__ = ["FileSystemReader", "FileSystemWriter", "SerializationFormat"]

__getattr__ = lookup("torch.distributed.checkpoint.filesystem")

CURRENT_DCP_VERSION = "1.0.0"
DEFAULT_SUFFIX = ".distcp"
DESCRIPTION = ".metadata"
DATA_FILE = re.compile(rf"__\d+_(\d+){re.escape(DEFAULT_SUFFIX)}")


class SerializationFormat(Enum):
    """The formats of data files, of which tensh writes the first."""

    TORCH_SAVE = "torch_save"
    SAFETENSORS = "safetensors"


@dataclass
class _StoragePrefix:
    """The beginning of the names of a rank's files."""

    prefix: str


class FolderStorage:
    """A folder with a checkpoint."""

    def __init__(self, path):
        self.path = Path(path)

    @property
    def checkpoint_id(self):
        """The folder."""
        return self.path

    @property
    def description(self):
        """The path of the description."""
        return self.path / DESCRIPTION

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id):
        """Return True for the path of a folder that can be made or read, rather than an address on a network."""
        if isinstance(checkpoint_id, Path):
            return True
        parents = Path(checkpoint_id).parents
        return "://" not in str(checkpoint_id) and any(each.exists() and os.access(each, os.W_OK) for each in parents)


class FileSystemWriter(FolderStorage, StorageWriter):
    """Writes checkpoints into a folder, which is made if necessary.

    Args:
        path: the folder.
        single_file_per_rank: write one file for each rank and thread; otherwise one for each tensor or object.
        sync_files: wait until the bytes are on the disk, so that even a power failure leaves a whole checkpoint.
        thread_count: the number of threads that write.
        overwrite: replace the checkpoint in the folder, without PyTorch's warning; otherwise it is an error.

    ``per_thread_copy_ahead`` and ``cache_staged_state_dict`` are accepted and do nothing. Raise NotImplementedError for
    extensions and for files of safetensors.

    >>> import tempfile
    >>> import tensh as torch
    >>> import tensh.distributed.checkpoint as dcp
    >>> writer = dcp.FileSystemWriter(tempfile.mkdtemp(), single_file_per_rank=False)
    >>> metadata = dcp.save({"w": torch.ones(2), "step": 3}, storage_writer=writer, no_dist=True)
    >>> sorted(path.name for path in writer.path.iterdir())
    ['.metadata', '__0_0.distcp', '__0_1.distcp']
    """

    def __init__(
        self,
        path,
        single_file_per_rank=True,
        sync_files=True,
        thread_count=1,
        per_thread_copy_ahead=10_000_000,
        cache_staged_state_dict=False,
        overwrite=True,
        _extensions=None,
        serialization_format=SerializationFormat.TORCH_SAVE,
    ):
        if _extensions or serialization_format != SerializationFormat.TORCH_SAVE:
            raise NotImplementedError("tensh writes the files of a checkpoint as torch.save does, without extensions")
        super().__init__(path)
        self.single_file_per_rank, self.sync_files, self.thread_count = single_file_per_rank, sync_files, thread_count
        self.overwrite = overwrite
        self.written = []  # the files of this save, to be removed if it fails
        self.reset()

    def reset(self, checkpoint_id=None):
        """Begin a checkpoint, in another folder if given."""
        if checkpoint_id:
            self.path = Path(checkpoint_id)
        self.save_id = str(uuid.uuid4())

    def set_up_storage_writer(self, is_coordinator, *args, **kwargs):
        self.is_coordinator = is_coordinator

    def storage_meta(self):
        """Return the folder and the identifier of this save."""
        return StorageMeta(checkpoint_id=str(self.path), save_id=self.save_id)

    def prepare_local_plan(self, plan):
        """Make the folder, and choose numbers for files that no file there has."""
        self.path.mkdir(parents=True, exist_ok=True)
        if self.description.exists() and not self.overwrite:
            raise RuntimeError(f"Checkpoint already exists and {self.overwrite=}.")
        self.written = []
        self.first = 1 + max(self.list_numbers().values(), default=-1)
        return plan

    def list_numbers(self):
        """Return the name of each data file in the folder, and its number."""
        found = ((name, DATA_FILE.fullmatch(name)) for name in os.listdir(self.path))
        return {name: int(match[1]) for name, match in found if match}

    def prepare_global_plan(self, plans):
        return [
            replace(plan, storage_data=plan.storage_data or _StoragePrefix(f"__{rank}_"))
            for rank, plan in enumerate(plans)
        ]

    def write_data(self, plan, planner):
        if self.single_file_per_rank:
            parts = share_items(plan.items, self.thread_count)
        else:
            parts = [[item] for item in plan.items]
        names = [f"{plan.storage_data.prefix}{self.first + number}{DEFAULT_SUFFIX}" for number in range(len(parts))]
        self.written += names
        with ThreadPoolExecutor(self.thread_count) as threads:
            found = list(threads.map(lambda name, items: self.write_file(name, items, planner), names, parts))
        if self.sync_files:
            sync_folder(self.path)
        done = Future()
        done.set_result([result for results in found for result in results])
        return done

    def write_file(self, name, items, planner):
        """Write items into a file, objects first; return their places."""
        results = []
        with open(self.path / name, "wb") as file:
            for item in sorted(items, key=lambda item: item.type != WriteItemType.BYTE_IO):
                begin = file.tell()
                value = planner.resolve_data(item)
                if isinstance(value, torch.Tensor):
                    torch.save(detach_whole(value), file)
                else:
                    file.write(value.getbuffer())
                length = file.tell() - begin
                results.append(WriteResult(item.index, length, _StorageInfo(name, begin, length)))
            file.flush()
            if self.sync_files:
                os.fsync(file.fileno())
        return results

    def finish(self, metadata, results):
        """Make the new checkpoint the one of the folder, and remove the files of the old one."""
        metadata.version = CURRENT_DCP_VERSION
        metadata.storage_data = {each.index: each.storage_data for written in results for each in written}
        metadata.storage_meta = self.storage_meta()
        metadata_file.write(metadata, self.description, self.sync_files)
        named = {place.relative_path for place in metadata.storage_data.values()}
        with contextlib.suppress(OSError):  # the new checkpoint is there, so nothing is an error any more
            sync_folder(self.path)
            remove_files(self.path, self.list_numbers().keys() - named)

    def discard(self):
        """Remove the files of a save that failed on some rank."""
        remove_files(self.path, self.written)


class FileSystemReader(FolderStorage, StorageReader):
    """Reads checkpoints from a folder, written by tensh or PyTorch, without running any code in the files.

    Raise RuntimeError for damaged files, FileNotFoundError for missing ones.

    >>> import tempfile
    >>> import tensh as torch
    >>> import tensh.distributed.checkpoint as dcp
    >>> folder = tempfile.mkdtemp()
    >>> _ = dcp.save({"w": torch.ones(2, 3)}, checkpoint_id=folder, no_dist=True)
    >>> dcp.FileSystemReader(folder).read_metadata().state_dict_metadata["w"].size
    torch.Size([2, 3])
    """

    def __init__(self, path, _extension_registry=None):
        if _extension_registry is not None:
            raise NotImplementedError("tensh reads the files of a checkpoint without extensions")
        super().__init__(path)
        self.reset()

    def reset(self, checkpoint_id=None):
        """Begin to read, from another folder if given."""
        if checkpoint_id:
            self.path = Path(checkpoint_id)
        self.load_id, self.metadata = str(uuid.uuid4()), None

    def read_metadata(self, *args, **kwargs):
        """Return the description of the checkpoint."""
        metadata = metadata_file.read(self.description)
        metadata.storage_meta = metadata.storage_meta or StorageMeta()
        metadata.storage_meta.load_id = self.load_id
        return metadata

    def set_up_storage_reader(self, metadata, is_coordinator, *args, **kwargs):
        self.metadata = metadata

    def prepare_local_plan(self, plan):
        return plan

    def prepare_global_plan(self, plans):
        return plans

    def read_data(self, plan, planner):
        files = {}
        for item in plan.items:
            place = self.metadata.storage_data[item.storage_index]
            files.setdefault(place.relative_path, []).append((place.offset, place.length, item))
        for name, items in files.items():
            with open(self.path / name, "rb") as file:
                self.read_file(file, sorted(items, key=lambda each: each[:2]), planner)
        done = Future()
        done.set_result(None)
        return done

    def read_file(self, file, items, planner):
        """Read items of a file, in the order of their places; each stored tensor is loaded once."""
        loaded = part = None
        for offset, length, item in items:
            view = FileView(file, offset, length)
            if item.type == LoadItemType.BYTE_IO:
                planner.load_bytes(item, view)
                continue
            if loaded != item.storage_index:
                loaded, part = item.storage_index, self.load_part(view, item.storage_index)
            target = planner.resolve_tensor(item).detach()
            target.copy_(narrow_to(part, item.storage_offsets, item.lengths))
            planner.commit_tensor(item, target)

    def load_part(self, view, index):
        """Return a stored tensor.  Raise RuntimeError unless it is what the description says."""
        part, stored = torch.load(view, map_location="cpu"), self.metadata.state_dict_metadata[index.fqn]
        if not (
            isinstance(part, torch.Tensor) and part.dtype == stored.properties.dtype and is_box(index, part, stored)
        ):
            raise RuntimeError(
                f"{self.path} is damaged: a part of {visible_line(index.fqn)} is not the tensor that is described"
            )
        return part


def is_box(index, part, stored):
    """Return True if a tensor has the sizes of the box that begins at ``index.offset``."""
    at = index.index
    chunk = stored.chunks[at] if at is not None and at < len(stored.chunks) else None
    chunks = stored.chunks if chunk is None or chunk.offsets != index.offset else [chunk]
    return any(chunk.offsets == index.offset and chunk.sizes == part.shape for chunk in chunks)


def share_items(items, count):
    """Share items among ``count`` lists of about equal size, of which empty ones are left out."""
    shares, sizes = [[] for _ in range(count)], [0] * count
    for item in sorted(items, key=lambda item: -(item.tensor_storage_size() or 0)) if count > 1 else items:
        least = sizes.index(min(sizes))
        shares[least].append(item)
        sizes[least] += item.tensor_storage_size() or 1
    return [share for share in shares if share]


def detach_whole(tensor):
    """Return a tensor without its graph, copied if its memory contains more than its elements."""
    tensor = tensor.detach()
    return tensor if tensor.untyped_storage().nbytes() == tensor.numel() * tensor.element_size() else tensor.clone()


def sync_folder(path):
    """Wait until the names of files in a folder are on the disk, where the system has a way to."""
    if os.name == "posix":
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def remove_files(folder, names):
    for name in names:
        with contextlib.suppress(OSError):
            os.unlink(folder / name)


def choose_storage(storage, checkpoint_id, kind):
    """Return ``storage``, for ``checkpoint_id`` if given, or else a reader or writer of the folder ``checkpoint_id``.

    Raise RuntimeError without either of them, and for a place that is not a folder.
    """
    if storage:
        if checkpoint_id is not None:
            storage.reset(checkpoint_id)
        return storage
    if not checkpoint_id:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
    if not kind.validate_checkpoint_id(checkpoint_id):
        raise RuntimeError(
            "Cannot detect which StorageReader or StorageWriter to use. Please specify the storage_reader/storage_writer."
        )
    return kind(checkpoint_id)
