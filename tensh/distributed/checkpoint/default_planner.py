"""The planners of ``save`` and ``load``: they open nested state dicts, write each part once and read only what is needed."""

import io
import math
from collections import ChainMap
from dataclasses import replace

import tensh as torch
from tensh.distributed.checkpoint._dedup_save_plans import dedup_save_plans
from tensh.distributed.checkpoint._nested_dict import flatten_state_dict, set_element, walk
from tensh.distributed.checkpoint.chunks import find_faults, intersect, is_split, list_chunks, narrow_to
from tensh.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    TensorProperties,
    TensorStorageMetadata,
)
from tensh.distributed.checkpoint.planner import (
    LoadItemType,
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    TensorWriteData,
    WriteItem,
    WriteItemType,
)
from tensh.switched_off import lookup

__all__ = [
    "DefaultLoadPlanner",
    "DefaultSavePlanner",
    "create_default_global_load_plan",
    "create_default_global_save_plan",
    "create_default_local_load_plan",
    "create_default_local_save_plan",
]

__getattr__ = lookup("torch.distributed.checkpoint.default_planner")

MOST_TEXT = 500  # characters of faults in an error message
NOWHERE = torch.Size()  # offsets and lengths of an object


class DefaultSavePlanner(SavePlanner):
    """Plans what each rank writes.

    Args:
        flatten_state_dict: store the values of nested dicts one by one.
        dedup_save_to_lowest_rank: let the first rank write what all have; by default the work is shared.

    Other arguments are accepted and do nothing. Override ``lookup_object`` or ``transform_object`` to store other values.
    """

    def __init__(
        self,
        flatten_state_dict=True,
        flatten_sharded_tensors=True,
        dedup_replicated_tensors=None,
        dedup_save_to_lowest_rank=False,
        enable_plan_caching=False,
    ):
        self.flatten_state_dict = flatten_state_dict
        self.dedup_save_to_lowest_rank = dedup_save_to_lowest_rank
        self.mappings = {}

    def set_up_planner(self, state_dict, storage_meta=None, is_coordinator=False):
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten_state_dict(state_dict)
        self.state_dict, self.is_coordinator = state_dict, is_coordinator

    def create_local_plan(self):
        plan = create_default_local_save_plan(self.state_dict, self.is_coordinator)
        self.plan = replace(plan, planner_data=self.mappings) if self.flatten_state_dict else plan
        return self.plan

    def create_global_plan(self, all_plans):
        plans = dedup_save_plans(all_plans, self.dedup_save_to_lowest_rank)
        self.global_plan, self.metadata = create_default_global_save_plan(plans)
        if self.flatten_state_dict:
            paths = dict(ChainMap(*(plan.planner_data for plan in plans)))
            self.metadata = replace(self.metadata, planner_data=paths)
        faults = "; ".join(
            f"key:{key} {fault}"
            for key, stored in self.metadata.state_dict_metadata.items()
            if isinstance(stored, TensorStorageMetadata)
            for fault in find_faults(stored.size, stored.chunks)
        )
        if faults:
            more = "... (truncated)" if len(faults) > MOST_TEXT else ""
            raise ValueError(f"Failed to validate global plan: {faults[:MOST_TEXT]}{more}")
        return self.global_plan, self.metadata

    def finish_plan(self, new_plan):
        self.plan = new_plan
        return new_plan

    def resolve_data(self, write_item):
        return self.transform_object(write_item, self.lookup_object(write_item.index))

    def lookup_object(self, index):
        """Return the value of a part: a tensor, or an object."""
        return find_part(self.state_dict, index)

    def transform_object(self, write_item, object):
        """Return what is written for a value: a tensor, or the bytes of an object."""
        if write_item.type != WriteItemType.BYTE_IO:
            return object
        stream = io.BytesIO()
        torch.save(object, stream)
        return stream


class DefaultLoadPlanner(LoadPlanner):
    """Plans what each rank reads, and puts it into the state dict.

    Args:
        flatten_state_dict: look for the values of nested dicts one by one.
        allow_partial_load: leave keys alone that the checkpoint lacks; by default they are an error.

    ``flatten_sharded_tensors`` is accepted and does nothing.
    """

    def __init__(self, flatten_state_dict=True, flatten_sharded_tensors=True, allow_partial_load=False):
        self.flatten_state_dict, self.allow_partial_load = flatten_state_dict, allow_partial_load
        self.original_state_dict, self.mappings = {}, {}

    def set_up_planner(self, state_dict, metadata=None, is_coordinator=False):
        fill_meta_tensors(state_dict)
        self.original_state_dict = state_dict
        self.metadata, self.is_coordinator = metadata, is_coordinator
        self.state_dict = state_dict
        if self.flatten_state_dict:
            self.state_dict, _ = flatten_state_dict(state_dict)
            # the keys as they are: an optimizer's state has integers, for which paths have strings
            self.mappings = {".".join(map(str, path)): real for path, real, _ in walk(state_dict)}

    def create_local_plan(self):
        return create_default_local_load_plan(self.state_dict, self.metadata, not self.allow_partial_load)

    def create_global_plan(self, global_plan):
        return create_default_global_load_plan(global_plan)

    def finish_plan(self, new_plan):
        return new_plan

    def load_bytes(self, read_item, value):
        key, loaded = read_item.dest_index.fqn, torch.load(value, weights_only=False)
        if self.flatten_state_dict:
            place_value(self.original_state_dict, self.mappings[key], loaded)
        else:
            self.state_dict[key] = loaded

    def resolve_tensor(self, read_item):
        return self.transform_tensor(read_item, self.lookup_tensor(read_item.dest_index))

    def commit_tensor(self, read_item, tensor):
        pass

    def lookup_tensor(self, index):
        """Return the local tensor of a part."""
        return find_part(self.state_dict, index)

    def transform_tensor(self, read_item, tensor):
        """Return the box of a local tensor that an item is copied into."""
        return narrow_to(tensor, read_item.dest_offsets, read_item.lengths)


class _EmptyStateDictLoadPlanner(DefaultLoadPlanner):
    """Fills an empty state dict with all that a checkpoint contains, or with given keys and what is below them."""

    def __init__(self, keys=None, *args, **kwargs):
        self.keys = keys
        super().__init__(*args, **kwargs)

    def set_up_planner(self, state_dict, metadata=None, is_coordinator=False):
        if state_dict:
            raise AssertionError("not state_dict")
        for key, stored in metadata.state_dict_metadata.items():
            path = (metadata.planner_data or {}).get(key, (key,))
            if self.keys is None or key in self.keys or self._is_below(path):
                # a tensor of zeros, which the stored parts replace
                value = stored
                if isinstance(stored, TensorStorageMetadata):
                    value = torch.zeros(stored.size, dtype=stored.properties.dtype)
                set_element(state_dict, path, value)
        super().set_up_planner(state_dict, metadata, is_coordinator)

    def _is_below(self, path):
        return any(".".join(map(str, path[:length])) in self.keys for length in range(1, len(path)))


def find_part(state_dict, index):
    """Return the local tensor of a part, or the object.  Raise ValueError for a part that this rank lacks."""
    if index.fqn not in state_dict:
        raise ValueError(f"Could not find FQN: '{index.fqn}'")
    value = state_dict[index.fqn]
    if not is_split(value) or index.offset is None:
        return value
    for offsets, _, local in list_chunks(value):
        if tuple(offsets) == tuple(index.offset):
            return local
    raise ValueError(f"Could not find shard at '{index.offset}' for FQN: '{index.fqn}'")


def place_value(state_dict, path, value):
    """Replace the value at a path of existing dicts and lists."""
    here = state_dict
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value


def fill_meta_tensors(state_dict):
    """Replace tensors without elements by tensors of zeros, which can be loaded into."""
    for _, path, value in list(walk(state_dict)):
        if isinstance(value, torch.Tensor) and not is_split(value) and value.is_meta:
            place_value(state_dict, path, torch.zeros_like(value, device="cpu"))


def create_default_local_save_plan(state_dict, is_coordinator):
    """Return the plan to write all that this rank has of a flat state dict."""
    items = []
    for key, value in state_dict.items():
        if not (is_split(value) or isinstance(value, torch.Tensor)):
            items.append(WriteItem(MetadataIndex(key), WriteItemType.BYTE_IO))
            continue
        kind = WriteItemType.SHARD if is_split(value) else WriteItemType.TENSOR
        for offsets, sizes, local in list_chunks(value):
            chunk = ChunkStorageMetadata(torch.Size(offsets), torch.Size(sizes))
            data = TensorWriteData(chunk, TensorProperties.create_from_tensor(local), torch.Size(value.shape))
            items.append(WriteItem(MetadataIndex(key, offsets), kind, tensor_data=data))
    return SavePlan(items)


def create_default_global_save_plan(all_plans, rewrite_index_hints=True):
    """Return the plans with the numbers of tensors' parts, and the metadata of all they contain."""
    described, plans = {}, []
    for plan in all_plans:
        items = []
        for item in plan.items:
            key, data = item.index.fqn, item.tensor_data
            if item.type == WriteItemType.BYTE_IO:
                described[key] = BytesStorageMetadata()
            else:
                whole = described.setdefault(key, TensorStorageMetadata(data.properties, data.size, []))
                if not isinstance(whole, TensorStorageMetadata) or whole.size != data.size:
                    raise ValueError(f"{key} is not the same kind of value on all ranks")
                if rewrite_index_hints:
                    item = replace(item, index=replace(item.index, index=len(whole.chunks)))
                whole.chunks.append(data.chunk)
            items.append(item)
        plans.append(replace(plan, items=items))
    return plans, Metadata(described)


def create_default_local_load_plan(state_dict, metadata, strict=True):
    """Return the plan to read what this rank needs for a flat state dict.

    Raise RuntimeError for a key that the checkpoint lacks, if ``strict``; ValueError for a tensor of another size.
    """
    items = []
    for key, value in state_dict.items():
        stored = metadata.state_dict_metadata.get(key)
        if stored is None:
            if strict:
                raise RuntimeError(f"Missing key in checkpoint state_dict: {key}.")
        elif isinstance(stored, BytesStorageMetadata):
            index = MetadataIndex(key)
            items.append(ReadItem(LoadItemType.BYTE_IO, index, NOWHERE, index, NOWHERE, NOWHERE))
        else:
            items += _list_reads(key, stored, value)
    return LoadPlan(items)


def _list_reads(key, stored, value):
    """Return the items that fill the parts of a tensor that this rank has."""
    if not (is_split(value) or isinstance(value, torch.Tensor)):
        raise ValueError(
            f"Invalid checkpoint metadata for {key}, expected BytesStorageMetadata but found {type(stored)}"
        )
    if tuple(stored.size) != tuple(value.shape):
        raise ValueError(f"Size mismatch between saved {stored.size} and current: {value.shape} for {key}")
    items = []
    for number, (offsets, sizes, _) in enumerate(list_chunks(value)):
        place, filled = MetadataIndex(key, offsets, number), 0
        for position, chunk in enumerate(stored.chunks):
            shared = intersect((chunk.offsets, chunk.sizes), (offsets, sizes))
            if shared is None:
                continue
            in_stored, in_local, lengths = map(torch.Size, shared)
            filled += math.prod(lengths)
            source = MetadataIndex(key, chunk.offsets, position)
            items.append(ReadItem(LoadItemType.TENSOR, place, in_local, source, in_stored, lengths))
        if filled != math.prod(sizes):
            raise ValueError(f"the checkpoint has {filled} of {math.prod(sizes)} elements of {key}")
    return items


def create_default_global_load_plan(all_plans):
    """Return the plans of all ranks as they are: each rank reads on its own."""
    return all_plans
