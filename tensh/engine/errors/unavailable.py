"""PyTorch's error for an operator that a kind of tensors does not have."""


def could_not_run(name, backend):
    """Raise NotImplementedError in PyTorch's words, without its list of backends."""
    return NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the '{backend}' backend. This could be because the operator doesn't "
        "exist for this backend, or was omitted during the selective/custom build process (if using custom build)."
    )
