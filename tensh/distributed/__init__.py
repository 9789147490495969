"""torch.distributed: process groups, connected by MPI or of one process, with their collectives and stores.

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

WHERE = {
    "tensh.distributed.errors": "DistBackendError DistError DistNetworkError DistStoreError QueueEmptyError",
    "tensh.distributed.stores.store": "HashStore PrefixStore Store",
    "tensh.distributed.stores.file_store": "FileStore",
    "tensh.distributed.stores.tcp_store": "TCPStore",
    "tensh.distributed.rendezvous_handlers": "register_rendezvous_handler rendezvous",
    "tensh.distributed.backends": """Backend DebugLevel get_debug_level get_default_backend_for_device get_node_local_rank is_available
        is_backend_available is_gloo_available is_mpi_available is_nccl_available is_torchelastic_launched is_ucc_available is_xccl_available""",
    "tensh.distributed.operations": "ReduceOp supports_complex",
    "tensh.distributed.process_group": "ProcessGroup Work",
    "tensh.distributed.groups": """GroupMember default_pg_timeout destroy_process_group get_backend get_backend_config get_global_rank get_group_rank
        get_pg_count get_process_group_ranks get_rank get_world_size group init_process_group is_initialized new_group
        new_subgroups new_subgroups_by_enumeration _rank_not_in_group""",
    "tensh.distributed.collectives": """P2POp all_gather all_gather_coalesced all_gather_into_tensor all_gather_single all_reduce
        all_reduce_coalesced all_to_all all_to_all_single barrier batch_isend_irecv broadcast gather irecv isend
        monitored_barrier recv reduce reduce_scatter reduce_scatter_single reduce_scatter_tensor scatter send""",
    "tensh.nn.parallel.buckets": "GradBucket",
    "tensh.distributed.device_mesh": "DeviceMesh init_device_mesh",
    "tensh.distributed.objects": """all_gather_object broadcast_object_list gather_object recv_object_list
        scatter_object_list send_object_list""",
}
"""Module -> its public names."""

NAMES = {name: module for module, names in WHERE.items() for name in names.split()}
__all__ = [name for name in NAMES if not name.startswith("_")]
SUBMODULES = (
    "checkpoint",
    "device_mesh",
    "distributed_c10d",
    "nn",
    "optim",
    "pipelining",
    "tensor",
    "_functional_collectives",
)

__getattr__, __dir__ = declare_namespace(
    "tensh.distributed", globals(), NAMES, SUBMODULES, unsupported=lookup("torch.distributed")
)
