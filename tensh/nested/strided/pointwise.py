"""Elementwise functions for the layout torch.strided."""

from tensh.nested.core import Nested, copy_elements, elements_of, map_elements, name_operator, nest, write_elements
from tensh.nested.strided.form import StridedNested, contiguous, join, parts, require_contiguous

ONE = "abs absolute neg negative sgn relu gelu silu tanh cos sin sqrt logical_not isnan isinf isposinf isneginf isreal conj_physical"
ONE_IN_PLACE = "abs absolute neg negative sgn relu tanh logical_not"
SAME = "clone detach cpu"
CASTS = "to double float half bfloat16 int long short char byte bool cfloat cdouble type_as type"
LIKE = "zeros_like ones_like empty_like randn_like"


def map_contiguous(func, input, *args, **kwargs):
    """Apply an elementwise function.  Raise RuntimeError unless the tensors are contiguous."""
    require_contiguous(input)
    if kwargs.get("inplace"):
        return write_elements(func, input, *args, **kwargs)
    return map_elements(func, input, *args, **kwargs)


def write_contiguous(func, input, *args, **kwargs):
    """Apply an elementwise function that writes.  Raise RuntimeError unless the tensors are contiguous."""
    require_contiguous(input)
    return write_elements(func, input, *args, **kwargs)


def cast_elements(func, input, *args, **kwargs):
    """Convert to another dtype.  Raise RuntimeError unless the tensors are contiguous."""
    result = copy_elements(func, input, *args, **kwargs)
    if result is not input and isinstance(result, Nested):
        require_contiguous(input)
    return result


def make_contiguous(func, input, memory_format=None):
    """Return the tensor itself if its tensors are contiguous, otherwise a copy."""
    return contiguous(input)


def make_like(func, input, *args, **kwargs):
    """Make a tensor of the same sizes."""
    require_contiguous(input)
    return nest(func(elements_of(input), *args, **kwargs), input._form)


def is_number(value):
    """Return True for a number, or a tensor of one number."""
    return not hasattr(value, "dim") or not isinstance(value, Nested) and value.dim() == 0 and value.numel() == 1


def combine(func, input, other, *args, **kwargs):
    """Compute with a nested tensor of the same sizes, or a number."""
    if kwargs.get("out") is not None:
        raise StridedNested.lacks(func.__name__, (input, other), kwargs)
    if not is_number(input) and not is_number(other):
        require_both(input, other)
        if input._form.sizes != other._form.sizes:
            name = name_operator(func.__name__, (input, other), {}).partition(".")[0]
            raise RuntimeError(f"{name} does not support broadcasting when given a NestedTensor")
        if input._form.strides != other._form.strides or input._form.offsets != other._form.offsets:
            input, other = contiguous(input), contiguous(other)
    nested = input if isinstance(input, Nested) else other
    return nest(func(elements_of(input), elements_of(other), *args, **kwargs), nested._form)


def require_both(input, other):
    """Raise RuntimeError unless two tensors are nested."""
    kinds = ["nested" if isinstance(each, Nested) else "non-nested" for each in (input, other)]
    if "non-nested" in kinds:
        raise RuntimeError(f"Expected both self and other to be nested, but got a {kinds[0]} self and {kinds[1]} other")


def combine_in_place(func, input, other, *args, **kwargs):
    """Compute into the first operand."""
    if not is_number(other):
        require_both(input, other)
    if isinstance(other, Nested) and input._form.sizes != other._form.sizes:
        name = func.__name__.strip("_").removeprefix("i")
        raise RuntimeError(f"{name}_ does not support broadcasting when given a NestedTensor")
    require_contiguous(input)
    return write_elements(func, input, other, *args, **kwargs)


def compare(func, input, other):
    """Compare with a number."""
    if isinstance(other, Nested):
        if func.__name__ in ("gt", "greater"):
            raise StridedNested.lacks(func.__name__, (input, other), {})
        raise RuntimeError(f"{func.__name__.strip('_')} does not support nested tensor as other value.")
    return map_elements(func, input, other)


def mask_elements(func, input, mask, value):
    """Replace the elements that a nested mask selects by a number."""
    if hasattr(value, "dim"):
        raise StridedNested.lacks("masked_fill", (input, mask, value), {})
    require_both(input, mask)
    if input._form.sizes != mask._form.sizes:
        raise RuntimeError("masked_fill does not support broadcasting when given a NestedTensor")
    return map_elements(func, input, elements_of(mask), value)


def copy_into(func, input, src, non_blocking=False):
    """Copy the elements of a nested tensor of the same sizes."""
    if not isinstance(src, Nested):
        raise RuntimeError("get_nested_tensor_impl requires a NestedTensor.")
    if input._form.sizes != src._form.sizes:
        raise RuntimeError("copy_ only supports tensors that are the same size for Nested implementations")
    require_contiguous(input)
    return write_elements(func, input, contiguous(src))


def softsign(func, input):
    """Compute x / (1 + |x|)."""
    return input / (input.abs() + 1)


def tanhshrink(func, input):
    """Compute x - tanh(x)."""
    return input - input.tanh()


def return_input(func, input, *args, **kwargs):
    """Return the tensor itself."""
    return input


def where(func, condition, input=None, other=None):
    """Compute ``where``: an ordinary tensor or number if a nested condition holds, a nested tensor elsewhere."""
    for name, each in (("condition", condition), ("other", other)):
        if not isinstance(each, Nested):
            raise RuntimeError(f"{name} must be nested")
    if isinstance(input, Nested):
        raise RuntimeError("self must not be nested")
    pairs = zip(parts(contiguous(condition)), parts(contiguous(other)))
    return join([func(one, input, two) for one, two in pairs], "WhereBackward0")


POINTWISE = {
    **dict.fromkeys(ONE.split(), map_contiguous),
    **dict.fromkeys([f"{name}_" for name in ONE_IN_PLACE.split()], write_contiguous),
    **dict.fromkeys(SAME.split(), copy_elements),
    **dict.fromkeys(CASTS.split(), cast_elements),
    **dict.fromkeys(LIKE.split(), make_like),
    **dict.fromkeys("add sub subtract mul multiply div divide true_divide".split(), combine),
    **dict.fromkeys("add_ mul_ multiply_ __iadd__ __imul__".split(), combine_in_place),
    **dict.fromkeys("eq gt ge greater greater_equal __eq__".split(), compare),
    **dict.fromkeys("fill_ zero_ normal_".split(), write_contiguous),
    **dict.fromkeys("positive __pos__ conj resolve_conj resolve_neg to_dense".split(), return_input),
    "masked_fill": mask_elements,
    "copy_": copy_into,
    "contiguous": make_contiguous,
    "softsign": softsign,
    "tanhshrink": tanhshrink,
    "where": where,
}
