"""Blocks of images as columns, and back."""

from tensh.nn.modules.layer import Layer


class Fold(Layer, settings="output_size, kernel_size, dilation=1, padding=0, stride=1",
           computes="fold(input, output_size, kernel_size, dilation, padding, stride)",
           shows="output_size kernel_size dilation padding stride"):  # fmt: skip
    """Images from columns of blocks, which are added where they overlap: [N, C k, L] to [N, C, *output_size].

    >>> import tensh as torch
    >>> torch.nn.Fold((4, 5), 2)(torch.ones(1, 12, 12)).shape
    torch.Size([1, 3, 4, 5])
    """


class Unfold(Layer, settings="kernel_size, dilation=1, padding=0, stride=1",
             computes="unfold(input, kernel_size, dilation, padding, stride)",
             shows="kernel_size dilation padding stride"):  # fmt: skip
    """The blocks of images as columns: [N, C, *] to [N, C k, L] for L blocks of k elements in each channel.

    >>> import tensh as torch
    >>> torch.nn.Unfold((2, 3))(torch.ones(2, 5, 3, 4)).shape
    torch.Size([2, 30, 4])
    """
