"""PyTorch's errors for an ``out=`` whose dtype is not that of the result: {0} is the result's, {1} that of ``out``."""

from tensh.engine.errors.messages import OTHER_DTYPE

EXACT = {
    OTHER_DTYPE: """
        addmv alias_copy argmax argmin as_strided_copy avg_pool2d avg_pool3d cholesky_ex cross det diag diagonal_copy eigh eigvalsh
        expand_copy index_add index_copy index_reduce inv inv_ex inverse isin ldl_factor ldl_factor_ex ldl_solve linear log_softmax
        lu_factor lu_factor_ex lu_solve lu_unpack msort norm permute_copy qr renorm scatter scatter_add scatter_reduce select_copy slice_copy detach_copy view_as_real_copy view_as_complex_copy
        slice_scatter slogdet softmax solve solve_ex sort split_with_sizes_copy squeeze_copy svd svdvals t_copy topk
        transpose_copy triangular_solve tril triu unbind_copy unfold_copy unsqueeze_copy vector_norm view_copy
    """,
    "Expected out type to be {0.title} but got {1.title}": "where",
    "heaviside is not yet implemented for tensors with different dtypes.": "heaviside",
    "Found dtype {1.title} but expected {0.title}": "conj_physical gelu hardshrink softplus softshrink",
    "expected scalar type {0.title} but found {1.title}": "logsigmoid solve_triangular",
    "self and mat2 must have the same dtype, but got {1.title} and {0.title}": "addbmm",
    "result dtype {1.title} does not match input dtype {0.title}": "dot vdot",
    "quantile() out tensor must be same dtype as the input tensor": "quantile nanquantile",
    "Expected object of scalar type {0.title} but got scalar type {1.title} for argument 'out'": "polar",
    "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {0.spoken} and hist {1.spoken}":
        "histc",
    "multi_dot(): expected out tensor to have dtype {0.spoken} but got {1.spoken}": "multi_dot",
    "tensordot: Expected the output tensor to have dtype {0.title}, but got an output tensor with dtype {1.title}":
        "inner tensordot",
    "linalg.vecdot: Expected out of dtype{0.title} but found {1.title}": "vecdot",
    "linalg.matrix_norm expected out tensor dtype {0.title} but got: {1.title}": "matrix_norm",
    "torch.ormqr: Expected input and result to have the same dtype, but input has dtype{0.title} and result has dtype "
    "{1.title}": "ormqr",
    "Expected result to be of dtype uint64, but got {1.title}": "hash_tensor",
    "Expected self.dtype() == output.dtype() to be true, but got false.  (Could this error message be improved?  If so, "
    "please report an enhancement request to PyTorch.)": "narrow_copy",
}  # fmt: skip
"""Message -> the functions that take no ``out=`` of another dtype than the result's."""

OF_MODE = "expected scalar type '{0.title}' but got '{1.title}' for "
OF_MEDIAN = (
    "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type torch.{1.title}Tensor "
    "does not equal torch.{0.title}Tensor (while checking arguments for median)",
    "Expected tensor for argument #1 'indices' to have scalar type {0.title}; but got torch.{1.title}Tensor instead (while "
    "checking arguments for median)",
)
WORDS_OF_PARTS = {
    "max": (OTHER_DTYPE, OTHER_DTYPE),
    "min": (OTHER_DTYPE, OTHER_DTYPE),
    "mode": (OF_MODE + "values output", OF_MODE + "indices output"),
    "kthvalue": ("output values must be of same type as input", "output indices must be of scalar type {0.title}"),
    "median": OF_MEDIAN,
    "nanmedian": OF_MEDIAN,
    "frexp": (
        "torch.frexp() expects mantissa to have dtype {0.spoken} but got {1.spoken}",
        "torch.frexp() expects exponent to have int dtype but got {1.spoken}",
    ),
}
"""Name of a function with several results -> a message for each of them."""

SAFELY = "Expected result to be safely castable from {0.title} dtype, but got result with dtype {1.title}"
CASTABLE = """
    cholesky cholesky_inverse cholesky_solve linalg.cond linalg.pinv matrix_power tensorinv tensorsolve
    torch.linalg.householder_product torch.linalg.matrix_rank
"""
"""The functions that name themselves, in these words, where a result cannot be cast to the dtype of ``out=``."""

EXACT_WORDS = {name: words for words, names in EXACT.items() for name in names.split()}
CASTABLE_WORDS = {name.rpartition(".")[2]: f"{name}: {SAFELY}" for name in CASTABLE.split()} | {
    "logsumexp": "logsumexp(): Expected floating point type for result tensor, but got: {1.title}",
}
