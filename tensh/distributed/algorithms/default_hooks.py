"""Functions for ``DistributedDataParallel.register_comm_hook``, which exchange the gradients of a bucket.

Each returns a future of the buffer with the mean over all processes.  ``process_group`` is a group, or None for all
processes.
"""

from tensh.distributed.collectives import all_reduce
from tensh.distributed.groups import get_world_size
from tensh.engine.dtypes.dtype import bfloat16, float16

HERE = "torch.distributed.algorithms.ddp_comm_hooks.default_hooks"


def start_mean(group, tensor):
    """Start to replace a tensor by its mean over the processes; return a future of it."""
    size = get_world_size(group)
    work = all_reduce(tensor.div_(size), group=group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])


def allreduce_hook(process_group, bucket):
    """Exchange gradients as they are."""
    return start_mean(process_group, bucket.buffer())


def make_hook(name, dtype):
    """Return a hook that exchanges gradients in 16 bits."""

    def hook(process_group, bucket):
        buffer = bucket.buffer()
        mean = start_mean(process_group, buffer.to(dtype))
        return mean.then(lambda future: buffer.copy_(future.value()))

    return named(hook, f"{name}_compress_hook", f"Exchange gradients as {dtype}.")


def make_wrapper(name, dtype):
    """Return a function that lets another hook exchange gradients in 16 bits."""

    def wrapper(hook):
        def compress(state, bucket):
            buffer = bucket.buffer()
            bucket.set_buffer(buffer.to(dtype))
            return hook(state, bucket).then(lambda future: write_back(bucket, buffer, future.value()))

        return compress

    return named(
        wrapper, f"{name}_compress_wrapper", f"Return a hook that lets ``hook`` exchange gradients as {dtype}."
    )


def write_back(bucket, buffer, found):
    """Give a bucket its buffer again, with the gradients that were exchanged."""
    bucket.set_buffer(buffer.copy_(found))
    return buffer


def named(function, name, text):
    """Name a function that was made here."""
    function.__name__ = function.__qualname__ = name
    function.__doc__, function.__module__ = text, HERE
    return function


fp16_compress_hook, bf16_compress_hook = make_hook("fp16", float16), make_hook("bf16", bfloat16)
fp16_compress_wrapper, bf16_compress_wrapper = make_wrapper("fp16", float16), make_wrapper("bf16", bfloat16)
allreduce_hook.__module__ = HERE
