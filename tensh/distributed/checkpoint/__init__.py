"""torch.distributed.checkpoint: checkpoints that several processes write and read together, in PyTorch's format.

The number of processes that read may differ from that of those that wrote. Other names of this namespace in PyTorch are
switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

WHERE = {
    "tensh.distributed.checkpoint.api": "CheckpointException",
    "tensh.distributed.checkpoint.default_planner": "DefaultLoadPlanner DefaultSavePlanner",
    "tensh.distributed.checkpoint.filesystem": "FileSystemReader FileSystemWriter",
    "tensh.distributed.checkpoint.metadata": "BytesStorageMetadata ChunkStorageMetadata Metadata TensorStorageMetadata",
    "tensh.distributed.checkpoint.planner": "LoadPlan LoadPlanner ReadItem SavePlan SavePlanner WriteItem",
    "tensh.distributed.checkpoint.state_dict_loader": "load load_state_dict",
    "tensh.distributed.checkpoint.state_dict_saver": "async_save save save_state_dict",
    "tensh.distributed.checkpoint.storage": "StorageReader StorageWriter",
}
"""Module -> the public names that it has."""

NAMES = {name: module for module, names in WHERE.items() for name in names.split()}
__all__ = list(NAMES)
SUBMODULES = (
    "_dedup_save_plans", "_nested_dict", "api", "default_planner", "filesystem", "format_utils", "metadata", "planner",
    "state_dict", "state_dict_loader", "state_dict_saver", "stateful", "storage",
)  # fmt: skip

__getattr__, __dir__ = declare_namespace(
    "tensh.distributed.checkpoint",
    globals(),
    NAMES,
    SUBMODULES,
    unsupported=lookup("torch.distributed.checkpoint"),
)
