"""The rules of all operators and functions, as data."""

from tensh.engine.dispatch.vmap.rules import (
    convolution,
    creation,
    indexing,
    losses,
    normalization,
    products,
    random,
    search,
    unsupported,
    views,
    writes,
)
from tensh.engine.dispatch.vmap.rules.elementwise import elementwise
from tensh.engine.dispatch.vmap.rules.leading import (
    DIM,
    DIMS,
    NEW,
    ORDER,
    SEGMENTS,
    SHAPE,
    SOME,
    dims_or_all,
    flat,
    joining,
    keep_inside_first,
    leading,
    scalar_or,
)


def each(names, maker):
    """Use one maker for several operators."""
    return dict.fromkeys(names.split(), maker)


OPERATORS = {
    "*": elementwise,
    # elementwise, with shapes that broadcast
    **each(
        "only none_where where_else masked_fill masked_fill_tensor where clamp clamp_tensors lerp lerp_tensors addcmul addcdiv "
        "frexp plus minus times over clone conjugate conj_physical real imag complex_of cast copy_gradient alias mark_equal equals "
        "masked_zero fill_number copying prelu_kernel bernoulli_of multiply_slopes sloped_down sloped_inplace view_as_real view_as_complex pairs_of_complex "
        "complex_of_pairs fit attend standard_gamma_slope is_on_a_step fake_quantize_tensor fake_quantize_tensor_of_tensors "
        "fake_quantize_channels",
        elementwise,
    ),
    **each(
        "squared_difference smooth_difference huber_difference binary_entropy binary_entropy_of_logits soft_margin", losses.loss
    ),
    "nll": losses.likelihood, "nll2": losses.likelihood, "nll_back": losses.likelihood_back, "nll2_back": losses.likelihood_back,
    "tie": views.make_tie, "dist": views.dist, "renorm": views.renorm,
    # along dimensions
    **each(
        "sum_dim nansum mean_dim prod_dim any all count_nonzero amax amin aminmax logsumexp vector_norm norm_of_difference "
        "var_dim std_dim var_mean_dim std_mean_dim count_where equal_share",
        leading(dim=DIMS),
    ),
    **each(
        "softmax_dim log_softmax_dim softmax_backward log_softmax_backward max_dim min_dim median_dim nanmedian_dim mode_dim "
        "cumsum cumprod logcumsumexp cummax cummin sort_dim sort_stable argsort topk kthvalue shift recur sums products glu "
        "linalg_cross gather scatter_src scatter_number scatter_add scatter_sum scatter_mean scatter_prod "
        "scatter_amax scatter_amin index_sum index_mean index_prod index_amax index_amin scatter_add_number scatter_add_src "
        "scatter_multiply_number scatter_multiply_src take_along resize_dim doubled_inside",
        leading(dim=DIM),
    ),
    **each("gather_back put_along add_along count_meeting", leading(dim=DIM, shape=SHAPE)),
    **each("reduce_segments segment_slopes", leading(segments=SEGMENTS)),
    **each("fft_c2c fft_r2c fft_c2r", leading(dim=SOME)),
    "argmax": scalar_or(leading(dim=DIM), flat("argmax")), "argmin": scalar_or(leading(dim=DIM), flat("argmin")),
    # over all elements
    "sum_all": flat("sum_dim", False), "mean_all": flat("mean_dim", False), "prod_all": flat("prod_dim", False),
    "max_all": flat("amax"), "min_all": flat("amin"),
    "median_all": flat("median_dim", then=0), "nanmedian_all": flat("nanmedian_dim", then=0),
    # shapes
    "view": views.view, "unsafe_view": views.view, "reshape_alias": views.view, "expand": views.expand,
    "sum_to": views.sum_to, "laid_out": views.lay_out_samples,
    "squeeze_all": views.squeeze_all, "squeeze_dim": leading(dim=DIM), "squeeze_dims": leading(dim=SOME),
    "unsqueeze": leading(dim=NEW), "permute": leading(dims=ORDER), "transpose": leading(dim0=DIM, dim1=DIM),
    "t": views.make_transpose,
    "select": leading(dim=DIM), "slice_dim": leading(dim=DIM), "narrowed_copy": leading(dim=DIM),
    **each("select_back slice_back", leading(dim=DIM, shape=SHAPE)),
    "unfold": leading(dimension=DIM), "unfold_back": leading(dimension=DIM, shape=SHAPE),
    "diagonal": leading(dim1=DIM, dim2=DIM), "copy_diagonal": views.copy_diagonal, "trace": views.trace,
    "diagonal_back": leading(dim1=DIM, dim2=DIM, shape=SHAPE),
    "diagonal_put": leading(dim1=DIM, dim2=DIM), "slice_put": leading(dim=DIM), "select_put": leading(dim=DIM),
    "diag_embed": leading(dim1=NEW, dim2=NEW),
    "flip_dims": leading(dims=SOME), "roll_dims": dims_or_all(SOME), "rotate_dims": leading(dims=SOME),
    **each("tril triu", leading(at_least=2)),
    **each("zeros_as pad_to crop_to", leading(shape=SHAPE)),
    "repeat_dims": views.make_repetition, "repeat_back": views.repeat_back, "restride": views.make_restride,
    "cat": joining(DIM), "stack": joining(NEW),
    **each("unbind split_equally unsafe_split unsafe_split_with_sizes split_by_sizes", leading(dim=DIM)),
    # indexing
    "index": indexing.index, "index_back": indexing.index_back, "index_put": indexing.index_put,
    "index_select": indexing.index_select, "take": indexing.take, "lookup": indexing.lookup, "lookup_back": indexing.lookup_back,
    "rows_back": indexing.rows_back, "sampled_product": indexing.make_sampled_product,
    **indexing.WRITES,
    "index_select_back": leading(dim=DIM, shape=SHAPE, same="index"),
    # products
    **each("mm mv bmm dot", products.product), "vdot": products.conjugate_product, "linalg_solve_ex": products.make_solution,
    "product_of_three": products.multiply_three, **products.ADDED,
    # matrices
    **each(
        "linalg_det linalg_slogdet linalg_inv_ex linalg_cholesky_ex linalg_lu linalg_lu_factor_ex linalg_qr linalg_eigh "
        "eigenvalues_of_symmetric linalg_eig eigenvalues_of linalg_svd singular_values matrix_exp linalg_pinv",
        products.multiply_matrices,
    ),
    **each(
        "cholesky_inverse cholesky_factor plu linalg_ldl_factor_ex linalg_householder_product ormqr geqrf identity_like cofactors "
        "with_corner join_blocks tanh_backward sigmoid_backward threshold_backward",
        leading(),
    ),
    **each(
        "linalg_solve_triangular triangular_solve solve_triangle cholesky_solve linalg_lu_solve linalg_ldl_solve pair_distances "
        "euclidean_dist",
        leading(cores={"pivots": 1}),
    ),
    # layers
    "layer_norm_of": normalization.normalize_rows, "group_norm_of": normalization.normalize_rows, "batch_norm_train": normalization.normalize_channels,
    "batch_norm_by": normalization.normalize_by_given,
    **each("whiten whiten_back inverse_deviation group_means", normalization.normalize_groups),
    "correlate": convolution.make_convolution, "correlate_back": convolution.make_convolution, "match": convolution.make_match,
    **each(
        "max_pool2 max_pool2_with_indices max_pool3 max_pool3_with_indices avg_pool2 avg_pool3 max_places constant_pad_nd "
        "pixel_shuffle pixel_unshuffle im2col col2im one_hot_of adaptive_max_pool2 adaptive_max_pool3 spots safe_softmax",
        leading(),
    ),
    **each("avg_pool2_back avg_pool3_back spread_spots max_unpool2 max_unpool3", leading(shape=SHAPE)),
    **each(
        "upsample_nearest_1 upsample_nearest_exact_1 upsample_nearest_2 upsample_nearest_exact_2 upsample_nearest_3 "
        "upsample_nearest_exact_3 upsample_linear upsample_bilinear upsample_trilinear upsample_bicubic upsample_bilinear_smooth "
        "upsample_bicubic_smooth upsample_lanczos_smooth channel_shuffle affine_points reflection_pad1d "
        "replication_pad1d reflection_pad2d replication_pad2d reflection_pad3d replication_pad3d circular_pad adaptive_avg_pool2 "
        "adaptive_avg_pool3",
        keep_inside_first("input"),
    ),
    **each("grid_sample2 grid_sample3", keep_inside_first("input", "grid")),
    **each("grid_spread2 grid_spread3", keep_inside_first("grad", "grid")),
    # random numbers, and unsupported operators
    **random.OPERATORS, **unsupported.OPERATORS,
}  # fmt: skip

FUNCTIONS = {
    "matmul": products.times, "getitem": indexing.read, "setitem": writes.assign, "copy_": writes.copy, "resize_as_": writes.resize_as, "embedding_renorm_": writes.renormalize,
    "fill_": writes.fill, "zero_": writes.zero,
    "as_strided": views.as_strided, "index_put": indexing.put, "index_put_": writes.put,
    "detach": writes.detach, "recast": views.recast, **writes.ACTIVATIONS, **creation.FUNCTIONS, **search.FUNCTIONS,
}  # fmt: skip
