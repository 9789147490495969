"""The class of nested tensors in the layout torch.jagged, under PyTorch's name, and functions that make them."""

from tensh.nested.jagged import NestedTensor, join_ragged, view_jagged
from tensh.nested.sizes import known as _tensor_symint_registry  # noqa: F401  libraries import it
from tensh.nested.sizes import ragged_size

__all__ = [
    "NestedTensor",
    "jagged_from_list",
    "nested_view_from_values_offsets",
    "nested_view_from_values_offsets_lengths",
]


def jagged_from_list(tensors, offsets, dtype=None, device=None):
    """Return (a nested tensor made from a list, its offsets); given offsets replace those of the list."""
    made = join_ragged(tensors, dtype, device)
    if offsets is not None:
        form = made._form
        made = nested_view_from_values_offsets(made.values(), offsets, form.ragged, *form.seqlens.values())
    return made, made.offsets()


def nested_view_from_values_offsets(values, offsets, ragged_idx=1, min_seqlen=None, max_seqlen=None):
    """Return values as a nested tensor, a view."""
    return view_jagged(values, offsets, None, ragged_idx, min_seqlen, max_seqlen)


def nested_view_from_values_offsets_lengths(values, offsets, lengths, ragged_idx=1, min_seqlen=None, max_seqlen=None):
    """Return values as a nested tensor with holes, a view."""
    return view_jagged(values, offsets, lengths, ragged_idx, min_seqlen, max_seqlen)


def get_tensor_symint(tensor, *, coeff=1):
    """Return the ragged size, or a multiple of it, of nested tensors with these offsets or lengths."""
    return ragged_size(tensor) * coeff
