"""Activations: functions applied element by element, or along one dimension."""

from tensh.engine import find_public
from tensh.engine.errors.warnings import warn
from tensh.nn import functional as F
from tensh.nn import init
from tensh.nn.modules.layer import Layer
from tensh.nn.modules.module import Module
from tensh.nn.parameter import Parameter

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
]


# ── bounded from below ───────────────────────────────────────────────────────
class Threshold(Layer, settings="threshold, value, inplace=False", shows="threshold value inplace?",
                computes="threshold(input, threshold, value, inplace)"):  # fmt: skip
    """``input`` where it is above a threshold, a fixed value elsewhere.

    >>> import tensh as torch
    >>> torch.nn.Threshold(0.5, 20)(torch.tensor([0.1, 0.6]))
    tensor([20.0000,  0.6000])
    """


class ReLU(Layer, settings="inplace=False", computes="relu(input, inplace=inplace)", shows="inplace?"):
    """``max(0, input)``, element by element.

    >>> import tensh as torch
    >>> torch.nn.ReLU()(torch.tensor([-1., 2.]))
    tensor([0., 2.])
    """


class RReLU(Layer, settings="lower=1.0 / 8, upper=1.0 / 3, inplace=False", shows="lower upper inplace?",
            computes="rrelu(input, lower, upper, training, inplace)"):  # fmt: skip
    """A leaky ReLU whose slopes are drawn between lower and upper in training; evaluation uses their mean.

    >>> import tensh as torch
    >>> torch.nn.RReLU(0.1, 0.3).eval()(torch.tensor([-1., 2.]))
    tensor([-0.2000,  2.0000])
    """


class LeakyReLU(Layer, settings="negative_slope=1e-2, inplace=False", shows="negative_slope inplace?",
                computes="leaky_relu(input, negative_slope, inplace)"):  # fmt: skip
    """``input`` where it is positive, ``negative_slope * input`` elsewhere.

    >>> import tensh as torch
    >>> torch.nn.LeakyReLU(0.1)(torch.tensor([-1., 2.]))
    tensor([-0.1000,  2.0000])
    """


class PReLU(Module):
    """A leaky ReLU with a learnt slope: a single one, or one for each channel (dimension 1).

    ``weight`` has ``num_parameters`` elements, initially ``init``.

    >>> import tensh as torch
    >>> torch.nn.PReLU()(torch.tensor([-1., 2.]))
    tensor([-0.2500,  2.0000], grad_fn=<PreluKernelBackward0>)
    """

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        self.num_parameters = num_parameters
        super().__init__()
        self.init = init
        self.weight = Parameter(find_public("empty")(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self):
        """Set every slope to ``init``."""
        init.constant_(self.weight, self.init)

    def forward(self, input):
        """Return ``F.prelu(input, weight)``."""
        return F.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


# ── bounded from both sides ──────────────────────────────────────────────────
def take_old_name(bound, value, old):
    """Return the value of ``min_val`` or ``max_val``, which may be given under its former name."""
    if old is None:
        return value
    warn(f"keyword argument `{bound}_value` is deprecated and renamed to `{bound}_val`", FutureWarning)
    return old


class Hardtanh(Layer, settings="min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None",
               keeps={"min_val": "take_old_name('min', min_val, min_value)", "min_value": None,
                      "max_val": "take_old_name('max', max_val, max_value)", "max_value": None},
               computes="hardtanh(input, min_val, max_val, inplace)", shows="min_val max_val inplace?"):  # fmt: skip
    """``input`` clamped to [min_val, max_val].

    ``min_value`` and ``max_value`` are former names of the bounds. Raise AssertionError unless max_val > min_val.

    >>> import tensh as torch
    >>> torch.nn.Hardtanh(-2, 2)(torch.tensor([-3., 1., 5.]))
    tensor([-2.,  1.,  2.])
    """

    def _check(self):
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")


class ReLU6(Hardtanh, shows="inplace?"):
    """``input`` clamped to [0, 6].

    >>> import tensh as torch
    >>> torch.nn.ReLU6()(torch.tensor([-3., 1., 8.]))
    tensor([0., 1., 6.])
    """

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)


class Sigmoid(Layer, settings=""):
    """Logistic function, ``1 / (1 + exp(-input))``.

    >>> import tensh as torch
    >>> torch.nn.Sigmoid()(torch.zeros(2))
    tensor([0.5000, 0.5000])
    """

    def forward(self, input):
        """Return ``torch.sigmoid(input)``."""
        return find_public("sigmoid")(input)


class Tanh(Layer, settings=""):
    """Hyperbolic tangent.

    >>> import tensh as torch
    >>> torch.nn.Tanh()(torch.zeros(2))
    tensor([0., 0.])
    """

    def forward(self, input):
        """Return ``torch.tanh(input)``."""
        return find_public("tanh")(input)


class Hardsigmoid(Layer, settings="inplace=False", computes="hardsigmoid(input, inplace)"):
    """``relu6(input + 3) / 6``.

    >>> import tensh as torch
    >>> torch.nn.Hardsigmoid()(torch.tensor([-3., 0., 3.]))
    tensor([0.0000, 0.5000, 1.0000])
    """


class Softsign(Layer, settings="", computes="softsign(input)"):
    """``input / (1 + |input|)``.

    >>> import tensh as torch
    >>> torch.nn.Softsign()(torch.tensor([-1., 3.]))
    tensor([-0.5000,  0.7500])
    """


# ── smooth ───────────────────────────────────────────────────────────────────
class SiLU(Layer, settings="inplace=False", computes="silu(input, inplace=inplace)", shows="inplace?"):
    """``input * sigmoid(input)``.

    >>> import tensh as torch
    >>> torch.nn.SiLU()(torch.tensor([0., 1.]))
    tensor([0.0000, 0.7311])
    """


class Mish(Layer, settings="inplace=False", computes="mish(input, inplace=inplace)", shows="inplace?"):
    """``input * tanh(softplus(input))`` (Misra, 2019).

    >>> import tensh as torch
    >>> torch.nn.Mish()(torch.tensor([0., 1.]))
    tensor([0.0000, 0.8651])
    """


class Hardswish(Layer, settings="inplace=False", computes="hardswish(input, inplace)"):
    """``input * relu6(input + 3) / 6`` (Howard et al., 2019).

    >>> import tensh as torch
    >>> torch.nn.Hardswish()(torch.tensor([-3., 0., 3.]))
    tensor([-0., 0., 3.])
    """


class ELU(Layer, settings="alpha=1.0, inplace=False", computes="elu(input, alpha, inplace)", shows="alpha inplace?"):
    """``input`` where it is positive, ``alpha * (exp(input) - 1)`` elsewhere.

    >>> import tensh as torch
    >>> torch.nn.ELU()(torch.tensor([-1., 2.]))
    tensor([-0.6321,  2.0000])
    """


class CELU(Layer, settings="alpha=1.0, inplace=False", computes="celu(input, alpha, inplace)", shows="alpha inplace?"):
    """``input`` where it is positive, ``alpha * (exp(input / alpha) - 1)`` elsewhere.

    >>> import tensh as torch
    >>> torch.nn.CELU(2.)(torch.tensor([-1., 2.]))
    tensor([-0.7869,  2.0000])
    """


class SELU(Layer, settings="inplace=False", computes="selu(input, inplace)", shows="inplace?"):
    """An ELU, scaled so that values keep mean 0 and variance 1 (Klambauer et al., 2017).

    >>> import tensh as torch
    >>> torch.nn.SELU()(torch.tensor([-1., 2.]))
    tensor([-1.1113,  2.1014])
    """


class GELU(Layer, settings="approximate='none'", computes="gelu(input, approximate=approximate)", shows="approximate!"):
    """``input`` times the normal distribution function of ``input``; ``approximate="tanh"`` selects an approximation.

    >>> import tensh as torch
    >>> torch.nn.GELU()(torch.tensor([-1., 2.]))
    tensor([-0.1587,  1.9545])
    """


class LogSigmoid(Layer, settings="", computes="logsigmoid(input)"):
    """``log(sigmoid(input))``, without overflow.

    >>> import tensh as torch
    >>> torch.nn.LogSigmoid()(torch.tensor([-100., 0.]))
    tensor([-100.0000,   -0.6931])
    """


class Softplus(Layer, settings="beta=1.0, threshold=20.0", shows="beta threshold",
               computes="softplus(input, beta, threshold)"):  # fmt: skip
    """``log(1 + exp(beta * input)) / beta``; the input itself where ``beta * input`` exceeds the threshold.

    >>> import tensh as torch
    >>> torch.nn.Softplus()(torch.tensor([0., 30.]))
    tensor([ 0.6931, 30.0000])
    """


# ── towards zero ─────────────────────────────────────────────────────────────
class Hardshrink(Layer, settings="lambd=0.5", computes="hardshrink(input, lambd)", shows=".lambd"):
    """``input`` where its absolute value exceeds ``lambd``, and 0 elsewhere.

    >>> import tensh as torch
    >>> torch.nn.Hardshrink()(torch.tensor([-1., 0.2]))
    tensor([-1.,  0.])
    """


class Softshrink(Layer, settings="lambd=0.5", computes="softshrink(input, lambd)", shows=".lambd"):
    """``input`` moved towards 0 by ``lambd``, but not past it.

    >>> import tensh as torch
    >>> torch.nn.Softshrink()(torch.tensor([-1., 0.2]))
    tensor([-0.5000,  0.0000])
    """


class Tanhshrink(Layer, settings="", computes="tanhshrink(input)"):
    """``input - tanh(input)``.

    >>> import tensh as torch
    >>> torch.nn.Tanhshrink()(torch.tensor([0., 1.]))
    tensor([0.0000, 0.2384])
    """


# ── along one dimension ──────────────────────────────────────────────────────
class GLU(Layer, settings="dim=-1", computes="glu(input, dim)", shows="dim"):
    """Multiply the first half of the dimension ``dim`` by the sigmoid of the second (Dauphin et al., 2016).

    Shapes: input [*, 2 n, *], output [*, n, *].

    >>> import tensh as torch
    >>> torch.nn.GLU()(torch.tensor([1., 2., 0., 0.]))
    tensor([0.5000, 1.0000])
    """


class Softmax(Layer, settings="dim=None", computes="softmax(input, dim, _stacklevel=5)", shows="dim"):
    """Exponentials, scaled so that they sum to 1 along ``dim``.

    Shapes: input and output [*].

    >>> import tensh as torch
    >>> torch.nn.Softmax(dim=0)(torch.tensor([0., 0.]))
    tensor([0.5000, 0.5000])
    """


class Softmin(Layer, settings="dim=None", computes="softmin(input, dim, _stacklevel=5)", shows="dim"):
    """Softmax of ``-input`` along ``dim``.

    Shapes: input and output [*].

    >>> import tensh as torch
    >>> torch.nn.Softmin(dim=0)(torch.tensor([0., 1.]))
    tensor([0.7311, 0.2689])
    """


class LogSoftmax(Layer, settings="dim=None", computes="log_softmax(input, dim, _stacklevel=5)", shows="dim"):
    """Logarithm of the softmax along ``dim``, without overflow.

    Shapes: input and output [*].

    >>> import tensh as torch
    >>> torch.nn.LogSoftmax(dim=0)(torch.tensor([0., 0.]))
    tensor([-0.6931, -0.6931])
    """


class Softmax2d(Layer, settings=""):
    """Softmax over the channels of images.

    Shapes: input and output [N, C, H, W] or [C, H, W]. Raise ValueError for other numbers of dimensions.

    >>> import tensh as torch
    >>> torch.nn.Softmax2d()(torch.zeros(2, 1, 1)).flatten()
    tensor([0.5000, 0.5000])
    """

    def forward(self, input):
        """Return ``F.softmax(input, -3)``."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)
