"""Dropout: in training, values are zeroed at random with probability p, and the others scaled by 1 / (1 - p)."""

from tensh.nn.modules.layer import Layer


class _DropoutNd(Layer, settings="p=0.5, inplace=False", shows="p inplace"):
    """Values zeroed at random in training; in evaluation the input itself."""

    def _check(self):
        if self.p < 0 or self.p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {self.p}")


class Dropout(_DropoutNd, computes="dropout(input, p, training, inplace)"):
    """Single values zeroed at random (Hinton et al., 2012), of a tensor of any shape.

    >>> import tensh as torch
    >>> torch.nn.Dropout().eval()(torch.ones(2))
    tensor([1., 1.])
    """


class Dropout1d(_DropoutNd, computes="dropout1d(input, p, training, inplace)"):
    """Whole channels zeroed at random (Tompson et al., 2014), of rows: [N, C, L] or [C, L].

    >>> import tensh as torch
    >>> torch.nn.Dropout1d(0.2)(torch.ones(1, 2, 3)).shape
    torch.Size([1, 2, 3])
    """


class Dropout2d(_DropoutNd, computes="dropout2d(input, p, training, inplace)"):
    """Whole channels zeroed at random (Tompson et al., 2014), of images: [N, C, H, W] or [C, H, W].

    >>> import tensh as torch
    >>> torch.nn.Dropout2d(0.2)(torch.ones(1, 2, 3, 3)).shape
    torch.Size([1, 2, 3, 3])
    """


class Dropout3d(_DropoutNd, computes="dropout3d(input, p, training, inplace)"):
    """Whole channels zeroed at random (Tompson et al., 2014), of volumes: [N, C, D, H, W] or [C, D, H, W].

    >>> import tensh as torch
    >>> torch.nn.Dropout3d(0.2)(torch.ones(1, 2, 3, 3, 3)).shape
    torch.Size([1, 2, 3, 3, 3])
    """


class AlphaDropout(_DropoutNd, computes="alpha_dropout(input, p, training)"):
    """Values set to SELU's bound, and all scaled so that mean and variance stay (Klambauer et al., 2017).

    >>> import tensh as torch
    >>> torch.nn.AlphaDropout(0.2)(torch.ones(20, 16)).shape
    torch.Size([20, 16])
    """


class FeatureAlphaDropout(_DropoutNd, computes="feature_alpha_dropout(input, p, training)"):
    """The same for whole channels: [N, C, *].

    >>> import tensh as torch
    >>> torch.nn.FeatureAlphaDropout(0.2)(torch.ones(20, 16, 4, 4)).shape
    torch.Size([20, 16, 4, 4])
    """
