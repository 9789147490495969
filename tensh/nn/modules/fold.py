"""Blocks of images as columns, and their inverse."""

from tensh.nn.modules.layer import Layer

__all__ = ["Fold", "Unfold"]


class Fold(Layer, settings="output_size, kernel_size, dilation=1, padding=0, stride=1",
           computes="fold(input, output_size, kernel_size, dilation, padding, stride)",
           shows="output_size kernel_size dilation padding stride"):  # fmt: skip
    """Assemble columns of blocks into images, adding values where blocks overlap.

    Shapes: input [N, C * block, L] or without N, output [N, C, *output_size], with L blocks of ``prod(kernel_size)``
    elements. ``dilation``, ``padding`` and ``stride`` of the blocks are those of a convolution.

    >>> import tensh as torch
    >>> torch.nn.Fold((4, 5), 2)(torch.ones(1, 12, 12)).shape
    torch.Size([1, 3, 4, 5])
    """


class Unfold(Layer, settings="kernel_size, dilation=1, padding=0, stride=1",
             computes="unfold(input, kernel_size, dilation, padding, stride)",
             shows="kernel_size dilation padding stride"):  # fmt: skip
    """Split images into columns, one for each block.

    Shapes: input [N, C, *] or without N, output [N, C * block, L], with L blocks of ``prod(kernel_size)`` elements.
    ``dilation``, ``padding`` and ``stride`` of the blocks are those of a convolution.

    >>> import tensh as torch
    >>> torch.nn.Unfold((2, 3))(torch.ones(2, 5, 3, 4)).shape
    torch.Size([2, 30, 4])
    """
