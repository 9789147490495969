"""Random layers: all forms of dropout, randomised leaky ReLU, Gumbel-softmax samples."""

import math

import numpy as np

from tensh.engine.arguments.signatures import accepts
from tensh.engine.arrays.absent import Absent, make_absent, make_like, place_beside
from tensh.engine.arrays.memory import empty_like
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.mixing import refuse
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.codegen.table import op
from tensh.engine.core import ports
from tensh.engine.core.clock import tick
from tensh.engine.core.lift import Lift, accept_batches
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.override.points import watch_inner, watch_operator
from tensh.engine.dtypes.dtype import BY_NUMPY, FLOAT
from tensh.engine.errors.messages import cannot_cast
from tensh.engine.errors.warnings import warn
from tensh.engine.inplace.writes import write_inplace
from tensh.engine.methods.creation.fill import zeros_like
from tensh.engine.operators.elementwise.table import add, mul
from tensh.engine.operators.forms import require_kind
from tensh.engine.operators.layers.composites.registry import LAYERS, layer
from tensh.engine.random import drawing
from tensh.engine.random.generator import default_generator

ALPHA = 1.7580993408473766  # dropped elements of a self-normalising layer become -ALPHA, before rescaling


# ── dropout ──────────────────────────────────────────────────────────────────
def drop(input, p, train, *, feature=False, alpha=False, inplace=False):
    """Compute any form of dropout.

    ``feature`` drops whole channels; ``alpha`` drops to a value that keeps mean and variance, not to zero.
    """
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not train or not input.array.size:
        return input
    times, plus = (mul.inplace_fn, add.inplace_fn) if inplace else (mul.fn, add.fn)
    if p == 1:
        return times(input, wrap(np.zeros((), input.array.dtype)))
    try:
        noise, shift = draw_noise(input, p, feature, alpha)
    except Lift:
        form = {"feature": feature, "alpha": alpha, "inplace": inplace}
        return ports.batched_function("drop", drop, (input, p, train), form)
    return times(input, noise) if shift is None else plus(times(input, noise), shift)


watch_inner(drop, "drop")


def draw_noise(input, p, feature, alpha):
    """Return (factors, summands or None) for the elements of ``input``; one step in captured graphs."""
    noise = draw_mask(input.array, p, feature)
    if type(noise) is Absent:
        return wrap(noise), wrap(noise) if alpha else None
    exact = precision(noise.dtype)
    if not alpha:
        noise *= (exact(1) / exact(1 - p)).astype(noise.dtype)
        return wrap(noise), None
    scale = 1 / math.sqrt((ALPHA * ALPHA * p + 1) * (1 - p))
    floor, lift = (exact(each).astype(noise.dtype) for each in (-ALPHA * scale, ALPHA * scale * p))
    shift = np.where(noise, lift, (exact(floor) + exact(ALPHA * scale * p)).astype(noise.dtype))
    noise *= exact(scale).astype(noise.dtype)
    return wrap(noise), wrap(shift)


watch_operator(draw_noise, None)


def precision(dtype):
    """Return the type in which PyTorch computes numbers of this dtype: half precision is rounded at the end."""
    return np.float64 if dtype == np.float64 else np.float32


def draw_mask(array, p, feature):
    """Draw ones for elements or channels to keep, and zeros for the others."""
    dtype = BY_NUMPY[array.dtype]
    if feature and array.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    if dtype.category < FLOAT:
        raise cannot_cast(BY_NUMPY[np.dtype(np.float32)], dtype)
    shape = (*array.shape[:2], *[1] * (array.ndim - 2))
    if type(array) is Absent:
        return make_absent(shape, array.dtype) if feature else make_like(array)
    noise = np.empty(shape, array.dtype) if feature else empty_like(array, array.dtype)
    drawing.bernoulli(noise, default_generator, 1 - p)
    return noise


def _declare(name, **form):
    """Make a form of dropout a function of the torch namespace, where it has no defaults."""

    def function(input, p, train):
        return drop(input, p, train, **form)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"``torch.nn.functional.{name.rstrip('_')}`` without its defaults.  Differentiable.\n\n"
        "Raise RuntimeError for a ``p`` outside [0, 1]."
    )
    composite(accepts("(Tensor input, float p, bool train)")(function), method=False)


for _inplace, _suffix in ((False, ""), (True, "_")):
    _declare(f"dropout{_suffix}", inplace=_inplace)
    _declare(f"alpha_dropout{_suffix}", inplace=_inplace, alpha=True)
    _declare(f"feature_dropout{_suffix}", inplace=_inplace, feature=True)
    _declare(f"feature_alpha_dropout{_suffix}", inplace=_inplace, feature=True, alpha=True)


def _require_probability(p):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _check_probability(name, input, p):
    _require_probability(p)
    if not isinstance(input, Tensor):
        refuse(name, "input", 1, input)
    require_kind("float", p, name, "p", 2)


@layer
def dropout(input, p=0.5, training=True, inplace=False):
    """``input`` with elements set to zero with probability ``p``, the others divided by ``1 - p``.  Differentiable.

    Raise ValueError for a ``p`` outside [0, 1].

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.nn.functional.dropout(torch.ones(5))
    tensor([0., 0., 2., 0., 0.])
    """
    _check_probability("dropout", input, p)
    return drop(input, p, training, inplace=inplace)


@layer
def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Dropout for self-normalising networks, which preserves mean and variance.  Differentiable.

    Raise ValueError for a ``p`` outside [0, 1].
    """
    _check_probability("alpha_dropout", input, p)
    return drop(input, p, training, alpha=True, inplace=inplace)


@layer
def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """``alpha_dropout`` of whole channels.  Differentiable.  Raise ValueError for a ``p`` outside [0, 1]."""
    _check_probability("feature_alpha_dropout", input, p)
    return drop(input, p, training, feature=True, alpha=True, inplace=inplace)


def _drop_channels(input, p, training, inplace, batched):
    """Drop whole channels; an input without a batch dimension gets one temporarily."""
    require_kind("float", p, "feature_dropout_" if inplace else "feature_dropout", "p", 2)
    if batched:
        return drop(input, p, training, feature=True, inplace=inplace)
    if inplace:
        return drop(input.unsqueeze_(0), p, training, feature=True, inplace=True).squeeze_(0)
    return drop(input.unsqueeze(0), p, training, feature=True).squeeze(0)


PURPOSE = (
    "Note that {name} exists to provide channel-wise dropout on inputs with {spatial} spatial dimension{s}, a channel "
    "dimension, and an optional batch dimension (i.e. {low}D or {high}D inputs)."
)


@layer
def dropout1d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels of [N, C, L] or [C, L].  Differentiable.  Raise RuntimeError for other shapes."""
    _require_probability(p)
    ndim = input.dim()
    if ndim not in (2, 3):
        purpose = PURPOSE.format(name="dropout1d", spatial=1, s="", low=2, high=3)
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. {purpose}")
    return _drop_channels(input, p, training, inplace, ndim == 3)


def _warn_about(name, ndim, spatial, low):
    warn(
        f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a future "
        "release. To retain the behavior and silence this warning, please use dropout instead. "
        + PURPOSE.format(name=name, spatial=spatial, s="s", low=low, high=low + 1),
    )


@layer
def dropout2d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels of [N, C, H, W] (or, with a warning, [N, C, L]).  Differentiable.

    Raise ValueError for a ``p`` outside [0, 1].
    """
    _require_probability(p)
    ndim = input.dim()
    if ndim not in (3, 4):
        _warn_about("dropout2d", ndim, 2, 3)
    if ndim == 3:
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - "
            "input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future "
            "release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D "
            "channel-wise dropout behavior, please switch to using dropout1d instead.",
        )
    return _drop_channels(input, p, training, inplace, True)


@layer
def dropout3d(input, p=0.5, training=True, inplace=False):
    """Dropout of whole channels of [N, C, D, H, W] or [C, D, H, W].  Differentiable.

    Raise ValueError for a ``p`` outside [0, 1].
    """
    _require_probability(p)
    ndim = input.dim()
    if ndim not in (4, 5):
        _warn_about("dropout3d", ndim, 3, 4)
    return _drop_channels(input, p, training, inplace, ndim == 5)


@op(public=False, out=False, outs=("output", "mask"), node="NativeDropoutBackward0", input="g * mask * scale")
def dropped_with_mask(input, scale, p, train):
    """The kept elements of the input times ``scale``, and the mask of kept elements."""
    mask = empty_like(input, np.bool_)
    if train:
        drawing.bernoulli(mask, default_generator, 1 - p)
        return input * mask * np.array(scale, input.dtype), mask
    mask[...] = True
    return input.copy(), mask


@composite(method=False)
def native_dropout(input, p, train):
    """``(output, mask)`` of a dropout; ``train=None`` means True.  Differentiable.

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.native_dropout(torch.ones(3), 0.5, True)
    (tensor([0., 0., 2.]), tensor([False, False,  True]))
    """
    train = train is None or train
    scale = 1.0 if not train else 0.0 if p == 1 else 1 / (1 - p)
    return tuple(dropped_with_mask.fn(input, scale, p, train))


# ── randomised leaky ReLU ────────────────────────────────────────────────────
def _slopes(array, lower, upper, training, generator):
    """Return the factor of every element: 1 if it is positive, otherwise a random slope or the mean slope."""
    for name, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound:g}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    exact = precision(array.dtype)
    if not training:
        drawing.refuse(array, "leaky_relu_cpu", (FLOAT,))
        return np.where(array > 0, exact(1), exact((lower + upper) / 2))
    drawing.refuse(array, "rrelu_with_noise_out_cpu", (FLOAT,), ("float16",))
    steep = array <= 0
    drawn = np.empty(int(steep.sum()))
    drawing.uniform(drawn, generator)
    lower, upper = float(exact(lower)), float(exact(upper))
    slopes = np.ones(array.shape, exact)
    slopes[steep] = drawn * (upper - lower) + lower
    return slopes


@op(public=False, out=False, node="RreluWithNoiseBackward0", input="g * slopes", slopes=None)
def multiply_slopes(input, slopes):
    """The input times its slopes."""
    return (input * slopes).astype(input.dtype, copy=False)


sloped_inplace = op(
    multiply_slopes.kernel, name="sloped_inplace", public=False, out=False, node="RreluWithNoiseBackward1",
    input="g * slopes", slopes=None,
)  # fmt: skip
sloped_down = op(
    multiply_slopes.kernel, name="sloped_down", public=False, out=False, node="RreluWithNoiseBackward1",
    input="g * refuse_negative(-1, 'leakyReLu')", slopes=None,
)  # fmt: skip
"""The form of ``sloped_inplace`` for a negative slope outside of training, which PyTorch does not differentiate."""


RRELU = (
    "(Tensor input, Number lower = 0.125, Number upper = 0.3333333333333333, bool training = False, "
    "torch.Generator generator = None)"
)


@composite(method=False)
@accepts(RRELU)
def rrelu(input, lower=1 / 8, upper=1 / 3, training=False, generator=None):
    """``input`` where it is positive, elsewhere times a slope, drawn from [lower, upper) in training.

    Differentiable. Raise RuntimeError if lower exceeds upper.
    """
    slopes = _slopes(input.array, lower, upper, training, default_generator if generator is None else generator)
    return multiply_slopes.fn(input, wrap(slopes))


@composite(method=False)
@accepts(RRELU)
def rrelu_(input, lower=1 / 8, upper=1 / 3, training=False, generator=None):
    """In-place version of rrelu.  Raise RuntimeError if lower exceeds upper."""
    slopes = _slopes(input.array, lower, upper, training, default_generator if generator is None else generator)
    form = sloped_inplace if training or lower + upper >= 0 else sloped_down
    return write_inplace(input, tick(), form.fn(input, wrap(slopes)), "rrelu_")


def _layer_rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    """``input`` where it is positive; elsewhere times a slope, drawn from [lower, upper) in training.  Differentiable.

    >>> import tensh as torch
    >>> torch.nn.functional.rrelu(torch.tensor([-1.0, 2.0]), 0.25, 0.75)
    tensor([-0.5000,  2.0000])
    """
    return (rrelu_ if inplace else rrelu)(input, lower, upper, training)


_layer_rrelu.__name__ = _layer_rrelu.__qualname__ = "rrelu"
layer(_layer_rrelu)
LAYERS["rrelu_"] = PUBLIC["rrelu_"]


# ── softmax samples ──────────────────────────────────────────────────────────
@layer
@accept_batches
def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A sample of the Gumbel-softmax distribution along ``dim``.  Differentiable.  Shape: [*], kept.

    It is the softmax of ``logits`` plus Gumbel noise, divided by ``tau``; with ``hard`` a one-hot vector that passes on the
    gradient of the softmax. ``eps`` has no effect.
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    waits = np.empty(logits.array.shape, logits.array.dtype)
    drawing.exponential(waits, default_generator)
    waits = place_beside(waits, logits.array)
    soft = ((logits + -wrap(waits).log()) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one_hot = zeros_like(soft).scatter_(dim, index, 1.0)
    return one_hot - soft.detach() + soft
