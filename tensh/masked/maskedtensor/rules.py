"""The rules of masked tensors, by the names of the functions.

A rule is called with a function and its arguments while subclasses are treated as plain tensors, so that the function
sees the elements; the rule adds the mask of the result.
"""

import copy

import tensh as torch
from tensh.masked import along, reductions
from tensh.masked.maskedtensor.core import RULES, MaskedTensor, attach_mask, is_masked_tensor
from tensh.masked.masks import list_dims

OF_ONE = """
    abs absolute acos arccos acosh arccosh angle asin arcsin asinh arcsinh atan arctan atanh arctanh bitwise_not ceil clamp clip
    conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac lgamma log log10 log1p log2 logit i0
    isnan isfinite isinf nan_to_num neg negative positive pow rad2deg reciprocal round rsqrt sigmoid sign sgn signbit sin sinc
    sinh sqrt square tan tanh trunc logical_not clone detach contiguous to_dense __pos__ __invert__
"""
OF_TWO = """
    add atan2 arctan2 bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift div divide floor_divide fmod
    logaddexp logaddexp2 mul multiply nextafter remainder sub subtract true_divide eq ne le ge greater greater_equal gt
    less_equal lt less maximum minimum fmax fmin not_equal __eq__ __ne__ __floordiv__ __and__ __or__ __xor__ __lshift__
    __rshift__ __rpow__ __rdiv__ __rtruediv__ __rfloordiv__ __rmod__ __rand__ __ror__ __rxor__
"""
IN_PLACE = "__iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __iand__ __ior__ __ixor__ copy_"
VIEWS = """
    select transpose swapaxes swapdims split chunk tensor_split narrow t expand expand_as view view_as reshape reshape_as flatten
    unflatten unsqueeze unfold __getitem__
"""
CASTS = "to type int long short char byte bool float double half bfloat16"
REDUCTIONS = "sum mean amin amax argmin argmax prod norm var std"
JOINS = "cat concat concatenate stack hstack vstack dstack"
FACTS = """
    size dim ndimension numel nelement stride storage_offset is_contiguous element_size requires_grad_ retain_grad backward
    register_hook register_post_accumulate_grad_hook data_ptr __len__ is_floating_point is_complex is_signed is_same_size
    _is_view untyped_storage get_device has_names __hash__ is_tensor is_storage is_nonzero is_inference result_type
    __dir__ is_shared is_pinned dim_order is_set_to is_conj is_neg __setstate__ __set__ detach_
"""
ARGUMENTS = {
    "var": ("dim", "unbiased", "keepdim"),
    "std": ("dim", "unbiased", "keepdim"),
    "norm": ("ord", "dim", "keepdim"),
}
"""The parameters after the tensor, if they are not (dim, keepdim)."""
NAMES = {"axis": "dim", "p": "ord"}
"""Alternative names of arguments, and those of the functions of torch.masked."""


# ── masks ────────────────────────────────────────────────────────────────────
def mask_of(*values):
    """Return the mask that operands share; raise ValueError if two differ."""
    masks = [value._masked_mask for value in values if is_masked_tensor(value)]
    if any(each is not masks[0] and not torch.equal(each, masks[0]) for each in masks[1:]):
        raise ValueError("Input masks must match. If you need support for this, please open an issue on Github.")
    return masks[0]


def mask_result(result, mask, before):
    """Add a mask, broadcast to its shape, to a result; return an operand in ``before`` that was written."""
    if any(result is each for each in before):
        return result
    return attach_mask(result, mask if mask.shape == result.shape else mask.expand(result.shape).clone())


# ── rules ────────────────────────────────────────────────────────────────────
def keep_mask(func, *args, **kwargs):
    """Keep the mask of the operands."""
    operands = [*args, *kwargs.values()]
    mask = mask_of(*operands)
    if func.__name__.endswith("_") and not func.__name__.startswith("__") and not is_masked_tensor(args[0]):
        raise TypeError(f"{func.__name__} writes a masked tensor into one without a mask")
    return mask_result(func(*args, **kwargs), mask, operands)


def view_both(func, input, *args, **kwargs):
    """View the mask in the same way as the elements."""
    mask = input._masked_mask
    args = [drop_mask(each) for each in args]
    result, of_mask = func(input, *args, **kwargs), func(mask, *args, **kwargs)
    if isinstance(result, tuple | list):
        return tuple(attach_mask(data, each) for data, each in zip(result, of_mask))
    return attach_mask(result, of_mask)


def drop_mask(value):
    """Return the elements of a masked tensor that is used as an index; other values unchanged."""
    return value.as_subclass(torch.Tensor) if is_masked_tensor(value) else value


def cast_elements(func, input, *args, **kwargs):
    """Convert to another dtype; the name of a type is returned as text."""
    result = func(input, *args, **kwargs)
    return result if isinstance(result, str) else mask_result(result, input._masked_mask, [input])


def reduce_elements(func, input, *args, **kwargs):
    """Reduce the valid elements; a result without any is invalid."""
    mask = input._masked_mask
    options = dict(zip(ARGUMENTS.get(func.__name__, ("dim", "keepdim")), args)) | kwargs
    options = {NAMES.get(name, name): value for name, value in options.items()}
    if func.__name__ == "norm":
        options["ord"] = options.get("ord", 2.0)
    result = getattr(reductions, func.__name__)(input.as_subclass(torch.Tensor), mask=mask, **options)
    return attach_mask(result, reduce_mask(mask, options.get("dim"), bool(options.get("keepdim"))))


def reduce_mask(mask, dim, keepdim):
    """Return the mask of results to which any valid element contributes."""
    return mask.any(list_dims(dim, mask.ndim), keepdim=keepdim) if mask.ndim else mask


def reduce_truth(func, input, *args, **kwargs):
    """Ignore invalid elements."""
    mask = input._masked_mask
    options = dict(zip(("dim", "keepdim"), args)) | kwargs
    data = input.as_subclass(torch.Tensor).masked_fill(~mask, True)
    return attach_mask(func(data, **options), reduce_mask(mask, options.get("dim"), options.get("keepdim", False)))


def normalize_elements(func, input, dim=None, *args, **kwargs):
    """Compute a softmax of the valid elements."""
    dtype = kwargs.get("dtype")
    result = getattr(along, func.__name__)(input, dim, dtype=dtype)
    return attach_mask(result.nan_to_num(0.0), input._masked_mask)


def join_both(func, tensors, *args, **kwargs):
    """Join the masks in the same way as the elements; tensors without a mask are entirely valid."""
    masks = [
        each._masked_mask if is_masked_tensor(each) else torch.ones_like(each, dtype=torch.bool) for each in tensors
    ]
    return attach_mask(func(tensors, *args, **kwargs), func(masks, *args, **kwargs))


def choose_elements(func, condition, input, other):
    """Compute ``where``; each element keeps its mask."""
    condition = drop_mask(condition)
    masks = [each._masked_mask if is_masked_tensor(each) else torch.tensor(True) for each in (input, other)]
    return attach_mask(func(condition, input, other), func(condition, *masks))


def fill_like(func, input, *args, **kwargs):
    """Make a tensor of one number with the mask of another."""
    return attach_mask(func(input.as_subclass(torch.Tensor), *args, **kwargs), input._masked_mask)


def read_number(func, input, *args):
    """Return the number in a tensor of one element; raise ValueError for an invalid element."""
    if input.numel() == 1 and not input._masked_mask.item():
        raise ValueError("__torch_dispatch__, aten._local_scalar_dense: expected a mask tensor")
    return func(input, *args)


def copy_both(func, input, memo):
    """Copy the elements and the mask."""
    if id(input) not in memo:
        memo[id(input)] = attach_mask(copy.deepcopy(input.as_subclass(torch.Tensor), {}), input._masked_mask.clone())
    return memo[id(input)]


def reduce_for_pickle(func, input, protocol):
    """Reduce a masked tensor for a pickle: the elements, the mask, and requires_grad."""
    if not input.is_leaf:
        raise RuntimeError("only masked tensors that are leaves can be pickled")
    data = input.detach().as_subclass(torch.Tensor)
    return MaskedTensor, (data, input._masked_mask, input.requires_grad)


def ask_elements(func, *args, **kwargs):
    """Apply the function to the elements only."""
    return func(*args, **kwargs)


def read_attribute(func, input, *args):
    """Return an attribute; the gradient and the data have the mask."""
    result = func(input, *args)
    if not isinstance(result, torch.Tensor) or is_masked_tensor(result):
        return result
    if func.__self__ in (torch.Tensor.grad, torch.Tensor.data):
        return attach_mask(result, input._masked_mask)
    if func.__self__ is torch.Tensor._base:
        return result
    raise TypeError("this attribute of a masked tensor has no rule for its mask")


def refuse_with(text):
    """Return a rule that refuses with PyTorch's message."""

    def rule(func, *args, **kwargs):
        raise RuntimeError(text)

    return rule


# ── functions by kind ────────────────────────────────────────────────────────
def list_inplace_names(names):
    """Return the functions that write into their first operand."""
    return [f"{name}_" for name in names.split() if not name.startswith("__")]


RULES |= {
    **dict.fromkeys(f"{OF_ONE} {OF_TWO} {IN_PLACE}".split(), keep_mask),
    **dict.fromkeys([*list_inplace_names(OF_ONE), *list_inplace_names(OF_TWO)], keep_mask),
    **dict.fromkeys(VIEWS.split(), view_both),
    **dict.fromkeys(CASTS.split(), cast_elements),
    **dict.fromkeys(REDUCTIONS.split(), reduce_elements),
    **dict.fromkeys(JOINS.split(), join_both),
    **dict.fromkeys(FACTS.split(), ask_elements),
    **dict.fromkeys("softmax log_softmax softmin".split(), normalize_elements),
    **dict.fromkeys("ones_like empty_like".split(), fill_like),
    **dict.fromkeys("item __bool__ __float__ __int__ __index__ __complex__".split(), read_number),
    "__deepcopy__": copy_both, "__reduce_ex__": reduce_for_pickle, "all": reduce_truth, "where": choose_elements, "__get__": read_attribute,
    "numpy": refuse_with(".numpy() is not supported for tensor subclasses."),
    "tolist": refuse_with(".tolist() is not supported for tensor subclasses, got MaskedTensor"),
}  # fmt: skip
