"""The methods that fill a tensor with random numbers, such as ``x.uniform_()``.

The tensor no longer depends on its history: its node drops the gradient.
"""

from tensh.engine.arguments.binding import takes_short_way
from tensh.engine.arguments.signatures import accepts
from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import Absent
from tensh.engine.autograd.inference import refuse_write
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.scalars import REAL
from tensh.engine.codegen.table import op
from tensh.engine.core.clock import mode, stamp_write, tick
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import INFERENCE, refresh_node
from tensh.engine.errors.messages import HALF_WAY, too_large
from tensh.engine.inplace.overlap import refuse_overlap
from tensh.engine.inplace.writes import refuse_unrecordable, write_inplace
from tensh.engine.operators.random.draws import GENERATOR
from tensh.engine.random import drawing
from tensh.engine.random.generator import Generator, default_generator

INT = frozenset({int})
ONLY_GENERATOR = {"generator"}


def _declare_draw(node):
    """Make an operator that only records: its output is its input's memory, until it gets the numbers that were drawn."""
    return op(
        lambda input: input, name=node.removesuffix("Backward0"), public=False, out=False, node=node, input="nothing(g)"
    )


DRAWN = {
    "uniform_": _declare_draw("UniformBackward0"),
    "normal_": _declare_draw("NormalBackward0"),
    "log_normal_": _declare_draw("LogNormalBackward0"),
    "exponential_": _declare_draw("ExponentialBackward0"),
    "cauchy_": _declare_draw("CauchyBackward0"),
    "geometric_": _declare_draw("GeometricBackward0"),
    "random_ from": _declare_draw("RandomBackward0"),
    "random_ to": _declare_draw("RandomBackward1"),
    "random_": _declare_draw("RandomBackward2"),
    "bernoulli_": _declare_draw("BernoulliBackward2"),
}


def overwrite(t, name, fill, generator, *args, source=None):
    """Fill ``t`` with random numbers and record that it no longer depends on its history, nor on that of ``source``."""
    if t._base is INFERENCE:
        refuse_write(t)
    recorded = mode.grad and (refresh_node(t) is not None or source is not None and refresh_node(source) is not None)
    if recorded and mode.grad is True:
        refuse_unrecordable(t)
    array = t.array
    refuse_overlap(array)
    absent = type(array) is Absent
    if recorded and not absent:
        array = memory.empty_strided(array.shape, memory.strides(array), array.dtype)
    try:
        if not absent:
            fill(array, default_generator if generator is None else generator, *args)
        if not recorded:
            stamp_write(array)
            return t
    except HALF_WAY as error:
        stamp_write(t.array)  # some numbers may have been written
        raise too_large(error) or error from None
    since = tick()
    value = DRAWN[name].fn(t) if source is None else bernoulli_of.fn(t, source)
    value.array = array
    return write_inplace(t, since, value, name)


def fill_quickly(name, fill, *defaults, required=0):
    """Add a shortcut, which takes half the time, for calls with plain numbers and no keyword but ``generator``."""

    def quick(t, *args, **keywords):
        given = len(args) - required
        if type(t) is not Tensor or not 0 <= given <= len(defaults) or not {*map(type, args)} <= REAL:
            return None
        generator = keywords.get("generator")
        if keywords and (keywords.keys() != ONLY_GENERATOR or not isinstance(generator, Generator | None)):
            return None
        return overwrite(t, name, fill, generator, *map(float, args), *defaults[given:])

    return takes_short_way(quick, keywords=True)


@composite(function=False)
@fill_quickly("uniform_", drawing.uniform, 0.0, 1.0)
@accepts(f"(float from = 0, float to = 1, {GENERATOR})", method=True)
def uniform_(self, from_=0.0, to=1.0, *, generator=None):
    """Fill the tensor with uniform numbers of [from, to).

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).uniform_(-1, 1)
    tensor([-0.0075,  0.5364, -0.8230])
    """
    return overwrite(self, "uniform_", drawing.uniform, generator, from_, to)


@composite(function=False)
@fill_quickly("normal_", drawing.normal, 0.0, 1.0)
@accepts(f"(float mean = 0, float std = 1, {GENERATOR})", method=True)
def normal_(self, mean=0.0, std=1.0, *, generator=None):
    """Fill the tensor with normal numbers."""
    return overwrite(self, "normal_", drawing.normal, generator, mean, std)


@composite(function=False)
@fill_quickly("log_normal_", drawing.log_normal, 1.0, 2.0)
@accepts(f"(float mean = 1, float std = 2, {GENERATOR})", method=True)
def log_normal_(self, mean=1.0, std=2.0, *, generator=None):
    """Fill the tensor with log-normal numbers, exponentials of normal ones."""
    return overwrite(self, "log_normal_", drawing.log_normal, generator, mean, std)


@composite(function=False)
@fill_quickly("exponential_", drawing.exponential, 1.0)
@accepts(f"(float lambd = 1, {GENERATOR})", method=True)
def exponential_(self, lambd=1.0, *, generator=None):
    """Fill the tensor with exponential numbers of rate ``lambd``."""
    return overwrite(self, "exponential_", drawing.exponential, generator, lambd)


@composite(function=False)
@fill_quickly("cauchy_", drawing.cauchy, 0.0, 1.0)
@accepts(f"(float median = 0, float sigma = 1, {GENERATOR})", method=True)
def cauchy_(self, median=0.0, sigma=1.0, *, generator=None):
    """Fill the tensor with samples of the Cauchy distribution."""
    return overwrite(self, "cauchy_", drawing.cauchy, generator, median, sigma)


@composite(function=False)
@fill_quickly("geometric_", drawing.geometric, required=1)
@accepts(f"(float p, {GENERATOR})", method=True)
def geometric_(self, p, *, generator=None):
    """Fill the tensor with geometric numbers: trials up to the first success, of probability ``p``."""
    return overwrite(self, "geometric_", drawing.geometric, generator, p)


def random_quickly(t, *bounds):
    if type(t) is not Tensor or len(bounds) > 2 or not {*map(type, bounds)} <= INT:
        return None
    if bounds and max(bound.bit_length() for bound in bounds) > 63:
        return None
    return fill_integers(t, None, *bounds)


def fill_integers(t, generator, *bounds):
    """Fill the tensor with integers of [from, to), of [0, to), or of the dtype's full range."""
    if len(bounds) == 2:
        return overwrite(t, "random_ from", drawing.integers, generator, *bounds)
    if bounds:
        return overwrite(t, "random_ to", drawing.integers, generator, 0, *bounds)
    return overwrite(t, "random_", drawing.natural_integers, generator)


@composite(function=False)
@takes_short_way(random_quickly)
@accepts(
    f"({GENERATOR})",
    f"(int from, int? to, {GENERATOR})",
    f"(int to, {GENERATOR})",
    method=True,
    shown="self, from_=0, to=None, /, *, generator=None",
)
def random_(self, from_=None, to=None, *, generator=None):
    """Fill the tensor with integers of [from, to), of [0, to), or of the dtype's full range."""
    bounds = (from_, to) if from_ is not None else () if to is None else (to,)
    return fill_integers(self, generator, *bounds)


@composite(function=False)
@fill_quickly("bernoulli_", drawing.bernoulli, 0.5)
@accepts(
    f"(Tensor p, {GENERATOR})", f"(float p = 0.5, {GENERATOR})", method=True, shown="self, p=0.5, *, generator=None"
)
def bernoulli_(self, p=0.5, *, generator=None):
    """Fill the tensor with ones of probability ``p``, a number or a tensor that is broadcast, and zeros."""
    if isinstance(p, float):
        return overwrite(self, "bernoulli_", drawing.bernoulli, generator, p)
    return overwrite(self, "bernoulli_", drawing.bernoulli, generator, p.array, source=p)


@op(public=False, out=False, node="BernoulliBackward1", input="nothing(g)", p="sum_to(nothing(g), p.shape)")
def bernoulli_of(input, p):
    """Record that the input was drawn with the probabilities ``p``."""
    return input
