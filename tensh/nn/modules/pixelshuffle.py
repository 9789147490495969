"""Channels as pixels, and pixels as channels."""

from tensh.nn.modules.layer import Layer


class PixelShuffle(Layer, settings="upscale_factor", computes="pixel_shuffle(input, upscale_factor)",
                   shows="upscale_factor"):  # fmt: skip
    """Larger images from more channels (Shi et al., 2016): [*, C r², H, W] to [*, C, H r, W r].

    >>> import tensh as torch
    >>> torch.nn.PixelShuffle(3)(torch.ones(1, 9, 4, 4)).shape
    torch.Size([1, 1, 12, 12])
    """


class PixelUnshuffle(Layer, settings="downscale_factor", computes="pixel_unshuffle(input, downscale_factor)",
                     shows="downscale_factor"):  # fmt: skip
    """More channels from larger images: [*, C, H r, W r] to [*, C r², H, W].

    >>> import tensh as torch
    >>> torch.nn.PixelUnshuffle(3)(torch.ones(1, 1, 12, 12)).shape
    torch.Size([1, 9, 4, 4])
    """
