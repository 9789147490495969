"""Writes into tensors from outside the function that a transform of torch.func differentiates: they are refused."""

from tensh.engine.core.clock import mode

differentiating = []  # the running calls of such transforms, in all threads: while it is empty, a write costs 5 ns more


def refuse_capture(t, name):
    """Raise if the innermost running transform differentiates a function from outside of which ``t`` comes."""
    if mode.transforms:
        mode.transforms[-1].refuse_capture(t, name)
