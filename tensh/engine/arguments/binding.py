"""Helpers of functions that make tensors: PyTorch's keywords, ``out=``, and leaves that require grad."""

from functools import cache, update_wrapper, wraps

from tensh.engine.arguments.signatures import Form, choose
from tensh.engine.arrays.absent import drop_elements, is_absent, make_absent, make_absent_strided
from tensh.engine.arrays.memory import order_in
from tensh.engine.core import ports
from tensh.engine.core.clock import mode, stamp_write
from tensh.engine.core.lift import Lift
from tensh.engine.core.nodes import AccumulateGrad, uses_gradient
from tensh.engine.core.tensor import new
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.device import HERE, cpu, on_meta, preserve_format, require_strided, strided
from tensh.engine.dtypes.dtype import BY_NUMPY, DIFFERENTIABLE
from tensh.engine.errors.messages import too_large
from tensh.engine.inplace.out import resize_out
from tensh.engine.inplace.overlap import refuse_overlap

KEYWORDS = (
    "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, bool? pin_memory = False, "
    "bool? requires_grad = False"
)
OUT = f"*, Tensor out = None, {KEYWORDS}"


@cache
def forms(name, *texts):
    """Return the signatures of a function, parsed at first use."""
    return [Form(name, text) for text in texts]


def bind(name, texts, args, given):
    """Return the arguments by name, checked as PyTorch checks them; ``given`` are the keywords."""
    return choose(name, forms(name, *texts), args, given)[1]


def asks_late(function):
    """Let a function that binds its arguments by signature ask an overriding argument that is no tensor, if binding fails."""

    @wraps(function)
    def asking(*args, **given):
        try:
            return function(*args, **given)
        except TypeError:
            if answer := ports.answer_override(asking, args, given):
                return answer[0]
            raise

    return asking


def takes_short_way(quick, keywords=False):
    """Make a function that binds its arguments by signature try ``quick`` for calls without keywords.

    ``quick`` takes positional arguments, and any ``keywords`` if it says so. It returns None without side effects for all but
    the most common kinds, which take a third of the time.
    """

    def decorate(bound):
        def function(*args, **given):
            if (keywords or not given) and HERE:
                try:
                    if (result := quick(*args, **given)) is not None:
                        return result
                except Lift:  # raised again and handled below
                    pass
            try:
                return bound(*args, **given)
            except TypeError:
                if answer := ports.answer_override(function, args, given):
                    return answer[0]
                raise

        update_wrapper(function, bound.__wrapped__)
        if hasattr(bound, "__signature__"):
            function.__signature__ = bound.__signature__
        return function

    return decorate


def make_leaf(array, requires_grad=False):
    """Make a leaf over ``array``, with or without ``requires_grad``."""
    t = new()
    t.array = array
    t.node = t._base = t._kept = None
    if requires_grad:
        if array.dtype.kind not in DIFFERENTIABLE:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        t.node = AccumulateGrad(t)
    return t


class Rare(TypeError):
    """Raised for keywords that need full binding."""


def bind_plain(default, dtype=None, requires_grad=False, device=None):
    """Return (NumPy dtype, requires_grad) of the most common keywords; raise ``Rare`` or another error for all others.

    Binding arguments by signature costs 5 µs.  So the functions below try the plain case first, and bind only when that
    fails: full binding then handles a rare case or finds the argument at fault.
    """
    if device is not None and device is not cpu and device != "cpu" or type(requires_grad) is not bool or not HERE:
        raise Rare
    return default if dtype is None else dtype.numpy, requires_grad


def place(device=None, layout=None, pin_memory=False):
    """Return True if the tensor is to be made on "meta"; raise for any other device than that and the CPU."""
    if pin_memory:
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on "
            "this system."
        )
    require_strided(layout)
    return on_meta(device)


def finish(name, make, default, given):
    """Make the tensor over ``make(dtype)``, with the bound keywords ``given``; ``default`` is the default (NumPy) dtype."""
    if given["layout"] is not None and given["layout"] is not strided:
        return ports.make_sparse(name, default, given)
    away = place(given["device"], given["layout"], given["pin_memory"])
    dtype, out, requires_grad = given["dtype"], given.get("out"), given["requires_grad"]
    if out is not None and out.layout is not strided:
        return ports.make_sparse(name, out.array.dtype, {**given, "layout": out.layout})
    if out is None:
        if away:
            return make_leaf(
                make_without_elements(make, default if dtype is None else dtype.numpy, given), requires_grad
            )
        return make_leaf(make_array(make, default if dtype is None else dtype.numpy, given.get("size")), requires_grad)
    if dtype is not None and dtype.numpy != out.array.dtype:
        title = BY_NUMPY[out.array.dtype].title
        raise RuntimeError(f"dtype {dtype.title} does not match dtype of out parameter ({title})")
    if given["device"] is not None and bool(away) is not is_absent(out.array):
        kind = "meta" if away else "cpu"
        raise RuntimeError(f"device type {kind} does not match device type of out parameter ({out.device.type})")
    if mode.grad is True and uses_gradient(refresh_node(out)):
        raise RuntimeError(
            f"aten::{name}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )
    settle(out, make_array(make, out.array.dtype, given.get("size")), name)
    if out.is_leaf:
        out.requires_grad = requires_grad
    return out


def make_without_elements(make, dtype, given):
    """Return the array of ``make(dtype)`` without elements, which are not computed if the size is given."""
    order = given.get("memory_format")
    if "input" in given:
        source = given["input"].array
        return make_absent(source.shape, dtype, order_in(source, order or preserve_format))
    size = given.get("size")
    if size is None or min(size, default=0) < 0:
        return drop_elements(make_array(make, dtype))
    if "stride" in given:
        return make_absent_strided(size, given["stride"], dtype)
    return make_absent(size, dtype, None if order is None else order_in(make_absent(size, dtype), order))


def make_array(make, dtype, size=None):
    """Call ``make(dtype)``, an array of a size; raise PyTorch's error if there is not enough memory."""
    try:
        return make(dtype)
    except (MemoryError, ValueError, OverflowError) as error:
        raise too_large(error, size, dtype.itemsize) or error from None


RANGES = frozenset({"arange", "range", "linspace", "logspace"})


def settle(out, array, name=None):
    """Write ``array`` into ``out``, which is resized without a warning, as in PyTorch's creation functions.

    Ranges keep the shape of an ``out`` of as many elements.
    """
    if name in RANGES:
        refuse_overlap(out.array)
        if out.array.size == array.size:
            array = array.reshape(out.array.shape)
    if out.array.shape != array.shape:
        resize_out(out, array.shape, silent=True)
    stamp_write(out.array)
    out.array[...] = array
