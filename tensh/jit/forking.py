"""TorchScript's tasks, which are computed immediately."""

from tensh.futures import Future

__all__ = ["Future", "fork", "wait"]


def fork(func, *args, **kwargs):
    """Call ``func`` and return a future that contains the result.

    >>> import tensh as torch
    >>> torch.jit.wait(torch.jit.fork(torch.neg, torch.ones(1)))
    tensor([-1.])
    """
    future = Future()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future):
    """Return the result of a task."""
    return future.wait()
