"""Functions of nested tensors in the layout torch.jagged, under PyTorch's names."""


def extract_kwargs(arg):
    """Return the arguments that make a nested tensor which is divided like another, from other values."""
    form = arg._form
    return {
        "offsets": form.offsets,
        "lengths": form.lengths,
        "_metadata_cache": form.seqlens,
        "_ragged_idx": form.ragged,
    }
