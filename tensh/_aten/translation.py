"""Calls of public functions as calls of ``aten`` operators: most by name, composed ones by their ``steps``."""

import inspect
import math
import sys
from contextlib import nullcontext
from functools import cache, partial

import tensh as torch
from tensh._aten import inner_calls
from tensh._aten.calls import HandedOn, aten, call_named, call_overload, call_plain, choose_overload
from tensh._aten.handlers import handlers_for
from tensh._aten.orders import order_arguments
from tensh._aten.overloads import Word, schemas
from tensh._aten.steps import layers, matrices
from tensh._aten.steps.conversions import as_dtype, convert_to
from tensh._aten.steps.shapes import contiguous
from tensh._aten.steps.table import STEPS
from tensh._aten.steps.wrappers import WRAPPED
from tensh._aten.synonyms import SYNONYMS
from tensh.engine.codegen.public_forms import name_in_space
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.clock import mode
from tensh.engine.core.lift import Lift
from tensh.engine.dispatch.override.dispatch import any_dispatches
from tensh.engine.dispatch.override.points import operators
from tensh.engine.dispatch.override.state import computing_formulas, state
from tensh.engine.dispatch.override.wrappers import restore_held

NUMBERS = {"__bool__": bool, "__int__": int, "__float__": float, "__complex__": complex}
"""Functions that read an element as a number of a kind."""
READERS = frozenset({*NUMBERS, "__index__", "item"})
"""Functions that read the only element of a tensor."""
QUIET = frozenset(
    """size dim numel stride storage_offset is_contiguous requires_grad_ retain_grad backward register_hook data_ptr element_size
    type nelement ndimension untyped_storage storage is_floating_point is_complex is_signed tolist numpy __len__ __repr__
    __deepcopy__ __reduce_ex__ __array__ __format__ __hash__ apply_ map_ pin_memory is_inference has_names cpu set_
    register_post_accumulate_grad_hook __contains__ __dir__ as_subclass is_tensor result_type can_cast""".split()
)
"""Functions that reach no operator, or that PyTorch answers from what the tensor knows."""


OPERATORS = {
    "__and__": "bitwise_and", "__or__": "bitwise_or", "__xor__": "bitwise_xor", "__invert__": "bitwise_not", "__eq__": "eq",
    "__floordiv__": "floor_divide", "__abs__": "abs", "__neg__": "neg", "__mod__": "remainder",
    "__index__": "_local_scalar_dense",
    "item": "_local_scalar_dense", **SYNONYMS,
    "__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_", "__ipow__": "pow_", "__pow__": "pow",
}  # fmt: skip
"""Functions whose operator has another name."""


def call(point, args, options):
    """Return the result of a public function for dispatch modes and classes; its own where there is no operator."""
    args = restore_held(args)
    amp = sys.modules.get("tensh.amp.casting")  # without it there is no autocast
    if amp is not None and amp.state.lower is not None:
        go_on = partial(call_without_casts, point)
        if (result := amp.cast_apart(point.public, args, options, nullcontext(), go_on)) is not NotImplemented:
            return result
    return call_without_casts(point, args, options)


def call_without_casts(point, args, options):
    """Return the result of a public function whose operands have the dtypes that it computes with."""
    try:
        return translate_call(point, args, options)
    except Lift:
        name = name_in_space(point.public) or point.name
        raise NotImplementedError(f"tensh knows no operator of aten for {name} of a wrapper subclass") from None


def lift_call(name, args, options):
    """The result of an operator or composite of tensh that has met a wrapper subclass, by its name in aten or by its own."""
    own, options = name, {key: value for key, value in options.items() if value is not None}
    name = LIFTED.get(name, name)
    if callable(name):
        return name(*args, **options)
    if name not in QUIET and (found := compute_by_name(name, args, options)):
        return found[0]
    if own in OPS and not state.composing:
        return Word(own)(*args, **options)
    raise NotImplementedError(f"tensh knows no operator of aten for {name} of a wrapper subclass")


def call_inner(point, args, options):
    """The result of an operator or function that a composite calls, for dispatch modes; what aten lacks is not seen."""
    name, args = point.name, restore_held(args)
    if name in inner_calls.STEPS:
        with computing_formulas(True):
            result = inner_calls.STEPS[name](*args, **options)
        if result is not NotImplemented:
            return result
    return call_operator(name, point, args, options)


def call_operator(name, point, args, options):
    """Return the result of an operator of tensh, by its name, for dispatch modes."""
    with HandedOn(partial(inner_calls.compute, name, point, args, options)) as handed:
        found = show_operator(name, args, {key: value for key, value in options.items() if value is not None})
    if not found:
        return call_plain(point.original, *args, **options)
    return handed.own(found[0]) if handed.results else inner_calls.take_own(name, found[0])


def show_operator(name, args, options):
    """Return the answer to the call of an operator as a tuple of one; () if aten has none for these arguments."""
    if name in inner_calls.CALLS:
        return (call_named(*inner_calls.CALLS[name](*args, **options)),)
    known = LIFTED.get(name, name)
    if callable(known):
        return (known(*args, **options),)
    return find_operator(known, args, options)


def sum_dim(input, dim, keepdim=False, dtype=None):
    dims = [dim] if isinstance(dim, int) else list(range(input.dim()) if dim is None else dim)
    counts = dtype is None or input.dtype is torch.bool  # counts of elements, which stay integers in PyTorch's formulas
    return aten("sum", input, dims, keepdim, **({} if counts else {"dtype": as_dtype(dtype)}))


def sum_all(input, dtype=None):
    return aten("sum", input, **({} if dtype is None or input.dtype is torch.bool else {"dtype": as_dtype(dtype)}))


def add_along(g, shape, index, dim):
    """Return the sums of gradients by their places along a dimension."""
    return aten("scatter_add", aten("new_zeros", g, list(shape)), dim, index, g)


def cast(g, kind, memory_format=None):
    """Return the dtype of an operand; a derivative says the other options, too."""
    kind = as_dtype(kind)
    if not state.formulas or g.dtype is kind:
        return convert_to(g, kind)
    return aten("_to_copy", g, dtype=kind, layout=torch.strided, device=g.device)


def slice_back(g, shape, dim, start, stop, step):
    """Return a gradient in place of a slice, among zeros."""
    start, stop = 0 if start is None else start, 2**63 - 1 if stop is None else stop
    return aten("slice_backward", g, list(shape), dim, start, stop, step)


def resize_dim(g, dim, size):
    """Return the first elements along a dimension, or zeros after them."""
    if size <= g.shape[dim]:
        return g if size == g.shape[dim] else aten("slice", g, dim, 0, size)
    room = aten("new_zeros", g, [size if d == dim else n for d, n in enumerate(g.shape)])
    aten("copy_", aten("slice", room, dim, 0, g.shape[dim]), g)
    return room


def view(input, *shape):
    """Return a view of sizes that are all said."""
    shape = list(shape[0] if shape and isinstance(shape[0], (tuple, list)) else shape)
    if shape.count(-1) == 1 and (known := -math.prod(shape)):
        shape[shape.index(-1)] = input.numel() // known
    return aten("view", input, shape)


def solve_again(A, B, left, vector):
    """Return the solution of a system and its info; ``vector`` says that the right-hand sides are vectors."""
    found = aten("linalg_solve_ex", A, aten("unsqueeze", B, -1) if vector else B, left=left)
    return (aten("squeeze", found[0], -1), found[1]) if vector else found


LIFTED = {
    **matrices.LIFTED,
    **layers.LIFTED,
    "view": view,
    "slice_dim": "slice",
    "flip_dims": "flip",
    "unsafe_view": "_unsafe_view",
    "getitem": "__getitem__",
    "setitem": "__setitem__",
    "cast": cast,
    "sum_dim": sum_dim,
    "sum_all": sum_all,
    "mean_all": "mean",
    "mean_dim": lambda input, dim, keepdim=False: aten(
        "mean", input, [dim] if isinstance(dim, int) else list(dim), keepdim
    ),
    "polygamma_of": lambda input, n: aten("polygamma", n, input),
    "complex_of_pairs": lambda grad: aten("view_as_complex", contiguous(grad)),
    "pairs_of_complex": "view_as_real",
    "roll_dims": lambda g, shifts, dims: aten("roll", g, list(shifts), list(dims)),
    "rotate_dims": lambda g, k, dims: aten("rot90", g, k, list(dims)),
    "matrix_exp": "linalg_matrix_exp",
    "singular_values": lambda A: aten("_linalg_svd", A)[1],
    "eigenvalues_of_symmetric": lambda A, uplo="L": aten("_linalg_eigh", A, *[uplo] * (uplo != "L"))[0],
    "put_along": lambda g, shape, index, dim: aten("scatter", aten("new_zeros", g, list(shape)), dim, index, g),
    "add_along": add_along,
    "zeros_as": lambda g, shape: aten("zeros", list(shape), dtype=g.dtype),
    "select_put": lambda g, part, dim, index: aten("select_scatter", g, part, dim, index),
    "slice_put": lambda g, part, dim, start, stop, step: aten("slice_scatter", g, part, dim, start, stop, step),
    "diagonal_put": lambda g, part, *places: aten("diagonal_scatter", g, part, *places),
    "masked_zero": lambda g, mask: aten("masked_fill", g, mask, 0),
    "masked_source": lambda g, mask, shape: aten("masked_scatter_backward", g, mask, list(shape)),
    "index_fill_number": lambda g, dim, index, value: aten("index_fill", g, dim, index, value),
    "scatter_number": lambda g, dim, index, value: aten("scatter", g, dim, index, value),
    "unfold_back": lambda g, shape, dim, size, step: aten("unfold_backward", g, list(shape), dim, size, step),
    "im2col": lambda g, kernel, dilation, padding, stride, size: aten(
        "im2col", g, *map(list, (kernel, dilation, padding, stride))
    ),
    "col2im": lambda g, output_size, kernel, dilation, padding, stride, size: aten(
        "col2im", g, *map(list, (output_size, kernel, dilation, padding, stride))
    ),
    "linalg_solve_triangular": lambda A, B, upper, left=True, unitriangular=False: aten(
        "linalg_solve_triangular", A, B, upper=upper, left=left, unitriangular=unitriangular
    ),
    "linalg_solve_ex": lambda A, B, left=True, vector=False: solve_again(A, B, left, vector),
    "div_rounded": lambda input, other, mode: aten("div", input, other, rounding_mode=mode),
    "linalg_lu_solve": lambda LU, pivots, B, left=True, adjoint=False: aten(
        "linalg_lu_solve", LU, pivots, B, left=left, adjoint=adjoint
    ),
    "linalg_cross": lambda input, other, dim=-1: aten("linalg_cross", input, other, dim=dim),
    "squeeze_dim": "squeeze",
    "copy_gradient": lambda g, **options: g if mode.grad else aten("detach", g),
    "tie": lambda g, *others: g,
    "div_number": lambda g, number: call_overload(schemas()["div"]["Scalar"], (g, number)),
    "softmax_backward": lambda g, out, dim: aten("_softmax_backward_data", g, out, dim, out.dtype),
    "log_softmax_backward": lambda g, out, dim: aten("_log_softmax_backward_data", g, out, dim, out.dtype),
    "threshold_backward": lambda g, out, threshold=0: aten("threshold_backward", g, out, threshold),
    "fft_c2c": lambda g, dim, *settings: aten("_fft_c2c", g, list(dim), *settings),
    "fft_c2r": lambda g, dim, *settings: aten("_fft_c2r", g, list(dim), *settings),
    "fft_r2c": lambda g, dim, *settings: aten("_fft_r2c", g, list(dim), *settings),
    "resize_dim": resize_dim,
    "real": lambda g: aten("select", aten("view_as_real", g), g.dim(), 0),
    "select_back": lambda g, shape, dim, index: aten("select_backward", g, list(shape), dim, index),
    "slice_back": slice_back,
    "diagonal_back": lambda g, shape, *part: aten("diagonal_backward", g, list(shape), *part),
}
"""Operators of tensh with another name than PyTorch's, or with other arguments."""


MADE_OF_OPERATORS = frozenset("""linear matmul multi_head_attention_forward rms_norm dropout prelu reshape""".split())
"""Functions whose operators modes see one by one (Note [Inner calls]); those of wrapper subclasses are in ``STEPS``."""


def write_result(point, args, options):
    """Return ``out``, into which the result of a call has been copied: wrapper subclasses see both steps."""
    out = options.pop("out")
    result = call(point, args, options)
    targets, values = (out, result) if isinstance(out, (tuple, list)) else ([out], [result])
    for target, value in zip(targets, values, strict=True):
        if target.shape != value.shape and not target.numel():
            aten("resize_", target, list(value.shape))
        if target.shape != value.shape:
            raise NotImplementedError("the size of out must be that of the result for tensors of wrapper subclasses")
        aten("copy_", target, value)
    return out


def translate_call(point, args, options):
    """Call the operators that a public function stands for; return its result."""
    name = name_in_space(point.public)
    if name in READERS:
        require_element(point.original, args[0])
    if name in NUMBERS:
        return NUMBERS[name](aten("_local_scalar_dense", args[0]))
    if point.is_accessor:
        name = ACCESSORS.get(point.function)
        return call_overload(*name(args[0])) if name else point.original(*args, **options)
    if name in ("numpy", "tolist") and handlers_for(args)[-1:] == [args[0]]:
        raise RuntimeError(
            f".{name}() is not supported for tensor subclasses"
            + (f", got {type(args[0]).__name__}" if name == "tolist" else ".")
        )
    if name in QUIET or point.python == "by name":  # an initialiser
        return point.original(*args, **options)
    plain = not any_dispatches((*args, *options.values()))
    if not plain and options.get("out") is not None:
        return write_result(point, args, dict(options))
    if plain and name in MADE_OF_OPERATORS:
        return (point.public if point.operator else point.original)(*args, **options)
    if not plain and name in WRAPPED and point.public.__module__ == "torch.nn.functional":
        result = WRAPPED[name](*args, **options)
        if result is not NotImplemented:
            return result
    family = point.public.__module__.rpartition(".")[2]
    if not plain and family in FAMILIES and name in schemas() and f"{family}_{name}" in schemas():
        name = f"{family}_{name}"  # another function than that of torch
    named = name, *order_arguments(point.public, args, options)
    if name not in STEPS and may_be_inplace(point.function):
        named = take_inplace(point.function, *named)
    found = compute_by_name(*named, composed=point.function in operators or not plain and name in UNDIVIDED)
    if found:  # a method that writes returns its tensor, whatever the class or mode answers
        return named[1][0] if is_inplace(named[0]) and named[1] else found[0]
    operator = operators.get(point.function)
    if plain and operator is not None and operator.name in inner_calls.CALLS:  # aten lacks the name
        return call_operator(operator.name, point, args, options)
    return point.original(*args, **options) if plain else compose(point, named, args, options)


UNDIVIDED = frozenset(
    "ctc_loss isfinite ldl_factor matrix_rank multilabel_margin_loss nanmean nanquantile quantile rrelu".split()
)
"""Composites that stay one operator on wrapper subclasses: tensh computes them by operators that ``aten`` lacks."""


def compose(point, named, args, options):
    """Call the operators that a composite consists of, or, where ``aten`` lacks one of them, the operator of its name."""
    before, state.composing = state.composing, True
    try:
        return point.original(*args, **options)
    except (Lift, NotImplementedError):
        state.composing = False
        found = compute_by_name(*named)
        return found[0] if found else point.original(*args, **options)
    finally:
        state.composing = before


def require_element(function, tensor):
    """Raise what a function that reads the only element raises for a tensor of this shape and dtype."""
    if tensor.numel() != 1 or function.__name__ == "__index__":
        call_plain(function, torch.zeros(tensor.shape, dtype=tensor.dtype))


def is_inplace(name):
    """Return True for the name of a function that writes into its first argument."""
    name = OPERATORS.get(name, name)
    return name.endswith("_") and not name.endswith("__")


@cache
def may_be_inplace(function):
    """Return True for functions such as ``relu`` that have a parameter ``inplace``."""
    try:
        return "inplace" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def take_inplace(function, name, args, options):
    """Return the call without ``inplace``: by the name that ends with ``_`` if that is true."""
    try:
        given = inspect.signature(function).bind(*args, **options).arguments
    except TypeError:
        return name, args, options
    inplace, first = given.pop("inplace", False), next(iter(given))
    return f"{name}_" if inplace else name, (given.pop(first),), given


FAMILIES = ("linalg", "fft", "special")
"""Namespaces whose operators have their names before their own."""
UNASKED = ("inplace", "requires_grad", "_stacklevel")
"""Options of functions that operators lack, and need not have where they are not true."""


def compute_by_name(name, args, options, composed=True):
    """Return the result of the operator or the steps of a name, as a tuple of one; () if there are none for these arguments.

    ``composed=False`` leaves out operators that PyTorch composes of others.
    """
    if name in STEPS:
        result = STEPS[name](*args, **options)
        return () if result is NotImplemented else (result,)
    return find_operator(name, args, options, composed)


def find_operator(name, args, options, composed=True):
    """Return the result of the operator of a name, as a tuple of one."""
    options = {key: value for key, value in options.items() if key not in UNASKED or value is True}
    if options.pop("requires_grad", False):
        found = find_operator(name, args, options, composed)
        return tuple(result.requires_grad_() for result in found)
    name = OPERATORS.get(name, name)
    for each in (name, *(f"{family}_{name}" for family in FAMILIES)):
        if (
            each in schemas()
            and (found := choose_overload(each, args, options))
            and (composed or not found[0].composed)
        ):
            return (call_overload(*found),)
    return ()


def transpose(t):
    return schemas()["permute"]["default"], (t, list(range(t.dim()))[::-1])


ACCESSORS = {
    torch.Tensor.T.fget: transpose,
    torch.Tensor.mT.fget: lambda t: (schemas()["transpose"]["int"], (t, -2, -1)),
    torch.Tensor.data.fget: lambda t: (schemas()["detach"]["default"], (t,)),
}
"""Properties that are computed by an operator."""
