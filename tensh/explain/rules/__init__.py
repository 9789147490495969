"""The rules of operations: for each kind of failure, what the operands broke, and which fixes to try.

A failure is recognised by words of PyTorch's message.
"""

from tensh.explain.causes.situation import message_of
from tensh.explain.rules.autograd import (
    explain_ambiguous_bool,
    explain_overwritten,
    explain_unrecorded,
    flag_of_computed,
    leaf_in_place,
    needs_real,
    needs_scalar,
    one_number,
    second_pass,
    to_numpy,
)
from tensh.explain.rules.broadcasting import broadcasting
from tensh.explain.rules.calling import (
    explain_list_of_tensors,
    explain_unused,
    mask_shape,
    no_such_device,
    orders,
    repeats,
    start_of_backward,
)
from tensh.explain.rules.counts import counts_of_rows, parts_of_split
from tensh.explain.rules.dtypes import dtypes, integers_require_grad, mask_in_arithmetic, needs_float
from tensh.explain.rules.equations import count_of_subscripts, subscripts, unknown_subscript
from tensh.explain.rules.indices import (
    dim_range,
    index_dims,
    index_range,
    list_written,
    mask_of_numbers,
    rows_and_columns,
    too_many_indices,
)
from tensh.explain.rules.joining import joining, lengths
from tensh.explain.rules.kernels import kernel_dims
from tensh.explain.rules.layers import (
    channels,
    channels_of_pixels,
    class_range,
    classes,
    features,
    image_of_rows,
    image_without_batch,
    kernel,
    largest,
    normalized,
    one_hot_classes,
    patches_without_batch,
    probabilities,
    recurrent_features,
    rows,
    samples,
    weights_of_classes,
    whole_indices,
)
from tensh.explain.rules.masks import mask_of_scores, whole_numbers_of_mask
from tensh.explain.rules.meanings import distances, divergence, fans, paddings, power
from tensh.explain.rules.one_hot import several_classes
from tensh.explain.rules.products import outer_product, product_shapes
from tensh.explain.rules.shapes import expanding, not_contiguous, reshaping
from tensh.explain.rules.solving import positive_definite, system


def rule_for(call, error):
    """Return the Explanation of the first rule that recognises the failure; None if none does."""
    text = message_of(error)
    for words, rule in RULES:
        if any(word in text for word in words):
            found = rule(call, text)
            if found is not None:
                return found
    return None


RULES = (
    (("to match target batch_size",), samples),
    (("Cannot access accelerator", "not compiled with CUDA", "without CUDA", "No CUDA"), no_such_device),
    (("linalg.solve: ",), system),
    (("the input is not positive-definite",), positive_definite),
    (("must be tuple of Tensors, not Tensor",), explain_list_of_tensors),
    (("should be between 0 and 1",), probabilities),
    (("Index tensor must have the same number of dimensions",), index_dims),
    (("tensors used as indices must be",), mask_of_numbers),
    (("channels, but got",), channels),
    (("Kernel size can't be greater than", "Output size is too small"), kernel),
    (("values to match the convolution dimensions", "weight should have at least three dimensions", "-dimensional input for ", "input to conv"), kernel_dims),
    (("input to conv2d, but got input of size",), image_of_rows),
    (("running_mean should contain",), features),
    (("expected input with shape [*, ",), normalized),
    (("must have the same number of columns",), distances),
    (("kl_div: Integral inputs",), divergence),
    (("Fan in and fan out can not be computed",), fans),
    (("Padding length should be less than",), paddings),
    (("bitwise_xor_cpu",), power),
    (("must be equal to input_size",), recurrent_features),
    (("index out of range in self",), rows),
    (("'indices' to have one of the following scalar types", "Expected dtype int32/int64 for index", "Expected dtype int64 for index"), whole_indices),
    (("expected target dtype to be Long", "expected scalar type Long but found", "multi-target not supported"), classes),
    (("multi-target not supported",), several_classes),
    (("Target ",), class_range),
    (("Class values must be smaller",), one_hot_classes),
    (("selected index k out of range",), largest),
    (("which does not broadcast with previously seen size",), subscripts),
    (("the number of subscripts in the equation",), count_of_subscripts),
    (("Only 3D, 4D and 5D input Tensors supported",), image_without_batch),
    (("does not appear in the equation for any input operand",), unknown_subscript),
    (("weight tensor should be defined either for all",), weights_of_classes),
    (("can't assign a list to a",), list_written),
    (("Mismatch in shape: grad_output",), start_of_backward),
    (("appears to not have been used in the graph",), explain_unused),
    (("The shape of the mask",), mask_shape),
    (("shape mismatch: indexing tensors",), rows_and_columns),
    (("repeat dims can not be smaller",), repeats),
    (("repeats must have the same size as input", "repeats can not be negative", "repeat_interleave_cpu"), counts_of_rows),
    (("expects split_sizes to sum exactly to",), parts_of_split),
    (("outer: Expected 1-D argument",), outer_product),
    (("length of the desired ordering",), orders),
    (("cannot be multiplied", "size mismatch, got input", "inconsistent tensor size", "both arguments to matmul", "Expected size for first two dimensions", "1D tensors expected", "must be a matrix", "must be a 3D tensor"), product_shapes),
    (("must match the size of tensor",), lengths),
    (("must match the size of tensor", "must match the existing size", "doesn't match the broadcast shape"), mask_of_scores),
    (("Expected attn_mask dtype to be bool or float",), whole_numbers_of_mask),
    (("must match the size of tensor", "doesn't match the broadcast shape", "Shape mismatch", "not broadcastable", "shape mismatch"), broadcasting),
    (("must match except in dimension", "same number of dimensions: got", "stack expects each tensor"), joining),
    (("view size is not compatible",), not_contiguous),
    (("is invalid for input of size", "only one dimension can be inferred"), reshaping),
    (("must match the existing size", "expand("), expanding),
    (("out of bounds for dimension", "is out of bounds"), index_range),
    (("too many indices",), too_many_indices),
    (("Dimension out of range",), patches_without_batch),
    (("Dimension out of range", "dimension specified as"), dim_range),
    (("on a bool tensor is not supported", "with a bool tensor is not supported", "with two bool tensors is not supported"), mask_in_arithmetic),
    (("same dtype", "expected scalar type", "Expected object of scalar type", "should have the same dtype", "expected m1 and m2"), dtypes),
    (("could not infer output dtype", "not implemented for 'Long'", "not implemented for 'Int'", "not implemented for 'Bool'", "only support floating point and complex dtypes", "Expected a floating point or complex tensor"), needs_float),
    (("can require gradients",), integers_require_grad),
    (("can be implicitly created only for scalar outputs",), needs_scalar),
    (("can be implicitly created only for real scalar outputs",), needs_real),
    (("pixel_shuffle expects its input's 'channel'",), channels_of_pixels),
    (("Padding length must be divisible by 2",), paddings),
    (("does not require grad and does not have a grad_fn",), explain_unrecorded),
    (("Trying to backward through the graph a second time",), second_pass),
    (("has been modified by an inplace operation",), explain_overwritten),
    (("leaf Variable that requires grad",), leaf_in_place),
    (("change requires_grad flags of leaf variables",), flag_of_computed),
    (("Can't call numpy() on Tensor that requires grad",), to_numpy),
    (("Boolean value of Tensor with", "Boolean value of Tensor"), explain_ambiguous_bool),
    (("elements cannot be converted to Scalar", "only one element tensors can be converted"), one_number),
)  # fmt: skip
