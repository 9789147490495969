"""Parameters in a list, and by name."""

import operator
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from tensh.engine.core.tensor import Tensor
from tensh.engine.methods.attributes import typename
from tensh.nn.modules.module import Module
from tensh.nn.parameter import Parameter, is_parameter


def describe_value(value, compact):
    """Describe one value of a container for its printed form."""
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    size = "x".join(map(str, value.size()))
    kind = "Parameter" if is_parameter(value) else "Tensor"
    return f"{kind} containing: [{value.dtype if compact else typename(value)} of size {size}]"


def as_parameter(value):
    """Return a tensor as a parameter, and anything else unchanged."""
    return Parameter(value) if isinstance(value, Tensor) and not is_parameter(value) else value


class ParameterList(Module):
    """Hold parameters in a list; tensors become parameters, and other values are kept unchanged.

    >>> import tensh as torch
    >>> torch.nn.ParameterList([torch.ones(2, 3)])
    ParameterList(  (0): Parameter containing: [torch.float32 of size 2x3])
    """

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _get_abs_string_index(self, index):
        index = operator.index(index)
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} is out of range")
        return str(index + len(self) if index < 0 else index)

    def __getitem__(self, index):
        if isinstance(index, slice):
            found = type(self)()
            for number in range(*index.indices(len(self))):
                found.append(self[number])
            return found
        return getattr(self, self._get_abs_string_index(index))

    def __setitem__(self, index, value):
        setattr(self, self._get_abs_string_index(index), as_parameter(value))

    def __len__(self):
        return self._size

    def __iter__(self):
        return (self[number] for number in range(len(self)))

    def __iadd__(self, values):
        return self.extend(values)

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, value):
        """Append a value; return the list."""
        number = len(self)
        self._size += 1
        self[number] = value
        return self

    def extend(self, values):
        """Append values; return the list."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError("ParameterList.extend should be called with an iterable, but got " + type(values).__name__)
        for value in values:
            self.append(value)
        return self

    def extra_repr(self):
        return "\n".join(f"  ({number}): {describe_value(value, True)}" for number, value in enumerate(self))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Hold parameters by name; tensors become parameters, and other values are kept unchanged.

    ``parameters`` is a dict or (name, value) pairs. Raise ValueError for anything but pairs.

    >>> import tensh as torch
    >>> torch.nn.ParameterDict({"scale": torch.ones(2)})["scale"].requires_grad
    True
    """

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    @staticmethod
    def _require_text(key):
        if not isinstance(key, str):
            raise TypeError(
                f"Index given to ParameterDict cannot be used as a key as it is not a string (type is '{type(key).__name__}'). "
                "Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key):
        return getattr(self, self._require_text(key))

    def __setitem__(self, key, value):
        self._keys[self._require_text(key)] = None
        setattr(self, key, as_parameter(value))

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, key)

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(list(self._keys))

    def __contains__(self, key):
        return key in self._keys

    def __or__(self, other):
        combined = self.copy()
        combined.update(other)
        return combined

    def __ror__(self, other):
        combined = ParameterDict(other)
        combined.update(self)
        return combined

    def __ior__(self, other):
        self.update(other)
        return self

    def copy(self):
        """Return another ParameterDict with the same parameters."""
        return ParameterDict(OrderedDict((key, self[key]) for key in self._keys))

    def setdefault(self, key, default=None):
        """Return the value of a key; a missing key is added with a default."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self):
        """Remove all values."""
        for key in self._keys.copy():
            del self[key]

    def pop(self, key):
        """Remove and return a value."""
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Remove and return the last (key, value) pair."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def get(self, key, default=None):
        """Return the value of a key, or a default."""
        return self[key] if key in self else default  # noqa: SIM401 (this is `get`)

    def fromkeys(self, keys, default=None):
        """Return a new ParameterDict with the same value for all keys."""
        return ParameterDict((key, default) for key in keys)

    def keys(self):
        """Return the keys."""
        return self._keys.keys()

    def items(self):
        """Return the (key, value) pairs."""
        return ((key, self[key]) for key in self._keys)

    def values(self):
        """Return the values."""
        return (self[key] for key in self._keys)

    def update(self, parameters):
        """Add the values of a dict, or of (key, value) pairs."""
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but got "
                + type(parameters).__name__
            )
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            pairs = parameters.items()
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items())
        else:
            pairs = [check_pair(number, pair) for number, pair in enumerate(parameters)]
        for key, value in pairs:
            self[key] = value

    def extra_repr(self):
        return "\n".join(f"  ({key}): {describe_value(value, False)}" for key, value in self.items())

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")


def check_pair(number, pair):
    """Return the pair; raise unless it is one."""
    if not isinstance(pair, Iterable):
        raise TypeError(f"ParameterDict update sequence element #{number} should be Iterable; is{type(pair).__name__}")
    if len(pair) != 2:
        raise ValueError(f"ParameterDict update sequence element #{number} has length {len(pair)}; 2 is required")
    return pair
