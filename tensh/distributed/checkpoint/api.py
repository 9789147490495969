"""The error of a checkpoint that could not be saved or loaded, with the failures of all ranks."""

import pickle
import traceback

__all__ = ["CheckpointException"]


def _wrap_exception(error):
    """Return (error, lines of its traceback), which other ranks can receive."""
    summary = traceback.extract_tb(error.__traceback__)
    for frame in summary:
        if hasattr(frame, "_code"):  # code objects, which cannot be pickled, of Python 3.13
            frame._code = None
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # pickling runs methods of the user's class
        error = RuntimeError(f"{type(error).__name__}: {error}")
    return error, summary


def _is_wrapped_exception(value):
    """Return True for a result of ``_wrap_exception``."""
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and isinstance(value[0], BaseException)
        and isinstance(value[1], traceback.StackSummary)
    )


class CheckpointException(BaseException):
    """A save or load that failed on some ranks, raised on all of them.

    ``failures`` maps ranks to pairs of an exception and its traceback. As in PyTorch this is no ``Exception``.

    >>> import tensh as torch
    >>> try:
    ...     torch.distributed.checkpoint.load({}, checkpoint_id="no/such/folder", no_dist=True)
    ... except torch.distributed.checkpoint.CheckpointException as error:
    ...     list(error.failures)
    [0]
    """

    def __init__(self, msg, failures):
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self):
        """Ranks, and the exception and traceback of each."""
        return self._failures

    def __str__(self):
        lines = [f"CheckpointException ranks:{self._failures.keys()}\n"]
        for rank, (error, summary) in self._failures.items():
            lines.append(f"Traceback (most recent call last): (RANK {rank})\n")
            lines += traceback.format_list(summary) if summary is not None else []
            lines += traceback.format_exception_only(type(error), error)
        return "".join(lines)
