"""PyTorch's error for an operator that a kind of tensors does not have."""


def sparse_on_meta():
    """Return the error for a sparse tensor on the device "meta"."""
    return NotImplementedError("tensh has no sparse tensors on the device 'meta'")


NO_KERNEL = (
    "aten::{}: attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered. The shape "
    "or the value of its result depends on elements"
)
"""PyTorch's error for an operator of meta tensors whose result depends on their elements."""


def could_not_run(name, backend):
    """Return the NotImplementedError in PyTorch's words, without its list of backends."""
    return NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the '{backend}' backend. This could be because the operator doesn't "
        "exist for this backend, or was omitted during the selective/custom build process (if using custom build)."
    )
