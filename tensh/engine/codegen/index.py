"""Which module declares which names; methods and properties of Tensor begin with a dot.

Written by tools/index.py; do not edit.  See Note [Reading late] in registry.py."""

DECLARED = {
    "autograd.anomaly": """
        is_anomaly_check_nan_enabled is_anomaly_enabled set_anomaly_enabled
    """,
    "autograd.modes": """
        enable_grad inference_mode is_grad_enabled is_inference_mode_enabled no_grad set_grad_enabled
    """,
    "codegen.scaling": """
        add_number div_number mul_number sub_number
    """,
    "codegen.table": """
        filled not_differentiable
    """,
    "methods.attributes": """
        ._is_view .dim_order .get_device .is_complex .is_conj .is_distributed .is_inference .is_neg .is_nonzero
        .is_same_size .is_signed .resolve_conj .resolve_neg .to_dense e get_default_device has_lapack has_mkl has_openmp
        has_spectral inf is_storage is_tensor legacy_contiguous_format nan newaxis pi result_type set_default_device
        typename
    """,
    "methods.autograd": """
        .backward .detach .detach_ .is_floating_point .register_hook .register_post_accumulate_grad_hook .requires_grad_
        .retain_grad
    """,
    "methods.conversion": """
        .bfloat16 .bool .byte .cdouble .cfloat .chalf .char .cpu .cuda .double .float .half .int .is_pinned .is_shared
        .item .long .numpy .pin_memory .share_memory_ .short .to .tolist .type_as
    """,
    "methods.creation.data": """
        .new_tensor as_tensor asarray scalar_tensor tensor
    """,
    "methods.creation.fill": """
        .new_empty .new_full .new_ones .new_zeros empty empty_like full full_like ones ones_like zeros zeros_like
    """,
    "methods.creation.legacy": """
        .as_subclass .new .type BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor
        IntTensor LongTensor ShortTensor set_default_tensor_type
    """,
    "methods.creation.ranges": """
        arange range
    """,
    "methods.creation.sharing": """
        .__dlpack__ .__dlpack_device__ from_dlpack from_file from_numpy frombuffer to_dlpack
    """,
    "methods.creation.spaces": """
        linspace logspace
    """,
    "methods.creation.strides": """
        .new_empty_strided empty_permuted empty_strided
    """,
    "methods.creation.triangles": """
        eye tril_indices triu_indices
    """,
    "methods.creation.windows": """
        bartlett_window blackman_window hamming_window hann_window kaiser_window
    """,
    "methods.settings": """
        are_deterministic_algorithms_enabled compile get_deterministic_debug_mode get_float32_matmul_precision
        get_num_interop_threads get_num_threads is_deterministic_algorithms_warn_only_enabled is_warn_always_enabled
        set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal set_num_interop_threads
        set_num_threads set_warn_always use_deterministic_algorithms
    """,
    "operators.aliases": """
        .absolute .absolute_ .arccos .arccos_ .arccosh .arccosh_ .arcsin .arcsin_ .arcsinh .arcsinh_ .arctan .arctan2
        .arctan2_ .arctan_ .arctanh .arctanh_ .clip .clip_ .divide .divide_ .fix .fix_ .greater .greater_ .greater_equal
        .greater_equal_ .less .less_ .less_equal .less_equal_ .multiply .multiply_ .negative .negative_ .not_equal
        .not_equal_ .subtract .subtract_ .true_divide .true_divide_
    """,
    "operators.along": """
        add_along put_along take_along
    """,
    "operators.basic": """
        .clone .expand cast complex_of conj conj_over conj_physical conjugate copied laid_out real sum_to
    """,
    "operators.elementwise.activation": """
        HALF_ROOT NORMAL SIXTH TANH_SCALE celu celu_over elu elu_over gelu gelu_tanh glu half hardshrink hardsigmoid
        hardswish hardtanh leaky_relu leaky_relu_over logsigmoid mish prelu_kernel silu softplus softshrink threshold
        threshold_over
    """,
    "operators.elementwise.comparison": """
        .bitwise_and .bitwise_and_ .bitwise_left_shift .bitwise_left_shift_ .bitwise_not .bitwise_not_ .bitwise_or
        .bitwise_or_ .bitwise_right_shift .bitwise_right_shift_ .bitwise_xor .bitwise_xor_ .eq .eq_ .ge .ge_ .gt .gt_
        .isclose .isfinite .isinf .isnan .isneginf .isposinf .isreal .le .le_ .logical_and .logical_and_ .logical_not
        .logical_not_ .logical_or .logical_or_ .logical_xor .logical_xor_ .lt .lt_ .ne .ne_ eq_written ge_written
        gt_written le_written lt_written ne_written
    """,
    "operators.elementwise.composites.arithmetic": """
        .__rdiv__ .abs_ .clamp .clamp_ .conj .conj_physical .conj_physical_ .float_power .float_power_ .lerp .lerp_
        .nan_to_num_ .positive complex invert rdiv rfloordiv rlshift rmod rpow rrshift
    """,
    "operators.elementwise.composites.comparison": """
        .allclose .equal .masked_fill .masked_fill_ .where isin
    """,
    "operators.elementwise.composites.elements": """
        .apply_ .map2_ .map_
    """,
    "operators.elementwise.numbered": """
        minus over plus times
    """,
    "operators.elementwise.slopes": """
        cubed log_softmax_backward sigmoid_backward softmax_backward squared tanh_backward threshold_backward tied
    """,
    "operators.elementwise.table": """
        .abs .acos .acos_ .acosh .acosh_ .add .add_ .addcdiv .addcdiv_ .addcmul .addcmul_ .angle .asin .asin_ .asinh
        .asinh_ .atan .atan2 .atan2_ .atan_ .atanh .atanh_ .ceil .ceil_ .clamp_max .clamp_max_ .clamp_min .clamp_min_
        .copysign .copysign_ .cos .cos_ .cosh .cosh_ .deg2rad .deg2rad_ .div .div_ .exp .exp2 .exp2_ .exp_ .expm1
        .expm1_ .floor .floor_ .floor_divide .floor_divide_ .fmax .fmin .fmod .fmod_ .frac .frac_ .frexp .gcd .gcd_
        .heaviside .heaviside_ .hypot .hypot_ .lcm .lcm_ .ldexp .ldexp_ .log .log10 .log10_ .log1p .log1p_ .log2 .log2_
        .log_ .logaddexp .logaddexp2 .logit .logit_ .maximum .minimum .mul .mul_ .nan_to_num .neg .neg_ .nextafter
        .nextafter_ .pow .pow_ .rad2deg .rad2deg_ .reciprocal .reciprocal_ .relu .relu_ .remainder .remainder_ .round
        .round_ .rsqrt .rsqrt_ .sgn .sgn_ .sigmoid .sigmoid_ .sign .sign_ .signbit .sin .sin_ .sinc .sinc_ .sinh .sinh_
        .sqrt .sqrt_ .square .square_ .sub .sub_ .tan .tan_ .tanh .tanh_ .trunc .trunc_ .xlogy .xlogy_ LN10 LN2 NAN PI
        add_scaled clamp clamp_tensors complex div_rounded imag imaginary_part inside lerp lerp_tensors less_one
        masked_fill masked_fill_tensor none_where only outside polar power_by_number power_exponent real_part
        round_decimals rsub rsub_scaled special_entr special_xlog1py sub_scaled twice where
    """,
    "operators.fourier.composites.frequencies": """
        fftfreq fftshift ifftshift rfftfreq
    """,
    "operators.fourier.composites.istft": """
        .istft
    """,
    "operators.fourier.composites.stft": """
        .stft
    """,
    "operators.fourier.composites.transforms": """
        fft fft2 fftn hfft hfft2 hfftn ifft ifft2 ifftn ihfft ihfft2 ihfftn irfft irfft2 irfftn rfft rfft2 rfftn
    """,
    "operators.fourier.spectral": """
        doubled_inside fft_c2c fft_c2r fft_r2c sized
    """,
    "operators.indexing.composites.assignment": """
        .__getitem__ .__setitem__
    """,
    "operators.indexing.composites.fill": """
        .copy_ .fill_ .fill_diagonal_ .zero_ fill
    """,
    "operators.indexing.composites.selection": """
        .argwhere .as_strided_scatter .diagonal_scatter .index_fill .index_fill_ .index_put .index_put_ .index_reduce
        .index_reduce_ .nonzero .nonzero_static .scatter .scatter_ .scatter_reduce .scatter_reduce_ .select_scatter
        .slice_scatter .take_along_dim unravel_index
    """,
    "operators.indexing.fold": """
        equals index_amax index_amin index_mean index_prod index_sum meetings once same scatter_add_number
        scatter_add_src scatter_amax scatter_amin scatter_mean scatter_multiply_number scatter_multiply_src scatter_prod
        scatter_sum unless_zeros_meet
    """,
    "operators.indexing.gather": """
        .gather gather_back
    """,
    "operators.indexing.index": """
        .index_select index index_back index_select_back
    """,
    "operators.indexing.mask": """
        .masked_scatter .masked_scatter_ .masked_select .put .put_ .take masked_select_back masked_source masked_zero
        take_back
    """,
    "operators.indexing.scatter": """
        .index_add .index_add_ .index_copy .index_copy_ .scatter_add .scatter_add_ cropped index_fill_number
        index_fill_tensor index_put padded scatter_number scatter_src slices_sum zeros_as
    """,
    "operators.layers.attention": """
        attend fit safe_softmax
    """,
    "operators.layers.composites.activation": """
        .hardshrink .prelu celu celu_ elu elu_ gelu glu hardsigmoid hardswish hardtanh hardtanh_ leaky_relu leaky_relu_
        logsigmoid mish relu relu6 relu_ selu selu_ sigmoid silu softplus softshrink softsign tanh tanhshrink threshold
        threshold_
    """,
    "operators.layers.composites.adaptive_pooling": """
        adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool1d_with_indices
        adaptive_max_pool2d adaptive_max_pool2d_with_indices adaptive_max_pool3d adaptive_max_pool3d_with_indices
        fractional_max_pool2d fractional_max_pool2d_with_indices fractional_max_pool3d
        fractional_max_pool3d_with_indices
    """,
    "operators.layers.composites.attention": """
        multi_head_attention_forward scaled_dot_product_attention
    """,
    "operators.layers.composites.classification": """
        cross_entropy linear_cross_entropy multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss nll_loss
    """,
    "operators.layers.composites.convolution": """
        conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution
    """,
    "operators.layers.composites.dropout": """
        alpha_dropout alpha_dropout_ dropout dropout1d dropout2d dropout3d dropout_ dropped_with_mask
        feature_alpha_dropout feature_alpha_dropout_ feature_dropout feature_dropout_ gumbel_softmax native_dropout
        rrelu rrelu_ sloped sloped_inplace
    """,
    "operators.layers.composites.embedding": """
        embedding embedding_bag embedding_renorm_
    """,
    "operators.layers.composites.likelihoods": """
        gaussian_nll_loss kl_div poisson_nll_loss
    """,
    "operators.layers.composites.losses": """
        binary_cross_entropy binary_cross_entropy_with_logits huber_loss l1_loss mse_loss smooth_l1_loss
        soft_margin_loss
    """,
    "operators.layers.composites.normalization": """
        batch_norm group_norm instance_norm layer_norm local_response_norm native_batch_norm native_group_norm
        native_layer_norm rms_norm
    """,
    "operators.layers.composites.padding": """
        pad
    """,
    "operators.layers.composites.pooling": """
        avg_pool1d avg_pool2d avg_pool3d lp_pool1d lp_pool2d lp_pool3d max_pool1d max_pool1d_with_indices max_pool2d
        max_pool2d_with_indices max_pool3d max_pool3d_with_indices
    """,
    "operators.layers.composites.probabilities": """
        log_softmax softmax softmin
    """,
    "operators.layers.composites.projection": """
        bilinear linear
    """,
    "operators.layers.composites.ranking": """
        cosine_embedding_loss hinge_embedding_loss margin_ranking_loss triplet_margin_loss
        triplet_margin_with_distance_loss
    """,
    "operators.layers.composites.rearrangement": """
        channel_shuffle fold native_channel_shuffle one_hot pixel_shuffle pixel_unshuffle unfold
    """,
    "operators.layers.composites.recurrences": """
        gru gru_cell lstm lstm_cell norm_except_dim rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell
    """,
    "operators.layers.composites.recurrent": """
        lstm_slopes
    """,
    "operators.layers.composites.resampling": """
        affine_grid affine_grid_generator grid_sample grid_sampler grid_sampler_2d grid_sampler_3d interpolate upsample
        upsample_bilinear upsample_nearest
    """,
    "operators.layers.composites.sequences": """
        ctc_loss
    """,
    "operators.layers.composites.similarity": """
        cosine_similarity normalize pairwise_distance pdist
    """,
    "operators.layers.composites.unpooling": """
        max_unpool1d max_unpool2d max_unpool3d
    """,
    "operators.layers.convolution": """
        all_but_channels correlate match spread
    """,
    "operators.layers.ctc": """
        ctc ctc_back
    """,
    "operators.layers.embedding": """
        bag_maxima bag_sums lookup lookup_back lookup_scaled
    """,
    "operators.layers.grid": """
        affine_points affine_slope grid_sample2 grid_sample3 grid_spread2 grid_spread3 raised
    """,
    "operators.layers.lengths": """
        with_lengths
    """,
    "operators.layers.losses": """
        binary_entropy binary_entropy_of_logits huber_difference levelled multi_margin multi_margin_back
        multilabel_margin multilabel_margin_back nll nll2 nll2_back nll_back share smooth_difference soft_margin
        squared_difference
    """,
    "operators.layers.normalization": """
        batch_norm_by batch_norm_train group_means group_norm_of inverse_deviation layer_norm_of whiten_back whitened
    """,
    "operators.layers.padding": """
        circular_pad constant_pad_nd reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d
        replication_pad2d replication_pad3d
    """,
    "operators.layers.pooling": """
        adaptive_avg_pool2 adaptive_avg_pool3 adaptive_max_pool2 adaptive_max_pool3 avg_pool2 avg_pool2_back avg_pool3
        avg_pool3_back fractional_max_pool2 fractional_max_pool3 max_places max_pool2 max_pool2_with_indices max_pool3
        max_pool3_with_indices max_unpool2 max_unpool3 spots spread_spots
    """,
    "operators.layers.rearrangement": """
        channel_shuffle col2im im2col pixel_shuffle pixel_unshuffle
    """,
    "operators.layers.recurrent": """
        as_rows lstm_layer lstm_slopes packed_rows
    """,
    "operators.layers.resampling": """
        upsample_bicubic upsample_bicubic_smooth upsample_bilinear upsample_bilinear_smooth upsample_lanczos_smooth
        upsample_linear upsample_nearest_1 upsample_nearest_2 upsample_nearest_3 upsample_nearest_exact_1
        upsample_nearest_exact_2 upsample_nearest_exact_3 upsample_trilinear
    """,
    "operators.layers.taps": """
        adjoint
    """,
    "operators.linalg.addmm": """
        .addbmm .addbmm_ .addmm .addmm_ .addmv .addmv_ .addr .addr_ .baddbmm .baddbmm_ scaled
    """,
    "operators.linalg.composites.covariance": """
        .corrcoef .cov cdist
    """,
    "operators.linalg.composites.eigenpairs": """
        lobpcg
    """,
    "operators.linalg.composites.einsum": """
        einsum
    """,
    "operators.linalg.composites.equations": """
        .det .inverse .logdet .slogdet inv inv_ex solve solve_ex solve_triangular
    """,
    "operators.linalg.composites.factors": """
        .cholesky .lu .lu_solve .orgqr .qr cholesky_ex householder_product lu_factor lu_factor_ex lu_unpack
    """,
    "operators.linalg.composites.lowrank": """
        ldl_factor ldl_factor_ex ldl_solve pca_lowrank svd_lowrank
    """,
    "operators.linalg.composites.matrices": """
        .cross .matrix_exp .matrix_power chain_matmul diagonal multi_dot tensorinv tensorsolve vander vecdot
    """,
    "operators.linalg.composites.products": """
        .ger .inner .kron .matmul .outer rmatmul tensordot
    """,
    "operators.linalg.composites.spectra": """
        .pinverse .svd cond eig eigh eigvals eigvalsh lstsq matrix_rank pinv svdvals
    """,
    "operators.linalg.crossed": """
        .trace linalg_cross on_diagonal
    """,
    "operators.linalg.determinant": """
        cofactors linalg_det linalg_slogdet regular
    """,
    "operators.linalg.distances": """
        pair_distances
    """,
    "operators.linalg.exponential": """
        matrix_exp with_corner
    """,
    "operators.linalg.factor": """
        at_upper_left beside cholesky_factor differentiable linalg_cholesky_ex linalg_lu linalg_lu_factor_ex linalg_qr
        plu smaller
    """,
    "operators.linalg.householder": """
        .geqrf .ormqr identity_like linalg_householder_product reflections reflections_back
    """,
    "operators.linalg.leastsquares": """
        linalg_lstsq linalg_pinv
    """,
    "operators.linalg.pairs": """
        norm_of_difference pair_differences pair_sums pdist product_of_three
    """,
    "operators.linalg.products": """
        .bmm .dot .mm .mv .vdot bmm_like by_columns mH mT outer_product tH
    """,
    "operators.linalg.shared": """
        as_columns identity in_columns in_rows of_matrices
    """,
    "operators.linalg.solve": """
        .cholesky_inverse .cholesky_solve .triangular_solve linalg_inv_ex linalg_lu_solve linalg_solve_ex
        linalg_solve_triangular lu_slope substituted
    """,
    "operators.linalg.spectrum": """
        eigenvalues_of eigenvalues_of_symmetric linalg_eig linalg_eigh linalg_svd singular_values
    """,
    "operators.linalg.symmetric": """
        linalg_ldl_factor_ex linalg_ldl_solve
    """,
    "operators.random.composites.drawing": """
        Generator default_generator get_rng_state initial_seed manual_seed normal rand rand_like randint randint_like
        randn randn_like randperm seed set_rng_state thread_safe_generator
    """,
    "operators.random.draws": """
        .bernoulli .multinomial bernoulli_each binomial normal_both normal_mean normal_std nothing poisson poisson_of
        underivable
    """,
    "operators.random.gammas": """
        _dirichlet_grad _sample_dirichlet _standard_gamma _standard_gamma_grad standard_gamma_of standard_gamma_slope
    """,
    "operators.random.inplace": """
        .bernoulli_ .cauchy_ .exponential_ .geometric_ .log_normal_ .normal_ .random_ .uniform_ BernoulliBackward2
        Cauchy Exponential Geometric LogNormal Normal Random RandomBackward1 RandomBackward2 Uniform bernoulli_of
    """,
    "operators.reductions.composites.counting": """
        .unique .unique_consecutive bucketize searchsorted
    """,
    "operators.reductions.composites.differences": """
        .diff cumulative_trapezoid gradient trapezoid trapz
    """,
    "operators.reductions.composites.extremes": """
        .max .min
    """,
    "operators.reductions.composites.histograms": """
        .histc .histogram histogramdd
    """,
    "operators.reductions.composites.norms": """
        .log_softmax .norm .softmax matrix_norm vector_norm
    """,
    "operators.reductions.composites.quantiles": """
        .nanquantile .quantile
    """,
    "operators.reductions.composites.reductions": """
        .hash_tensor .mean .nanmean .nansum .prod .sum .sum_to_size
    """,
    "operators.reductions.composites.sorting": """
        .msort .sort
    """,
    "operators.reductions.composites.statistics": """
        .median .mode .nanmedian .std .var std_mean var_mean
    """,
    "operators.reductions.extremes": """
        .amax .amin .aminmax .argmax .argmin max_all max_dim min_all min_dim
    """,
    "operators.reductions.histograms": """
        equal_bins histogram_of histogram_of_points unknown
    """,
    "operators.reductions.norms": """
        .dist .renorm .renorm_ along_norm count_where equal_share others vector_norm
    """,
    "operators.reductions.reductions": """
        .all .any .count_nonzero count evenly free_of_zeros mean_all mean_dim nansum nothing_left prod_all prod_dim
        restore sum_all sum_dim
    """,
    "operators.reductions.scan": """
        .cummax .cummin .cumprod .cumprod_ .cumsum .cumsum_ .logcumsumexp products recur shift sums
    """,
    "operators.reductions.segments": """
        segment_reduce segment_reduced segment_slopes
    """,
    "operators.reductions.softmax": """
        .logsumexp log_softmax_dim softmax_dim
    """,
    "operators.reductions.sorting": """
        .argsort .kthvalue .topk sort_dim sort_stable
    """,
    "operators.reductions.statistics": """
        mean_kept median_all median_dim mode_dim nanmedian_all nanmedian_dim per_freedom std_dim std_mean_dim var_dim
        var_mean_dim without_freedom
    """,
    "operators.reductions.unique": """
        .bincount underived unique_elements unique_runs unique_slices
    """,
    "operators.shapes.composites.copies": """
        alias_copy as_strided_copy detach_copy diagonal_copy expand_copied expand_copy permute_copied permute_copy
        restrided_copied select_copy slice_copy slice_dim_copied split_by_sizes_copied split_copy split_equally_copied
        split_with_sizes_copy squeeze_all_copied squeeze_copy squeeze_dim_copied squeeze_dims_copied t_copy
        transpose_copy unbind_copy unfold_copy unsqueeze_copy view_as_complex_copy view_as_real_copy view_copied
        view_copy
    """,
    "operators.shapes.composites.flips": """
        .H .T .adjoint .mH .mT .moveaxis .movedim .squeeze_ .swapaxes .swapaxes_ .swapdims .swapdims_ .t_ .transpose_
        .unsqueeze_ permute
    """,
    "operators.shapes.composites.joining": """
        atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors column_stack concat concatenate
        dstack hstack row_stack vstack
    """,
    "operators.shapes.composites.parts": """
        .as_strided .as_strided_ .chunk .diag .diagflat .dsplit .hsplit .imag .narrow .narrow_copy .real .split
        .split_with_sizes .tensor_split .unsafe_chunk .vsplit
    """,
    "operators.shapes.composites.repetition": """
        .flip .fliplr .flipud .repeat .repeat_interleave .roll .rot90 .tile cartesian_prod combinations meshgrid
    """,
    "operators.shapes.composites.reshaping": """
        .broadcast_to .expand_as .flatten .ravel .reshape .reshape_as .squeeze .unflatten .view_as expand view
    """,
    "operators.shapes.composites.storage": """
        .const_data_ptr .contiguous .data_ptr .dim .element_size .is_contiguous .is_set_to .ndimension .nelement .numel
        .resize_ .resize_as_ .set_ .size .storage_offset .stride .untyped_storage UntypedStorage
    """,
    "operators.shapes.composites.typed_storage": """
        .storage .storage_type BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage
        ComplexFloatStorage DoubleStorage FloatStorage HalfStorage IntStorage LongStorage ShortStorage Storage
        TypedStorage
    """,
    "operators.shapes.diagonal": """
        .diag_embed .diagonal diagonal_back diagonal_copied
    """,
    "operators.shapes.embedding": """
        copying diagonal_put fill_number fill_tensor filling_number filling_tensor select_put slice_put strided_part
        strided_put zero
    """,
    "operators.shapes.layout": """
        complex_of_pairs pairs_of_complex restrided restrided_back restrided_part view_as_complex view_as_real
    """,
    "operators.shapes.rearrangement": """
        .tril .tril_ .triu .triu_ block_diagonal blocks cat flipped narrowed_copy opposite parts repeat_back repeated
        rolled rows stack turned
    """,
    "operators.shapes.split": """
        .unbind .unsafe_split .unsafe_split_with_sizes split_by_sizes split_equally
    """,
    "operators.shapes.views": """
        .permute .select .t .transpose .unfold .unsqueeze .view alias inverse reshape reshape_alias select_back
        slice_back slice_dim squeeze_all squeeze_dim squeeze_dims unfold_back unsafe_view
    """,
    "operators.special.bessel": """
        special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 special_bessel_y1
        special_spherical_bessel_j0
    """,
    "operators.special.composites.special": """
        .polygamma .polygamma_ ndtr
    """,
    "operators.special.error_functions": """
        .erf .erf_ .erfc .erfc_ .erfinv .erfinv_ erfcx_derivative normal_hazard normal_hazard_slope special_erfcx
        special_log_ndtr special_ndtri
    """,
    "operators.special.gamma": """
        .digamma .digamma_ .lgamma .lgamma_ .mvlgamma .mvlgamma_ mvdigamma polygamma_of special_zeta
    """,
    "operators.special.incomplete": """
        .igamma .igamma_ .igammac .igammac_
    """,
    "operators.special.modified_bessel": """
        .i0 .i0_ epsilon special_i0e special_i1 special_i1e special_modified_bessel_i0 special_modified_bessel_i1
        special_modified_bessel_k0 special_modified_bessel_k1 special_scaled_modified_bessel_k0
        special_scaled_modified_bessel_k1
    """,
    "operators.special.orthogonal": """
        special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v
        special_chebyshev_polynomial_w special_hermite_polynomial_h special_hermite_polynomial_he
        special_laguerre_polynomial_l special_legendre_polynomial_p special_shifted_chebyshev_polynomial_t
        special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v
        special_shifted_chebyshev_polynomial_w
    """,
    "operators.special.shared": """
        ROOT_PI ROOT_TWO_PI no_derivative where_else
    """,
}
