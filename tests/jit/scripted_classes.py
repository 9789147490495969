"""Functions to script that use classes of the program and enums."""

# ruff: noqa: B007, SIM108, UP006, UP035, UP045

import dataclasses
import enum
from typing import Dict, List, Optional


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Name(enum.Enum):
    A = "a"
    B = "b"


class Pair:
    def __init__(self, x: float, y: float = 1.0):
        self.x = x
        self.y = y
        self.seen: List[int] = []

    def __add__(self, other: "Pair") -> "Pair":
        return Pair(self.x + other.x, self.y + other.y)

    def __eq__(self, other: "Pair") -> bool:
        return self.x == other.x

    def __len__(self) -> int:
        return 2

    def __getitem__(self, place: int) -> float:
        if place == 0:
            return self.x
        return self.y

    def __setitem__(self, place: int, value: float):
        if place == 0:
            self.x = value
        else:
            self.y = value

    def __neg__(self) -> "Pair":
        return Pair(-self.x, -self.y)

    def __contains__(self, value: float) -> bool:
        return value == self.x or value == self.y

    def __bool__(self) -> bool:
        return self.x > 0.0

    def __call__(self, times: float) -> float:
        return self.x * times

    @staticmethod
    def make(value: float):
        return Pair(value, value)

    def double(self):
        return self.scale(2.0)

    def scale(this, times: float):
        this.x *= times
        return this.x

    @property
    def total(self) -> float:
        return self.x + self.y

    @total.setter
    def total(self, value: float):
        self.x = value


class Stack:
    def __init__(self):
        self.items: List[int] = []
        self.count = 0

    def push(self, item: int) -> None:
        self.items.append(item)
        self.count += 1

    def pop(self) -> int:
        self.count -= 1
        return self.items.pop()

    def peek(self) -> Optional[int]:
        if len(self.items) == 0:
            return None
        return self.items[-1]


class Holder:
    def __init__(self, pair: Pair):
        self.pair = pair
        self.twice = pair.x * 2.0

    def first(self):
        return self.pair.x


def adds(a: float):
    made = Pair(a) + Pair(1.0, 2.0)
    return made.x, made.y


def compares(a: float):
    return Pair(a) == Pair(1.0)


def counts(a: float):
    return len(Pair(a))


def indexes(a: float):
    pair = Pair(a)
    pair[1] = 5.0
    return pair[0] + pair[1]


def negates(a: float):
    return (-Pair(a)).x


def contains(a: float):
    return 3.0 in Pair(a)


def asks_for_truth(a: float):
    if Pair(a):
        return 1
    return 2


def calls(a: float):
    return Pair(a)(3.0)


def makes(a: float):
    return Pair.make(a).x


def reads_property(a: float):
    pair = Pair(a)
    pair.total = 4.0
    return pair.total


def names_arguments(a: float):
    return Pair(y=a, x=2.0).y


def augments(a: float):
    pair = Pair(a)
    pair += Pair(2.0)
    pair.x += 1.0
    return pair.x


def doubles(a: float):
    return Pair(a).double()


def nests(a: float):
    holder = Holder(Pair(a))
    holder.pair.x = 5.0
    holder.pair = Pair(9.0)
    return holder.first(), holder.twice, holder.pair.x


def stacks(n: int):
    stack = Stack()
    for i in range(n):
        stack.push(i)
    top = stack.pop()
    peeked = stack.peek()
    if peeked is None:
        peeked = 0
    return stack.items, top, peeked, stack.count


def keeps_in_containers(a: float):
    table: Dict[str, Pair] = {}
    table["a"] = Pair(a)
    pairs = [Pair(a), Pair(2.0)]
    return table["a"].x, [each.x for each in pairs]


def carries(n: int):
    pair = Pair(0.0)
    for i in range(n):
        pair = pair + Pair(1.0)
    return pair.x


def chooses(n: int):
    if n > 1:
        pair = Pair(0.0)
    else:
        pair = Pair(1.0)
    return pair.x


def asks_for_class(a: float):
    pair = Pair(a)
    return isinstance(pair, Pair), isinstance(pair, int), pair is None, hasattr(pair, "x"), hasattr(pair, "z")


def compares_members(n: int):
    members = [Color.RED, Color.GREEN]
    return members[n] == Color.GREEN, members[n] != Color.GREEN


def reads_members(n: int):
    if n > 0:
        color = Color.RED
    else:
        color = Color.GREEN
    return color.value + 1, color.name + "!", Color.GREEN.value + n, Name.A.value


def iterates_members(n: int):
    values: List[int] = []
    for each in Color:
        values.append(each.value)
    return values


def cuts(values: List[int]):
    part = slice(1, 3)
    return values[part], values[slice(2)], values[slice(0, 3, 2)]


@dataclasses.dataclass(order=True)
class Version:
    major: int
    minor: int = 0
    label: Optional[str] = None

    def next(self) -> "Version":
        return Version(self.major + 1, 0, None)


@dataclasses.dataclass(eq=False)
class Span:
    begin: int
    end: int
    length: int = 0

    def __post_init__(self):
        self.length = self.end - self.begin


DATACLASSES = [Version, Span]


def makes_dataclasses(n: int):
    span = Span(n, 10)
    span.begin = 5
    return Version(n).next().major, span.length, span.begin


def compares_dataclasses(n: int):
    one, other = Version(n, 1), Version(2, n)
    return one < other, one <= other, one > other, one >= other, one == Version(n, 1)


CASES = {
    **dict.fromkeys(
        [adds, compares, counts, indexes, negates, contains, asks_for_truth, calls, makes, reads_property], (1.5,)
    ),
    **dict.fromkeys([names_arguments, augments, doubles, nests, keeps_in_containers, asks_for_class], (1.5,)),
    **dict.fromkeys([stacks, carries, chooses], (3,)),
    **dict.fromkeys([compares_members, reads_members, iterates_members], (1,)),
    cuts: ([1, 2, 3, 4],),
    **dict.fromkeys([makes_dataclasses, compares_dataclasses], (1,)),
}
"""Function -> its arguments."""
