"""Containers from outside a captured call: the items that they had before, and what the call has changed."""

import array
import contextlib
import types
from collections import deque

from tensh.support.temporary import temporarily

__all__ = ["RAW", "Contents"]

RAW = (bytearray, array.array)
"""Containers of numbers, which are compared as bytes."""
CONTAINERS = (dict, list, set, deque, types.CellType, *RAW)
PLAIN = (bool, int, float, complex, str, bytes)
"""Classes whose values are compared; all others are compared by identity."""


class Content:
    """A container at the path of a guard, and its items before the call; with ``names`` only these keys count.

    One that is not certainly from ``outside`` may have been made by the call. ``own`` are the attributes of an object that
    only functions of the program read.
    """

    def __init__(self, path, owner, names=None, is_outside=True, is_own=False):
        self.path, self.owner, self.names, self.is_outside, self.is_own = path, owner, names, is_outside, is_own
        self.before = self.read()

    def read(self):
        """Return a copy of the items: a dictionary, list or set, or bytes."""
        owner = self.owner
        if isinstance(owner, types.CellType):
            return read_cell(owner)
        if isinstance(owner, dict):
            return {key: each for key, each in dict.items(owner) if self.names is None or key in self.names}
        if isinstance(owner, RAW):
            return bytes(owner)
        return set(owner) if isinstance(owner, set) else list(owner)

    def is_changed(self):
        """Return True if the call has changed an item, or the order of items."""
        return not are_same(self.before, self.read())

    def list_changes(self):
        """Return (the keys that are gone, the new items): of a dictionary those that differ, of others all."""
        items = self.read()
        if not isinstance(items, dict):
            return (), list(items)
        before = self.before
        new = {key: each for key, each in items.items() if key not in before or not is_same(before[key], each)}
        return tuple(key for key in before if key not in items), new

    def can_repeat(self):
        """Return True if a graph can make the change of the call again."""
        if not self.is_outside or isinstance(self.owner, RAW):
            return False
        items = self.read()
        if not isinstance(items, dict):
            return True
        kept = [key for key in self.before if key in items]
        return list(items)[: len(kept)] == kept  # new keys follow the others

    def repeat(self, gone, items):
        """Make the change of an earlier call, as of ``list_changes``."""
        now = self.read()
        if isinstance(now, dict):
            items = {key: each for key, each in now.items() if key not in gone} | items
        self.write(items)

    def write(self, items):
        """Replace the items."""
        owner = self.owner
        if isinstance(owner, types.CellType):
            write_cell(owner, items)
        elif isinstance(owner, dict):
            gone = [key for key in self.read() if key not in items]
            if self.names is None and [*owner, *(key for key in items if key not in owner)] != list(items):
                gone = list(owner)
            for key in gone:
                dict.__delitem__(owner, key)
            dict.update(owner, items)
        elif isinstance(owner, set):
            set.clear(owner)
            set.update(owner, items)
        elif isinstance(owner, deque):
            deque.clear(owner)
            deque.extend(owner, items)
        elif isinstance(owner, array.array):
            del owner[:]
            owner.frombytes(items)
        else:
            owner[:] = items


def read_cell(cell):
    """Return the content of the cell of a variable as a dictionary, which is empty before the variable is assigned."""
    try:
        return {"cell_contents": cell.cell_contents}
    except ValueError:
        return {}


def write_cell(cell, items):
    """Assign the variable of a cell, or delete it."""
    if items:
        cell.cell_contents = items["cell_contents"]
    else:
        with contextlib.suppress(ValueError):
            del cell.cell_contents


def are_same(first, second):
    """Return True if two copies of items are alike."""
    if isinstance(first, (set, bytes)):
        return first == second
    if len(first) != len(second):
        return False
    if isinstance(first, dict):
        return are_same(list(first), list(second)) and are_same(list(first.values()), list(second.values()))
    return all(map(is_same, first, second))


def is_same(first, second):
    """Return True for an object and itself, and for plain values that are equal."""
    return first is second or type(first) is type(second) and type(first) in PLAIN and first == second


class Contents:
    """The containers that the guards of a call know."""

    def __init__(self):
        self.known = {}  # id of a container -> its Content
        self.objects = {}  # id of another object from outside -> the object
        self.are_outside = True  # whether containers that are kept now are certainly from outside

    def keep(self, path, owner, names=None, is_own=False):
        """Copy the items of a container before the call changes them; with ``names`` those of some keys."""
        content = self.known.get(id(owner))
        if content is None and isinstance(owner, CONTAINERS):
            self.known[id(owner)] = Content(path, owner, names, self.are_outside, is_own)
        elif content is not None and content.names is not None and names is not None:
            more = Content(path, owner, names - content.names)
            content.names, content.before = content.names | names, content.before | more.before

    def keep_object(self, value):
        """Note an object that is the same in every call."""
        if self.are_outside:
            self.objects[id(value)] = value

    def find(self, value):
        """Return the content of a container that was there before the call; None for another object."""
        return self.known.get(id(value))

    def doubting(self):
        """Return a context in which containers are kept that the call may have made."""
        return temporarily(self, are_outside=False)

    def list_changed(self):
        """Return the contents that the call has changed."""
        return [each for each in self.known.values() if each.is_changed()]

    def make_plain(self, function):
        """Replace the items of changed containers by what a function makes of them."""
        for each in self.list_changed():
            items = each.read()
            if (made := function(items)) is not items:
                each.write(made)

    @contextlib.contextmanager
    def undone(self):
        """A context in which the containers have the items of before the call."""
        changed = [(each, each.read()) for each in self.list_changed()]
        for each, _ in changed:
            each.write(each.before)
        try:
            yield
        finally:
            for each, items in changed:
                each.write(items)
