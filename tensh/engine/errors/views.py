"""PyTorch's errors for views that must not be written while gradients are recorded."""

NO_GRAD, MULTIPLE, CUSTOM = "no_grad", "multiple", "custom"

REASONS = {
    NO_GRAD: (
        "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
        "the view and the inplace either both inside the no_grad block (if you don't want the inplace to be tracked) or "
        "both outside (if you want the inplace to be tracked)."
    ),
    MULTIPLE: (
        "This view is the output of a function that returns multiple views. Such functions do not allow the output views "
        "to be modified inplace. You should replace the inplace operation by an out-of-place one."
    ),
    CUSTOM: (
        "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic "
        "to handle view+inplace would override the custom backward associated with the custom Function, leading to "
        "incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
    ),
}


def view_write_error(reason, made_by, modified):
    """The error for a write to a locked view; ``made_by`` is (output number, operation), or None if nothing recorded it."""
    if made_by is None:
        header = f"A view was created in no_grad mode and {modified} modified inplace with grad mode enabled."
    else:
        number, operation = made_by
        header = f"Output {number} of {operation} is a view"
        if reason == NO_GRAD:
            header += (
                f" of a view which was created in no_grad mode and {modified} modified inplace with grad mode enabled."
            )
        else:
            header += f" and {modified} modified inplace."
    return f"{header} {REASONS[reason]}"
