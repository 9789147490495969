"""Names of NumPy, TensorFlow, JAX, JavaScript and Python 2, and their counterparts in PyTorch and Python.

On the left a name that PyTorch lacks, on the right its replacement, with underscores for spaces.
"""

TENSOR = """
    astype to(dtype)                        copy clone()                    fill fill_(value)
    flat flatten()                          flags is_contiguous()           strides stride()
    base _base                              conjugate conj()                compress masked_select(mask)
    searchsorted torch.searchsorted(x,_values)  partition topk(k)           argpartition topk(k).indices
    choose gather(dim,_index)               tobytes numpy().tobytes()       tofile numpy().tofile(file)
    byteswap numpy().byteswap()             dumps torch.save(x,_file)
    dump torch.save(x,_file)                itemset fill_(value)            ptp aminmax()
    get numpy()                             asnumpy numpy()                 shuffle x[torch.randperm(len(x))]
    float16 half()                          float32 float()                 float64 double()
    int16 short()                           int32 int()                     int64 long()
    append torch.cat((x,_t))                extend torch.cat((x,_t))        len len(x)
    length len(x)                           loc x[i,_j]                     iloc x[i,_j]
    cast to(dtype)                          assign copy_(value)             set_value copy_(value)
    to_numpy numpy()                        push torch.cat((x,_t))          count numel()
    expand_dims unsqueeze(dim)              to_list tolist()                isna isnan()
    to_cuda to(device)                      gpu to(device)                  to_gpu to(device)
    to_device to(device)                    gradient grad                   derivative grad
    get_shape shape                         assign_add add_(value)          assign_sub sub_(value)
"""
TORCH = """
    cast Tensor.to                          uniform rand                    GradientTape autograd.grad
    reduce_min amin                         reduce_prod prod                random_normal randn
    length numel                            len numel                       random_uniform rand
    reduce_mean mean                        reduce_sum sum                  reduce_max amax
    array tensor                            ndarray Tensor                  asanyarray as_tensor
    constant tensor                         convert_to_tensor as_tensor     to_tensor as_tensor
    ascontiguousarray Tensor.contiguous     copy clone                      astype Tensor.to
    array_equal equal                       array_equiv equal               array_split tensor_split
    append cat                              insert cat                      delete index_select
    block cat                               expand_dims unsqueeze           unravel unravel_index
    repeat repeat_interleave                resize reshape                  rollaxis movedim
    permute_dims permute                    matrix_transpose Tensor.mT      broadcast broadcast_tensors
    broadcast_arrays broadcast_tensors      pad nn.functional.pad           tri tril
    identity eye                            indices meshgrid                mgrid meshgrid
    ogrid meshgrid                          ix_ meshgrid                    geomspace logspace
    fromfunction vmap                       fromiter tensor                 fromfile from_file
    power pow                               mod remainder                   fabs abs
    degrees rad2deg                         radians deg2rad                 rint round
    around round                            cbrt pow(x,_1_/_3)              invert bitwise_not
    bitwise_invert bitwise_not              left_shift bitwise_left_shift   right_shift bitwise_right_shift
    conjugate conj                          modf frac                       iscomplex is_complex
    iscomplexobj is_complex                 isrealobj is_floating_point     isscalar is_tensor
    average mean                            percentile quantile             nanpercentile nanquantile
    ptp aminmax                             nanmax amax                     nanmin amin
    cumulative_sum cumsum                   cumulative_prod cumprod         nancumsum cumsum
    ediff1d diff                            convolve nn.functional.conv1d   correlate nn.functional.conv1d
    interp nn.functional.interpolate        digitize bucketize              histogram2d histogramdd
    lexsort argsort                         partition topk                  argpartition topk
    flatnonzero nonzero                     extract masked_select           compress masked_select
    choose gather                           place masked_scatter            putmask masked_fill
    copyto Tensor.copy_                     fill_diagonal Tensor.fill_diagonal_
    take_along_axis take_along_dim          put_along_axis scatter          apply_along_axis vmap
    apply_over_axes vmap                    vectorize vmap                  piecewise where
    in1d isin                               union1d unique                  intersect1d isin
    setdiff1d isin                          unstack unbind                  vecdot linalg.vecdot
    matvec mv                               poly1d vander                   polyval vander
    diag_indices diagonal                   tril_indices_from tril_indices  triu_indices_from triu_indices
    shape Tensor.shape                      size numel                      ndim Tensor.ndim
    float_ float64                          int_ int64                      bool_ bool
    intc int32                              intp int64                      single float32
    issubdtype is_floating_point            common_type promote_types       min_scalar_type result_type
    may_share_memory Tensor.data_ptr        shares_memory Tensor.data_ptr   errstate autograd.detect_anomaly
    savez save                              savetxt save                    loadtxt load
    bartlett bartlett_window                blackman blackman_window        hamming hamming_window
    hanning hann_window                     kaiser kaiser_window            cross_entropy nn.functional.cross_entropy
    Linear nn.Linear                        Module nn.Module                Parameter nn.Parameter
    mse_loss nn.functional.mse_loss         linear nn.functional.linear     one_hot nn.functional.one_hot
    leaky_relu nn.functional.leaky_relu     gelu nn.functional.gelu         normalize nn.functional.normalize
    SGD optim.SGD                           Adam optim.Adam                 DataLoader utils.data.DataLoader
    grad autograd.grad                      value_and_grad func.grad_and_value
    device_put Tensor.to                    stop_gradient Tensor.detach     tree_map utils._pytree.tree_map
    set_random_seed manual_seed             set_seed manual_seed            layers nn
    load_model load                         save_model save                 load_weights load
    keras nn                                losses nn                       data utils.data
"""
MODEL = """
    add append          evaluate eval           get_weights state_dict      set_weights load_state_dict
    params parameters   trainable_parameters parameters                     get_parameters parameters
    save_state_dict state_dict                  load_weights load_state_dict    to_gpu cuda
    trainable_variables parameters              trainable_weights parameters    variables parameters
"""
OPTIMIZER = """
    get_lr param_groups[0]["lr"]            learning_rate param_groups[0]["lr"]     set_lr param_groups[0]["lr"]
    zero_gradients zero_grad                clear_grad zero_grad            reset_grad zero_grad
    apply_gradients step                    update step
"""
SCHEDULER = """
    lr get_last_lr()                        current_lr get_last_lr()        learning_rate get_last_lr()
    rate get_last_lr()                      param_groups optimizer.param_groups
"""
RANDOM = """
    rand rand                               random rand                     random_sample rand
    randn randn                             standard_normal randn           normal normal
    randint randint                         permutation randperm            shuffle randperm
    choice multinomial                      uniform rand                    binomial binomial
    set_seed manual_seed                    PRNGKey Generator               key Generator
    poisson poisson                         multinomial multinomial         default_rng Generator
"""
KEYWORD = """
    axis dim        axes dim            keepdims keepdim    ddof correction     newshape shape      reps dims
    a input         arr input           x input             x1 input            x2 other            b other
    a_min min       a_max max           order ord           loc mean            scale std           shift shifts
    shape size      axis1 dim0          axis2 dim1          kind stable         obj index           fill_value value
    repeat repeats  learning_rate lr    epsilon eps         momentum_rate momentum
    indices_or_sections indices             in_axes in_dims                 out_axes out_dims           depth num_classes
"""


LIST = """
    push append     push_back append    add append      map [f(each)_for_each_in_x]
    concat extend   forEach [f(each)_for_each_in_x]
"""
DICT = """
    iteritems items     itervalues values       iterkeys keys       has_key key_in_x
"""
LAYERS = """
    Dense Linear                            Conv1D Conv1d                   Conv2D Conv2d
    MaxPooling2D MaxPool2d                  AveragePooling2D AvgPool2d      BatchNormalization BatchNorm1d
    LayerNormalization LayerNorm            GlobalAveragePooling2D AdaptiveAvgPool2d(1)
    SparseCategoricalCrossentropy CrossEntropyLoss                          GlobalMaxPooling2D AdaptiveMaxPool2d(1)
    MeanAbsoluteError L1Loss                MAELoss L1Loss                  Conv2DTranspose ConvTranspose2d
    UpSampling2D Upsample                   ZeroPadding2D ZeroPad2d         MaxPooling1D MaxPool1d
    MultiHeadAttention MultiheadAttention   AveragePooling1D AvgPool1d
    CategoricalCrossentropy CrossEntropyLoss  BinaryCrossentropy BCELoss    MeanSquaredError MSELoss
"""


def table(text):
    """Parse a table to {name elsewhere: PyTorch's counterpart}."""
    words = text.split()
    return {
        left: right.replace("_", " ") if ",_" in right or "_/_" in right or "_in_" in right else right
        for left, right in zip(words[::2], words[1::2], strict=True)
    }
