"""torch.distributed.distributed_c10d: the names of ``torch.distributed``, and private ones that libraries use."""

from tensh.distributed import NAMES
from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

PRIVATE = {
    "_world": "tensh.distributed.groups",
    "_get_default_group": "tensh.distributed.groups",
    "_get_default_store": "tensh.distributed.groups",
}

__getattr__, __dir__ = declare_namespace(
    "tensh.distributed.distributed_c10d",
    globals(),
    NAMES | PRIVATE,
    unsupported=lookup("torch.distributed.distributed_c10d"),
)
