"""torch.nn.attention.flex_attention: attention with scores that custom functions mask and modify."""

import enum
import inspect
import math
from typing import NamedTuple, TypedDict

import tensh as torch
from tensh.engine.errors.warnings import warn, warn_once
from tensh.engine.operators.layers.attention import safe_softmax
from tensh.nn import functional as F
from tensh.nn.attention.block_mask import BLOCK, WHOLE, BlockMask, _sliced_mask_mod_error, list_blocks, noop_mask

__all__ = [
    "BlockMask", "flex_attention", "AuxOutput", "AuxRequest", "FlexKernelOptions", "create_block_mask", "create_mask",
    "or_masks", "and_masks", "noop_mask",
]  # fmt: skip
_DEFAULT_SPARSE_BLOCK_SIZE, _LARGE_SPARSE_BLOCK_SIZE = BLOCK, WHOLE
_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG = False


class AuxRequest(NamedTuple):
    """The additional results to request from ``flex_attention``: log-sum-exps; largest scores are refused."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """The additional results of ``flex_attention`` [batch, heads, queries]; None unless requested."""

    lse: torch.Tensor | None = None
    max_scores: torch.Tensor | None = None


class FlexKernelOptions(TypedDict, total=False):
    """Settings of PyTorch's kernels, which tensh lacks; only ``BACKEND`` is checked."""

    BACKEND: str


class _ModificationType(enum.Enum):
    """The kind of a modifier: one of scores takes a score and four indices, one of masks takes four indices."""

    SCORE_MOD = 1
    MASK_MOD = 2
    UNKNOWN = 3


def _get_mod_type(fn):
    """Distinguish modifiers of scores and of masks by the number of arguments without defaults."""
    if hasattr(fn, "__code__"):
        count = fn.__code__.co_argcount - len(fn.__defaults__ or ())
    else:
        count = sum(each.default is inspect.Parameter.empty for each in inspect.signature(fn).parameters.values())
    if count not in (4, 5):
        raise AssertionError(f"Expected 4 or 5 positional args, got {count}")
    return _ModificationType.SCORE_MOD if count == 5 else _ModificationType.MASK_MOD


def _vmap_for_bhqkv(fn, prefix, suffix=(), out_dims=0, group_dim=False):
    """Map a function of single indices over batches, heads, queries and keys."""
    heads = (None, 0, None, None)
    for dims in [(None, None, None, 0), (None, None, 0, None), heads, *[heads] * group_dim, (0, None, None, None)]:
        fn = torch.vmap(fn, in_dims=prefix + dims + suffix, out_dims=out_dims)
    return fn


def _identity(score, batch, head, token_q, token_kv):
    return score


def combine_masks(mask_mods, start, step, name):
    """Return the mask that combines masks by ``step``, one after another."""
    if not all(map(callable, mask_mods)):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")

    def combined(b, h, q_idx, kv_idx):
        result = b.new_full((), start, dtype=torch.bool)
        for each in mask_mods:
            result = step(result, each(b, h, q_idx, kv_idx))
        return result

    combined.__name__ = name
    combined.__qualname__ = f"{name}s.<locals>.{name}"
    return combined


def or_masks(*mask_mods):
    """Return the union of masks: one must show a visible score. Raises RuntimeError for non-functions.

    >>> import tensh as torch
    >>> from tensh.nn.attention.flex_attention import create_mask, or_masks
    >>> near = or_masks(lambda b, h, q, kv: q == kv, lambda b, h, q, kv: q == kv + 1)
    >>> create_mask(near, None, None, 2, 3)
    tensor([[[[ True, False, False],
              [ True,  True, False]]]])
    """
    return combine_masks(mask_mods, False, torch.Tensor.__or__, "or_mask")


def and_masks(*mask_mods):
    """Return the intersection of masks: all must show a visible score. Raises RuntimeError for non-functions.

    >>> import tensh as torch
    >>> from tensh.nn.attention.flex_attention import and_masks, create_mask
    >>> window = and_masks(lambda b, h, q, kv: q >= kv, lambda b, h, q, kv: q - kv < 2)
    >>> create_mask(window, None, None, 2, 3)
    tensor([[[[ True, False, False],
              [ True,  True, False]]]])
    """
    return combine_masks(mask_mods, True, torch.Tensor.__and__, "and_mask")


def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device=None):
    """Compute the mask [B, H, Q_LEN, KV_LEN] of a function of four indices, or of a score and four indices.

    A function of scores hides those that it sets to negative infinity. A size of None is 1. Raises AssertionError for
    other functions.

    >>> import tensh as torch
    >>> from tensh.nn.attention.flex_attention import create_mask
    >>> create_mask(lambda b, h, q, kv: q >= kv, None, None, 2, 2)
    tensor([[[[ True, False],
              [ True,  True]]]])
    """
    kind = _get_mod_type(mod_fn)
    sizes = [1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN]
    indices = [torch.arange(size, device=device) for size in sizes]
    if kind is _ModificationType.MASK_MOD:
        return _vmap_for_bhqkv(mod_fn, ())(*indices)
    scores = _vmap_for_bhqkv(mod_fn, (0,))(torch.zeros(sizes, device=device), *indices)
    return torch.where(torch.isneginf(scores), False, True)


def create_block_mask(
    mask_mod, B, H, Q_LEN, KV_LEN, device=None, BLOCK_SIZE=BLOCK, _compile=False, separate_full_blocks=True,
    compute_dq_write_order=False, dq_kv_order=True,
):  # fmt: skip
    """Make the ``BlockMask`` of a function of batch, head, query and key indices that is True for visible scores.

    ``BLOCK_SIZE`` is a pair for queries and keys, or one size for both; a size of None is 1. Fully visible blocks are
    listed separately, unless ``separate_full_blocks`` is False. Raises AssertionError for a function with other
    arguments.

    >>> import tensh as torch
    >>> from tensh.nn.attention.flex_attention import create_block_mask
    >>> create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 8, 8, BLOCK_SIZE=4).kv_num_blocks
    tensor([[[1, 1]]], dtype=torch.int32)
    """
    if _get_mod_type(mask_mod) is not _ModificationType.MASK_MOD:
        raise AssertionError(f"create-block_mask requires a mask_mod function! Got {mask_mod}")
    if not isinstance(dq_kv_order, bool):
        raise ValueError("dq_kv_order must be a bool when using create_block_mask")
    if _compile:
        warn(
            "_compile flag on create_block_mask was originally added to work around a torch.compile limitation. That limitation has since been addressed. So, to compile create_block_mask, we suggest doing torch.compile(create_block_mask). This still works for now, but will be removed in the future.",
            DeprecationWarning,
        )
    rows, columns = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    if mask.dtype != torch.bool:
        raise AssertionError(f"mask.dtype must be torch.bool, got {mask.dtype}")
    seen = F.pad(mask, (0, -KV_LEN % columns, 0, -Q_LEN % rows)).unflatten(-1, (-1, columns)).unflatten(-3, (-1, rows))
    seen = seen.sum((-3, -1))
    full = (None, None)
    partial = seen > 0
    if separate_full_blocks:
        full = list_blocks(seen == rows * columns)
        partial &= seen < rows * columns
    made = BlockMask.from_kv_blocks(*list_blocks(partial), *full, (rows, columns), mask_mod, (Q_LEN, KV_LEN))
    if compute_dq_write_order:
        made.dq_kv_order_spt = dq_kv_order
        made._order_writes()
    return made


def flex_attention(
    query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False, kernel_options=None,
    *, return_aux=None,
):  # fmt: skip
    """Compute attention with scores that ``score_mod`` modifies and ``block_mask`` hides.

    ``query`` is [batch, heads, L, E], ``key`` [batch, heads, S, E], ``value`` [batch, heads, S, Ev]; the result [batch,
    heads, L, Ev]. ``score_mod(score, batch, head, q_idx, kv_idx)`` gives the new score. With ``enable_gqa`` several
    query heads share a key head. ``return_aux=AuxRequest(lse=True)`` also returns an ``AuxOutput``. Inputs that require
    grad raise NotImplementedError, as PyTorch's do on a CPU; sizes that do not fit, ValueError.

    >>> import tensh as torch
    >>> from tensh.nn.attention.flex_attention import flex_attention
    >>> q = torch.eye(2)[None, None]
    >>> flex_attention(q, q, q, score_mod=lambda score, b, h, i, j: torch.where(i >= j, score, -torch.inf))
    tensor([[[[1.0000, 0.0000],
              [0.3302, 0.6698]]]])
    """
    check_inputs(query, key, value, enable_gqa, block_mask)
    if block_mask is not None:
        check_lengths(query, key, block_mask)
    if return_lse:
        if return_aux is not None:
            raise ValueError(
                "Cannot specify both return_lse and return_aux. "
                "return_lse is deprecated, please use return_aux=AuxRequest(lse=True) instead."
            )
        warn_once(
            "return_lse is deprecated and will be removed in v2.10. Please use return_aux=AuxRequest(lse=True) instead.",
            FutureWarning,
        )
    check_options(kernel_options or {})
    if return_aux is not None and return_aux.max_scores:
        raise NotImplementedError("Returning max scores is not supported on CPU/MPS.")
    out, lse = attend(query, key, value, score_mod, block_mask, scale)
    if return_aux is not None:
        return out, AuxOutput(lse if return_aux.lse else None)
    return (out, lse) if return_lse else out


def attend(query, key, value, score_mod, block_mask, scale):
    """Return the output of attention, and the logarithms of the sums of exponentials."""
    groups = query.size(1) // key.size(1)
    key, value = (each.repeat_interleave(groups, 1).expand(query.size(0), -1, -1, -1) for each in (key, value))
    precision = torch.float64 if query.dtype == torch.float64 else torch.float32
    scores = query.to(precision) @ key.to(precision).mT
    scores = scores * (1 / math.sqrt(query.size(-1)) if scale is None else scale)
    indices = [torch.arange(size) for size in scores.shape]
    if score_mod is not None:
        scores = _vmap_for_bhqkv(score_mod, (0,))(scores, *indices)
    if block_mask is not None and block_mask.mask_mod is not noop_mask:
        scores = torch.where(_vmap_for_bhqkv(block_mask.mask_mod, ())(*indices), scores, -torch.inf)
    hidden = (scores == -torch.inf).all(-1)
    lse = torch.where(hidden, -torch.inf, scores.logsumexp(-1))
    log2 = math.log(2)  # PyTorch's kernels use base 2; the conversion there and back rounds
    out = safe_softmax.fn(scores).to(query.dtype) @ value.to(query.dtype)
    return out, lse / log2 * log2


def check_inputs(query, key, value, enable_gqa, block_mask):
    """Raise PyTorch's error for queries, keys and values that do not match."""
    tensors = query, key, value
    if any(each.is_nested for each in tensors):
        raise NotImplementedError(
            "flex_attention does not support NestedTensor inputs, including "
            "torch.compile(flex_attention) with jagged NestedTensor inputs. "
            "Convert inputs to dense tensors before calling flex_attention."
        )
    if len({each.device for each in tensors}) > 1:
        raise ValueError(
            "Expected query, key, and value to have the same device type, "
            f"but got query.device: {query.device}, key.device: {key.device}, and value.device: {value.device} instead."
        )
    if any(each.dim() < 2 for each in tensors):
        raise ValueError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.dim()}, key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
    if query.size(-1) != key.size(-1):
        raise ValueError(
            "Expect query and key/value to have the same embedding dimension "
            f"but got E={query.size(-1)} and E={key.size(-1)}."
        )
    if query.device.type == "cpu" and any(each.requires_grad for each in tensors):
        raise NotImplementedError(
            "FlexAttention does not support backward on CPU. "
            "Please set the input requires_grad to False or use another device."
        )
    if query.device.type != "cpu":
        raise ValueError(
            "FlexAttention is only supported on CUDA, CPU, HPU, or MPS devices. "
            f"Found input tensors on {query.device.type} device."
        )
    if any(each.dim() != 4 for each in tensors):
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    check_batches(query, key, enable_gqa, block_mask)


def check_batches(query, key, enable_gqa, block_mask):
    """Raise PyTorch's error for numbers of heads or batches that do not match."""
    (batch, heads), (key_batch, key_heads) = query.shape[:2], key.shape[:2]
    if not enable_gqa and heads != key_heads:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={heads} and Hkv={key_heads}. "
            "Try setting enable_gqa=True for GQA."
        )
    if heads % key_heads:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={heads} and Hkv={key_heads}."
        )
    if batch == key_batch:
        return
    if block_mask is None:
        raise ValueError(
            "Expect query and key/value to have the same batch size, or non-none block_mask, "
            f"but got block_mask=None, Bq={batch}, and Bkv={key_batch}."
        )
    if block_mask.kv_num_blocks.size(0) != batch:
        raise ValueError(
            "Expect query and key/value to have the same batch size, or block_mask and query to have the same batch size, "
            f"but got Bq={batch}, Bkv={key_batch}, B_block_mask={block_mask.kv_num_blocks.size(0)}."
        )
    if key_batch != 1:
        raise RuntimeError(f"Bq and Bkv must broadcast. Got Bq={batch} and Bkv={key_batch}")


def check_lengths(query, key, block_mask):
    """Raise PyTorch's error for a mask of other lengths, or for a slice of a mask."""
    if block_mask.mask_mod is _sliced_mask_mod_error:
        raise RuntimeError("Cannot use mask_mod from a sliced BlockMask")
    if tuple(block_mask.BLOCK_SIZE) == (WHOLE, WHOLE):
        return
    queries, keys = query.size(-2), key.size(-2)
    most_queries, most_keys = block_mask.shape[-2:]
    told = f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={queries} and kv_len={keys}. "
    if queries > most_queries or keys > most_keys:
        raise ValueError(
            f"{told}As the block mask was created for a smaller length than you're using it for, you likely need to create a new block mask."
        )
    if queries < most_queries or keys < most_keys:
        raise ValueError(
            f"{told}As the block mask was created for a larger length than you're using it for, you can either 1. create a new block mask with the correct length, or 2. 'adjust' the existing block mask to the correct length by calling block_mask._adjust(q_len, kv_len). This essentially 'crops' the block mask to the upper left corner, which does not work for all mask_mods!"
        )


def check_options(options):
    """Raise PyTorch's error for contradictory kernel settings."""
    known = "AUTO", "TRITON", "FLASH", "TRITON_DECODE"
    if "BACKEND" in options and options.get("FORCE_USE_FLEX_ATTENTION", False):
        raise RuntimeError(
            "BACKEND cannot be combined with legacy FORCE_USE_FLEX_ATTENTION. "
            "BACKEND supersedes the legacy knob; please drop FORCE_USE_FLEX_ATTENTION "
            "and only specify the desired BACKEND."
        )
    if "BACKEND" in options and options["BACKEND"] not in known:
        raise ValueError(f"Invalid BACKEND value '{options['BACKEND']}'. Must be one of {known}")
