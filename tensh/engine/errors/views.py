"""PyTorch's errors for writes to views and saved values of which autograd cannot keep track."""

NO_GRAD, INFERENCE_MODE, MULTIPLE, CUSTOM = "no_grad", "inference_mode", "multiple", "custom"
INDIRECTLY = "its base or another view of its base has been"

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


def saved_write_error(kind, shape, operation, versions, inspected):
    """The error for a saved value, the result of ``operation`` (None: a leaf), whose memory was written before it was used.

    ``versions`` are the present one and that when it was saved; ``inspected`` tells that anomalies are being detected.
    """
    origin = "" if operation is None else f", which is output 0 of {operation},"
    now, then = versions
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{kind} {list(shape)}]{origin} is at version {now}; expected version {then} instead. Hint: "
        + (
            "the backtrace further above shows the operation that failed to compute its gradient. "
            "The variable in question was changed in there or anywhere later. Good luck!"
            if inspected
            else "enable anomaly detection to find the operation that failed to compute its gradient, "
            "with torch.autograd.set_detect_anomaly(True, check_nan=False)."
        )
    )
