"""Pooling: each window of the input becomes one value of the output.

Shapes are [N, C, *spatial] or [C, *spatial], with as many spatial dimensions as the name of the layer says.
"""

from tensh.nn.modules.layer import Layer, ntuple

STEP = "kernel_size if stride is None else stride"


def tuples(n):
    """How windows are kept where PyTorch keeps n numbers."""
    texts = {"kernel_size": "kernel_size", "stride": STEP, "padding": "padding"}
    return {name: f"ntuple({text}, {n})" for name, text in texts.items()}


# ── the largest value ────────────────────────────────────────────────────────
class _MaxPoolNd(Layer, settings="kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False",
                 keeps={"stride": STEP}, shows="kernel_size stride padding dilation ceil_mode"):  # fmt: skip
    """The largest value of each window, and with ``return_indices`` where it was."""


MAX = "max_pool{}d(input, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode, return_indices=return_indices)"


class MaxPool1d(_MaxPoolNd, computes=MAX.format(1)):
    """The largest value of each window of a row: [N, C, L] to [N, C, L'].

    >>> import tensh as torch
    >>> torch.nn.MaxPool1d(2)(torch.tensor([[1., 3., 2., 0.]]))
    tensor([[3., 2.]])
    """


class MaxPool2d(_MaxPoolNd, computes=MAX.format(2)):
    """The largest value of each window of an image: [N, C, H, W] to [N, C, H', W'].

    >>> import tensh as torch
    >>> torch.nn.MaxPool2d(3, stride=2)(torch.ones(20, 16, 50, 32)).shape
    torch.Size([20, 16, 24, 15])
    """


class MaxPool3d(_MaxPoolNd, computes=MAX.format(3)):
    """The largest value of each window of a volume: [N, C, D, H, W] to [N, C, D', H', W'].

    >>> import tensh as torch
    >>> torch.nn.MaxPool3d(2)(torch.ones(1, 1, 4, 4, 4)).shape
    torch.Size([1, 1, 2, 2, 2])
    """


class _MaxUnpoolNd(Layer, shows="kernel_size stride padding"):
    """The largest values of windows, put back where they were; zeros elsewhere."""


UNPOOL = "max_unpool{}d(input, indices, kernel_size, stride, padding, output_size)"


class MaxUnpool1d(_MaxUnpoolNd, settings="kernel_size, stride=None, padding=0", keeps=tuples(1),
                  computes=UNPOOL.format(1), takes="input, indices, output_size=None"):  # fmt: skip
    """The largest values of the windows of a row, put back where they were; zeros elsewhere.

    >>> import tensh as torch
    >>> values, places = torch.nn.MaxPool1d(2, return_indices=True)(torch.ones(1, 4))
    >>> torch.nn.MaxUnpool1d(2)(values, places).shape
    torch.Size([1, 4])
    """


class MaxUnpool2d(_MaxUnpoolNd, settings="kernel_size, stride=None, padding=0", keeps=tuples(2),
                  computes=UNPOOL.format(2), takes="input, indices, output_size=None"):  # fmt: skip
    """The largest values of the windows of an image, put back where they were; zeros elsewhere.

    >>> import tensh as torch
    >>> values, places = torch.nn.MaxPool2d(2, return_indices=True)(torch.ones(1, 4, 4))
    >>> torch.nn.MaxUnpool2d(2)(values, places).shape
    torch.Size([1, 4, 4])
    """


class MaxUnpool3d(_MaxUnpoolNd, settings="kernel_size, stride=None, padding=0", keeps=tuples(3),
                  computes=UNPOOL.format(3), takes="input, indices, output_size=None"):  # fmt: skip
    """The largest values of the windows of a volume, put back where they were; zeros elsewhere.

    >>> import tensh as torch
    >>> values, places = torch.nn.MaxPool3d(2, return_indices=True)(torch.ones(1, 4, 4, 4))
    >>> torch.nn.MaxUnpool3d(2)(values, places).shape
    torch.Size([1, 4, 4, 4])
    """


class _FractionalMaxPoolNd(Layer):
    """The largest value of windows whose places are drawn (Graham, 2014), for an output of a size or a share of it."""

    _dimensions = 2

    def _check(self):
        name, ratio = type(self).__name__, self.output_ratio
        if self._dimensions == 3 and not all(size > 0 for size in ntuple(self.kernel_size, 3)):
            raise ValueError(f"kernel_size must be greater than 0, but got {self.kernel_size}")
        if self.output_size is None and ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if self.output_size is not None and ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if ratio is not None and not all(0 < each < 1 for each in ntuple(ratio, self._dimensions)):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {ratio})")
        for setting in ("kernel_size", "output_size", "output_ratio"):
            value = getattr(self, setting)
            setattr(self, setting, None if value is None else ntuple(value, self._dimensions))


PLACES = "kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None"
FRACTIONAL = (
    "fractional_max_pool{}d(input, kernel_size, output_size, output_ratio, return_indices, "
    "_random_samples=_random_samples)"
)


class FractionalMaxPool2d(_FractionalMaxPoolNd, settings=PLACES, buffers="_random_samples",
                          computes=FRACTIONAL.format(2)):  # fmt: skip
    """The largest value of windows of an image whose places are drawn: [N, C, H, W] to [N, C, *output_size].

    >>> import tensh as torch
    >>> torch.nn.FractionalMaxPool2d(3, output_ratio=0.5)(torch.ones(1, 1, 8, 8)).shape
    torch.Size([1, 1, 4, 4])
    """


class FractionalMaxPool3d(_FractionalMaxPoolNd, settings=PLACES, buffers="_random_samples",
                          computes=FRACTIONAL.format(3)):  # fmt: skip
    """The largest value of windows of a volume whose places are drawn: [N, C, D, H, W] to [N, C, *output_size].

    >>> import tensh as torch
    >>> torch.nn.FractionalMaxPool3d(2, output_size=3)(torch.ones(1, 1, 6, 6, 6)).shape
    torch.Size([1, 1, 3, 3, 3])
    """

    _dimensions = 3


# ── means ────────────────────────────────────────────────────────────────────
class _AvgPoolNd(Layer, shows="kernel_size stride padding"):
    """The mean of each window."""


class AvgPool1d(_AvgPoolNd, keeps=tuples(1),
                settings="kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True",
                computes="avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad)"):  # fmt: skip
    """The mean of each window of a row: [N, C, L] to [N, C, L'].

    >>> import tensh as torch
    >>> torch.nn.AvgPool1d(2)(torch.tensor([[1., 3., 2., 0.]]))
    tensor([[2., 1.]])
    """


AVERAGE = "avg_pool{}d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)"
AVERAGES = "kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None"


class AvgPool2d(_AvgPoolNd, settings=AVERAGES, keeps={"stride": STEP}, computes=AVERAGE.format(2)):
    """The mean of each window of an image: [N, C, H, W] to [N, C, H', W'].

    >>> import tensh as torch
    >>> torch.nn.AvgPool2d(2)(torch.ones(1, 4, 4)).shape
    torch.Size([1, 2, 2])
    """


class AvgPool3d(_AvgPoolNd, settings=AVERAGES, keeps={"stride": STEP}, computes=AVERAGE.format(3)):
    """The mean of each window of a volume: [N, C, D, H, W] to [N, C, D', H', W'].

    >>> import tensh as torch
    >>> torch.nn.AvgPool3d(2)(torch.ones(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """


class _LPPoolNd(Layer, settings="norm_type, kernel_size, stride=None, ceil_mode=False",
                shows="norm_type kernel_size stride ceil_mode"):  # fmt: skip
    """The norm of each window: the root of the sum of powers."""


LP = "lp_pool{}d(input, norm_type * 1.0, kernel_size, stride, ceil_mode)"


class LPPool1d(_LPPoolNd, computes=LP.format(1)):
    """The norm of each window of a row: [N, C, L] to [N, C, L'].

    >>> import tensh as torch
    >>> torch.nn.LPPool1d(2, 2)(torch.tensor([[3., 4.]]))
    tensor([[5.]])
    """


class LPPool2d(_LPPoolNd, computes=LP.format(2)):
    """The norm of each window of an image: [N, C, H, W] to [N, C, H', W'].

    >>> import tensh as torch
    >>> torch.nn.LPPool2d(1, 2)(torch.ones(1, 4, 4)).shape
    torch.Size([1, 2, 2])
    """


class LPPool3d(_LPPoolNd, computes=LP.format(3)):
    """The norm of each window of a volume: [N, C, D, H, W] to [N, C, D', H', W'].

    >>> import tensh as torch
    >>> torch.nn.LPPool3d(1, 2)(torch.ones(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """


# ── for an output of a given size ────────────────────────────────────────────
class _AdaptiveMaxPoolNd(Layer, settings="output_size, return_indices=False", shows="output_size"):
    """The largest value of windows that share the input evenly."""


ADAPTIVE_MAX = "adaptive_max_pool{}d(input, output_size, return_indices)"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd, computes=ADAPTIVE_MAX.format(1)):
    """The largest values of a row, for an output of a given size: [N, C, L] to [N, C, *output_size].

    >>> import tensh as torch
    >>> torch.nn.AdaptiveMaxPool1d(2)(torch.ones(1, 4)).shape
    torch.Size([1, 2])
    """


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd, computes=ADAPTIVE_MAX.format(2)):
    """The largest values of an image, for an output of a given size: [N, C, H, W] to [N, C, *output_size].

    >>> import tensh as torch
    >>> torch.nn.AdaptiveMaxPool2d(2)(torch.ones(1, 4, 4)).shape
    torch.Size([1, 2, 2])
    """


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd, computes=ADAPTIVE_MAX.format(3)):
    """The largest values of a volume, for an output of a given size: [N, C, D, H, W] to [N, C, *output_size].

    >>> import tensh as torch
    >>> torch.nn.AdaptiveMaxPool3d(2)(torch.ones(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """


class _AdaptiveAvgPoolNd(Layer, settings="output_size", shows="output_size"):
    """The mean of windows that share the input evenly; a size of None is that of the input."""


ADAPTIVE_AVERAGE = "adaptive_avg_pool{}d(input, output_size)"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd, computes=ADAPTIVE_AVERAGE.format(1)):
    """The means of a row, for an output of a given size: [N, C, L] to [N, C, *output_size].

    >>> import tensh as torch
    >>> torch.nn.AdaptiveAvgPool1d(2)(torch.ones(1, 4)).shape
    torch.Size([1, 2])
    """


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd, computes=ADAPTIVE_AVERAGE.format(2)):
    """The means of an image, for an output of a given size: [N, C, H, W] to [N, C, *output_size].

    >>> import tensh as torch
    >>> torch.nn.AdaptiveAvgPool2d(2)(torch.ones(1, 4, 4)).shape
    torch.Size([1, 2, 2])
    """


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd, computes=ADAPTIVE_AVERAGE.format(3)):
    """The means of a volume, for an output of a given size: [N, C, D, H, W] to [N, C, *output_size].

    >>> import tensh as torch
    >>> torch.nn.AdaptiveAvgPool3d(2)(torch.ones(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """
