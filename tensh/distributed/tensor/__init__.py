"""torch.distributed.tensor: tensors in parts, one in each process (``dtensor``), and functions of them (``rules``).

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

WHERE = {
    "tensh.distributed.tensor.api": "DTensor distribute_module distribute_tensor",
    "tensh.distributed.tensor.placement_types": "Partial Placement Replicate Shard",
    "tensh.distributed.tensor.making": "empty full ones rand randn zeros",
    "tensh.distributed.device_mesh": "DeviceMesh init_device_mesh",
}
"""Module -> its public names."""

NAMES = {name: module for module, names in WHERE.items() for name in names.split()}
__all__ = [name for name in NAMES if name not in ("DeviceMesh", "init_device_mesh")]
SUBMODULES = ("parallel", "placement_types")

__getattr__, __dir__ = declare_namespace(
    "tensh.distributed.tensor",
    globals(),
    NAMES,
    SUBMODULES,
    unsupported=lookup("torch.distributed.tensor"),
)
