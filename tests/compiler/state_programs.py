"""Functions that read and change state from outside: (what makes the state, the function, what changes it between calls)."""

import array
import collections
import contextlib
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


class Remembering(nn.Module):
    """A module that assigns attributes, a buffer and a number."""

    def __init__(self):
        super().__init__()
        self.last, self.steps, self.layer = None, 0, nn.Linear(1, 1)
        self.register_buffer("mean", torch.zeros(1))

    def forward(self, x):
        self.steps += 1
        self.mean = self.mean * 0.5 + x
        self.last = self.layer(x) * self.steps
        return self.last + self.mean


class Watched(nn.Module):
    """A module with hooks that change its arguments and its result, and note both."""

    def __init__(self):
        super().__init__()
        self.layer, self.seen = nn.Linear(1, 1), {}
        self.layer.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
        self.handle = self.layer.register_forward_hook(lambda module, args, result: result + args[0])
        self.register_forward_hook(self.note)

    def note(self, module, args, result):
        self.seen["last"] = result.detach()

    def forward(self, x):
        return self.layer(x) + 1


class Cache:
    def __init__(self):
        self.keys, self.size = [], 0

    def add(self, x):
        self.keys.append(x * 2)
        self.size += x.shape[0]
        return torch.cat(self.keys).sum()


class Doubling:
    def __init__(self):
        self.kept = 1

    @property
    def value(self):
        return self.kept

    @value.setter
    def value(self, value):
        self.kept = value * 2


class Entering:
    """A context that counts in another object."""

    def __init__(self, owner):
        self.owner = owner

    def __enter__(self):
        self.owner.entered += 1

    def __exit__(self, *failure):
        self.owner.left += 10


def decide_within(x, s):
    with Entering(s):
        if bool(x.mean() > 0):
            x = x * 2
    return x * s.entered


class Shared:
    """A class whose attribute a function assigns."""

    n = 3


def assign_to_class(x, s):
    s["n"] += 1
    y = x * s["n"]
    Shared.n, s["slots"].a = s["n"], s["n"]
    kept = s["kept"] = [Shared.n, type(s["slots"].a), (s["n"], max(s["n"], 0.5))]
    return y, kept


class Quiet:
    """A context without a constructor."""

    def __enter__(self):
        self.before = torch.is_grad_enabled()
        torch.set_grad_enabled(False)

    def __exit__(self, *failure):
        torch.set_grad_enabled(self.before)


def multiply_quietly(x, s):
    with Quiet():
        y = (x * s.weight).detach()
    return (y + s.weight).detach()


def enter_from_stack(x, s):
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        y = x * s.weight
    s.mode = torch.is_grad_enabled()
    return (y + s.weight).detach()


TOTAL = 0


def add_to_total(x, s):
    global TOTAL
    TOTAL = TOTAL + 1 if s["calls"] else 1
    s["calls"], s["total"] = s["calls"] + 1, TOTAL
    return x * TOTAL


def make_counter():
    count = 0

    def add(x):
        nonlocal count
        count += 1
        return x * count

    return add


def keep_output(x, s):
    s.last = x * 2
    return s.last + 1


def set_value(x, s):
    s.value = s.value + 1
    return x * s.value


def count_parts(x, s):
    for each in s.parts:
        each.k = each.k + 1
        x = x * each.k
    part = s.parts[0]
    part.last = x
    return x


def set_scale(x, s):
    s.scale = x * 2
    return s(x) * s.scale


def swap(x, s):
    s["x"], s["y"] = s["y"], s["x"] + x
    return s["x"] * 2


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
    (Watched, lambda x, s: s(x), lambda s: s.handle.remove()), (Doubling, set_value, keep), (make_nested, count_parts, keep), (make_counter, lambda x, s: s(x), keep), (lambda: types.SimpleNamespace(last=None), keep_output, keep),
    (lambda: types.SimpleNamespace(entered=0, left=0), decide_within, keep),
    *((lambda n=n: {"n": n, "slots": make_slots()}, assign_to_class, keep) for n in (3, 3.5)),
    (lambda: nn.Linear(1, 1), multiply_quietly, keep), (lambda: nn.Linear(1, 1), enter_from_stack, keep),
    (lambda: 2, lambda x, s: sum(Tally(s).add(x).add(x + 1).items), keep),
]  # fmt: skip
"""Functions that change state."""
ASSIGNED = [
    (Remembering, lambda x, s: s(x), keep, 3), (Cache, lambda x, s: s.add(x), keep, 3), (Watched, lambda x, s: s(x), keep, 2),
    (lambda: {"calls": 0}, add_to_total, keep, 3), (Plain, keep_output, keep, 1),
    (lambda: nn.Linear(1, 1), set_scale, keep, 1),
    (lambda: {"x": torch.ones(1), "y": torch.zeros(1)}, swap, keep, 1), (list, append, keep, 3), (Plain, set_in_dict, keep, 2),
    (lambda: collections.deque(maxlen=2), append, keep, 3),
]  # fmt: skip
"""Functions that assign attributes, variables and items, and the number of their graphs for back ends in three calls."""
RETURNED = [
    (lambda: [1, torch.ones(1)], lambda x, s: (x, s), lambda result, s: result[1] is s),
    (lambda: {"a": [1]}, lambda x, s: {"x": x, "s": s["a"]}, lambda result, s: result["s"] is s["a"]),
    (Counting, lambda x, s: (x, s.seen), lambda result, s: result[1] is s.seen),
    (list, lambda x, s: (made := [x + 1], {"again": made}), lambda result, s: result[0] is result[1]["again"]),
    (list, lambda x, s: [[x + 1], [x + 1]], lambda result, s: result[0] is not result[1]),
]  # fmt: skip
"""Functions that return containers, and what is true of the result."""
