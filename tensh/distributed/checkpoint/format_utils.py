"""Checkpoints in folders as files of ``torch.save``, and the other way round."""

import tensh as torch
from tensh.distributed.checkpoint.default_planner import _EmptyStateDictLoadPlanner
from tensh.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from tensh.distributed.checkpoint.state_dict_loader import _load_state_dict
from tensh.distributed.checkpoint.state_dict_saver import _save_state_dict
from tensh.switched_off import lookup

__all__ = ["dcp_to_torch_save", "torch_save_to_dcp"]

__getattr__ = lookup("torch.distributed.checkpoint.format_utils")


def dcp_to_torch_save(dcp_checkpoint_dir, torch_save_path):
    """Write the whole checkpoint in a folder to a file, from this process alone.  Raise CheckpointException if it fails.

    >>> import os, tempfile
    >>> import tensh as torch
    >>> import tensh.distributed.checkpoint as dcp
    >>> from tensh.distributed.checkpoint.format_utils import dcp_to_torch_save
    >>> folder = tempfile.mkdtemp()
    >>> metadata = dcp.save({"model": {"w": torch.ones(2)}, "step": 3}, checkpoint_id=folder, no_dist=True)
    >>> dcp_to_torch_save(folder, path := os.path.join(folder, "whole.pt"))
    >>> torch.load(path)
    {'model': {'w': tensor([1., 1.])}, 'step': 3}
    """
    found = {}
    _load_state_dict(found, FileSystemReader(dcp_checkpoint_dir), no_dist=True, planner=_EmptyStateDictLoadPlanner())
    torch.save(found, torch_save_path)


def torch_save_to_dcp(torch_save_path, dcp_checkpoint_dir):
    """Write the state dict in a file of ``torch.save`` into a folder, from this process alone.

    Raise CheckpointException if it fails.
    """
    found = torch.load(torch_save_path, weights_only=False)
    _save_state_dict(found, FileSystemWriter(dcp_checkpoint_dir), no_dist=True)
