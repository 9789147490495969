"""Upsampling of sequences, images and volumes by interpolation."""

from tensh.nn.modules.layer import Layer

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


def factors(given):
    """Return scale factors as floats."""
    return tuple(map(float, given)) if isinstance(given, tuple) else float(given) if given else None


class Upsample(Layer, settings="size=None, scale_factor=None, mode='nearest', align_corners=None, recompute_scale_factor=None",
               keeps={"scale_factor": "factors(scale_factor)"},
               computes="interpolate(input, size, scale_factor, mode, align_corners, "
                        "recompute_scale_factor=recompute_scale_factor)"):  # fmt: skip
    """Interpolate sequences, images or volumes to a size, or to a multiple of their size.

    Shapes: input [N, C, *], output [N, C, *size]. Modes: "nearest", "nearest-exact", "linear" [N, C, L], "bilinear" and
    "bicubic" [N, C, H, W], "trilinear" [N, C, D, H, W]. ``mode`` is "nearest" unless given. ``align_corners`` keeps the
    values at the corners; ``recompute_scale_factor`` uses the quotient of the sizes instead of ``scale_factor``.

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
    """Interpolate images to a size or a multiple; each pixel takes the value of the nearest one.

    Shapes: input [N, C, H, W], output [N, C, *size].

    >>> import tensh as torch
    >>> torch.nn.UpsamplingNearest2d(scale_factor=2)(torch.ones(1, 1, 2, 2)).shape
    torch.Size([1, 1, 4, 4])
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Interpolate images to a size or a multiple, bilinearly between the corners.

    Shapes: input [N, C, H, W], output [N, C, *size].

    >>> import tensh as torch
    >>> torch.nn.UpsamplingBilinear2d(scale_factor=2)(torch.ones(1, 1, 2, 2)).shape
    torch.Size([1, 1, 4, 4])
    """

    def __init__(self, size=None, scale_factor=None):
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
