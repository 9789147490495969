"""Weak references to the memory of tensors, by which libraries tell storages apart that are freed meanwhile."""

import itertools
import weakref
from functools import partial

from tensh.engine.core.clock import owner

_numbers = itertools.count(1)
_known: dict[int, tuple] = {}  # id(memory owner) -> (number, weak reference that removes the entry with the owner)
_references: weakref.WeakValueDictionary = weakref.WeakValueDictionary()  # number -> memory owner


def number_of(block):
    """Return a number for the owner of memory, which no later owner gets."""
    key = id(block)
    if key not in _known:
        number = next(_numbers)
        _known[key] = number, weakref.ref(block, partial(_known.pop, key))
        _references[number] = block
    return _known[key][0]


class StorageWeakRef:
    """A weak reference to a storage: equal for all storages over one memory, ``expired()`` once that is freed.

    >>> import tensh as torch
    >>> from tensh.multiprocessing.reductions import StorageWeakRef
    >>> x = torch.ones(2)
    >>> StorageWeakRef(x.untyped_storage()) == StorageWeakRef(x[1:].untyped_storage())
    True
    """

    __slots__ = ("_free_weak_ref", "cdata")
    __module__ = "torch.multiprocessing.reductions"

    def __init__(self, storage):
        self.cdata = number_of(owner(getattr(storage, "_untyped_storage", storage).array))
        self._free_weak_ref = None

    @classmethod
    def from_weakref(cls, cdata):
        """Make a reference from the number of another one."""
        made = cls.__new__(cls)
        made.cdata, made._free_weak_ref = cdata, None
        return made

    def expired(self):
        """Return True if the memory has been freed."""
        return self.cdata not in _references

    def __hash__(self):
        return self.cdata

    def __eq__(self, other):
        return self is other or self.cdata == other.cdata
