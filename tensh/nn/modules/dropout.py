"""Dropout: in training, values are zeroed at random with probability p, and the others scaled by 1 / (1 - p)."""

from tensh.nn.modules.families import family
from tensh.nn.modules.layer import Layer

__all__ = ["AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout"]


class _DropoutNd(Layer, settings="p=0.5, inplace=False", shows="p inplace"):
    """A layer that zeroes values at random in training, and returns its input in evaluation."""

    def _check(self):
        if self.p < 0 or self.p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {self.p}")


class Dropout(_DropoutNd, computes="dropout(input, p, training, inplace)"):
    """Zero single values at random in training, and scale the others by 1 / (1 - p) (Hinton et al., 2012).

    Shapes: any.  Raise ValueError unless p is within [0, 1].

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.nn.Dropout()(torch.ones(5)), torch.nn.Dropout().eval()(torch.ones(2))
    (tensor([0., 0., 2., 0., 0.]), tensor([1., 1.]))
    """


CHANNELS = """Zero whole channels of {items} at random in training, and scale the others by 1 / (1 - p) (Tompson et al., 2014).

    Shapes: input and output [N, C, {spatial}] or [C, {spatial}].  Raise ValueError unless p is within [0, 1].

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.nn.Dropout{n}d()(torch.ones(1, 4, {each:2})).flatten(2).amax(2)
    tensor([[0., 0., 2., 0.]])
    """
COMPUTES = "dropout{n}d(input, p, training, inplace)"

Dropout1d, Dropout3d = family("Dropout{n}d", _DropoutNd, CHANNELS, dimensions=(1, 3), computes=COMPUTES)
(Dropout2d,) = family(
    "Dropout{n}d",
    _DropoutNd,
    CHANNELS.replace("or [C, {spatial}]", "or, with a warning, [N, C, L]"),
    dimensions=(2,),
    computes=COMPUTES,
)


class AlphaDropout(_DropoutNd, computes="alpha_dropout(input, p, training)"):
    """Set values to SELU's bound at random in training, and scale all to keep mean and variance (Klambauer et al., 2017).

    Shapes: any.  Raise ValueError unless p is within [0, 1].

    >>> import tensh as torch
    >>> torch.nn.AlphaDropout(0.2)(torch.ones(20, 16)).shape
    torch.Size([20, 16])
    """


class FeatureAlphaDropout(_DropoutNd, computes="feature_alpha_dropout(input, p, training)"):
    """Set whole channels to SELU's bound at random in training, and scale all to keep mean and variance.

    Shapes: input and output [N, C, *].  Raise ValueError unless p is within [0, 1].

    >>> import tensh as torch
    >>> torch.nn.FeatureAlphaDropout(0.2)(torch.ones(20, 16, 4, 4)).shape
    torch.Size([20, 16, 4, 4])
    """
