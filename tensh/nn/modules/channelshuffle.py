"""Shuffling of channels between groups."""

from tensh.nn.modules.layer import Layer

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Layer, settings="groups", computes="channel_shuffle(input, groups)", shows="groups"):
    """Interleave the channels of all groups: the first of each group, then the second of each (Zhang et al., 2017).

    Shapes: input and output [N, C, *].

    >>> import tensh as torch
    >>> torch.nn.ChannelShuffle(2)(torch.arange(4.).view(1, 4, 1, 1)).flatten()
    tensor([0., 2., 1., 3.])
    """
