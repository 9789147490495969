"""Rules of layers for distributed tensors: products with cut weights, embeddings of which each process has rows, layer norms.

M. Shoeybi et al.: "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism", 2019.
"""

from contextvars import ContextVar

import tensh as torch
from tensh.distributed.tensor.dtensor import DTensor, distribute
from tensh.distributed.tensor.exchanges import local_sizes, part_of, share, without_terms
from tensh.distributed.tensor.placement_types import Partial, Replicate, Shard
from tensh.distributed.tensor.rules import compute_whole, reach, require_one_kind, rule


# ── products ─────────────────────────────────────────────────────────────────
@rule("linear")
def linear(func, input, weight, bias=None):
    """Multiply by a weight [outputs, inputs]."""
    return multiply("mm" if bias is None else "addmm", torch.nn.functional.linear, input, weight, bias, 0, 1)


@rule("matmul", "__matmul__", "mm")
def matmul(func, input, other):
    """Multiply by a matrix [inputs, outputs]; products of other dimensions are computed as a whole."""
    if not (isinstance(input, DTensor) and input.ndim >= 2 and other.ndim == 2):
        return compute_whole(func, False, (input, other), {})
    return multiply("mm", lambda x, w, b: x @ w if b is None else x @ w + b, input, other, None, 1, 0)


@rule("addmm")
def addmm(func, input, mat1, mat2, *, beta=1, alpha=1):
    """Multiply two matrices, and add a row to the product."""
    if beta != 1 or alpha != 1 or input.ndim != 1:
        return compute_whole(func, False, (input, mat1, mat2), {"beta": beta, "alpha": alpha})
    return multiply("addmm", lambda x, w, b: torch.addmm(b, x, w) if b is not None else x @ w, mat1, mat2, input, 1, 0)


def multiply(name, compute, input, weight, bias, out, into):
    """Multiply by a weight whose dimensions are ``out`` and ``into``; for each dimension of the mesh:

    a weight cut by outputs takes the whole input and gives a part; one cut by inputs takes a part and gives a term; a whole
    weight takes any part of the batch.
    """
    require_one_kind(name, (input, weight) if bias is None else (bias, input, weight), {})
    mesh, last = weight.device_mesh, input.ndim - 1
    x, w, found = list(without_terms(input.placements)), list(without_terms(weight.placements)), []
    shared = [], [], []  # dimensions of the mesh on which input, weight and bias are replicas beside shards
    b = [Replicate()] * mesh.ndim
    for number in range(mesh.ndim):
        if w[number] == Shard(out):
            x[number] = Replicate()
            shared[0].append(number)
            b[number] = Shard(0)
            found.append(Shard(last))
        elif w[number] == Shard(into) or x[number] == Shard(last):
            x[number], w[number] = Shard(last), Shard(into)
            b[number] = Partial()
            found.append(Partial())
        else:
            found.append(x[number])
            if isinstance(x[number], Shard):
                shared[1].append(number)
                shared[2].append(number)
    local = [reach(input, tuple(x)), reach(weight, tuple(w)), None if bias is None else reach(bias, tuple(b))]
    for place, dims in enumerate(shared):
        for number in dims:
            local[place] = None if local[place] is None else share(local[place], mesh, number)
    return distribute(compute(*local), mesh, found, (*input.shape[:-1], weight.shape[out]))


# ── embeddings ───────────────────────────────────────────────────────────────
@rule("embedding")
def embedding(
    func, input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False
):
    """Look up rows: in columns of each process, or in rows, of which those of others are zeros, as terms of a sum."""
    require_one_kind("embedding", (input, weight), {})
    if max_norm is not None or not isinstance(input, DTensor):
        given = {
            "padding_idx": padding_idx,
            "max_norm": max_norm,
            "norm_type": norm_type,
            "scale_grad_by_freq": scale_grad_by_freq,
        }
        return compute_whole(func, False, (input, weight), given)
    mesh, found, rows, shared = weight.device_mesh, [], [], []
    x, w = list(without_terms(input.placements)), list(without_terms(weight.placements))
    for number in range(mesh.ndim):
        if isinstance(w[number], Shard):
            x[number] = Replicate()
            found.append(Partial() if w[number].dim == 0 else Shard(input.ndim))
            rows += [number] if w[number].dim == 0 else []
        else:
            found.append(x[number])
            shared += [number] if isinstance(x[number], Shard) else []
    index, table = reach(input, tuple(x)), reach(weight, tuple(w))
    for number in shared:
        table = share(table, mesh, number)
    begin = find_first_row(weight, w, rows)
    inside = (index >= begin) & (index < begin + len(table))
    here = torch.where(inside, index - begin, 0) if rows else index
    padding = padding_idx - begin if padding_idx is not None and begin <= padding_idx < begin + len(table) else None
    looked_up = torch.nn.functional.embedding(here, table, padding, scale_grad_by_freq=scale_grad_by_freq)
    looked_up = looked_up * inside.unsqueeze(-1) if rows else looked_up
    return distribute(looked_up, mesh, found, (*input.shape, weight.shape[1]))


def find_first_row(weight, placements, rows):
    """Return the number of this process's first row."""
    mesh, begin = weight.device_mesh, 0
    sizes = list(local_sizes(weight.shape, mesh, placements))
    for number in rows:
        begin += part_of(sizes[number][0], mesh.size(number), mesh.get_coordinate()[number])[0]
    return begin


# ── norms ────────────────────────────────────────────────────────────────────
def normalize(func, compute, input, shape, *parameters):
    """Normalize the parts of a batch or sequence; parameters are replicas."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    placements = without_terms(input.placements)
    if any(isinstance(each, Shard) and each.dim >= input.ndim - len(shape) for each in placements):
        return None
    local = []
    for each in parameters:
        here = each if each is None else reach(each, (Replicate(),) * each.device_mesh.ndim)
        for number, placement in enumerate(placements):
            here = share(here, input.device_mesh, number) if here is not None and isinstance(placement, Shard) else here
        local.append(here)
    return distribute(compute(reach(input, placements), shape, *local), input.device_mesh, placements, input.shape)


@rule("layer_norm")
def layer_norm(func, input, normalized_shape, weight=None, bias=None, eps=1e-05):
    """Normalize by mean and variance."""
    require_one_kind("native_layer_norm", (input, weight, bias), {})
    found = normalize(func, lambda x, shape, w, b: func(x, shape, w, b, eps), input, normalized_shape, weight, bias)
    return compute_whole(func, False, (input, normalized_shape, weight, bias, eps), {}) if found is None else found


@rule("rms_norm")
def rms_norm(func, input, normalized_shape, weight=None, eps=None):
    """Normalize by the mean square."""
    require_one_kind("_fused_rms_norm", (input, weight), {})
    found = normalize(func, lambda x, shape, w: func(x, shape, w, eps), input, normalized_shape, weight)
    return compute_whole(func, False, (input, normalized_shape, weight, eps), {}) if found is None else found


# ── losses ───────────────────────────────────────────────────────────────────
takes_plain_targets = ContextVar("takes_plain_targets", default=False)
"""True if targets of losses can be ordinary tensors, of which all processes have the whole."""


@rule("cross_entropy", "nll_loss")
def compute_loss(func, input, target, weight=None, *args, **kwargs):
    """Compute a loss of classes with the whole."""
    if takes_plain_targets.get() and isinstance(input, DTensor):
        everywhere = (Replicate(),) * input.device_mesh.ndim
        target, weight = (
            distribute(each.view_as(each), input.device_mesh, everywhere, each.shape)
            if type(each) is torch.Tensor
            else each
            for each in (target, weight)
        )
    require_one_kind("nll_loss_forward", (input, target, weight), {})
    return compute_whole(func, False, (input, target, weight, *args), kwargs)
