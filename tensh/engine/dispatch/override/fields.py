"""Attributes that both a user's subclass of Tensor and tensh's code define under the same name.

PyTorch's tensors have no attribute ``array`` or ``node``, so a subclass may have a property of that name; tensh keeps a
tensor's elements and history there.  The calling code determines which of the two is used.
"""

import os
import sys
import weakref
from functools import partial

from tensh.engine.core.tensor import Tensor

FIELDS = {name: Tensor.__dict__[name] for name in ("array", "node")}
FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__)))), "")
OURS = (FOLDER, "<tensh ")  # prefixes of the file names of tensh's code, from files or generated

seen: dict = {}  # id of a subclass already examined -> a weak reference to it


class SharedName:
    """An attribute that is a tensor's field for tensh's code, and the subclass's own attribute for other code."""

    def __init__(self, field, member):
        self.field, self.member, self.name = field, member, field.__name__

    def __get__(self, tensor, owner):
        if tensor is not None and is_tensh_frame(sys._getframe(1)):
            return self.field.__get__(tensor, owner)
        kind = type(self.member)
        own = {} if tensor is None or hasattr(kind, "__set__") else tensor.__dict__
        if self.name in own:
            return own[self.name]
        return kind.__get__(self.member, tensor, owner) if hasattr(kind, "__get__") else self.member

    def __set__(self, tensor, value):
        if is_tensh_frame(sys._getframe(1)):
            self.field.__set__(tensor, value)
        elif hasattr(type(self.member), "__set__"):
            type(self.member).__set__(self.member, tensor, value)
        else:
            tensor.__dict__[self.name] = value


def is_tensh_frame(frame):
    return frame.f_code.co_filename.startswith(OURS)


def share_names(cls):
    """Share the names of fields that ``cls``, or a user's base class of it, defines."""
    key = id(cls)
    if key in seen:
        return
    seen[key] = weakref.ref(cls, partial(seen.pop, key))
    for each in cls.__mro__[: cls.__mro__.index(Tensor)]:
        if each.__module__.startswith(("tensh.", "torch.")):
            continue
        for name, field in FIELDS.items():
            member = each.__dict__.get(name)
            if member is not None and type(member) is not SharedName:
                setattr(each, name, SharedName(field, member))
