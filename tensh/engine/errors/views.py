"""PyTorch's errors for views that must not be written while gradients are recorded."""

NO_GRAD, INFERENCE_MODE, MULTIPLE, CUSTOM = "no_grad", "inference_mode", "multiple", "custom"

AMBIGUOUS = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {} block (if you don't want the inplace to be tracked) or "
    "both outside (if you want the inplace to be tracked)."
)

REASONS = {
    NO_GRAD: AMBIGUOUS.format("no_grad"),
    INFERENCE_MODE: AMBIGUOUS.format("inference_mode"),
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
    mode, grad = "inference", "in normal mode"
    if reason != INFERENCE_MODE:
        mode, grad = "no_grad", "with grad mode enabled"
    if made_by is None:
        header = f"A view was created in {mode} mode and {modified} modified inplace {grad}."
    else:
        number, operation = made_by
        header = f"Output {number} of {operation} is a view"
        if reason in (NO_GRAD, INFERENCE_MODE):
            header += f" of a view which was created in {mode} mode and {modified} modified inplace {grad}."
        else:
            header += f" and {modified} modified inplace."
    return f"{header} {REASONS[reason]}"
