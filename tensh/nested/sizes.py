"""The size of a ragged dimension: a symbol shared by all tensors with the same offsets."""

from functools import cache
from itertools import count

from tensh.engine.dtypes.symbols import SymInt
from tensh.utils.weak import WeakTensorKeyDictionary

numbers = count()
known = WeakTensorKeyDictionary()


class RaggedSize(SymInt):
    """A symbol such as ``j1``, or a multiple of it, which equals nothing else.

    >>> import tensh as torch
    >>> x = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    >>> x.size(1) == x.clone().size(1), x.size(1) == 3
    (True, False)
    """

    is_symbol = True  # torch.Size accepts symbols besides ints
    __module__ = "torch"

    def __init__(self, number, times=1):
        self.number, self.times = number, times

    def __repr__(self):
        return f"j{self.number}" if self.times == 1 else f"{self.times}*j{self.number}"

    def __eq__(self, other):
        return isinstance(other, RaggedSize) and (self.number, self.times) == (other.number, other.times)

    def __hash__(self):
        return hash((self.number, self.times))

    def __mul__(self, times):
        return RaggedSize(self.number, self.times * times)

    __rmul__ = __mul__

    def __ge__(self, other):
        if isinstance(other, RaggedSize) and other.number == self.number:
            return self.times >= other.times
        if isinstance(other, int) and other <= 2:
            return True
        raise ValueError("ge: relation is indeterminate")

    def __le__(self, other):
        if isinstance(other, RaggedSize):
            return other >= self
        if isinstance(other, int) and other < 2:
            return False
        raise ValueError("ge: relation is indeterminate")

    def __gt__(self, other):
        return not self <= other

    def __lt__(self, other):
        return not self >= other


RaggedSize.__name__ = RaggedSize.__qualname__ = "SymInt"


def ragged_size(source):
    """Return the symbol for a tensor of offsets or of lengths."""
    if source not in known:
        known[source] = RaggedSize(next(numbers))
    return known[source]


@cache
def skip_first():
    """Skip the first number, which PyTorch uses for an internal example."""
    next(numbers)
