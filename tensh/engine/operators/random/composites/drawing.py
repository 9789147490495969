"""New random tensors, and the seed and state of the default generator."""

import contextlib

import numpy as np

from tensh.engine.arguments.binding import KEYWORDS, OUT, bind_plain, finish, make_leaf, takes_short_way
from tensh.engine.arguments.lazy_signatures import PLACED
from tensh.engine.arguments.signatures import accepts
from tensh.engine.arrays.memory import empty_like
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.codegen.table import public
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dtypes.device import strided
from tensh.engine.dtypes.dtype import BOOL, BY_NUMPY, COMPLEX, DIFFERENTIABLE, FLOAT, int64, of_scalar
from tensh.engine.dtypes.size import Size
from tensh.engine.errors.messages import too_large
from tensh.engine.inplace.overlap import refuse_overlap
from tensh.engine.operators.random import draws as operators
from tensh.engine.random import discrete, drawing
from tensh.engine.random.generator import Generator, default_generator

GENERATOR = "*, torch.Generator generator, "
WITH = GENERATOR + OUT.removeprefix("*, ")
LIKE = f"torch.memory_format memory_format = None, {KEYWORDS}"
ANY = "*, torch.Generator generator = None, Tensor out = None"
OF_SIZE = f"*size, generator=None, out=None, {PLACED}"
OF_NUMBER = f"n, *, generator=None, out=None, {PLACED}"
OF_TENSOR = f"input, *, generator=None, memory_format=None, {PLACED}"

PUBLIC["Generator"] = Generator
PUBLIC["default_generator"] = default_generator


# ── seed and state ───────────────────────────────────────────────────────────
@public
def manual_seed(seed):
    """Seed the default generator, so that the numbers that follow are reproducible, and return it.

    >>> import tensh as torch
    >>> _ = torch.manual_seed(42)
    >>> torch.rand(3)
    tensor([0.8823, 0.9150, 0.3829])
    """
    return default_generator.manual_seed(int(seed))


@public
def seed():
    """Seed the default generator with a random number, and return it."""
    return default_generator.seed()


@public
def initial_seed():
    """The last seed of the default generator."""
    return default_generator.initial_seed()


@public
def get_rng_state():
    """The state of the default generator, a tensor of bytes."""
    return default_generator.get_state()


@public
def set_rng_state(new_state):
    """Restore a state of the default generator, from ``get_rng_state``."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type=None):
    """A context that restores the state of the default generator at its end.

    >>> import tensh as torch
    >>> with torch.random.fork_rng():
    ...     noise = torch.rand(3)
    """
    if not enabled:
        yield
        return
    state = default_generator.get_state()
    try:
        yield
    finally:
        default_generator.set_state(state)


@public
def thread_safe_generator():
    """Return the generator of this worker thread; None, for the default generator, in other threads."""
    return None


# ── new tensors ──────────────────────────────────────────────────────────────
def draw_new(name, size, draw, generator, given, default=None):
    """Make a tensor of ``size`` filled by ``draw(array, generator)``, with the keywords ``given``."""
    for n in size:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(size)}")
    out = given.get("out")

    def make(dtype):  # into the memory of ``out`` if it fits, since its layout decides how normal numbers are drawn
        array = out.array if out is not None and out.array.shape == size else np.empty(size, dtype)
        if out is not None:
            refuse_overlap(array)
        return draw_into(array, draw, generator, out is None and given["requires_grad"])

    return finish(name, make, default or of_scalar[float].numpy, {**given, "size": tuple(size)})


def draw_like(name, input, draw, generator, memory_format, given):
    """Make a tensor filled by ``draw``, of the shape, dtype and memory format of ``input``."""

    def make(dtype):
        return draw_into(empty_like(input.array, dtype, memory_format), draw, generator, given["requires_grad"])

    if input.layout is not strided:
        _ = input.array.strides  # raises Lift
    given = {**given, "input": input, "memory_format": memory_format, "device": given["device"] or input.device}
    return finish(name, make, input.array.dtype, given)


def draw_into(array, draw, generator, requires_grad):
    if requires_grad and array.dtype.kind not in DIFFERENTIABLE:  # before anything is drawn
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    try:
        draw(array, default_generator if generator is None else generator)
    except MemoryError as error:
        raise too_large(error) from None
    return array


def draw_quickly(shape, default, draw, generator=None, **given):
    """Make a tensor; None unless ``shape`` consists of plain numbers of valid size, and the keywords are common ones."""
    for n in shape:
        if type(n) is not int or n < 0:
            return None
    try:
        dtype, requires_grad = bind_plain(default, **given) if given else (default, False)
        array = np.empty(shape, dtype)
    except (TypeError, AttributeError, MemoryError, ValueError):
        return None
    if requires_grad and dtype.kind != "f" or generator is not None and type(generator) is not Generator:
        return None
    try:
        draw(array, default_generator if generator is None else generator)
    except MemoryError as error:  # what has been drawn cannot be drawn again
        raise too_large(error) from None
    return make_leaf(array, True) if requires_grad else wrap(array)


SEQUENCES = frozenset({tuple, list, Size})


def takes_size(draw):
    """Make a function of a size and PyTorch's keywords, with a fast path for the most common ones."""

    def quick(*size, **given):
        shape = size[0] if len(size) == 1 and type(size[0]) in SEQUENCES else size
        return draw_quickly(shape, of_scalar[float].numpy, draw, **given) if size else None

    def decorate(fn):
        forms = f"(tuple of ints size, {WITH})", f"(tuple of ints size, {OUT})"
        return takes_short_way(quick, keywords=True)(accepts(*forms, shown=OF_SIZE)(fn))

    return decorate


def takes_like(draw):
    """Make a function of a tensor and PyTorch's keywords, with a fast path for tensors in rows and the most common ones."""

    def quick(*tensors, **given):
        array = tensors[0].array if len(tensors) == 1 and type(tensors[0]) is Tensor else None
        if type(array) is not np.ndarray or not array.flags.c_contiguous:
            return None
        if 1 in array.shape or 0 in array.shape:  # the strides of such arrays may be any
            return None
        return draw_quickly(array.shape, array.dtype, draw, **given)

    def decorate(fn):
        forms = f"(Tensor input, {GENERATOR}{LIKE})", f"(Tensor input, *, {LIKE})"
        return takes_short_way(quick, keywords=True)(accepts(*forms, shown=OF_TENSOR)(fn))

    return decorate


@public
@takes_size(drawing.uniform)
def rand(size, generator=None, **given):
    """Uniform numbers in [0, 1).  Raise RuntimeError for a negative size, NotImplementedError for integers.

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.rand(2, 2)
    tensor([[0.4963, 0.7682],
            [0.0885, 0.1320]])
    """
    return draw_new("rand", size, drawing.uniform, generator, given)


@public
@takes_size(drawing.normal)
def randn(size, generator=None, **given):
    """Normal numbers of mean 0 and variance 1; complex ones have a variance of 1/2 in each part.

    Raise RuntimeError for a negative size, NotImplementedError for integers.

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.randn(3)
    tensor([ 1.5410, -0.2934, -2.1788])
    """
    return draw_new("randn", size, drawing.normal, generator, given)


def randint_quickly(*args, **given):
    *bounds, shape = args or [None]
    if type(shape) not in SEQUENCES or [type(bound) for bound in bounds] not in ([int], [int, int]):
        return None
    low, high = bounds if len(bounds) == 2 else (0, *bounds)
    if max(low.bit_length(), high.bit_length()) > 63:
        return None
    return draw_quickly(shape, int64.numpy, _draw_between(low, high), **given)


@public
@takes_short_way(randint_quickly, keywords=True)
@accepts(
    f"(int high, tuple of ints size, {WITH})",
    f"(int high, tuple of ints size, {OUT})",
    f"(int low, int high, tuple of ints size, {WITH})",
    f"(int low, int high, tuple of ints size, {OUT})",
    shown=f"low=0, high=None, size=None, *, generator=None, out=None, {PLACED}",
)
def randint(high, size, low=0, generator=None, **given):
    """Integers of [low, high).  Raise RuntimeError if there are none.

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.randint(3, 10, (4,))
    tensor([7, 6, 3, 5])
    """
    return draw_new("randint", size, _draw_between(low, high), generator, given, int64.numpy)


def _draw_between(low, high):
    return lambda array, generator: drawing.integers(array, generator, low, high)


def randperm_quickly(*args):
    if len(args) == 1 and type(args[0]) is int and 0 <= args[0] <= discrete.FEW:
        return wrap(discrete.permutation(args[0], default_generator))
    return None


@public
@takes_short_way(randperm_quickly)
@accepts(f"(int n, {WITH})", f"(int n, {OUT})", shown=OF_NUMBER)
def randperm(n, generator=None, **given):
    """The numbers from 0 to n - 1 in random order.  Shape: [n]. Raise RuntimeError for a negative ``n``.

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.randperm(5)
    tensor([4, 0, 1, 3, 2])
    """

    def draw(array, generator):
        _check_permutation(n, BY_NUMPY[array.dtype])
        array[...] = discrete.permutation(n, generator)

    return draw_new("randperm", (n,), draw, generator, given, int64.numpy)


def _check_permutation(n, dtype):
    """Raise if the dtype cannot hold the numbers up to n - 1."""
    digits = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}.get(dtype.name)
    if n > 0 and dtype.category not in (COMPLEX, FLOAT, BOOL) and n - 1 > np.iinfo(dtype.numpy).max:
        raise RuntimeError(f"value cannot be converted to type {dtype.ctype} without overflow")
    if dtype.name in ("float16", "float32", "float64") and n > 2**digits + 1:
        most = "2049" if digits == 11 else f"2^{digits}+1"  # as PyTorch writes them
        raise RuntimeError(f"n cannot be greater than {most} for {dtype.title} type.")
    if dtype.category in (COMPLEX, BOOL) or dtype.name in ("uint16", "uint32", "uint64"):
        raise NotImplementedError(f"\"randperm\" not implemented for '{dtype.title}'")


# ── like another tensor ──────────────────────────────────────────────────────
@public
@takes_like(drawing.uniform)
def rand_like(input, generator=None, memory_format=None, **given):
    """Uniform numbers in [0, 1) in a tensor like ``input``.  Raise NotImplementedError for integers."""
    return draw_like("rand_like", input, drawing.uniform, generator, memory_format, given)


@public
@takes_like(drawing.normal)
def randn_like(input, generator=None, memory_format=None, **given):
    """Normal numbers of mean 0 and variance 1 in a tensor like ``input``.  Raise NotImplementedError for integers."""
    return draw_like("randn_like", input, drawing.normal, generator, memory_format, given)


@public
@accepts(
    f"(Tensor input, int low, int high, {GENERATOR}{LIKE})",
    f"(Tensor input, int low, int high, *, {LIKE})",
    f"(Tensor input, Tensor high, {GENERATOR}{LIKE})",
    f"(Tensor input, Tensor high, *, {LIKE})",
    f"(Tensor input, int high, {GENERATOR}{LIKE})",
    f"(Tensor input, int high, *, {LIKE})",
    shown=f"input, low=0, high=None, *, generator=None, memory_format=None, {PLACED}",
)
def randint_like(input, high, low=0, generator=None, memory_format=None, **given):
    """Integers of [low, high) in a tensor like ``input``.  Raise RuntimeError if there are none."""
    if isinstance(high, Tensor):
        if high.array.ndim:
            raise RuntimeError("high must be a scalar tensor and on CPU")
        high = int(high.array)
    return draw_like("randint_like", input, _draw_between(low, high), generator, memory_format, given)


# ── all overloads of ``normal`` ──────────────────────────────────────────────
@public
@accepts(
    f"(Tensor mean, Tensor std, {ANY})",
    f"(Tensor mean, float std = 1, {ANY})",
    f"(float mean, Tensor std, {ANY})",
    f"(float mean, float std, tuple of ints size, {ANY}, {KEYWORDS})",
    shown=f"mean, std=1.0, size=None, *, generator=None, out=None, {PLACED}",
)
def normal(mean, std, generator, out, size=None, **given):
    """Normal numbers around ``mean`` with the standard deviation ``std``.

    Both are tensors that are broadcast, or one of them is a number, or both are numbers, with a ``size``.  The gradient
    is zero.  Raise RuntimeError for a negative ``std``.

    >>> import tensh as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.normal(torch.tensor([0.0, 100.0]), 1.0)
    tensor([ 1.5410, 99.7066])
    """
    if size is not None:
        draw = lambda array, generator: drawing.normal(array, generator, mean, std)  # noqa: E731
        return draw_new("normal", size, draw, generator, {**given, "out": out})
    generator = default_generator if generator is None else generator
    if out is not None:
        return operators.normal_into(out, mean, std, generator)
    if not isinstance(mean, Tensor):
        return operators.normal_std.fn(mean, std, generator)
    form = operators.normal_both if isinstance(std, Tensor) else operators.normal_mean
    return form.fn(mean, std, generator)
