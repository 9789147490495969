"""PyTorch's errors for an ``out=`` of another dtype or device than the result, and its names of functions in them.

In the texts, {0} is the result's dtype or device, and {1} that of ``out``.
"""

from tensh.engine.errors.messages import OTHER_DTYPE, cannot_cast

EXACT = {
    OTHER_DTYPE: """
        addmv alias_copy argmax argmin as_strided_copy avg_pool2d avg_pool3d cholesky_ex cross det diag diagonal_copy eigh eigvalsh
        expand_copy index_add index_copy index_reduce inv inv_ex inverse isin ldl_factor ldl_factor_ex ldl_solve linear log_softmax
        linalg_cholesky linalg_lu lu_factor lu_factor_ex lu_solve lu_unpack msort norm permute_copy qr renorm scatter scatter_add scatter_reduce select_copy slice_copy detach_copy view_as_real_copy view_as_complex_copy
        slice_scatter slogdet softmax solve solve_ex sort split_with_sizes_copy squeeze_copy svd svdvals t_copy topk
        transpose_copy triangular_solve tril triu unbind_copy unfold_copy unsqueeze_copy vector_norm view_copy
    """,
    "Expected out type to be {0.title} but got {1.title}": "where",
    "heaviside is not yet implemented for tensors with different dtypes.": "heaviside",
    "Found dtype {1.title} but expected {0.title}": "conj_physical gelu gelu_tanh hardshrink lerp_tensors softplus softshrink",
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
    "linalg.norm expected out tensor dtype {0.title} but got: {1.title}": "linalg_norm",
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
    "histogram": (
        "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {0.spoken} and hist {1.spoken}",
        "torch.histogram: input tensor and bin_edges tensor should have the same dtype, but got input {0.spoken} and bin_edges "
        "{1.spoken} for dimension 0",
    ),
    "frexp": (
        "torch.frexp() expects mantissa to have dtype {0.spoken} but got {1.spoken}",
        "torch.frexp() expects exponent to have int dtype but got {1.spoken}",
    ),
}
"""Name of a function with several results -> a message for each of them."""

SAFELY = "Expected result to be safely castable from {0.title} dtype, but got result with dtype {1.title}"
SAFE_PARTS = {
    "geqrf": ("torch.geqrf", ("a", "tau")),
    "linalg_eig": ("torch.linalg.eig", ("eigenvalues", "eigenvectors")),
    "linalg_lstsq": ("torch.linalg.lstsq", ("solution", "residuals", "rank", "singular_values")),
    "linalg_eigvals": ("torch.linalg.eigvals", ("eigenvalues",)),
}
"""Name of a function -> its name, and those of its results, in the same words."""

CASTABLE = """
    cholesky cholesky_inverse cholesky_solve linalg.cond linalg.pinv matrix_power tensorinv tensorsolve
    torch.linalg.householder_product torch.linalg.matrix_rank
"""
"""The functions that name themselves, in these words, where a result cannot be cast to the dtype it is written in."""

DIFFERENTIABLE = """
    chain_matmul mm · conj_physical aten::conj_physical · cross linalg_cross · gelu_tanh gelu · histogram aten::histogram ·
    inverse linalg_inv_ex · kron mul · lerp_tensors lerp · log_softmax aten::log_softmax · logsigmoid log_sigmoid_forward · lu_solve linalg_lu_solve ·
    msort sort · nanmean nansum · norm linalg_vector_norm · outer mul · qr linalg_qr · slogdet _linalg_slogdet · softmax aten::softmax ·
    square pow · svd _linalg_svd ·
    linalg_cholesky linalg_cholesky_ex · linalg_det _linalg_det · linalg_eigh _linalg_eigh · linalg_eigvals aten::linalg_eigvals ·
    linalg_eigvalsh _linalg_eigh · linalg_inv linalg_inv_ex · linalg_ldl_factor aten::linalg_ldl_factor_ex ·
    linalg_ldl_factor_ex aten::linalg_ldl_factor_ex · linalg_ldl_solve aten::linalg_ldl_solve ·
    diff sub · linalg_lu_factor linalg_lu_factor_ex · linalg_matrix_power matmul · linalg_multi_dot mm · linalg_slogdet _linalg_slogdet · linalg_solve _linalg_solve_ex ·
    linalg_solve_ex _linalg_solve_ex · linalg_svd _linalg_svd · linalg_svdvals _linalg_svd
"""
"""Functions -> the ones that they call in PyTorch, which refuse ``out=`` where a gradient would be recorded."""

OTHER_DEVICE = "Expected out tensor to have device {0}, but got {1} instead"
UNCOPIED = "Attempting to copy from device {0} to device {1}, but cross-device copies are not allowed!"
APART = ": Expected result and input tensors to be on the same device, but got result on {1} and input on {0}"
DEVICES = {
    OTHER_DEVICE: """
        argmax argmin avg_pool2d cholesky_ex det gather hash_tensor index_reduce inv inv_ex inverse linalg_cholesky max min scatter
        scatter_add svd svdvals topk
    """,
    "device type {0} does not match device type of out parameter ({1})":
        "arange empty eye full linspace logspace ones randn zeros",
    "quantile() out tensor must be on the same device as the input tensor": "quantile nanquantile",
    "multi_dot(): expected out tensor to be on device {0} but got {1}": "multi_dot",
    "out Tensor doesn't have the correct device set": "angle",
    **{name + APART: name.rpartition(".")[2] for name in """
        linalg.cond linalg.pinv matrix_power tensorinv tensorsolve torch.linalg.matrix_rank
    """.split()},
}  # fmt: skip
"""Message -> the functions that refuse ``out=`` on another device in these words."""

IN_ROWS = frozenset("cholesky cholesky_solve _fft_c2c _fft_c2r _fft_r2c".split())
"""Functions that give ``out=`` of another size rows, whatever the order of their results."""

IN_ROWS_IF_FILLED = frozenset("cholesky_inverse geqrf linalg_householder_product lu nanquantile ormqr quantile".split())
"""Functions that do so unless ``out=`` is empty."""

SILENT = frozenset("addbmm kthvalue logsigmoid lu mode narrow_copy".split())
"""Functions that resize ``out=`` without a warning."""

EXACT_WORDS = {name: words for words, names in EXACT.items() for name in names.split()}
DEVICE_WORDS = {name: words for words, names in DEVICES.items() for name in names.split()}
NAMES_OF_DIFFERENTIABLE = dict(pair.split() for pair in DIFFERENTIABLE.split("·"))
CASTABLE_WORDS = {name.rpartition(".")[2]: f"{name}: {SAFELY}" for name in CASTABLE.split()} | {
    "ldexp": "ldexp can't be cast to the desired output type {1.title}",
    "ldexp_": "ldexp can't be cast to the desired output type {1.title}",
    "mvlgamma_": "mvlgamma: result type {1.title} can't be cast to the desired output type {0.title}",
    "mvlgamma": "mvlgamma: result type {0.title} can't be cast to the desired output type {0.title}",
    **dict.fromkeys(
        ("max_all", "min_all"),
        "Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) to be true, but got false.  "
        "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)",
    ),
    "logsumexp": "logsumexp(): Expected floating point type for result tensor, but got: {1.title}",
}


def refused_cast(result, target, name, number=0):
    """PyTorch's error for a result, the ``number``-th of several, that cannot be cast to the dtype it is written in."""
    if name in SAFE_PARTS:
        function, parts = SAFE_PARTS[name]
        words = f"{function}: {SAFELY.replace('result', parts[number])}"
    else:
        words = words_of(CASTABLE_WORDS, name)
    return cannot_cast(result, target) if words is None else RuntimeError(words.format(result, target))


def words_of(table, name):
    """Return the entry of a function; ``linalg_NAME`` of ``torch.linalg`` is found without the prefix, too."""
    return table.get(name) or table.get(name.removeprefix("linalg_"))
