"""PyTorch's names of operators, with their overloads, as they appear in its errors for sparse tensors."""

ATEN = {
    "mean_all": "mean.dim", "mean_dim": "mean.dim", "max_all": "max", "max_dim": "max.dim", "min_all": "min", "min_dim": "min.dim",
    "eq": "eq.Tensor", "ne": "ne.Tensor", "lt": "lt.Tensor", "le": "le.Tensor", "gt": "gt.Tensor", "ge": "ge.Tensor",
    "narrow": "as_strided", "slice_dim": "as_strided", "squeeze_all": "as_strided", "squeeze_dim": "as_strided",
    "split_equally": "as_strided", "split_by_sizes": "as_strided", "index": "index.Tensor", "ones_like": "fill_.Scalar",
    "full_like": "fill_.Scalar", "fill": "fill_.Scalar", "fill_number": "fill_.Scalar", "softmax_dim": "_softmax",
    "log_softmax_dim": "_log_softmax", "vector_norm": "linalg_vector_norm", "isclose": "eq.Tensor", "allclose": "eq.Tensor",
    "prod_all": "prod", "prod_dim": "prod.dim_int", "equals": "equal", "where": "where.self", "cumsum": "cumsum",
    "var_dim": "var.correction", "std_dim": "std.correction", "argsort": "sort.stable", "sort_dim": "sort.stable",
    "count_nonzero": "count_nonzero.dim_IntList", "diagonal": "as_strided", "copy_diagonal": "diagonal_copy",
    "celu": "elu", "selu": "elu", "logsigmoid": "log_sigmoid_forward", "isfinite": "ne.Scalar", "median_all": "median",
    "remainder": "remainder.Tensor", "bitwise_and": "bitwise_and.Tensor", "bitwise_or": "bitwise_or.Tensor", "lerp": "lerp.Scalar",
    "bitwise_xor": "bitwise_xor.Tensor", "flip_dims": "flip", "roll_dims": "roll", "unique_elements": "_unique2", "drop": "bernoulli_.float",
    "squared_difference": "mse_loss", "scatter_number": "scatter.value", "clip": "clamp", "fmod": "fmod.Tensor",
    "logical_not": "logical_not.out", "frexp": "frexp.Tensor_out", "bernoulli": "bernoulli.float", "rsub": "rsub.Tensor",
}  # fmt: skip
"""Name in tensh -> name in PyTorch, where they differ."""

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")

OF_COMPRESSED = {
    "all": "all.all_out", "amax": "amax.out", "amin": "amin.out", "argmax": "argmax.out", "argmin": "argmin.out",
    "mean.dim": "mean.out", "tril": "tril.out", "triu": "triu.out",
}  # fmt: skip
"""PyTorch's name -> the name of the overload that compressed tensors lack."""
