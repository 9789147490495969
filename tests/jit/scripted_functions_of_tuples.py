"""Functions to script that take named tuples and texts, with arguments for them."""

# ruff: noqa: UP006, UP032, UP035, UP045

from typing import Dict, List, NamedTuple, Optional, Tuple


class Point(NamedTuple):
    x: int
    y: float


class Route(NamedTuple):
    start: Point
    stops: List[int]
    name: Optional[str] = None


def t_field(p: Point):
    return p.x + 1


def t_index(p: Point):
    return p[0], p[1]


def t_unpacked(p: Point):
    x, y = p
    return x * y


def t_made(k: int):
    return Point(k, 2.0)


def t_made_by_names(k: int):
    p = Point(y=1.5, x=k)
    return p.x, p


def t_optional(p: Optional[Point]):
    if p is None:
        return 0
    return p.x


def t_listed(points: List[Point]):
    last = Point(0, 0.5)
    for p in points:
        last = Point(last.x + p.x, last.y)
    return last


def t_nested(r: Route):
    return r.start.x + r.stops[0]


def t_default(r: Route):
    return Route(r.start, [1])


def t_in_a_table(d: Dict[str, Point]):
    return d["a"].y


def t_in_a_tuple(t: Tuple[Point, int]):
    return t[0].x + t[1]


def t_in_text(s: str):
    return "a" in s, "b" not in s, s in "abc"


def t_vowels(s: str):
    n = 0
    for c in s:
        if c in "aeiou":
            n += 1
    return n


def t_formatted(s: str, k: int):
    return "%s %d" % (s, k), "%d" % k, "{} {}".format(s, k), f"{s}{k}"  # noqa: UP031


def t_padded(s: str):
    return s.zfill(4), s.ljust(4), s.rjust(4, "-"), s.center(5)


def t_beside_lists(k: List[int], words: List[str], pair: Tuple[int, int]):
    joined = k + pair
    joined += (7, 8)
    joined.extend((9,))
    return joined, pair + k, words + ("z",), k == pair, pair != k, pair + (1,)


POINT = Point(3, 2.0)
ROUTE = Route(POINT, [4, 5], "a")
CASES = {
    t_field: (POINT,), t_index: (POINT,), t_unpacked: (POINT,), t_made: (3,), t_made_by_names: (3,), t_optional: (POINT,),
    t_listed: ([POINT, POINT],), t_nested: (ROUTE,), t_default: (ROUTE,), t_in_a_table: ({"a": POINT},), t_in_a_tuple: ((POINT, 2),),
    t_in_text: ("cab",), t_vowels: ("hello",), t_formatted: ("a", 2), t_padded: ("ab",),
    t_beside_lists: ([1, 2], ["a"], (1, 2)),
}  # fmt: skip
"""Function -> arguments."""
