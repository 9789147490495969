"""Pinned memory, which only tensors for other devices need: batches are returned unchanged."""


def pin_memory(data, device=None):
    """Return ``data``, since there is no other device.

    >>> import tensh as torch
    >>> batch = [torch.ones(1)]
    >>> torch.utils.data._utils.pin_memory.pin_memory(batch) is batch
    True
    """
    return data
