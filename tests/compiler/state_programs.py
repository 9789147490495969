"""Functions that read and change state from outside: (what makes the state, the function, what changes it between calls)."""

import array
import collections
import contextvars
import types

import tensh as torch
from tensh import nn


class Named(dict):
    pass


class Items(list):
    pass


class Slots:
    __slots__ = ("a",)


class Plain:
    """An object without attributes."""


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen, self.stats = [], {}

    def forward(self, x):
        self.seen.append(x)
        self.stats["last"] = x * 2
        return x + len(self.seen) + (hasattr(self, "extra") and self.extra)


def make_slots():
    made = Slots()
    made.a = 2
    return made


def make_marked():
    made = torch.ones(1)
    made.scale = 2
    return made


def make_function():
    def scale():
        return scale.factor

    scale.factor = 2
    return scale


def make_nested():
    made = Plain()
    made.parts = [Plain()]
    made.parts[0].k = 2
    return made


def append(x, s):
    s.append(x * 2)
    return x + len(s)


def count(x, s):
    s["a"] = s["a"] + 1
    return x * s["a"]


def first(x, s):
    return x * s[0] + len(s)


def put_first(s):
    s[0] = 5


def put(s):
    s["b"] = s["a"] = 7


def set_in_dict(x, s):
    s.__dict__["n"] = x * 2
    return x


class Tally:
    """An object that a call makes."""

    def __init__(self, factor):
        self.factor, self.items = factor, []

    def add(self, x):
        self.items.append(x * self.factor)
        return self


def keep(s):
    """Change nothing."""


READ = [
    (lambda: collections.deque([1, 2]), first, put_first), (lambda: Items([1, 2]), first, put_first),
    (lambda: bytearray([1, 2]), first, put_first), (lambda: array.array("d", [1, 2]), first, put_first),
    (lambda: memoryview(bytearray([1, 2])), first, put_first), (lambda: Named(a=2), lambda x, s: x * s["a"] + len(s), put),
    (lambda: collections.Counter(a=2), lambda x, s: x * s["a"] + len(s), put),
    (lambda: collections.defaultdict(int, a=2), lambda x, s: x * s["a"] + len(s), put),
    (lambda: (d := {"a": 2}, types.MappingProxyType(d)), lambda x, s: x * s[1]["a"] + len(s[1]), lambda s: put(s[0])),
    (make_slots, lambda x, s: x * s.a, lambda s: setattr(s, "a", 5)),
    (make_marked, lambda x, s: x * s * s.scale, lambda s: setattr(s, "scale", 5)),
    (make_function, lambda x, s: x * s() * s.factor, lambda s: setattr(s, "factor", 5)),
    (make_nested, lambda x, s: x * s.parts[0].k, lambda s: setattr(s.parts[0], "k", 5)),
    (Plain, lambda x, s: x + getattr(s, "bias", 1), lambda s: setattr(s, "bias", 5)),
    (Counting, lambda x, s: x + hasattr(s, "extra"), lambda s: s.register_buffer("extra", torch.ones(1))),
    (lambda: contextvars.ContextVar("scale", default=2), lambda x, s: x * s.get(), lambda s: s.set(5)),
]  # fmt: skip
"""Functions that read state."""
CHANGED = [
    *((make, append, keep) for make in (list, Items, collections.deque, lambda: collections.deque(maxlen=1))),
    *((lambda make=make: make(a=1), count, put) for make in (dict, Named, collections.Counter, collections.OrderedDict)),
    (lambda: collections.defaultdict(list), lambda x, s: s["a"].append(x) or x + len(s["a"]), keep),
    (lambda: bytearray(1), lambda x, s: s.append(3) or x + len(s), keep), (set, lambda x, s: s.add(len(s)) or x + len(s), keep),
    (lambda: {"a": 1, "b": 2}, lambda x, s: x * s.pop("b", 5), put), (Plain, set_in_dict, keep), (Counting, lambda x, s: s(x), keep),
    (lambda: 2, lambda x, s: sum(Tally(s).add(x).add(x + 1).items), keep),
]  # fmt: skip
"""Functions that change state."""
RETURNED = [
    (lambda: [1, torch.ones(1)], lambda x, s: (x, s), lambda result, s: result[1] is s),
    (lambda: {"a": [1]}, lambda x, s: {"x": x, "s": s["a"]}, lambda result, s: result["s"] is s["a"]),
    (Counting, lambda x, s: (x, s.seen), lambda result, s: result[1] is s.seen),
    (list, lambda x, s: (made := [x + 1], {"again": made}), lambda result, s: result[0] is result[1]["again"]),
    (list, lambda x, s: [[x + 1], [x + 1]], lambda result, s: result[0] is not result[1]),
]  # fmt: skip
"""Functions that return containers, and what is true of the result."""
