"""torch.utils._foreach_utils: which devices compute lists of tensors at once."""

from itertools import zip_longest

from tensh.engine.errors.tensor_lists import require_tensor_lists


def _group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False):
    """Lists of tensors, sorted by the device and dtype of the first list's."""
    require_tensor_lists(tensorlistlist, with_indices)
    found = {}
    for place, row in enumerate(zip_longest(*tensorlistlist)):
        first = row[0]
        lists, places = found.setdefault((first.device, first.dtype), ([[] for _ in tensorlistlist], []))
        for into, each, given in zip(lists, row, tensorlistlist):
            if given:
                into.append(each)
        places.append(place)
    return {key: (lists, places if with_indices else []) for key, (lists, places) in found.items()}


def _get_foreach_kernels_supported_devices():
    return ["cuda", "xpu", "mtia", "mps"]


def _get_fused_kernels_supported_devices():
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia"]


def _device_has_foreach_support(device):
    return device.type in _get_foreach_kernels_supported_devices()


def _has_foreach_support(tensors, device):
    return _device_has_foreach_support(device)
