"""TorchScript's tasks, which are computed immediately."""

from tensh.engine.errors.warnings import warn_quietly
from tensh.futures import Future

__all__ = ["Future", "fork", "wait"]


def fork(func, *args, **kwargs):
    """Call ``func`` and return a future that contains the result.

    >>> import tensh as torch
    >>> torch.jit.wait(torch.jit.fork(torch.neg, torch.ones(1)))
    tensor([-1.])
    """
    warn_quietly("`torch.jit.fork` is deprecated. Please use `torch.compile` instead.")
    future = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future):
    """Return the result of a task."""
    warn_quietly("`torch.jit.wait` is deprecated. Please use `torch.compile` instead.")
    return future.wait()


_fork, _wait = fork, wait  # the names that older programs call
