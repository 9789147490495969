"""Running statistics of normalisations, which training writes in place; the writes are not recorded, as in PyTorch."""

import numpy as np

from tensh.engine.core.clock import mode
from tensh.engine.core.lift import Lift
from tensh.engine.dispatch.override.points import watch_inner, watch_operator
from tensh.engine.operators.precision import widen


def move_(running, value, momentum, factor=1):
    """Move running statistics towards new ones, times ``factor``; the write is not recorded, as in PyTorch."""
    try:
        old, new = running.array, value.array if factor == 1 else value.array * factor
        if old.dtype.kind == "V":
            old[...] = move_bfloats(old, new, old.dtype.type(momentum), factor == 1)
        else:
            old[...] = (1 - momentum) * widen(old) + momentum * new
    except Lift as found:
        if found.package != "vmap":
            raise
        write_batches_(running, lambda old: old + momentum * (value * factor - old))


def write_batches_(running, change):
    """Replace running statistics within vmap; raise RuntimeError unless each sample has its own."""
    if not hasattr(type(running), "levels"):
        raise RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in place, were "
            "not batched.\nIf you are using a module and do not need eval mode, please set `track_running_stats` to be False.If you "
            "are using a prebuilt module and do not need eval mode, please see the functorch website for resources on how to "
            "patch your module to work with vmap"
        )
    before, mode.grad = mode.grad, False
    try:
        running.copy_(change(running))
    finally:
        mode.grad = before


def move_bfloats(running, value, momentum, rounded):
    """``move_`` for bfloat16, where all but the new part of a variance is rounded."""
    part = (
        value.astype(running.dtype) * momentum if rounded else widen(value.astype(running.dtype)) * np.float32(momentum)
    )
    return running * (running.dtype.type(1) - momentum) + part


watch_operator(move_, None)


def move_averages_(running, moved, batch, channels):
    """Set running statistics to the mean of those of each sample."""
    try:
        running.array[...] = moved.array.reshape(batch, channels).mean(0)
    except Lift as found:
        if found.package != "vmap":
            raise
        write_batches_(running, lambda _: moved.reshape(batch, channels).mean(0))


watch_operator(move_averages_, None)
watch_inner(move_averages_, "move_averages_")
