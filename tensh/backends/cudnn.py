"""torch.backends.cudnn: switches that scripts set; they change nothing on the CPU."""

enabled = True
benchmark = deterministic = allow_tf32 = False


def is_available():
    """Is cuDNN there?"""
    return False


def version():
    """The version of cuDNN: None."""
