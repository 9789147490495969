"""Draws whose parameters are tensors: means, probabilities, rates, weights.

No gradient passes through a draw: the derivatives are zeros, or refused, as in PyTorch.
"""

import numpy as np

from tensh.engine.arguments.binding import takes_short_way
from tensh.engine.arguments.signatures import accepts
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.mixing import promote
from tensh.engine.codegen.registry import METHODS
from tensh.engine.codegen.table import op
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS
from tensh.engine.core.clock import mode, stamp_write, tick
from tensh.engine.core.nodes import uses_gradient
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.override.points import watch_operator
from tensh.engine.dtypes.dtype import BY_NUMPY, FLOAT, int64
from tensh.engine.errors.messages import broadcast_clash
from tensh.engine.inplace.out import resize_out
from tensh.engine.inplace.overlap import refuse_overlap, refuse_shared
from tensh.engine.inplace.writes import write_inplace
from tensh.engine.methods.creation.fill import zeros, zeros_like
from tensh.engine.random import discrete, drawing, rejection
from tensh.engine.random.generator import default_generator

GENERATOR = "*, torch.Generator generator = None"


def nothing(g, *kept):
    """Zeros like the gradient, the derivative of a draw; ``kept`` is saved without use, as PyTorch does."""
    return zeros_like(g) if isinstance(g, Tensor) else np.zeros_like(g)


for _filled in (zeros, zeros_like):
    watch_operator(_filled, None)
ARRAYS["nothing"] = TENSORS["nothing"] = nothing


@op(public=False, out=False, sequence="inputs", node="NotImplemented", inputs="not_differentiable(name)")
def underivable(inputs, draw, name):
    """The result of ``draw`` for the inputs; ``backward`` raises."""
    return draw(*inputs)


@op(name="bernoulli_each", public=False, out=False, node="BernoulliBackward0", input="nothing(g)")
def _bernoulli_each(input, generator):
    out = np.empty(input.shape, input.dtype)
    drawing.bernoulli(out, generator, input)
    return out


def bernoulli_quickly(*args):
    return _bernoulli_each.fn(args[0], default_generator) if len(args) == 1 and type(args[0]) is Tensor else None


@composite(method=False)
@takes_short_way(bernoulli_quickly)
@accepts(
    f"(Tensor input, {GENERATOR}, Tensor out = None)",
    f"(Tensor input, float p, {GENERATOR})",
    shown="input, p=None, *, generator=None, out=None",
)
def bernoulli(input, p=None, *, generator=None, out=None):
    """Ones with the probabilities in ``input`` (or with probability ``p``), zeros otherwise.

    The gradient is zero.  Raise RuntimeError for a probability outside [0, 1].

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.bernoulli(torch.tensor([0.2, 0.5, 0.9]))
    tensor([0., 0., 1.])
    """
    generator = default_generator if generator is None else generator
    if p is not None:
        return underivable.fn([input], lambda array: _bernoulli_all(array, p, generator), "bernoulli")
    if out is None:
        return _bernoulli_each.fn(input, generator)
    refuse_recorded_out("bernoulli", out, input)
    if out.array.shape == input.array.shape:
        refuse_overlap(out.array)
        stamp_write(out.array)
    target = out.array if out.array.shape == input.array.shape else np.empty(input.array.shape, out.array.dtype)
    drawing.bernoulli(target, generator, input.array)
    return take_out(out, target)


_method = accepts(f"({GENERATOR})", f"(float p, {GENERATOR})", method=True, shown="self, p=None, *, generator=None")
METHODS["bernoulli"] = _method(bernoulli.__wrapped__)


def _bernoulli_all(array, p, generator):
    out = np.empty(array.shape, array.dtype)
    drawing.bernoulli(out, generator, p)
    return out


def refuse_recorded_out(name, out, *inputs):
    """Raise if ``out=`` is combined with recorded inputs."""
    if mode.grad is True and any(uses_gradient(refresh_node(t)) for t in (out, *inputs)):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )


def take_out(out, array):
    """Give ``out`` the array that was filled for it, if it is another one than its own."""
    if out.array is not array:
        out.array, out._base = array, None
        stamp_write(array)
    return out


def require_spread(std):
    """Raise RuntimeError for standard deviations that are complex or negative."""
    if std.dtype.kind in "cW":
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if std.size and not (std >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")


def normal_of(mean, std, out, generator):
    """Fill ``out`` with normal numbers, spread by ``std`` and moved by ``mean`` (arrays or numbers)."""
    if isinstance(std, np.ndarray):
        drawing.normal(out, generator)
        one, other = promote(out, std)
        out[...] = one * other
    else:
        drawing.normal(out, generator, 0.0, std)
    one, other = promote(out, mean if isinstance(mean, np.ndarray) else np.array(mean, out.dtype))
    out[...] = one + other
    return out


def _normal_like(like, mean, std, generator):
    """Normal numbers of the broadcast shape, in the dtype of ``like``."""
    if isinstance(std, np.ndarray):
        require_spread(std)
    shapes = [a.shape for a in (mean, std) if isinstance(a, np.ndarray)]
    if clash := broadcast_clash(shapes):
        raise RuntimeError(clash)
    return normal_of(mean, std, np.empty(np.broadcast_shapes(*shapes), like.dtype), generator)


@op(public=False, out=False, node="NormalBackward1", mean="nothing(g)")
def normal_mean(mean, std, generator):
    """Normal numbers around the elements of ``mean``."""
    return _normal_like(mean, mean, std, generator)


@op(public=False, out=False, node="NormalBackward2", std="nothing(g)")
def normal_std(mean, std, generator):
    """Normal numbers with the standard deviations in ``std``."""
    return _normal_like(std, mean, std, generator)


@op(public=False, out=False, node="NormalBackward3", mean="nothing(g)", std="nothing(g)")
def normal_both(mean, std, generator):
    """Normal numbers around the elements of ``mean`` with the standard deviations in ``std``."""
    return _normal_like(mean, mean, std, generator)


def normal_into(out, mean, std, generator):
    """``normal`` with ``out=`` for a mean, a deviation or both as tensors."""
    tensors = [t for t in (mean, std) if isinstance(t, Tensor)]
    refuse_recorded_out("normal", out, *tensors)
    if isinstance(std, Tensor):
        require_spread(std.array)
    shapes = [t.array.shape for t in (tensors if isinstance(std, Tensor) else (mean, out))]
    if clash := broadcast_clash(shapes):
        raise RuntimeError(clash)
    shape = np.broadcast_shapes(*shapes)
    refuse_overlap(out.array)
    refuse_shared(out.array, tensors)
    if out.array.shape != shape:
        resize_out(out, shape)
    stamp_write(out.array)
    normal_of(*(t.array if isinstance(t, Tensor) else t for t in (mean, std)), out.array, generator)
    return out


@op(name="poisson_of", public=False, out=False, node="PoissonBackward0", input="nothing(g)")
def _poisson(input, generator):
    drawing.refuse(input, "poisson_cpu", (FLOAT,))
    if not (input >= 0).all():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return rejection.poisson(input.reshape(-1), generator).reshape(input.shape)


@composite(method=False)
@accepts("(Tensor input, torch.Generator generator = None)")
def poisson(input, generator=None):
    """Poisson numbers with the rates in ``input``; the gradient is zero.

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.poisson(torch.tensor([1.0, 5.0, 50.0]))
    tensor([ 2.,  6., 49.])
    """
    return _poisson.fn(input, default_generator if generator is None else generator)


@composite(method=False)
@accepts("(Tensor count, Tensor prob, torch.Generator generator = None)")
def binomial(count, prob, generator=None):
    """Numbers of successes in ``count`` trials of probability ``prob`` each.  There is no derivative.

    Raise ValueError for integers.
    """
    generator = default_generator if generator is None else generator
    return underivable.fn([count, prob], lambda *arrays: _binomial(*arrays, generator), "binomial")


def _binomial(count, prob, generator):
    one, other = BY_NUMPY[count.dtype], BY_NUMPY[prob.dtype]
    if one.category != FLOAT:
        raise ValueError(f"binomial only supports floating-point dtypes for count, got: {one.title}")
    if other.category != FLOAT:
        raise ValueError(f"binomial only supports floating-point dtypes for prob, got: {other.title}")
    if one is not other:
        raise RuntimeError(f"Found dtype {other.title} but expected {one.title}")
    if clash := broadcast_clash([count.shape, prob.shape]):
        raise RuntimeError(clash)
    drawing.refuse(count, "binomial_cpu", (FLOAT,), ("float16", "bfloat16"))
    count, prob = np.broadcast_arrays(count, prob)
    return rejection.binomial(count.reshape(-1), prob.reshape(-1), generator).reshape(count.shape)


@composite(method=False)
@accepts(f"(Tensor input, int num_samples, bool replacement = False, {GENERATOR}, Tensor out = None)")
def multinomial(input, num_samples, replacement=False, *, generator=None, out=None):
    """Indices drawn with the weights in ``input``, which has one row of weights or is one.

    Shape: [n] or [m, n] to [..., num_samples]. Raise RuntimeError for negative weights, or too few.

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.multinomial(torch.tensor([0.0, 10.0, 3.0, 0.0]), 2)
    tensor([1, 2])
    """
    weights = input.array
    _check_multinomial(weights, num_samples, replacement, out)
    shape = (*weights.shape[:-1], num_samples)
    draw = discrete.choices if replacement and num_samples > 1 else discrete.distinct_choices
    generator = default_generator if generator is None else generator
    drawn = (
        draw(weights.reshape(-1, weights.shape[-1]), num_samples, generator)
        if 0 not in shape
        else np.empty(0, np.int64)
    )
    result = wrap(np.ascontiguousarray(drawn).reshape(shape))
    if out is None:
        return result
    return (
        take_out(out, result.array) if out.array.shape != shape else write_inplace(out, tick(), result, "multinomial")
    )


METHODS["multinomial"] = accepts(f"(int num_samples, bool replacement = False, {GENERATOR})", method=True)(
    multinomial.__wrapped__
)


def _check_multinomial(weights, num_samples, replacement, out):
    """Raise PyTorch's error for weights that are not a distribution."""
    dtype = BY_NUMPY[weights.dtype]
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if dtype.category != FLOAT:
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {dtype.title}")
    if out is not None and out.dtype is not int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {out.dtype.title}")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if weights.shape[-1] > 2**24:
        raise RuntimeError("number of categories cannot exceed 2^24")
    if replacement and num_samples > 1:
        if False in (weights >= 0).tobytes():  # a third of the time of all()
            raise RuntimeError("invalid multinomial distribution (encountering probability entry < 0)")
        if False in np.isfinite(weights).tobytes():
            raise RuntimeError("invalid multinomial distribution (encountering probability entry = infinity or NaN)")
    elif False in ((weights >= 0) & (weights < np.inf)).tobytes():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if False in (np.add.reduce(weights, -1, np.float64) > 0).tobytes():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
