"""Larger rows, images and volumes, by interpolation."""

from tensh.nn.modules.layer import Layer


def factors(given):
    """Scale factors as floats."""
    return tuple(map(float, given)) if isinstance(given, tuple) else float(given) if given else None


class Upsample(Layer, settings="size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None",
               keeps={"scale_factor": "factors(scale_factor)"},
               computes="interpolate(input, size, scale_factor, mode, align_corners, "
                        "recompute_scale_factor=recompute_scale_factor)"):  # fmt: skip
    """[N, C, *spatial] to a size, or to a multiple: mode 'nearest', 'linear', 'bilinear', 'bicubic' or 'trilinear'.

    >>> import tensh as torch
    >>> torch.nn.Upsample(scale_factor=2)(torch.tensor([[[1., 2.]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    def _check(self):
        self.name = type(self).__name__

    def extra_repr(self):
        size = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor!r}"
        return f"{size}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images to a size or a multiple, each pixel the nearest one: [N, C, H, W].

    >>> import tensh as torch
    >>> torch.nn.UpsamplingNearest2d(scale_factor=2)(torch.ones(1, 1, 2, 2)).shape
    torch.Size([1, 1, 4, 4])
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images to a size or a multiple, interpolated bilinearly between the corners: [N, C, H, W].

    >>> import tensh as torch
    >>> torch.nn.UpsamplingBilinear2d(scale_factor=2)(torch.ones(1, 1, 2, 2)).shape
    torch.Size([1, 1, 4, 4])
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
