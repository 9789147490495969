"""Rearrangement of channels as pixels, and of pixels as channels."""

from tensh.nn.modules.layer import Layer

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Layer, settings="upscale_factor", computes="pixel_shuffle(input, upscale_factor)",
                   shows="upscale_factor"):  # fmt: skip
    """Rearrange channels into larger images (Shi et al., 2016).

    Shapes: input [*, C r², H, W], output [*, C, H r, W r], where r is ``upscale_factor``.

    >>> import tensh as torch
    >>> torch.nn.PixelShuffle(3)(torch.ones(1, 9, 4, 4)).shape
    torch.Size([1, 1, 12, 12])
    """


class PixelUnshuffle(Layer, settings="downscale_factor", computes="pixel_unshuffle(input, downscale_factor)",
                     shows="downscale_factor"):  # fmt: skip
    """Rearrange images into more channels, the inverse of PixelShuffle.

    Shapes: input [*, C, H r, W r], output [*, C r², H, W], where r is ``downscale_factor``.

    >>> import tensh as torch
    >>> torch.nn.PixelUnshuffle(3)(torch.ones(1, 1, 12, 12)).shape
    torch.Size([1, 9, 4, 4])
    """
