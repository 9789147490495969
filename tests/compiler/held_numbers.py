"""Functions that read numbers from outside their arguments, written for either library."""

import collections
import types

WHOLE, PARTS = (3, 4, 5, 6), (0.5, 0.25, 0.125, 1.5)


class Slots:
    __slots__ = ("n",)


LIMIT, RATE = 3, 0.5
Pair = collections.namedtuple("Pair", "n other")


def set_global(name):
    def change(number):
        globals()[name] = number

    return change


def in_attribute(function, owner, name="n"):
    """Return a function of a matrix and an object, for one object, and what sets its attribute."""
    return lambda x: function(x, owner), lambda number: setattr(owner, name, number)


def in_container(function, container, key):
    return lambda x: function(x, container), lambda number: container.__setitem__(key, number)


def in_new(make, function):
    """Return a function of a matrix and an object that is made anew for each call."""
    current = []

    def change(number):
        current[:] = [make(number)]

    return (lambda x, given: function(x, given)), change, current


def in_closure(start):
    number = start

    def multiply(x):
        return x * number

    def change(value):
        nonlocal number
        number = value

    return multiply, change


def make_holders(torch):
    """Return name -> (function, what sets the number, arguments behind the matrix, numbers, count of graphs)."""

    class Scale(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.n = 3

        def forward(self, x):
            return x * self.n

    def multiply(x, owner):
        return x * owner.n

    def read_first(x, items):
        return x * items[0] + items[1]

    def scaled_by_default(x, n=3):
        return x * n

    def compare(x, owner):
        return x * owner.n if owner.n > 4 else x + owner.n

    inner, scale, new = types.SimpleNamespace(n=3), Scale(), types.SimpleNamespace
    outer = types.SimpleNamespace(inner=inner)
    found = {
        "attribute": (*in_attribute(multiply, new(n=3)), WHOLE, 2),
        "float attribute": (*in_attribute(multiply, new(n=3)), PARTS, 2),
        "float before a tensor": (*in_attribute(lambda x, owner: 1 - owner.n * x, new(n=3)), PARTS, 2),
        "slot": (*in_attribute(multiply, Slots()), WHOLE, 2),
        "attribute of an attribute": (lambda x: x * outer.inner.n, lambda n: setattr(inner, "n", n), WHOLE, 2),
        "closure": (*in_closure(3), WHOLE, 2),
        "float in a closure": (*in_closure(0.5), PARTS, 2),
        "list": (*in_container(read_first, [3, 4], 0), WHOLE, 2),
        "deque": (*in_container(read_first, collections.deque([3, 4]), 0), WHOLE, 2),
        "dict": (*in_container(lambda x, items: x * items["n"], {"n": 3}, "n"), WHOLE, 2),
        "new object": (*in_new(lambda n: types.SimpleNamespace(n=n), multiply), WHOLE, 2),
        "new list": (*in_new(lambda n: [n, 9], read_first), WHOLE, 2),
        "new tuple": (*in_new(lambda n: (n, 9.0), read_first), PARTS, 2),
        "new named tuple": (*in_new(lambda n: Pair(n, 1), multiply), WHOLE, 2),
        "new dict": (*in_new(lambda n: {"n": n}, lambda x, items: x * items["n"]), WHOLE, 2),
        "decision": (*in_attribute(compare, new(n=3)), (3, 4, 5, 6, 7), 3),
        "size": (*in_attribute(lambda x, owner: torch.zeros(owner.n).sum() + x, new(n=3)), (2, 3, 4), 2),
        "slice": (*in_attribute(lambda x, owner: torch.arange(10)[owner.n :].sum() + x, new(n=3)), (2, 3, 4), 2),
        "range": (*in_attribute(lambda x, owner: x + sum(range(owner.n)), new(n=3)), (2, 3, 4), 3),
        "module": (*in_attribute(multiply, scale), WHOLE, 4),
        "float of a module": (*in_attribute(multiply, Scale()), PARTS, 2),
        "global": (lambda x: x * LIMIT, set_global("LIMIT"), WHOLE, 4),
        "float in a global": (lambda x: x * RATE, set_global("RATE"), PARTS, 2),
        "default of an inner function": (
            lambda x: scaled_by_default(x), lambda n: setattr(scaled_by_default, "__defaults__", (n,)), WHOLE, 4,
        ),
        "returned": (*in_attribute(lambda x, owner: (x * owner.n, owner.n), new(n=3)), WHOLE, 2),
    }  # fmt: skip
    return {name: case if len(case) == 5 else (*case[:2], [], *case[2:]) for name, case in found.items()}


def make_counters(torch):
    """Return name -> a function that returns (a function that changes a number, what reads the number, count of graphs)."""

    class Step:
        def __init__(self, start, change):
            self.n, self.change = start, change

        def run(self, x):
            self.n = self.change(self.n)
            return x * self.n

        def alternate(self, x):
            self.n = self.change(self.n)
            return x * 2 if self.n % 2 == 0 else x * 3

        def ignore(self, x):
            self.n = self.change(self.n)
            return x * 2

        def fail(self, x):
            self.n = self.change(self.n)
            if self.n > 5:
                raise ValueError("too many")
            return x * self.n

    class Counting(torch.nn.Module):
        def __init__(self, start):
            super().__init__()
            self.n = start

        def forward(self, x):
            self.n += 1
            return x * self.n

    def of_step(name, start, change, count):
        step = Step(start, change)
        return getattr(step, name), lambda: step.n, count

    def of_module(start, count):
        module = Counting(start)
        return module, lambda: module.n, count

    def of_closure():
        number = 3

        def run(x):
            nonlocal number
            number += 1
            return x * number

        return run, lambda: number, 2

    return {
        "attribute": lambda: of_step("run", 3, lambda n: n + 1, 2),
        "schedule": lambda: of_step("run", 0.5, lambda n: n * 0.9, 2),
        "parity": lambda: of_step("alternate", 3, lambda n: n + 1, 3),
        "unused": lambda: of_step("ignore", 3, lambda n: n * 2 - 1, 2),
        "error": lambda: of_step("fail", 3, lambda n: n + 1, 2),
        "closure": of_closure,
        "module": lambda: of_module(3, 5),
        "float of a module": lambda: of_module(0.5, 2),
    }
