"""Types of tensors with sizes, some of them unknown, for annotations."""

__all__ = ["Dyn", "TensorType", "is_consistent", "is_more_precise"]


class TensorType:
    """The type of tensors of a shape, whose unknown sizes are ``Dyn``.

    >>> from tensh.fx.tensor_type import Dyn, TensorType
    >>> TensorType((1, 2, Dyn))
    TensorType[(1, 2, Dyn)]
    """

    def __init__(self, dim):
        self.__origin__, self.__args__ = TensorType, dim

    @property
    def dims(self):
        """The sizes."""
        return self.__args__

    def __repr__(self):
        return f"TensorType[{self.dims}]"

    def __eq__(self, other):
        return isinstance(other, TensorType) and list(self.dims) == list(other.dims)

    __hash__ = None

    def __class_getitem__(cls, dims):
        return cls(dims if isinstance(dims, tuple) else (dims,))


class _DynType:
    """The type of a value, or a size, of which nothing is known."""

    __name__ = "_DynType"

    def __eq__(self, other):
        return isinstance(other, _DynType)

    __hash__ = None

    def __repr__(self):
        return "Dyn"


Dyn = _DynType()


def is_consistent(t1, t2):
    """Return True if a value may have both types: they are equal where both are known.

    >>> from tensh.fx.tensor_type import Dyn, TensorType, is_consistent
    >>> is_consistent(TensorType((1, Dyn)), TensorType((1, 3))), is_consistent(Dyn, int)
    (True, True)
    """
    return t1 == t2 or Dyn in (t1, t2) or compare_sizes(t1, t2, is_consistent)


def is_more_precise(t1, t2):
    """Return True if all that the second type says is said by the first, too.

    >>> from tensh.fx.tensor_type import Dyn, TensorType, is_more_precise
    >>> is_more_precise(TensorType((1, 3)), TensorType((1, Dyn)))
    True
    """
    return t1 == t2 or t2 == Dyn or compare_sizes(t1, t2, is_more_precise)


def compare_sizes(t1, t2, compare):
    """Return True if two types of tensors have as many sizes, which compare."""
    tensors = isinstance(t1, TensorType) and isinstance(t2, TensorType)
    return tensors and len(t1.dims) == len(t2.dims) and all(map(compare, t1.dims, t2.dims))
