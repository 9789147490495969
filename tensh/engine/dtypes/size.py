"""``Size``: the shape of a tensor."""

from functools import partial
from operator import index

from tensh.support.naming import OfTorch, final, name_type, torch_is_tensh


@final
class Size(tuple, metaclass=OfTorch):
    """The shape of a tensor: a tuple that prints as PyTorch prints it and knows its number of elements.

    >>> import tensh as torch
    >>> torch.zeros(2, 3).shape.numel()
    6
    """

    __slots__ = ()
    __module__ = "torch"

    def __new__(cls, sizes=(), /, **options):
        if options:
            raise TypeError("tuple() takes no keyword arguments")
        size = tuple.__new__(cls, sizes)
        for n in size:
            if type(n) is not int:
                return tuple.__new__(cls, whole_numbers(size))
        return size

    def numel(self):
        """Return the number of elements of a tensor of this shape."""
        number = 1
        for n in self:
            number *= n
        return number

    def __repr__(self):
        return f"torch.Size({list(self)})"

    __str__ = __repr__

    def __getitem__(self, index):
        item = tuple.__getitem__(self, index)
        return size_of(item) if type(index) is slice else item

    def __add__(self, other):
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size(tuple.__add__(self, other))

    def __radd__(self, other):
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times):
        return size_of(tuple.__mul__(self, times))

    __rmul__ = __mul__

    def __reduce__(self):
        return (Size if torch_is_tensh() else rebuild_size), (tuple(self),)


def whole_numbers(sizes):
    """The numbers of a size as integers; TypeError for any other value."""
    for position, n in enumerate(sizes):
        if getattr(n, "is_symbol", False):  # the size of a ragged dimension
            yield n
            continue
        try:
            yield index(n)
        except (TypeError, ValueError, RuntimeError):
            kind = name_type(n)
            raise TypeError(f"torch.Size() takes an iterable of 'int' (item {position} is '{kind}')") from None


def rebuild_size(sizes):
    """Rebuild a pickled size."""
    return Size(sizes)


size_of = partial(tuple.__new__, Size)  # without checks: the shape of an array is valid


class Sizes(dict):
    """Shape of an array -> its ``Size``.  A look-up takes half the time of making a new one."""

    LIMIT = 4096

    def __missing__(self, shape):
        size = size_of(shape)
        if len(self) < self.LIMIT:
            self[shape] = size
        return size


SIZES = Sizes()
