"""Embeddings: rows of a matrix by index."""

import numpy as np

from tensh.engine.arrays.gathering import is_within
from tensh.engine.codegen.composites import composite
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.core import lift, ports
from tensh.engine.core.tensor import wrap
from tensh.engine.dtypes.dtype import DIFFERENTIABLE, int32, int64, promote_types
from tensh.engine.errors.warnings import warn
from tensh.engine.methods.creation.fill import ones_like
from tensh.engine.operators.elementwise.composites.comparison import where
from tensh.engine.operators.forms import require
from tensh.engine.operators.layers.composites.registry import layer
from tensh.engine.operators.layers.embedding import bag_maxima, bag_sums, lookup

INTEGERS = (int64, int32)


def check_indices(indices, name, position=1):
    """Raise PyTorch's error for indices that are neither int64 nor int32."""
    if indices.dtype not in INTEGERS:
        raise RuntimeError(
            f"Expected tensor for argument #{position} 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{indices.dtype.class_of_tensors} instead (while checking arguments for {name})"
        )


@composite(function=False, method=False)
def embedding_renorm_(weight, indices, max_norm, norm_type):
    """Scale the rows of ``weight`` at ``indices`` down to a ``norm_type``-norm of ``max_norm``, in place.

    Shapes: [rows, D] and [*]. Raise RuntimeError for other shapes and dtypes, IndexError for an index out of range.
    """
    try:
        _ = weight.node, indices.node  # raises Lift for those of a batch
    except lift.Lift:
        return ports.batched_function(
            "embedding_renorm_", embedding_renorm_, (weight, indices, max_norm, norm_type), {}
        )
    if weight.array.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {weight.array.ndim}-dimensional tensor for argument #1 'self' (while "
            "checking arguments for embedding_renorm_)"
        )
    check_indices(indices, "embedding_renorm_", 2)
    if weight.array.dtype.kind not in DIFFERENTIABLE:
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {weight.dtype.title} instead."
        )
    length, used = weight.array.shape[0], np.unique(indices.array)
    wrong = used[(used < -length) | (used >= length)]
    if wrong.size:
        raise IndexError(
            f"select(): index {wrong[0]} out of range for tensor of size {list(weight.array.shape)} at dimension 0"
        )
    places, table = wrap((used % length).astype(np.int64)), wrap(weight.array)  # detached, with its tangent
    rows = table.index_select(0, places)
    norms = rows.norm(norm_type, 1, keepdim=True).double()
    scale = where(norms > float(max_norm), float(max_norm) / (norms + 1e-7), ones_like(norms))
    table.index_copy_(0, places, rows * scale.to(rows.dtype))
    return weight


PUBLIC["embedding_renorm_"] = embedding_renorm_


def torch_embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """The rows of ``weight`` at ``indices``, as ``torch.nn.functional.embedding``.  Differentiable in weight.

    Shapes: weight [rows, D], indices [*], result [*, D]. Raise RuntimeError for other shapes, IndexError for an index
    out of range.
    """
    require(weight, "embedding", "weight", 1), require(indices, "embedding", "indices", 2)
    if weight.array.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_indices(indices, "embedding")
    return lookup.fn(weight, indices, padding_idx, scale_grad_by_freq, sparse)


torch_embedding.__name__ = torch_embedding.__qualname__ = "embedding"
composite(torch_embedding, method=False)


def number_of_padding(padding_idx, weight):
    """Return the index of the row without gradient; -1 for none."""
    if padding_idx is None:
        return -1
    rows = weight.array.shape[0]
    if not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx % rows


@layer
def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
):  # fmt: skip
    """The rows of ``weight`` [rows, D] at the indices ``input`` [...]: [..., D].  Differentiable in weight.

    The row ``padding_idx`` gets no gradient.  ``max_norm`` scales longer rows down, in ``weight`` itself;
    ``scale_grad_by_freq`` divides gradients by how often a row is used.  Raise RuntimeError for other indices,
    IndexError for an index out of range.

    >>> import tensh as torch
    >>> torch.nn.functional.embedding(torch.tensor([1, 0]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [1., 2.]])
    """
    padding = number_of_padding(padding_idx, weight) if padding_idx is not None else -1
    if max_norm is not None:
        embedding_renorm_(weight, input, max_norm, norm_type)
    return torch_embedding(weight, input, padding, scale_grad_by_freq, sparse)


# ── bags ─────────────────────────────────────────────────────────────────────
MODES = ("sum", "mean", "max")


def bags_of(indices, offsets, include_last, padded):
    """Return (the bag of every index, the number of bags, the number of indices in every bag).

    With a padding row (``padded``) PyTorch ignores the last offset and uses the length of the input.
    """
    starts, total = offsets.array.astype(np.int64), indices.array.size
    if include_last:
        if not starts.size:
            raise RuntimeError("include_last_offset: number of offset should be at least 1")
        starts, total = starts[:-1], total if padded else min(int(starts[-1]), total)
    if offsets.array.size and offsets.array[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got "
            f"{offsets.array[0]}\n[ {offsets.dtype.class_of_tensors}{{}} ]"
        )
    if offsets.array.size and offsets.array[-1] > indices.array.size:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {indices.array.size} but got offsets[-1] of "
            f"{offsets.array[-1]}"
        )
    counts = np.diff(starts, append=total)
    if (counts < 0).any() or (indices.array.size and not starts.size):
        raise RuntimeError(
            "Expected i < index_size to be true, but got false.  (Could this error message be improved?  If so, please report "
            "an enhancement request to PyTorch.)"
        )
    return np.repeat(np.arange(len(starts)), counts), len(starts), counts


def torch_embedding_bag(
    weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
    include_last_offset=False, padding_idx=None,
):  # fmt: skip
    """Return (output, bag of each index, size of each bag, chosen rows) of ``nn.functional.embedding_bag``.  Differentiable.

    Shapes: weight [rows, D], output [bags, D]. Raise RuntimeError for other shapes.
    """
    if indices.dtype is not offsets.dtype:
        common = promote_types(indices.dtype, offsets.dtype)
        indices, offsets = indices.to(common), offsets.to(common)
    check_indices(indices, "embedding_bag")
    if weight.array.dtype.kind not in "fV":
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, Float, Double; "
            f"but got {weight.dtype.class_of_tensors} instead (while checking arguments for embedding_bag)"
        )
    rows = weight.array.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, {-rows} through {rows - 1}, but got {padding_idx}"
        )
    if per_sample_weights is not None and per_sample_weights.dtype is not weight.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 'per_sample_weights'; but "
            f"type torch.{weight.dtype.legacy} does not equal torch.{per_sample_weights.dtype.legacy} (while checking arguments "
            "for embedding_bag)"
        )
    bags, number, counts = bags_of(indices, offsets, include_last_offset, padding_idx is not None)
    used = indices.array[: bags.size].astype(np.int64, copy=False)
    if used.size and not is_within(used, rows):
        wrong = np.flatnonzero((used < 0) | (used >= rows))
        raise RuntimeError(
            f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {used[wrong[0]]}"
            if MODES[mode] == "max" or padding_idx is not None or weight.array.itemsize == 8  # lacks a fast kernel
            else f"Index {wrong[0]} of input takes value {used[wrong[0]]} which is not in the valid range [0, {rows})"
        )
    kept = np.ones(used.shape, bool) if padding_idx is None else used != padding_idx % rows
    sizes = counts if padding_idx is None else np.bincount(bags[kept], minlength=number)
    summed, chosen = MODES[mode] == "sum", None
    if MODES[mode] == "max":
        output, chosen, _ = bag_maxima.fn(weight, wrap(used[kept]), wrap(bags[kept]), number)
    else:
        mean, padding = MODES[mode] == "mean", -1 if padding_idx is None else padding_idx % rows
        scale = kept / np.maximum(sizes, 1)[bags] if mean else kept.astype(np.float64)
        scale = wrap(scale[:, None].astype(weight.array.dtype))
        output = bag_sums.fn(
            weight, per_sample_weights, wrap(used), wrap(bags), scale, sizes, mean, padding, scale_grad_by_freq, sparse
        )
    if summed:  # sums need neither sizes nor, without padding, bags
        sizes = np.zeros_like(sizes)
        bags = bags if padding_idx is not None or weight.array.itemsize == 8 else bags[:0]
    return output, wrap(bags), wrap(sizes), wrap(sizes.copy()) if chosen is None else chosen


torch_embedding_bag.__name__ = torch_embedding_bag.__qualname__ = "embedding_bag"
composite(torch_embedding_bag, method=False)


def _embedding_bag(
    weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
    include_last_offset=False, padding_idx=-1,
):  # fmt: skip
    """``torch.embedding_bag``, where -1 is no padding.  Differentiable.

    Shapes: weight [rows, D], output [bags, D]. Raise RuntimeError for other shapes.

    >>> import tensh as torch
    >>> torch._embedding_bag(torch.eye(2), torch.tensor([0, 1, 1]), torch.tensor([0, 1]))[0]
    tensor([[1., 0.],
            [0., 2.]])
    """
    padding = None if padding_idx == -1 else padding_idx
    return torch_embedding_bag(
        weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding
    )


composite(_embedding_bag, method=False)


def check_bags(input, offsets, mode, scale_grad_by_freq, sparse, per_sample_weights, include_last_offset):
    """Check the arguments; return (input, offsets) with all bags joined."""
    if per_sample_weights is not None and input.array.shape != per_sample_weights.array.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the same shape as "
            f"the input ({input.shape})"
        )
    ndim = input.array.ndim
    if ndim == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. "
                "However, found offsets of type <class 'torch.Tensor'>"
            )
        batch, length = input.array.shape
        offsets = wrap(np.arange(batch + include_last_offset) * length)
        input = input.reshape(input.array.size)
    elif ndim == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.array.ndim != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {ndim}")
    if mode not in MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub."
        )
    return input, offsets


@layer
@lift.accept_batches
def embedding_bag(
    input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean", sparse=False,
    per_sample_weights=None, include_last_offset=False, padding_idx=None,
):  # fmt: skip
    """The mean, sum or maximum (``mode``) of the rows of ``weight`` [rows, D] in every bag of indices: [bags, D].

    ``input`` is [bags, length], or a vector of all indices, where ``offsets`` are the starts of the bags.
    Differentiable in weight and in per_sample_weights.  Raise RuntimeError or ValueError for offsets, weights or a mode
    that do not fit.

    >>> import tensh as torch
    >>> torch.nn.functional.embedding_bag(torch.tensor([[0, 1]]), torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[2., 3.]])
    """
    if weight.dtype is int64 and input.is_floating_point():
        warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.",
        )
        input, weight = weight, input
    if weight.array.ndim != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.array.ndim}")
    input, offsets = check_bags(
        input, offsets, mode, scale_grad_by_freq, sparse, per_sample_weights, include_last_offset
    )
    if max_norm is not None:
        embedding_renorm_(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and per_sample_weights.array.ndim == 2:
        per_sample_weights = per_sample_weights.reshape(per_sample_weights.array.size)
    return torch_embedding_bag(
        weight,
        input,
        offsets,
        scale_grad_by_freq,
        MODES.index(mode),
        sparse,
        per_sample_weights,
        include_last_offset,
        padding_idx,
    )[0]
