"""The report of ``debug=True`` for a function whose second run differs: the operators of both runs."""

import traceback

from tensh.engine.core.tensor import Tensor
from tensh.utils._python_dispatch import TorchDispatchMode
from tensh.utils._pytree import tree_map
from tensh.utils.checkpoint.frames import CheckpointError

REPORT = """An error happened while unpacking tensors; the operators of both runs follow because of `debug=True`.

1. Stack traces of the operators that ran in the original forward

{}
2. Stack traces of the operators that ran during recomputation

{}
3. Log of operators in the original forward and recomputation

Operations executed during the original forward:

{}

Operations executed during recomputation:

{}

ERROR: Detected non-determinism while running activation checkpointing

The tensors to be saved differ between the original forward and the recomputation. Compare the operators of both runs, which are
listed in the order in which they ran, and look up in the stack traces where the first that differs was called."""


class Log(TorchDispatchMode):
    """A mode that writes a line for each operator, and where it was called."""

    def __init__(self):
        self.lines, self.places, self.numbers = [], [], {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        given = [self.name(each) for each in args] + [
            f"{key}={self.name(each)}" for key, each in (kwargs or {}).items()
        ]
        self.lines.append(f"{self.name(out, True)} = {func.__module__}.{func.__name__}({', '.join(given)})")
        self.places.append([f"{each.filename}:{each.lineno}:{each.name}" for each in traceback.extract_stack()[::-1]])
        return out

    def name(self, value, with_type=False):
        """Return a value as text, each tensor as a number."""

        def one(each):
            if not isinstance(each, Tensor):
                return each
            number, _ = self.numbers.setdefault(id(each.array), (len(self.numbers), each.array))
            kind = f": {str(each.dtype).removeprefix('torch.')}{list(each.shape)}" if with_type else ""
            return Word(f"${number}{kind}")

        return str(tree_map(one, value))

    def traces(self, label):
        return "".join(
            f"{line}   ({number} of {len(self.lines)} in {label})\n\n" + "\n".join(places) + "\n\n\n"
            for number, (line, places) in enumerate(zip(self.lines, self.places), 1)
        )


class Word(str):
    """Text that prints without quotation marks in lists."""

    __slots__ = ()
    __repr__ = str.__str__


def logs():
    """Return (the contexts of both runs, a function that makes the error)."""
    first, second = Log(), Log()

    def error():
        parts = first.traces("original"), second.traces("recompute"), "\n".join(first.lines), "\n".join(second.lines)
        return CheckpointError(REPORT.format(*parts))

    return (first, second), error
