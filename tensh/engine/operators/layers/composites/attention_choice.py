"""The choice between one node for attention and the products and softmax that it consists of; programs switch either off."""

from tensh.engine.core.views import refresh_node
from tensh.engine.errors.messages import wrap_dim
from tensh.engine.errors.warnings import warn

SWITCHES = dict.fromkeys(("cudnn", "flash", "mem_efficient", "math", "overrideable"), True)
SWITCHES["fp16_bf16_reduction_math"] = False
"""The switches of ``torch.backends.cuda``, in PyTorch's order.

"flash" is one node, "math" consists of steps, and the others have no kernel here.
"""

ABSENT = (
    "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the math kernel "
    "and the fused kernels."
)
EXPAND = "To broadcast dense inputs, try using unsqueeze and expand_to before passing them into the kernel."


def takes_one_node(query, key, value, mask, drops):
    """Return True if one node computes attention; raise RuntimeError if the implementation that could is switched off."""
    if SWITCHES["flash"] and find_obstacle(query, key, value, mask, drops) is None:
        return True
    if SWITCHES["math"]:
        return False
    if not SWITCHES["flash"]:
        raise RuntimeError(ABSENT)
    warn("Flash attention kernel not used because:")
    if obstacle := find_obstacle(query, key, value, mask, drops):
        warn(obstacle)
    raise RuntimeError("No available kernel.  Aborting execution.")


def find_obstacle(query, key, value, mask, drops):
    """Return why one node cannot compute attention, in PyTorch's words or, where it has none, as ""; None if a node can."""
    if drops or not has_equal_heads(query.array.shape, key.array.shape, value.array.shape):
        return explain_shapes([t.array.shape for t in (query, key, value)], drops)
    if mask is not None and refresh_node(mask) is not None:
        return ""
    if mask is not None and mask.array.ndim not in (2, 4):
        wrap_dim(-2, mask.array.ndim, scalar=False)  # raises for a vector, as PyTorch, which reads this size here
        return ""
    return explain_strides([t.array for t in (query, key, value)])


def has_equal_heads(query, key, value):
    """Return True for shapes of four dimensions with equal batches, heads and sizes of a head."""
    return (
        len(query) == len(key) == len(value) == 4
        and query[:2] == key[:2] == value[:2]
        and query[3] == key[3] == value[3]
    )


def explain_shapes(shapes, drops):
    """Return PyTorch's reason why one node cannot compute attention of these shapes, or with dropout."""
    dims = [len(shape) for shape in shapes]
    if drops:
        return "Both fused kernels do not support non-zero dropout."
    if dims != [4, 4, 4]:
        return (
            "All fused kernels requires query, key and value to be 4 dimensional, but got "
            f"Query dim: {dims[0]}, Key dim: {dims[1]}, Value dim: {dims[2]} instead."
        )
    (batch, heads, _, size), *others = shapes
    if any([other[0] != batch for other in others]):
        sizes = [
            f"{name}.sizes(): {list(shape)}" for name, shape in zip(("Query", "Key", "Value"), shapes, strict=True)
        ]
        return (
            "For dense inputs, both fused kernels require query, key and value to have the same batch_size. "
            f"{', '.join(sizes)} instead. {EXPAND}"
        )
    if any([other[1] != heads for other in others]):
        sizes = [
            f"{name}sizes(): {list(shape)}" for name, shape in zip(("Query.", "Key ", "Value "), shapes, strict=True)
        ]
        return (
            "For dense input, both fused kernels require query, key and value to have the same num_heads. "
            f"{', '.join(sizes)} instead. {EXPAND}"
        )
    return (
        "Flash attention requires q,k,v to have the same last dimension. Got "
        f"Query.size(-1): {size}, Key.size(-1): {others[0][-1]}, Value.size(-1): {others[1][-1]} instead."
    )


def explain_strides(arrays):
    """Return PyTorch's reason why one node cannot compute attention of arrays that lie in memory as these do, or None."""
    steps = [getattr(array, "strides", (array.itemsize,))[-1] // array.itemsize for array in arrays]
    if steps != [1, 1, 1] and arrays[0].shape[-1] > 1 and all([array.size for array in arrays]):
        return (
            "All fused kernels require the last dimension of the input to have stride 1. Got "
            f"Query.stride(-1): {steps[0]}, Key.stride(-1): {steps[1]}, Value.stride(-1): {steps[2]}"
        )
    return None
