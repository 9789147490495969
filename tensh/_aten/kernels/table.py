"""The function of tensh behind each overload of ``aten``, mostly of the same name."""

from functools import cache, partial

import tensh as torch
from tensh._aten import resizing
from tensh._aten.kernels.backward import BACKWARD_KERNELS
from tensh._aten.kernels.functional import FUNCTIONAL_KERNELS
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.operators.layers.composites.activation import elu_
from tensh.engine.operators.layers.composites.sequences import score_labels
from tensh.engine.operators.layers.composites.unpooling import max_unpool
from tensh.nn import functional
from tensh.nn.utils.norms import scale_direction

REDUCTIONS = ("none", "mean", "sum")
SPREAD = frozenset("broadcast_tensors block_diag cartesian_prod".split())
"""Functions whose tensors stand side by side, and in a list for the operator."""


@cache
def kernel_of(overload):
    """Return the function that computes an overload."""
    name = overload._opname
    known = KERNELS.get(name) or KERNELS.get(f"{name}.{overload._overloadname}")
    if known is not None:
        return known
    parameters = overload.parameters
    found = (
        getattr(torch.Tensor, name, None)
        if parameters and parameters[0].name == "self" and parameters[0].kind == "Tensor"
        else None
    )
    if isinstance(found, property):
        return found.fget
    if name in SPREAD:
        return lambda tensors: getattr(torch, name)(*tensors)
    reduces = any(p.name == "reduction" for p in parameters)
    for space in (functional, torch) if reduces else (torch, functional):
        found = found or getattr(space, name, None)
    for family in ("linalg", "fft", "special"):
        if found is None and name.startswith(f"{family}_"):
            found = getattr(getattr(torch, family), name.removeprefix(f"{family}_"), None)
    if found is None:
        raise NotImplementedError(f"torch.ops.{overload.namespace}.{name} exists in PyTorch but not in tensh")
    if reduces:
        return take_reduction_number(found, parameters)
    return found


def has_kernel(overload):
    """Return True if an overload can be computed by itself."""
    try:
        return bool(kernel_of(overload))
    except NotImplementedError:
        return False


def take_reduction_number(function, parameters):
    """``function`` for the number of a reduction in place of its name."""
    names = [p.name if p.name != "self" else "input" for p in parameters]

    def kernel(*args, **options):
        options = dict(zip(names, args)) | options
        return function(**options | {"reduction": REDUCTIONS[options.get("reduction", 1)]})

    return kernel


def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    dims = input.dim() - 2
    if transposed:
        function = getattr(functional, f"conv_transpose{dims}d")
        return function(input, weight, bias, stride, padding, output_padding, groups, dilation)
    return getattr(functional, f"conv{dims}d")(input, weight, bias, stride, padding, dilation, groups)


def nll_loss_forward(self, target, weight, reduction, ignore_index):
    loss = functional.nll_loss(self, target, weight, ignore_index=ignore_index, reduction=REDUCTIONS[reduction])
    kept = target != ignore_index
    total = kept.sum().to(self.dtype) if weight is None else weight[target[kept]].sum()
    return loss, total if reduction else self.new_zeros(())


def log_sigmoid_forward(self):
    return functional.logsigmoid(self), (-self.detach().abs()).exp()


def multilabel_margin_loss_forward(self, target, reduction):
    loss = functional.multilabel_margin_loss(self, target, reduction=REDUCTIONS[reduction])
    rows = target.reshape(-1, target.shape[-1]) if target.dim() else target.reshape(1, 1)
    said = (rows >= 0).long().cumprod(-1).bool()  # a negative number ends the list of labels
    marks = torch.zeros(rows.shape, dtype=self.dtype).scatter_add(-1, rows.clamp_min(0), said.to(self.dtype))
    return loss, (marks > 0).to(self.dtype).reshape(target.shape)


def _ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, zero_infinity=False):
    loss, scores, _ = score_labels(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity)
    return loss, scores.detach().transpose(0, 1).contiguous()


def native_layer_norm(input, normalized_shape, weight, bias, eps):
    dims = tuple(range(-len(normalized_shape), 0))
    variance, mean = torch.var_mean(input, dims, correction=0, keepdim=True)
    return functional.layer_norm(input, normalized_shape, weight, bias, eps), mean, (variance + eps).rsqrt()


def native_dropout(input, p, train):
    mask = torch.bernoulli(torch.full_like(input, 1 - p)).bool() if train else torch.ones_like(input, dtype=torch.bool)
    return (input * mask / (1 - p) if train else input.clone()), mask


def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    out = functional.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    dims = [d for d in range(input.dim()) if d != 1]
    variance, mean = torch.var_mean(input, dims, correction=0) if training else (input.new_empty(0), input.new_empty(0))
    return out, mean, (variance + eps).rsqrt() if training else variance


def native_group_norm(input, weight, bias, n, c, hxw, group, eps):
    parts = input.reshape(n, group, -1)
    variance, mean = torch.var_mean(parts, 2, correction=0)
    return functional.group_norm(input, group, weight, bias, eps), mean, (variance + eps).rsqrt()


def stft_of_frames(
    self, n_fft, hop_length=None, win_length=None, window=None, normalized=False, onesided=None, return_complex=None, align_to_window=None
):  # fmt: skip
    given = normalized, onesided, return_complex, align_to_window
    return torch.stft(self, n_fft, hop_length, win_length, window, False, "reflect", *given)


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    padding_idx = None if padding_idx == -1 else padding_idx
    return functional.embedding(indices, weight, padding_idx, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


def fill_indices(self, indices):
    """Put a tensor of all places in place of each index that is None, so that all of them broadcast."""
    known = [dim for dim, each in enumerate(indices) if each is not None]
    rank = torch.broadcast_tensors(*(indices[dim] for dim in known))[0].dim()
    adjacent = known == list(range(known[0], known[0] + len(known)))
    first, free, found = (known[0] if adjacent else 0), [], []
    for dim, each in enumerate(indices):
        if each is None:
            before = dim < first if adjacent else False
            free.append(dim)
            place = len(free) - 1 + (0 if before else rank)
            each, at = torch.arange(self.shape[dim]), place
        else:
            at = first + rank - 1
        after = rank + len(indices) - len(known) - 1 - at
        found.append(each[(..., *(None,) * after)])
    return tuple(found)


def index_put_(self, indices, values, accumulate=False):
    if any(each is None for each in indices):
        indices = [mask_places(each) for each in indices]
        indices = fill_indices(self, [each for part in indices for each in part])
    return self.index_put_(tuple(indices), values, accumulate)


def mask_places(index):
    """Return the indices of the elements that a mask selects, one for each of its dimensions; any other index alone."""
    return index.nonzero(as_tuple=True) if index is not None and index.dtype is torch.bool else (index,)


def index_put(self, indices, values, accumulate=False):
    return index_put_(self.clone(), indices, values, accumulate)


def _to_copy(self, *, dtype=None, layout=None, device=None, pin_memory=None, non_blocking=False, memory_format=None):
    return self.to(device, dtype or self.dtype, copy=True, memory_format=memory_format)


def to(self, *args, layout=None, pin_memory=None, **options):
    return self.to(*args, **options)


def threshold_backward(grad_output, self, threshold):
    return grad_output * (self > threshold)


def softmax_backward(grad_output, output, dim, input_dtype):
    return OPS["softmax_backward"].fn(grad_output, output, dim)


def log_softmax_backward(grad_output, output, dim, input_dtype):
    return grad_output - output.exp() * grad_output.sum(dim, keepdim=True)


def select_backward(grad_output, input_sizes, dim, index):
    return torch.select_scatter(grad_output.new_zeros(input_sizes), grad_output, dim, index)


def slice_backward(grad_output, input_sizes, dim, start, end, step):
    return torch.slice_scatter(grad_output.new_zeros(input_sizes), grad_output, dim, start, end, step)


def diagonal_backward(grad_output, input_sizes, offset, dim1, dim2):
    return torch.diagonal_scatter(grad_output.new_zeros(input_sizes), grad_output, offset, dim1, dim2)


def sigmoid_backward(grad_output, output):
    return grad_output * output * (1 - output)


def tanh_backward(grad_output, output):
    return grad_output * (1 - output * output)


def slice_tensor(self, dim=0, start=None, end=None, step=1):
    return self[(slice(None),) * (dim % self.dim()) + (slice(start, end, step),)]


def solve_ex(A, B, *, left=True, check_errors=False):
    result, info = torch.linalg.solve_ex(A, B, left=left, check_errors=check_errors)
    return result, *torch.linalg.lu_factor(A), info


def fractional_pool(dims):
    """Return the kernel of fractional pooling: the output and the places of its elements."""
    pool = getattr(functional, f"fractional_max_pool{dims}d_with_indices")
    return lambda self, kernel_size, output_size, random_samples: pool(
        self, kernel_size, output_size, None, True, random_samples
    )


def ask_tensor(name):
    """Return a kernel that asks the tensor itself."""
    return lambda self, *args: getattr(self, name)(*args)


KERNELS = {
    **resizing.KERNELS,
    **BACKWARD_KERNELS,
    **FUNCTIONAL_KERNELS,
    "_fft_c2c": lambda self, dim, normalization, forward: OPS["fft_c2c"].fn(self, tuple(dim), normalization, forward),
    "_fft_c2r": lambda self, dim, normalization, last: OPS["fft_c2r"].fn(self, tuple(dim), normalization, last),
    "_fft_r2c": lambda self, dim, normalization, onesided: OPS["fft_r2c"].fn(self, tuple(dim), normalization, onesided),
    "_linalg_svd": lambda A, full_matrices=False, compute_uv=True, *, driver=None: torch.linalg.svd(A, full_matrices),
    "_linalg_eigh": lambda A, UPLO="L", compute_v=True: torch.linalg.eigh(A, UPLO),
    "_linalg_det": lambda A: (torch.linalg.det(A), *torch.linalg.lu_factor(A)),
    "_linalg_slogdet": lambda A: (*torch.linalg.slogdet(A), *torch.linalg.lu_factor(A)),
    "_linalg_solve_ex": solve_ex,
    "masked_scatter_backward": lambda g, mask, sizes: OPS["masked_source"].fn(g, mask, tuple(sizes)),
    "unfold_backward": lambda g, sizes, dim, size, step: OPS["unfold_back"].fn(g, tuple(sizes), dim, size, step),
    "_linalg_check_errors": lambda info, api_name, *, is_matrix: None,  # the function itself has looked
    "_conj": lambda self: self.conj(),
    "_conj_physical": lambda self: self.conj_physical(),
    "_safe_softmax": lambda self, dim, dtype=None: OPS["safe_softmax"].fn(self.transpose(dim, -1)).transpose(dim, -1),
    "_softmax": lambda self, dim, half_to_float: functional.softmax(self, dim),
    "_log_softmax": lambda self, dim, half_to_float: functional.log_softmax(self, dim),
    "_local_scalar_dense": lambda self: self.item(),
    "_unsafe_view": lambda self, size: OPS["unsafe_view"].fn(self.contiguous(), tuple(size)),
    "_reshape_alias": lambda self, size, stride: self.view(size),
    "lift_fresh": lambda self: self,
    "lift_fresh_copy": lambda self: self.clone(),
    "alias": lambda self: self.view(self.shape),
    "rsub": lambda self, other, alpha=1: other - self * alpha if alpha != 1 else other - self,
    "index": lambda self, indices: self[tuple(slice(None) if each is None else each for each in indices)],
    "embedding": embedding, "stft.default": stft_of_frames,
    "log_sigmoid": lambda self: functional.logsigmoid(self),
    "cross_entropy_loss": lambda self, target, weight=None, reduction=1, ignore_index=-100, label_smoothing=0.0: functional.cross_entropy(
        self, target, weight, ignore_index=ignore_index, reduction=REDUCTIONS[reduction], label_smoothing=label_smoothing
    ),
    "nll_loss_nd": lambda self, target, weight=None, reduction=1, ignore_index=-100: functional.nll_loss(
        self, target, weight, ignore_index=ignore_index, reduction=REDUCTIONS[reduction]
    ),
    "_prelu_kernel": lambda self, weight: torch.where(self > 0, self, weight * self),
    "nll_loss2d_forward": nll_loss_forward,
    "elu": lambda self, *settings: OPS["elu"].fn(self, *settings),
    "elu_": elu_,
    **{f"{each.__name__}_": partial(each, inplace=True) for each in (functional.silu, functional.mish, functional.hardswish, functional.hardsigmoid)},
    "numpy_T": lambda self: self.T,
    "matrix_H": lambda self: self.H,
    "mT": lambda self: self.mT,
    "mH": lambda self: self.mH,
    "linalg_vector_norm": lambda self, ord=2, dim=None, keepdim=False, *, dtype=None: torch.linalg.vector_norm(self, ord, dim, keepdim, dtype=dtype),
    **{
        f"adaptive_max_pool{dims}d": partial(getattr(functional, f"adaptive_max_pool{dims}d"), return_indices=True)
        for dims in (1, 2, 3)
    },
    **{f"fractional_max_pool{dims}d": fractional_pool(dims) for dims in (2, 3)},
    **{f"max_unpool{dims}d": partial(lambda dims, self, indices, output_size, *windows: max_unpool(
        f"max_unpool{dims}d", dims, self, indices, output_size), dims) for dims in (2, 3)},
    "constant_pad_nd": lambda self, pad, value=0: functional.pad(self, pad, "constant", value),
    "new_empty_strided": lambda self, size, stride, **options: torch.empty_strided(size, stride, dtype=self.dtype),
    "pow": lambda self, exponent: torch.pow(self, exponent),
    "where": lambda condition, *values: torch.where(condition, *values),
    "slice": slice_tensor,
    "_weight_norm": lambda v, g, dim=0: scale_direction(v, g, dim),
    "tensordot": lambda self, other, dims_self, dims_other: torch.tensordot(self, other, (dims_self, dims_other)),
    **{f"sym_{name}": ask_tensor(name) for name in ("size", "stride", "numel", "storage_offset", "is_contiguous")},
    **{each.__name__: each for each in (
        convolution, nll_loss_forward, log_sigmoid_forward, multilabel_margin_loss_forward, _ctc_loss,
        native_layer_norm, native_dropout, native_batch_norm, native_group_norm,
        index_put_, index_put, _to_copy, to, threshold_backward, select_backward, slice_backward, diagonal_backward,
        sigmoid_backward, tanh_backward,
    )},
    "_softmax_backward_data": softmax_backward,
    "_log_softmax_backward_data": log_softmax_backward,
}  # fmt: skip
