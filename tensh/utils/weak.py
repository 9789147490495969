"""torch.utils.weak: dictionaries of tensors, compared by identity and not kept alive."""

import weakref
from collections.abc import MutableMapping

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref):
    """A weak reference that equals another one to the same object, whatever ``==`` says of the object."""

    __slots__ = ("_id",)

    def __init__(self, key, callback=None):
        super().__init__(key, callback)
        self._id = id(key)

    def __hash__(self):
        return self._id

    def __eq__(self, other):
        one, two = self(), other()
        return self is other if one is None or two is None else one is two


class TensorWeakRef:
    """A weak reference to a tensor."""

    def __init__(self, tensor):
        self.ref = WeakIdRef(tensor)

    def __call__(self):
        return self.ref()


class WeakIdKeyDictionary(MutableMapping):
    """A dictionary whose keys are compared by identity; an entry is removed with its key.

    >>> import tensh as torch
    >>> known = torch.utils.weak.WeakIdKeyDictionary()
    >>> x = torch.ones(2)
    >>> known[x] = "x"
    >>> known[x], torch.ones(2) in known, len(known)
    ('x', False, 1)
    >>> del x
    >>> len(known)
    0
    """

    def __init__(self, dict=None, ref_type=WeakIdRef):
        self.data, self.ref_type = {}, ref_type
        here = weakref.ref(self)

        def forget(ref):
            if (living := here()) is not None:
                living.data.pop(ref, None)

        self._forget = forget
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key):
        return self.data[self.ref_type(key)]

    def __setitem__(self, key, value):
        self.data[self.ref_type(key, self._forget)] = value

    def __delitem__(self, key):
        del self.data[self.ref_type(key)]

    def __contains__(self, key):
        try:
            return self.ref_type(key) in self.data
        except TypeError:  # no weak reference to it can be
            return False

    def __iter__(self):
        return (key for ref in list(self.data) if (key := ref()) is not None)

    def __len__(self):
        return len(self.data)

    def __or__(self, other):
        return self.copy().__ior__(other)

    def __ior__(self, other):
        self.update(other)
        return self

    def copy(self):
        """Return a dictionary of the same keys and values."""
        return type(self)(self)

    def keyrefs(self):
        """Return the weak references to the keys."""
        return list(self.data)


WeakTensorKeyDictionary = WeakIdKeyDictionary
