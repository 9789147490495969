"""The activation functions of torch.nn.functional."""

from tensh.engine.arguments.lazy_signatures import read_signature
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.describe import describe_inplace
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.core import ports
from tensh.engine.core.lift import Lift
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.inplace.overlap import refuse_overlap
from tensh.engine.inplace.writes import begin_write, write_inplace
from tensh.engine.operators.elementwise.activation import (
    celu_op,
    celu_over,
    elu_op,
    elu_over,
    gelu_op,
    gelu_tanh_op,
    hardshrink_op,
    hardsigmoid_op,
    hardswish_op,
    hardtanh_op,
    leaky_relu_op,
    leaky_relu_over,
    logsigmoid_op,
    mish_op,
    prelu_kernel,
    silu_op,
    softplus_op,
    softshrink_op,
    threshold_op,
    threshold_over,
)
from tensh.engine.operators.elementwise.activation import glu as glu_op
from tensh.engine.operators.elementwise.table import relu as relu_op
from tensh.engine.operators.forms import require, require_kind
from tensh.engine.operators.layers.composites.registry import LAYERS, layer
from tensh.engine.operators.shapes.views import view

SELU = {"alpha": 1.6732632423543772848170429916717, "scale": 1.0507009873554804934193349852946}


# ── the operators themselves ─────────────────────────────────────────────────
def write_inplace_form(operator, parameters="", over=None, name=None, **fixed):
    """Make the function ``NAME_(input, PARAMETERS)`` of an operator; it records the operator ``over``, if given."""
    name, recorded = f"{name or operator.name}_", over or operator

    def function(input, *args, **options):
        try:
            since = begin_write(require(input, name, "input", 1))
            refuse_overlap(input.array)
        except Lift:  # with hidden batch dimensions
            return ports.batched_function(name, function, (input, *args), options)
        return write_inplace(input, since, recorded.fn(input, *args, **options, **fixed), name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = describe_inplace(name[:-1])
    function.__signature__, function.passes_on = read_signature(f"input, {parameters}"), True
    return composite(function, function=False, method=False)


elu_ = write_inplace_form(elu_op, "alpha=1.0, scale=1.0, input_scale=1.0", elu_over)
celu_ = write_inplace_form(celu_op, "alpha=1.0", celu_over)
selu_ = write_inplace_form(elu_op, "", elu_over, "selu", **SELU)
leaky_relu_ = write_inplace_form(leaky_relu_op, "negative_slope=0.01", leaky_relu_over)
threshold_ = write_inplace_form(threshold_op, "threshold, value", threshold_over)
hardtanh_ = write_inplace_form(hardtanh_op, "min_val=-1.0, max_val=1.0")
hardsigmoid_, hardswish_, silu_, mish_ = map(write_inplace_form, (hardsigmoid_op, hardswish_op, silu_op, mish_op))

INPLACE_FORMS = elu_, celu_, selu_, leaky_relu_, threshold_, hardtanh_, hardsigmoid_, hardswish_, silu_, mish_

LAYERS |= {fn.__name__: fn for fn in (elu_, celu_, selu_, leaky_relu_, threshold_, hardtanh_)}
LAYERS |= {each.name: each for each in (softplus_op, softshrink_op, hardshrink_op, logsigmoid_op)}
LAYERS["relu_"] = PUBLIC["relu_"]
PUBLIC |= {fn.__name__: fn for fn in (celu_, selu_, threshold_)}
PUBLIC |= {each.name: each for each in (threshold_op, hardshrink_op)}
METHODS["hardshrink"] = hardshrink_op


# ── bounded ──────────────────────────────────────────────────────────────────
@layer
def relu(input, inplace=False):
    """The input where it is positive, 0 elsewhere.  Differentiable.

    >>> import tensh as torch
    >>> torch.nn.functional.relu(torch.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return relu_op.inplace_fn(input) if inplace else relu_op.fn(input)


@layer
def relu6(input, inplace=False):
    """The input kept between 0 and 6.  Differentiable.

    >>> import tensh as torch
    >>> torch.nn.functional.relu6(torch.tensor([-1.0, 2.0, 7.0]))
    tensor([0., 2., 6.])
    """
    require(input, "relu6", "input", 1)
    return hardtanh_(input, 0.0, 6.0) if inplace else hardtanh_op.fn(input, 0.0, 6.0)


@layer
def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """The input clamped between ``min_val`` and ``max_val``.  Differentiable.  Raise ValueError if ``min_val`` is larger.

    >>> import tensh as torch
    >>> torch.nn.functional.hardtanh(torch.tensor([-3.0, 0.5, 3.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    require_kind("Number", min_val, "hardtanh", "min_val", 2), require_kind("Number", max_val, "hardtanh", "max_val", 3)
    return hardtanh_(input, min_val, max_val) if inplace else hardtanh_op.fn(input, min_val, max_val)


@layer
def threshold(input, threshold, value, inplace=False):
    """The input where it is more than ``threshold``, ``value`` elsewhere.  Differentiable.

    >>> import tensh as torch
    >>> torch.nn.functional.threshold(torch.tensor([0.0, 1.0, 2.0]), 0.5, -1)
    tensor([-1.,  1.,  2.])
    """
    return threshold_(input, threshold, value) if inplace else threshold_op.fn(input, threshold, value)


@layer
def hardsigmoid(input, inplace=False):
    """``input / 6 + 0.5``, kept between 0 and 1.  Differentiable.

    >>> import tensh as torch
    >>> torch.nn.functional.hardsigmoid(torch.tensor([-4.0, 0.0, 4.0]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    return hardsigmoid_(input) if inplace else hardsigmoid_op.fn(input)


@layer
def hardswish(input, inplace=False):
    """The input times its hardsigmoid.  Differentiable."""
    return hardswish_(input) if inplace else hardswish_op.fn(input)


# ── leaky and exponential ────────────────────────────────────────────────────
@layer
def leaky_relu(input, negative_slope=0.01, inplace=False):
    """The input where it is positive, ``negative_slope`` times it elsewhere.  Differentiable.

    >>> import tensh as torch
    >>> torch.nn.functional.leaky_relu(torch.tensor([-1.0, 2.0]), 0.1)
    tensor([-0.1000,  2.0000])
    """
    return leaky_relu_(input, negative_slope) if inplace else leaky_relu_op.fn(input, negative_slope)


@layer
def elu(input, alpha=1.0, inplace=False):
    """The input where it is positive, ``alpha * (exp(input) - 1)`` elsewhere.  Differentiable.

    >>> import tensh as torch
    >>> torch.nn.functional.elu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return elu_(input, alpha) if inplace else elu_op.fn(input, alpha)


def torch_celu(input, alpha=1.0):
    """The input where it is positive, ``alpha * (exp(input / alpha) - 1)`` elsewhere.

    Differentiable.  Raise RuntimeError if ``alpha`` is 0.
    """
    return celu_op.fn(input, alpha)


@layer
def celu(input, alpha=1.0, inplace=False):
    """The input where it is positive, ``alpha * (exp(input / alpha) - 1)`` elsewhere.  Differentiable.

    Raise RuntimeError if ``alpha`` is 0.

    >>> import tensh as torch
    >>> torch.nn.functional.celu(torch.tensor([-1.0, 2.0]), 2.0)
    tensor([-0.7869,  2.0000])
    """
    return celu_(input, alpha) if inplace else celu_op.fn(input, alpha)


def torch_selu(input):
    """``elu`` with the constants that keep mean and variance from layer to layer.  Differentiable."""
    return elu_op.fn(require(input, "selu", "input", 1), **SELU)


@layer
def selu(input, inplace=False):
    """``elu`` with the constants that keep mean and variance from layer to layer.  Differentiable.

    >>> import tensh as torch
    >>> torch.nn.functional.selu(torch.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """
    return selu_(input) if inplace else torch_selu(input)


for name, fn in (("celu", torch_celu), ("selu", torch_selu)):
    fn.__name__ = fn.__qualname__ = name
    composite(fn, method=False)


@composite
def prelu(input, weight):
    """The input where it is positive, ``weight`` times it elsewhere: one number, or one per channel.  Differentiable.

    Raise RuntimeError for a number of weights that is neither.

    >>> import tensh as torch
    >>> torch.prelu(torch.tensor([-2.0, 3.0]), torch.tensor([0.25]))
    tensor([-0.5000,  3.0000])
    """
    array, slopes = require(input, "prelu", "input", 1).array, require(weight, "prelu", "weight", 2).array
    if input.dtype is not weight.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {input.dtype.title} and {weight.dtype.title}")
    if slopes.size != 1:
        if not array.ndim:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = array.shape[1] if array.ndim > 1 else 1
        if channels != slopes.size:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {slopes.size} and "
                f"channel size = {channels}."
            )
    if slopes.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {slopes.ndim}")
    if slopes.ndim != array.ndim:
        sizes = [1] * array.ndim
        if array.ndim > 1:
            sizes[1] = slopes.size
        weight = view.fn(weight, sizes)
    return prelu_kernel.fn(input, weight)


LAYERS["prelu"] = PUBLIC["prelu"]


# ── smooth ───────────────────────────────────────────────────────────────────
@layer
def silu(input, inplace=False):
    """The input times its sigmoid.  Differentiable.

    >>> import tensh as torch
    >>> torch.nn.functional.silu(torch.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """
    return silu_(input) if inplace else silu_op.fn(input)


@layer
def gelu(input, *, approximate="none", out=None):
    """The input times the normal distribution function of it, or with 'tanh' an approximation.

    Differentiable. Raise RuntimeError for any other ``approximate``.

    >>> import tensh as torch
    >>> torch.nn.functional.gelu(torch.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """
    require(input, "gelu", "input", 1)
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return (gelu_op if approximate == "none" else gelu_tanh_op).fn(input, out=out)


@layer
def mish(input, inplace=False):
    """The input times the tanh of its softplus.  Differentiable."""
    return mish_(input) if inplace else mish_op.fn(input)


@layer
def tanhshrink(input):
    """The input minus its tanh.  Differentiable."""
    return input - input.tanh()


@layer
def softsign(input):
    """The input divided by 1 plus its absolute value.  Differentiable."""
    return input / (input.abs() + 1)


@layer
def tanh(input):
    """Hyperbolic tangent of the input.  Differentiable."""
    return input.tanh()


@layer
def sigmoid(input):
    """1 / (1 + exp(-input)).  Differentiable."""
    return input.sigmoid()


@layer
def glu(input, dim=-1):
    """The first half of the input along ``dim`` times the sigmoid of the second half.  Differentiable.

    Shape: [..., 2 n, ...] to [..., n, ...]. Raise RuntimeError for an odd size.

    >>> import tensh as torch
    >>> torch.nn.functional.glu(torch.tensor([1.0, 2.0, 0.0, 0.0]))
    tensor([0.5000, 1.0000])
    """
    if not require(input, "glu", "input", 1).array.ndim:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = wrap_dim(dim, input.array.ndim)
    if (size := input.array.shape[dim]) % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {size}")
    return glu_op.fn(input, dim)
