"""Copies of a state dict, which a save in the background writes while training goes on."""

import copy
from collections.abc import Mapping

import tensh as torch
from tensh.distributed.checkpoint.chunks import Chunks, is_split, list_chunks


def stage(value):
    """Return a copy of a state dict: tensors copied without their graphs, dicts and lists rebuilt, other objects copied."""
    if is_split(value):
        return Chunks(value.shape, value.dtype, [(*box, copy_tensor(local)) for *box, local in list_chunks(value)])
    if isinstance(value, torch.Tensor):
        return copy_tensor(value)
    if isinstance(value, Mapping):
        return {key: stage(each) for key, each in value.items()}
    if isinstance(value, list):
        return [stage(each) for each in value]
    return copy.deepcopy(value)


def copy_tensor(tensor):
    """Return a copy of a tensor in separate memory."""
    return tensor.detach().clone()
