"""Elementwise functions for the layout torch.jagged."""

import tensh as torch
from tensh.engine.codegen.public_forms import name_in_space
from tensh.engine.operators.layers.composites.losses import reduce_losses, reduction_of
from tensh.nested.core import Nested, copy_elements, elements_of, name_operator, nest, write_elements
from tensh.nested.jagged.creation import join_ragged
from tensh.nested.jagged.dims import agree, inner_dim, require_plain
from tensh.nested.jagged.form import NestedTensor, parts
from tensh.nested.jagged.padding import padded_width, unpad
from tensh.nested.labels import label

ONE = """
    abs absolute acos acosh angle arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bitwise_not ceil celu cos cosh
    deg2rad digamma elu erf erfc erfinv exp exp2 expm1 expit fix floor frac gelu hardshrink hardsigmoid hardtanh i0 i0e i1 i1e isfinite isinf
    isnan isneginf isposinf isreal leaky_relu lgamma log log10 log1p log2 logical_not logit mish mvlgamma nan_to_num ndtr ndtri
    log_ndtr entr erfcx gammaln multigammaln psi polygamma neg negative rad2deg reciprocal relu relu6 round rsqrt selu sgn sigmoid sign
    signbit silu sin sinc sinh softplus softshrink sqrt square tan tanh threshold trunc airy_ai bessel_j0 bessel_j1 bessel_y0
    bessel_y1 modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0
    scaled_modified_bessel_k1 spherical_bessel_j0 conj_physical detach fill __invert__
"""
TWO = """
    add sub subtract mul multiply div divide true_divide remainder fmod pow float_power maximum minimum fmax fmin atan2 arctan2
    bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift copysign eq ne ge gt le lt greater greater_equal
    less less_equal not_equal gcd lcm heaviside hypot igamma igammac ldexp logaddexp logaddexp2 logical_and logical_or logical_xor
    nextafter xlogy xlog1py zeta gammainc gammaincc rsub clamp clamp_min clamp_max clip
    chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w hermite_polynomial_h
    hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p shifted_chebyshev_polynomial_t
    shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w
    __eq__ __ne__ __and__ __or__ __xor__ __rand__ __ror__ __rxor__ __lshift__ __rshift__ __rlshift__ __rrshift__ __rsub__ __rdiv__
    __rtruediv__ __rpow__ __rmod__ __mod__
"""
ONE_IN_PLACE = """
    acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bitwise_not celu ceil conj_physical cos cosh deg2rad digamma
    elu erf erfc erfinv exp exp2 expm1 fix floor frac hardtanh i0 leaky_relu lgamma log log10 log1p log2 logical_not logit
    nan_to_num neg negative rad2deg reciprocal relu round rsqrt selu sgn sigmoid sign sin sinc sinh sqrt square tan tanh
    trunc zero fill
"""
TWO_IN_PLACE = """
    add sub subtract mul multiply div divide true_divide remainder fmod pow atan2 arctan2 bitwise_and bitwise_or bitwise_xor
    bitwise_left_shift bitwise_right_shift clamp clamp_min clamp_max clip hypot igamma igammac ldexp logical_and logical_or
    logical_xor nextafter xlogy
"""
OPERATORS_IN_PLACE = (
    "__iadd__ __isub__ __imul__ __itruediv__ __idiv__ __imod__ __ipow__ __iand__ __ior__ __ixor__ __ilshift__"
)
CASTS = "to double float half bfloat16 int long short char byte bool cfloat cdouble chalf cpu type_as type"
LIKE = "zeros_like ones_like empty_like full_like rand_like randn_like randint_like"


def map_values(func, *args, **kwargs):
    """Make the rule of an elementwise function of one nested tensor, which other arguments may precede."""
    nested = next(each for each in (*args, *kwargs.values()) if isinstance(each, Nested))
    if kwargs.get("inplace"):
        return write_elements(func, *args, **kwargs)
    elements = elements_of(nested)
    result = func(
        *(elements if each is nested else each for each in args),
        **{k: elements if v is nested else v for k, v in kwargs.items()},
    )
    return nested if result is elements else nest(result, nested._form)


def combine(func, input, other=None, *args, **kwargs):
    """Apply a function of two operands: nested tensors divided alike, or one that broadcasts to the other."""
    if not isinstance(other, torch.Tensor):
        rest = () if other is None else (other,)
        found = [each for each in (*args, *kwargs.values()) if isinstance(each, torch.Tensor)]
        if not found:
            return map_values(func, input, *rest, *args, **kwargs)
        return clamp(func, input, other, *args, **kwargs)
    if not isinstance(input, torch.Tensor):
        return map_values(func, input, other, *args, **kwargs)
    if isinstance(input, Nested) and isinstance(other, Nested):
        if not agree(input, other._size):
            raise describe_misfit(func, input, other, input._size, other._size)
        return nest(func(elements_of(input), elements_of(other), *args, **kwargs), input._form)
    nested, dense = (input, other) if isinstance(input, Nested) else (other, input)
    if dense.dim() > nested.ndim:
        raise NotImplementedError("NYI: broadcasting NT with T with larger dim")
    fitting = drop_leading_ones(dense)
    if nested.ndim < fitting.dim() + 2:
        fitting = elements_of(ragged_like(func, nested, dense))
    pair = (elements_of(input), fitting) if nested is input else (fitting, elements_of(other))
    return nest(func(*pair, *args, **kwargs), nested._form)


def clamp(func, input, low=None, high=None, *, min=None, max=None):
    """Clamp the elements to limits, each a number or a nested tensor."""
    low, high = min if low is None else low, max if high is None else high
    for bound, within in ((low, torch.maximum), (high, torch.minimum)):
        if bound is not None:
            input = (
                combine(within, input, bound)
                if isinstance(bound, torch.Tensor)
                else func(input, **{"min" if bound is low else "max": bound})
            )
    return input


def drop_leading_ones(t):
    while t.dim() and t.shape[0] == 1:
        t = t.squeeze(0)
    return t


def ragged_like(func, nested, dense):
    """Repeat a tensor with as many dimensions along the ragged one, as a nested tensor."""
    if dense.dim() != nested.ndim or dense.shape[0] != nested._size[0]:
        shapes = (nested.shape, dense.shape) if func is not None else ()
        raise describe_misfit(func, nested, dense, *shapes)
    ragged, width = nested._form.ragged, padded_width(nested)
    padded = dense.expand([width if d == ragged else n for d, n in enumerate(dense.shape)])
    return unpad(padded, nested._form, elements_of(nested).shape[ragged - 1])


def describe_misfit(func, input, other, one, two):
    name = name_operator(name_in_space(func), (input, other), {})
    return RuntimeError(f"cannot call binary pointwise function {name} with inputs of shapes {one} and {two}")


def combine_in_place(func, input, other=None, *args, **kwargs):
    """Compute into the first operand."""
    if not isinstance(input, Nested):
        return func(input, elements_of(other), *args, **kwargs)
    if isinstance(other, torch.Tensor):
        if isinstance(other, Nested):
            if not agree(input, other._size):
                raise describe_misfit(func, input, other, input._size, other._size)
        elif input.ndim < drop_leading_ones(other).dim() + 2:
            other = ragged_like(func, input, other)
        else:
            other = drop_leading_ones(other)
    rest = () if other is None else (other,)
    return write_elements(func, input, *rest, *args, **kwargs)


def copy_into(func, input, src, non_blocking=False):
    """Copy the elements of a nested tensor whose tensors have the same sizes."""
    if not isinstance(src, NestedTensor):
        raise ValueError(
            "NestedTensor copy_default(self: jt_all, src: jt_all, non_blocking: any?): expected src to be a jagged layout NestedTensor"
        )
    if input._size != src._size and [each.shape for each in parts(input)] != [each.shape for each in parts(src)]:
        raise RuntimeError(f"copy_(): expected compatible input and src shapes, but got: {input.shape} and {src.shape}")
    return write_elements(func, input, src)


def clone(func, input, *, memory_format=torch.preserve_format):
    """Copy the tensor; a copy in contiguous memory has no holes."""
    form = input._form
    if form.lengths is not None and memory_format is torch.contiguous_format:
        if form.ragged != 1:
            raise AssertionError("NJT with ragged_idx != 1 not supported for contiguous clone")
        return join_ragged(parts(input))
    return nest(func(elements_of(input), memory_format=memory_format), form)


def make_contiguous(func, input, memory_format=torch.contiguous_format):
    """Return the tensor itself if it is contiguous, else a copy."""
    whole = input._form.lengths is None and elements_of(input).is_contiguous()
    return input if whole else clone(torch.clone, input, memory_format=torch.contiguous_format)


def make_like(func, input, *args, **kwargs):
    """Make a tensor of the same sizes."""
    kwargs.pop("layout", None)
    return nest(func(elements_of(input), *args, **kwargs), input._form)


def isclose(func, input, other, *args, **kwargs):
    """Compute ``isclose`` of nested tensors with the same division."""
    return combine(func, input, other, *args, **kwargs)


def where(func, condition, input=None, other=None):
    """Compute ``where`` of tensors that broadcast to one size."""
    if input is None:
        raise NotImplementedError("aten.nonzero.default")
    first = next(each for each in (condition, input, other) if isinstance(each, Nested))
    require_broadcast((condition, input, other), first)
    return nest(func(*map(elements_of, (condition, input, other))), first._form)


def require_broadcast(tensors, first):
    """Raise unless all nested tensors have the same division, and all others have fewer dimensions."""
    for each in tensors:
        if isinstance(each, Nested):
            if not agree(each, first._size):
                raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single shape")
        elif isinstance(each, torch.Tensor) and each.dim() >= first.ndim:
            raise ValueError(
                "broadcast_tensors(): broadcasting nested tensors with dense tensors of equal or higher dim is not currently supported"
            )


def one_hot(func, tensor, num_classes=-1):
    """Compute ``one_hot`` of each element."""
    return nest(func(elements_of(tensor), num_classes), tensor._form)


def diff(func, input, n=1, dim=-1, **kwargs):
    """Subtract neighbours along a dimension: ``diff``."""
    return nest(func(elements_of(input), n, inner_dim(input, dim, "narrow"), **kwargs), input._form)


def frexp(func, input):
    """Compute ``frexp``, which has two results."""
    found = func(elements_of(input))
    return tuple.__new__(type(found), [nest(each, input._form) for each in found])


def initialize(func, tensor, *args, **kwargs):
    """Apply an initialiser."""
    return write_elements(func, tensor, *args, **kwargs)


def l1_loss(func, input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """Compute ``l1_loss``, without its weight, as PyTorch does."""
    found = (input - target).abs()
    return reduce_losses(found, reduction_of(reduction, size_average, reduce))


def kl_div(func, input, target, *args, **kwargs):
    """Compute ``kl_div`` of each element."""
    if kwargs.get("reduction", "mean") != "none":
        return func(elements_of(input), elements_of(target), *args, **kwargs)
    return combine(func, input, target, *args, **kwargs)


def compose_rule(steps):
    """Make a rule that composes others."""
    return lambda func, input, *args, **kwargs: steps(input, *args, **kwargs)


def return_input(func, input, *args, **kwargs):
    """Return the tensor itself."""
    return input


def dropout(func, input, p=0.5, training=True, inplace=False):
    """Apply dropout to the elements in training."""
    require_plain(input, "dropout")
    if inplace:
        return write_elements(func, input, p, training, True)
    found = torch.native_dropout(elements_of(input), p, True)[0] if training else elements_of(input).clone()
    return nest(label(found, "NativeDropoutBackward0") if func.__name__ == "dropout" else found, input._form)


def fill_masked(func, input, mask, value):
    """Replace the elements that a mask selects by a number."""
    if isinstance(value, torch.Tensor):
        raise NotImplementedError("aten.masked_fill.Tensor")
    return combine(lambda one, two: func(one, two, value), input, mask)


def lerp(func, input, end, weight):
    """Interpolate linearly between two tensors: ``lerp``."""
    if isinstance(weight, torch.Tensor):
        raise NotImplementedError("aten.lerp.Tensor")
    return combine(func, input, end, weight)


POINTWISE = {
    **dict.fromkeys(ONE.split(), map_values),
    **dict.fromkeys(TWO.split(), combine),
    **dict.fromkeys([f"{name}_" for name in ONE_IN_PLACE.split()], write_elements),
    **dict.fromkeys([*(f"{name}_" for name in TWO_IN_PLACE.split()), *OPERATORS_IN_PLACE.split()], combine_in_place),
    **dict.fromkeys(CASTS.split(), copy_elements),
    **dict.fromkeys(LIKE.split(), make_like),
    **dict.fromkeys(
        "positive __pos__ atleast_1d atleast_2d atleast_3d real conj resolve_conj resolve_neg".split(), return_input
    ),
    "masked_fill": fill_masked,
    "lerp": lerp,
    "lerp_": write_elements,
    "one_hot": one_hot,
    "diff": diff,
    "frexp": frexp,
    "kl_div": kl_div,
    "l1_loss": l1_loss,
    "apply_": write_elements,
    **dict.fromkeys("constant_ ones_ zeros_".split(), initialize),
    "copy_": copy_into,
    "clone": clone,
    "contiguous": make_contiguous,
    "isclose": isclose,
    "where": where,
    "softsign": compose_rule(lambda x: x / (x.abs() + 1)),
    "tanhshrink": compose_rule(lambda x: x - x.tanh()),
    "dropout": dropout,
    "alpha_dropout": dropout,
    "feature_alpha_dropout": dropout,
}
