"""Queries about tensors that need no computation."""

import functools
import math
import types

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.lazy_signatures import shows
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays.memory import strides
from tensh.engine.arrays.orders import order_of
from tensh.engine.autograd import inference
from tensh.engine.codegen.registry import METHODS, PUBLIC
from tensh.engine.codegen.table import public
from tensh.engine.core.nodes import Output
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.device import channels_last, contiguous_format, default_device, memory_format, require_cpu
from tensh.engine.dtypes.device import set_default_device as make_default
from tensh.engine.dtypes.dtype import BY_NUMPY, COMPLEX, combine_categories, of_scalar, promote_types, scalar_dtype


@public
def is_tensor(obj):
    """Return True if ``obj`` is a tensor."""
    return isinstance(obj, Tensor)


@public
def is_storage(obj):
    """Return True if ``obj`` is a storage."""
    return isinstance(obj, (PUBLIC["UntypedStorage"], PUBLIC["TypedStorage"]))


@public
def typename(obj):
    """Return the name of a type: ``torch.FloatTensor`` for a tensor of float32, the qualified name of anything else.

    For a class, function or module this is its own name.
    """
    if isinstance(obj, Tensor):
        return obj.type()
    if isinstance(obj, types.ModuleType):
        return obj.__name__
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(named, "__module__", None)
    return named.__qualname__ if module in (None, "builtins", "__builtin__") else f"{module}.{named.__qualname__}"


def answer_constant(fn):
    """Declare a query whose answer does not depend on the tensor; it raises TypeError for other types."""

    @functools.wraps(fn)
    def answer(input):
        if not isinstance(input, Tensor):
            raise TypeError(f"{fn.__name__}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
        return fn(input)

    return answer


def fact(fn):
    """Declare a query that is both function and method."""
    PUBLIC[fn.__name__] = METHODS[fn.__name__] = fn
    return fn


@fact
def is_complex(input):
    """Return True if the dtype is complex."""
    return BY_NUMPY[input.array.dtype].category == COMPLEX


@fact
def is_signed(input):
    """Return True if the dtype can represent negative numbers."""
    return BY_NUMPY[input.array.dtype].is_signed


@fact
@answer_constant
def is_nonzero(input):
    """Return True if the only element is not zero.  Raise RuntimeError unless there is exactly one."""
    return bool(input)


@fact
def is_same_size(input, other):
    """Return True if two tensors have the same shape."""
    return input.array.shape == other.array.shape


@fact
@answer_constant
def is_conj(input):
    """Return False, because conjugation is computed at once, not when the tensor is read."""
    return False


@fact
@answer_constant
def is_neg(input):
    """Return False, because negation is computed at once, not when the tensor is read."""
    return False


@fact
@answer_constant
def resolve_conj(input):
    """Return the tensor itself, because conjugation was computed at once."""
    return input


@fact
@answer_constant
def resolve_neg(input):
    """Return the tensor itself, because negation was computed at once."""
    return input


@fact
@answer_constant
def get_device(input):
    """Return the number of the device: -1 for the CPU."""
    return -1


@fact
@answer_constant
def is_inference(input):
    """Return True if the tensor was made in inference mode.

    >>> import tensh as torch
    >>> with torch.inference_mode():
    ...     x = torch.ones(2)
    >>> x.is_inference(), x.clone().is_inference()
    (True, False)
    """
    return inference.is_inference(input)


@fact
@answer_constant
def is_distributed(input):
    """Return False, because no tensor is distributed over processes."""
    return False


def dim_order(self, *, ambiguity_check=False):
    """Return the dimensions in the order of their strides, from the largest to the smallest.

    With ``ambiguity_check``, True or a list of memory formats, raise RuntimeError unless there is only one order, or
    one of these.

    >>> import tensh as torch
    >>> torch.ones(2, 3).t().dim_order()
    (1, 0)
    """
    steps = strides(self.array)
    order = tuple(order_of(self.array.shape, steps))
    if ambiguity_check is not False:
        refuse_ambiguous(self, order, ambiguity_check)
    return order


def refuse_ambiguous(t, order, check):
    """Raise if several orders of the dimensions are possible, unless exactly one of the formats in ``check`` fits."""
    formats = [] if check is True else check
    if not isinstance(formats, list) or not all(isinstance(each, memory_format) for each in formats):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    steps = strides(t.array)
    if 0 in steps:
        raise RuntimeError("The tensor does not have unique dim order.")
    if len(set(steps)) == len(steps) and 1 not in t.array.shape:
        return
    if sum(t.is_contiguous(memory_format=each) for each in formats) != 1:
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
        )
    if t.array.ndim == 4 and t.is_contiguous() and t.is_contiguous(memory_format=channels_last):
        raise RuntimeError("The tensor does not have unique dim order.")


METHODS["dim_order"] = dim_order


Tensor.name = property(lambda t: None, doc="None: tensors have no names.")
Tensor.output_nr = property(
    lambda t: t.node.index if isinstance(refresh_node(t), Output) else 0,
    doc="The number of the tensor among the outputs of its operation.",
)
METHODS["_is_view"] = lambda t: t._base is not None and t._base is not inference.INFERENCE
for _kind in "ipu maia mtia vulkan".split():
    setattr(Tensor, f"is_{_kind}", property(lambda t: False, doc="False: tensh computes on the CPU only."))


# ── dtypes ───────────────────────────────────────────────────────────────────
RESULT_TYPE = (
    "(Tensor tensor, Tensor other)",
    "(Number scalar, Tensor tensor)",
    "(Tensor tensor, Number other)",
    "(Number scalar1, Number scalar2)",
)


@public
@shows("tensor, other", "")
def result_type(*args, **given):
    """Return the dtype in which an operator computes with two operands, each a tensor or a number.

    >>> import tensh as torch
    >>> torch.result_type(torch.tensor([1, 2]), 1.0)
    torch.float32
    """
    ranks = [None, None, None]  # tensors, 0-d tensors, numbers
    plain = not given and len(args) == 2 and all(isinstance(each, (Tensor, *of_scalar)) for each in args)
    for operand in args if plain else bind("result_type", RESULT_TYPE, args, given).values():
        tensor = isinstance(operand, Tensor)
        rank = (0 if operand.array.ndim else 1) if tensor else 2
        found = BY_NUMPY[operand.array.dtype] if tensor else scalar_dtype(operand)
        ranks[rank] = found if ranks[rank] is None else promote_types(ranks[rank], found)
    return combine_categories(ranks[0], combine_categories(ranks[1], ranks[2]))


# ── devices ──────────────────────────────────────────────────────────────────
@public
def get_default_device():
    """Return the device of new tensors: the CPU, or that of ``set_default_device`` or ``with torch.device("meta")``.

    Raise AssertionError if that is "cuda".
    """
    found = default_device()
    if found.type != "meta" and found.index is None:
        require_cpu(found)
    return found


@public
def set_default_device(device):
    """Make new tensors on the CPU or on "meta"; on "cuda" creation fails.  Raise NotImplementedError otherwise."""
    make_default(device)


# ── names ────────────────────────────────────────────────────────────────────
PUBLIC.update(
    e=math.e, pi=math.pi, inf=math.inf, nan=math.nan, newaxis=None, legacy_contiguous_format=contiguous_format,
    has_lapack=True, has_spectral=True, has_mkl=False, has_openmp=False,
)  # fmt: skip
