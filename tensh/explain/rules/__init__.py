"""The rules of operations: for each kind of failure, what the operands broke, and which fixes to try.

A failure is recognised by words of PyTorch's message.
"""

from tensh.explain.rules.autograd import (
    explain_ambiguous_bool,
    explain_conversion_to_number,
    explain_flag_of_computed,
    explain_numpy_of_recorded,
    explain_second_pass,
    explain_start_of_complex,
    explain_start_of_several,
    explain_unrecorded,
    explain_write_to_leaf,
)
from tensh.explain.rules.broadcasting import explain_broadcast
from tensh.explain.rules.calling import (
    explain_list_of_tensors,
    explain_mask_shape,
    explain_no_such_device,
    explain_permutation,
    explain_repeats,
    explain_start_of_backward,
    explain_unused,
)
from tensh.explain.rules.counts import explain_counts_of_rows, explain_parts_of_split
from tensh.explain.rules.dtypes import (
    explain_dtypes,
    explain_integer_dtype,
    explain_integers_require_grad,
    explain_mask_in_arithmetic,
)
from tensh.explain.rules.equations import (
    explain_count_of_operands,
    explain_count_of_subscripts,
    explain_place_of_equation,
    explain_signs_of_equation,
    explain_sizes_of_subscript,
    explain_unknown_subscript,
)
from tensh.explain.rules.indices import (
    explain_dim_range,
    explain_index_dims,
    explain_index_range,
    explain_mask_of_numbers,
    explain_rows_and_columns,
    explain_too_many_indices,
    explain_written_list,
)
from tensh.explain.rules.joining import explain_join, explain_lengths
from tensh.explain.rules.kernels import explain_kernel_dims
from tensh.explain.rules.layers import (
    explain_channels,
    explain_channels_of_pixels,
    explain_class_dtype,
    explain_class_range,
    explain_features,
    explain_image_without_batch,
    explain_kernel_size,
    explain_normalized_shape,
    explain_numbers_of_samples,
    explain_patches_without_batch,
    explain_probabilities,
    explain_recurrent_features,
    explain_row_range,
    explain_rows_of_image,
    explain_topk_count,
    explain_weights_of_classes,
    explain_whole_indices,
)
from tensh.explain.rules.masks import explain_mask_of_scores, explain_whole_numbers_of_mask
from tensh.explain.rules.meanings import (
    explain_divergence_dtype,
    explain_fans,
    explain_padding,
    explain_point_sizes,
    explain_xor,
)
from tensh.explain.rules.one_hot import explain_negative_classes, explain_one_hot_classes, explain_several_classes
from tensh.explain.rules.overwritten import explain_overwritten
from tensh.explain.rules.products import explain_outer_product, explain_product_shapes
from tensh.explain.rules.shapes import explain_expand, explain_not_contiguous, explain_reshape
from tensh.explain.rules.solving import explain_positive_definite, explain_system
from tensh.explain.situation import message_of


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
    (("to match target batch_size",), explain_numbers_of_samples),
    (("Cannot access accelerator", "not compiled with CUDA", "without CUDA", "No CUDA", ": there is no device "), explain_no_such_device),
    (("linalg.solve: ",), explain_system),
    (("the input is not positive-definite",), explain_positive_definite),
    (("must be tuple of Tensors, not Tensor",), explain_list_of_tensors),
    (("should be between 0 and 1",), explain_probabilities),
    (("Index tensor must have the same number of dimensions",), explain_index_dims),
    (("tensors used as indices must be",), explain_mask_of_numbers),
    (("channels, but got",), explain_channels),
    (("Kernel size can't be greater than", "Output size is too small"), explain_kernel_size),
    (("values to match the convolution dimensions", "weight should have at least three dimensions", "-dimensional input for ", "input to conv"), explain_kernel_dims),
    (("input to conv2d, but got input of size",), explain_rows_of_image),
    (("running_mean should contain", "size equal to the number of channels in input"), explain_features),
    (("expected input with shape [*, ",), explain_normalized_shape),
    (("must have the same number of columns",), explain_point_sizes),
    (("kl_div: Integral inputs",), explain_divergence_dtype),
    (("Fan in and fan out can not be computed",), explain_fans),
    (("Padding length should be less than",), explain_padding),
    (("bitwise_xor_cpu",), explain_xor),
    (("must be equal to input_size",), explain_recurrent_features),
    (("index out of range in self",), explain_row_range),
    (("'indices' to have one of the following scalar types", "Expected dtype int32/int64 for index", "Expected dtype int64 for index"), explain_whole_indices),
    (("expected target dtype to be Long", "expected scalar type Long but found", "multi-target not supported"), explain_class_dtype),
    (("multi-target not supported",), explain_several_classes),
    (("Target ",), explain_class_range),
    (("Class values must be smaller",), explain_one_hot_classes),
    (("Class values must be non-negative",), explain_negative_classes),
    (("selected index k out of range",), explain_topk_count),
    (("which does not broadcast with previously seen size",), explain_sizes_of_subscript),
    (("the number of subscripts in the equation",), explain_count_of_subscripts),
    (("operands were provided than specified in the equation",), explain_count_of_operands),
    (("invalid subscript given at index", "that is not part of any ellipsis"), explain_signs_of_equation),
    (("Boolean value of Tensor",), explain_place_of_equation),
    (("Only 3D, 4D and 5D input Tensors supported",), explain_image_without_batch),
    (("does not appear in the equation for any input operand",), explain_unknown_subscript),
    (("weight tensor should be defined either for all",), explain_weights_of_classes),
    (("can't assign a",), explain_written_list),
    (("Mismatch in shape: grad_output",), explain_start_of_backward),
    (("appears to not have been used in the graph",), explain_unused),
    (("The shape of the mask",), explain_mask_shape),
    (("shape mismatch: indexing tensors",), explain_rows_and_columns),
    (("repeat dims can not be smaller",), explain_repeats),
    (("repeats must have the same size as input", "repeats can not be negative", "repeat_interleave_cpu"), explain_counts_of_rows),
    (("expects split_sizes to sum exactly to",), explain_parts_of_split),
    (("outer: Expected 1-D argument",), explain_outer_product),
    (("length of the desired ordering",), explain_permutation),
    (("cannot be multiplied", "size mismatch, got input", "inconsistent tensor size", "both arguments to matmul", "Expected size for first two dimensions", "1D tensors expected", "must be a matrix", "must be a 3D tensor"), explain_product_shapes),
    (("must match the size of tensor",), explain_lengths),
    (("must match the size of tensor", "must match the existing size", "doesn't match the broadcast shape"), explain_mask_of_scores),
    (("Expected attn_mask dtype to be bool or float",), explain_whole_numbers_of_mask),
    (("must match the size of tensor", "doesn't match the broadcast shape", "Shape mismatch", "not broadcastable", "shape mismatch"), explain_broadcast),
    (("must match except in dimension", "same number of dimensions: got", "stack expects each tensor"), explain_join),
    (("view size is not compatible",), explain_not_contiguous),
    (("is invalid for input of size", "only one dimension can be inferred"), explain_reshape),
    (("must match the existing size", "expand("), explain_expand),
    (("out of bounds for dimension", "is out of bounds"), explain_index_range),
    (("too many indices",), explain_too_many_indices),
    (("Dimension out of range",), explain_patches_without_batch),
    (("Dimension out of range", "dimension specified as"), explain_dim_range),
    (("on a bool tensor is not supported", "with a bool tensor is not supported", "with two bool tensors is not supported"), explain_mask_in_arithmetic),
    (("same dtype", "expected scalar type", "Expected object of scalar type", "should have the same dtype", "expected m1 and m2"), explain_dtypes),
    (("could not infer output dtype", "not implemented for 'Long'", "not implemented for 'Int'", "not implemented for 'Bool'", "only support floating point and complex dtypes", "Expected a floating point or complex tensor", "only supports floating-point dtypes for input"), explain_integer_dtype),
    (("can require gradients",), explain_integers_require_grad),
    (("can be implicitly created only for scalar outputs",), explain_start_of_several),
    (("can be implicitly created only for real scalar outputs",), explain_start_of_complex),
    (("pixel_shuffle expects its input's 'channel'",), explain_channels_of_pixels),
    (("Padding length must be divisible by 2",), explain_padding),
    (("does not require grad and does not have a grad_fn",), explain_unrecorded),
    (("Trying to backward through the graph a second time",), explain_second_pass),
    (("has been modified by an inplace operation",), explain_overwritten),
    (("leaf Variable that requires grad",), explain_write_to_leaf),
    (("change requires_grad flags of leaf variables",), explain_flag_of_computed),
    (("Can't call numpy() on Tensor that requires grad",), explain_numpy_of_recorded),
    (("Boolean value of Tensor with", "Boolean value of Tensor"), explain_ambiguous_bool),
    (("elements cannot be converted to Scalar", "only one element tensors can be converted"), explain_conversion_to_number),
)  # fmt: skip
