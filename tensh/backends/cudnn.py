"""torch.backends.cudnn: switches that scripts set; they change nothing on the CPU."""

import contextlib

enabled = allow_tf32 = True
benchmark = deterministic = False
benchmark_limit = None


def is_available():
    """False: there is no cuDNN."""
    return False


def version():
    """The version of cuDNN: None."""


def _get_cudnn_enabled():
    """Return the switch ``enabled``, which libraries ask ``torch._C`` for."""
    return enabled


@contextlib.contextmanager
def flags(enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True, **others):
    """A context in which the switches are set.

    >>> import tensh as torch
    >>> with torch.backends.cudnn.flags(benchmark=True):
    ...     torch.backends.cudnn.benchmark
    True
    """
    given = {name: value for name, value in locals().items() if name != "others"}
    before = {name: globals()[name] for name in given}
    globals().update(given)
    try:
        yield
    finally:
        globals().update(before)
