"""The settings of data-parallel models, for programs that log them."""

from tensh.nn.modules.syncbatchnorm import SyncBatchNorm
from tensh.nn.parallel.buckets import MEGABYTE, USUAL


def describe_settings(model):
    """Return names of settings and sizes -> their values, under PyTorch's names; without measured times."""
    group, reducer = model.process_group, model.reducer
    parameters = reducer.parameters
    dtypes = {p.dtype.legacy.removesuffix("Tensor").lower() for p in parameters}
    return {
        "backend_name": group.name(),
        "bucket_sizes": ", ".join(str(sum(p.nbytes for p in each.parameters())) for each in reducer.buckets),
        "device_ids": "",
        "dtypes": ", ".join(sorted(dtypes)),
        "module_name": type(model.module).__name__,
        "broadcast_buffers": int(model.broadcast_buffers),
        "bucket_cap_bytes": int((reducer.megabytes or USUAL) * MEGABYTE),
        "find_unused_parameters": int(model.find_unused_parameters),
        "gradient_as_bucket_view": int(model.gradient_as_bucket_view),
        "has_sync_bn": int(any(isinstance(each, SyncBatchNorm) for each in model.modules())),
        "is_multi_device_module": 0,
        "num_parameter_tensors": len(parameters),
        "output_device": -1,
        "rank": group.rank(),
        "total_parameter_size_bytes": sum(p.nbytes for p in parameters),
        "world_size": group.size(),
    }
