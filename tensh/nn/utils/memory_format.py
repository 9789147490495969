"""The memory format of convolution weights."""

from tensh.nn.modules import conv

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def _convert(module, memory_format, kinds):
    if isinstance(module, kinds):
        module.weight.data = module.weight.detach().clone(memory_format=memory_format)
    for child in module.children():
        _convert(child, memory_format, kinds)
    return module


def convert_conv2d_weight_memory_format(module, memory_format):
    """Set the memory format of all Conv2d and ConvTranspose2d weights in a module, and return the module.

    >>> import tensh as torch
    >>> from tensh.nn import utils
    >>> layer = torch.nn.Conv2d(2, 2, 3)
    >>> layer = utils.convert_conv2d_weight_memory_format(layer, torch.channels_last)
    >>> layer.weight.is_contiguous(memory_format=torch.channels_last)
    True
    """
    return _convert(module, memory_format, (conv.Conv2d, conv.ConvTranspose2d))


def convert_conv3d_weight_memory_format(module, memory_format):
    """Set the memory format of all Conv3d and ConvTranspose3d weights in a module, and return the module.

    >>> import tensh as torch
    >>> from tensh.nn import utils
    >>> layer = torch.nn.Conv3d(2, 2, 3)
    >>> layer = utils.convert_conv3d_weight_memory_format(layer, torch.channels_last_3d)
    >>> layer.weight.is_contiguous(memory_format=torch.channels_last_3d)
    True
    """
    return _convert(module, memory_format, (conv.Conv3d, conv.ConvTranspose3d))
