"""Pooling: each window of the input becomes one value of the output."""

from tensh.engine.arguments.checks import ntuple
from tensh.nn.modules.families import family
from tensh.nn.modules.layer import Layer
from tensh.support.naming import Shared

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]

STEP = "kernel_size if stride is None else stride"
TUPLES = {  # for attributes in which PyTorch keeps a number for each dimension
    name: f"ntuple({text}, self._dimensions)"
    for name, text in {"kernel_size": "kernel_size", "stride": STEP, "padding": "padding"}.items()
}


# ── the largest value ────────────────────────────────────────────────────────
class _MaxPoolNd(Layer, settings="kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False",
                 keeps={"stride": STEP}, shows="kernel_size stride padding dilation ceil_mode"):  # fmt: skip
    """The largest value of each window."""


MaxPool1d, MaxPool2d, MaxPool3d = family(
    "MaxPool{n}d",
    _MaxPoolNd,
    """The largest value of each window of {item}.

    {shapes}
    A size s becomes floor((s + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1; with ``ceil_mode`` it is rounded up.
    ``stride`` is ``kernel_size`` unless given.  ``return_indices`` also returns the positions, for MaxUnpool{n}d.

    >>> import tensh as torch
    >>> torch.nn.MaxPool{n}d({along:2})({row:4}).flatten()
    tensor([1., 3.])
    """,
    computes="max_pool{n}d(input, kernel_size, stride, padding, dilation, ceil_mode=ceil_mode, return_indices=return_indices)",
)


class _MaxUnpoolNd(
    Shared, Layer, settings="kernel_size, stride=None, padding=0", keeps=TUPLES, shows="kernel_size stride padding"
):
    """The largest values of windows, put back at their positions."""


MaxUnpool1d, MaxUnpool2d, MaxUnpool3d = family(
    "MaxUnpool{n}d",
    _MaxUnpoolNd,
    """The largest values of the windows of {item}, put back at their positions; zeros elsewhere.

    {shapes}
    ``indices``, in the shape of the input, come from MaxPool{n}d, as do ``kernel_size``, ``stride`` and ``padding``;
    ``output_size`` selects one of the sizes that are pooled to the same size.

    >>> import tensh as torch
    >>> pool = torch.nn.MaxPool{n}d({along:2}, return_indices=True)
    >>> values, indices = pool({row:4})
    >>> torch.nn.MaxUnpool{n}d({along:2})(values, indices).flatten()
    tensor([0., 1., 0., 3.])
    """,
    computes="max_unpool{n}d(input, indices, kernel_size, stride, padding, output_size)",
    takes="input, indices, output_size=None",
)


class _FractionalMaxPoolNd(Layer):
    """The largest value of each randomly placed window."""

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


FractionalMaxPool2d, FractionalMaxPool3d = family(
    "FractionalMaxPool{n}d",
    _FractionalMaxPoolNd,
    """The largest value of each randomly placed window of {item} (Graham, 2014).

    Give either ``output_size`` or ``output_ratio``, the fraction of the input's size.
    {sized}
    Windows have the size ``kernel_size``; with ``return_indices`` the positions of the values are returned, too. Raise
    ValueError unless exactly one of the two is given, and for a ratio outside (0, 1).

    >>> import tensh as torch
    >>> pool = torch.nn.FractionalMaxPool{n}d(3, output_ratio=0.5)
    >>> pool(torch.ones(1, 1, {each:8})).shape
    torch.Size([1, 1, {each:4}])
    """,
    dimensions=(2, 3),
    settings="kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None",
    buffers="_random_samples",
    computes="fractional_max_pool{n}d(input, kernel_size, output_size, output_ratio, return_indices, "
    "_random_samples=_random_samples)",
)


# ── means ────────────────────────────────────────────────────────────────────
class _AvgPoolNd(Layer, shows="kernel_size stride padding"):
    """The mean of each window."""


MEAN = """The mean of each window of {item}.

    {shapes}
    A size s becomes floor((s + 2 padding - kernel_size) / stride) + 1; with ``ceil_mode`` it is rounded up.
    ``stride`` is ``kernel_size`` unless given.  Padding is zeros, which count unless ``count_include_pad`` is false.

    >>> import tensh as torch
    >>> torch.nn.AvgPool{n}d({along:2})({row:4}).flatten()
    tensor([0.5000, 2.5000])
    """
(AvgPool1d,) = family(
    "AvgPool{n}d",
    _AvgPoolNd,
    MEAN,
    dimensions=(1,),
    settings="kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True",
    keeps=TUPLES,
    computes="avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad)",
)
AvgPool2d, AvgPool3d = family(
    "AvgPool{n}d",
    _AvgPoolNd,
    MEAN.replace("is false.", "is false;\n    ``divisor_override`` is what sums are divided by."),
    dimensions=(2, 3),
    settings="kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None",
    keeps={"stride": STEP},
    computes="avg_pool{n}d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)",
)


class _LPPoolNd(Layer, settings="norm_type, kernel_size, stride=None, ceil_mode=False",
                shows="norm_type kernel_size stride ceil_mode"):  # fmt: skip
    """The norm of each window."""


LPPool1d, LPPool2d, LPPool3d = family(
    "LPPool{n}d",
    _LPPoolNd,
    """The norm of each window of {item}; ``norm_type`` is its exponent.

    {shapes}
    A size s becomes floor((s - kernel_size) / stride) + 1; with ``ceil_mode`` it is rounded up.

    >>> import tensh as torch
    >>> torch.nn.LPPool{n}d(2, {along:2})({row:4}).flatten()
    tensor([1.0000, 3.6056])
    """,
    computes="lp_pool{n}d(input, float(norm_type), kernel_size, stride, ceil_mode)",
    takes="input",
)


# ── given output sizes ───────────────────────────────────────────────────────
class _AdaptiveMaxPoolNd(Layer, settings="output_size, return_indices=False", shows="output_size"):
    """The largest value of each window, with windows that divide the input evenly."""


AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d = family(
    "AdaptiveMaxPool{n}d",
    _AdaptiveMaxPoolNd,
    """The largest value of each window, with windows that divide {item} evenly into a given output size.

    {sized}
    A size of None is that of the input.  With ``return_indices`` the positions are returned, too.

    >>> import tensh as torch
    >>> torch.nn.AdaptiveMaxPool{n}d({along:2})({row:5}).flatten()
    tensor([2., 4.])
    """,
    computes="adaptive_max_pool{n}d(input, output_size, return_indices)",
)


class _AdaptiveAvgPoolNd(Layer, settings="output_size", shows="output_size"):
    """The mean of each window, with windows that divide the input evenly."""


AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d = family(
    "AdaptiveAvgPool{n}d",
    _AdaptiveAvgPoolNd,
    """The mean of each window, with windows that divide {item} evenly into a given output size.

    {sized}
    A size of None is that of the input.

    >>> import tensh as torch
    >>> torch.nn.AdaptiveAvgPool{n}d({along:2})({row:5}).flatten()
    tensor([1., 3.])
    """,
    computes="adaptive_avg_pool{n}d(input, output_size)",
)
