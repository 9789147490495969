"""Objects that PyTorch refuses to script, or scripts although they are no functions with a def statement."""

# ruff: noqa

import abc
import collections
import enum
import functools
import math
import operator
import typing


class Counting:
    def __init__(self, start: int):
        self.start = start

    def add(self, x):
        return x + self.start

    @staticmethod
    def double(x):
        return x * 2


class Derived(Counting):
    pass


class Abstract(abc.ABC):
    pass


class Colour(enum.Enum):
    RED = 1


class Pair(typing.NamedTuple):
    a: int


@functools.lru_cache
def remembered(x):
    return x


named = lambda x: x + 1
long = lambda x, y=2: (x
    + y)  # fmt: skip


def make(torch):
    """Return name -> object."""
    nn = torch.nn

    class Net(nn.Module):
        forward = lambda self, x: x

    class Started(nn.Module):
        async def forward(self, x):
            return x

    class Counted(nn.Module):
        @property
        def count(self):
            try:
                return 1
            finally:
                pass

        def forward(self, x):
            return x

    class Holder(nn.Module):
        def __init__(self):
            super().__init__()
            self.f = lambda x: x

        def forward(self, x):
            return self.f(x)

    return {
        "lambda": lambda x: x,
        "named lambda": named,
        "lambda of two lines": long,
        "length": len,
        "sine of a number": math.sin,
        "sine": torch.sin,
        "method of tensors": torch.Tensor.add,
        "gelu": nn.functional.gelu,
        "convolution": nn.functional.conv2d,
        "relu": nn.functional.relu,
        "operator": operator.add,
        "method": Counting(1).add,
        "function of a class": Counting.add,
        "static method": Counting.double,
        "class": Counting,
        "derived class": Derived,
        "abstract class": Abstract,
        "colours": Colour,
        "named tuple": Pair,
        "tuple by name": collections.namedtuple("Two", "a b"),
        "exception": ValueError,
        "int": int,
        "class of modules": nn.Linear,
        "class of a module": Net,
        "forward is a lambda": Net(),
        "forward is asynchronous": Started(),
        "property": Counted(),
        "attribute is a lambda": Holder(),
        "nothing": None,
        "number": 3,
        "text": "def f(x): return x",
        "tuple": (1, 2),
        "set": {1, 2},
        "object": object(),
        "slice": slice(1, 2),
        "static method by itself": staticmethod(named),
        "remembered": remembered,
        "list type": list[int],
        "numbers": [1, 2],
        "number and text": [1, "a"],
        "kinds of numbers": [1, 2.0],
        "tensor and number": [torch.ones(1), 1],
        "lists": [[1], ["a"]],
        "empty lists": [[], [1]],
        "tuples": [(1,), (1, 2)],
        "functions": [len],
        "modules": [nn.Linear(1, 1)],
        "optional": [None, 1],
        "keys": {"a": 1, 2: 3},
        "values": {"a": 1, "b": "c"},
        "lists in a dictionary": {"a": [1], "b": [2.0]},
        "function in a dictionary": {"a": len},
        "empty": {},
    }
