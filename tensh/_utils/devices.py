"""The devices of a call; no accelerator is among them."""

import tensh as torch


def _get_available_device_type():
    """Return None: there is no accelerator."""


def _get_all_device_indices():
    """Return None: there is no accelerator."""


def _get_current_device_index():
    """Return None: there is no accelerator."""


def _get_device_attr(get_member):
    """Return None: there is no accelerator."""


def get_current_device_index():
    """Return -1: there is no accelerator."""
    return -1


def _get_device_index(device, optional=False, allow_cpu=False):
    """Return the index of a device; -1 for the CPU, if allowed."""
    if isinstance(device, str):
        device = torch.device(device)
    if isinstance(device, torch.device):
        if device.type == "cpu" and not allow_cpu:
            raise ValueError(f"Expected a non cpu device, but got: {device}")
        found = -1 if device.type == "cpu" else device.index
    else:
        found = device if isinstance(device, int) else None
    if found is not None:
        return found
    if optional:
        return None
    raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")


def get_device_module(device=None):
    """Return the module of a device, such as ``torch.cpu``; without a device, that of the CPU.

    Raise RuntimeError for a device without a module, and for other values.

    >>> import tensh as torch
    >>> torch.get_device_module("cpu") is torch.cpu
    True
    """
    if isinstance(device, torch.device):
        kind = device.type
    elif isinstance(device, str):
        kind = torch.device(device).type
    elif device is None:
        kind = "cpu"
    else:
        raise RuntimeError(f"Invalid value of device '{device}', expect torch.device, str, or None")
    return _get_device_module(kind)


def _get_device_module(device_type):
    """Return the module of a kind of device, such as ``torch.cuda``."""
    module = getattr(torch, device_type, None)
    if module is None:
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'."
        )
    return module
