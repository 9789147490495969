"""Scripts that use classes of the program, and enums, in ways that their types do not allow."""

# ruff: noqa

import enum
from typing import Any, Dict, List, Optional

from tests.jit.collecting import collect


class Point:
    def __init__(self, x: int, y: float):
        self.x = x
        self.y = y

    def norm(self) -> float:
        return self.x + self.y

    def move(self, dx: int):
        self.x += dx
        return self

    def __add__(self, o: int) -> int:
        return self.x + o


class BadMethod:
    def __init__(self):
        self.x = 1

    def bad(self):
        return self.x + "a"


class BadInit:
    def __init__(self):
        self.x = undefined_thing


class BadAttribute:
    def __init__(self):
        self.x = 1

    def other(self):
        self.y = 2


class WithoutInit:
    def m(self) -> int:
        return 3


class Conditional:
    def __init__(self, f: bool):
        if f:
            self.a = 1
        else:
            self.a = 2


class Untyped:
    def __init__(self):
        self.a = []

    def add(self, x: int):
        self.a.append(x)


class Maybe:
    def __init__(self):
        self.a: Optional[int] = None

    def set(self, x: int):
        self.a = x


class Recursive:
    def __init__(self, x: int):
        self.x = x

    def rec(self, n: int) -> int:
        if n == 0:
            return 0
        return self.rec(n - 1)


class Constant:
    K = 3

    def __init__(self, x: int):
        self.x = x + self.K


class Color(enum.Enum):
    RED = 1
    GREEN = 2


class Name(enum.Enum):
    A = "a"


def make(torch):
    """Return name -> function."""

    def class_attribute_missing(a: int):
        return Point(a, 2.0).z

    def class_attribute_of_a_type(a: int):
        return Point(a, 2.0).x + "s"

    def class_with_too_few(a: int):
        return Point(a)

    def class_of_a_text(a: int):
        return Point("s", 2.0)

    def class_method_of_a_text(a: int):
        return Point(a, 2.0).move("s")

    def class_method_missing(a: int):
        return Point(a, 2.0).go(1)

    def class_set_of_another_type(a: int):
        p = Point(a, 2.0)
        p.x = "s"

    def class_set_missing(a: int):
        p = Point(a, 2.0)
        p.w = 3

    def class_parameter(p: Point):
        return p.x + "a"

    def class_operator_missing(a: int):
        return Point(a, 2.0) * 3

    def class_equal(a: int):
        return Point(a, 2.0) == Point(a, 2.0)

    def class_negative(a: int):
        return -Point(a, 2.0)

    def class_length(a: int):
        return len(Point(a, 2.0))

    def class_index(a: int):
        return Point(a, 2.0)[0]

    def class_set_index(a: int):
        p = Point(a, 2.0)
        p[0] = 3

    def class_in(a: int):
        return 1 in Point(a, 2.0)

    def class_unpacked(a: int):
        p = Point(a, 2.0)
        b, c = p
        return b

    def class_iterated(a: int):
        return [i for i in Point(a, 2.0)]

    def class_in_place(a: int):
        p = Point(a, 2.0)
        p *= 2
        return p

    def class_text(a: int):
        return str(Point(a, 2.0))

    def class_number(a: int):
        return abs(Point(a, 2.0))

    def class_relu(a: int):
        return torch.relu(Point(a, 2.0))

    def class_truth(a: int):
        if Point(a, 2.0):
            return 1
        return 2

    def class_as_result(a: int) -> int:
        return Point(a, 2.0)

    def class_optional(p: Optional[Point]):
        return p.x

    def class_in_list(ps: List[Point]):
        return [p.nothing for p in ps]

    def class_appended(n: int):
        ps: List[Point] = []
        ps.append(n)

    def class_branches(a: int):
        if a > 1:
            p = Point(a, 2.0)
        else:
            p = 3
        return p

    def class_in_loop(a: int):
        p = Point(a, 2.0)
        for i in range(a):
            p = i
        return p

    def class_annotated(n: int):
        p: Point = n
        return p

    def class_as_value(n: int):
        return Point

    def class_constant(n: int):
        return Point.K

    def class_bad_method(x):
        return BadMethod()

    def class_bad_method_annotated(x: BadMethod):
        return 1

    def class_bad_init(x):
        return BadInit()

    def class_bad_attribute(x):
        return BadAttribute()

    def class_without_init(x):
        return WithoutInit()

    def class_conditional(x):
        return Conditional(True)

    def class_untyped(x):
        return Untyped()

    def class_of_none(x):
        return Maybe()

    def class_recursive(n: int):
        return Recursive(n)

    def class_with_constant(n: int):
        return Constant(n)

    def enum_value_of_a_type(c: Color):
        return c.value + "a"

    def enum_name_of_a_type(c: Color):
        return c.name + 1

    def enum_member_missing(c: Color):
        return c == Color.BLUE

    def enum_attribute_missing(c: Color):
        return c.foo

    def enum_equal_to_number(c: Color):
        return c == 1

    def enum_less(c: Color):
        return c < Color.RED

    def enum_added(c: Color):
        return c + 1

    def enum_as_result(n: int) -> int:
        return Color.RED

    def of_names(c: Name):
        return 1

    def enum_of_another(n: int):
        return of_names(Color.RED)

    def enum_called(n: int):
        return Color(n)

    def enum_indexed(n: str):
        return Color[n]

    def enum_set(c: Color):
        c.value = 3

    def enum_truth(c: Color):
        if c:
            return 1
        return 2

    def sorted_reversed(x: List[int]):
        return sorted(x, reverse=True)

    def sorted_keys(x: Dict[str, int]):
        return sorted(x)

    def id_of_a_list(x: List[int]):
        return id(x)

    def id_of_a_tensor(x):
        return id(x)

    def type_of_a_text(x: str):
        return type(x)

    def length_of_two(x: List[int]):
        return len(x, x)

    def sum_from(x: List[int]):
        return sum(x, 1)

    def slice_as_value(n: int):
        return slice(n)

    def slice_by_name(n: int):
        return slice(n, stop=2)

    def slice_of_nothing(n: int):
        return slice()

    def slice_start(n: int):
        return slice(n).start

    nn = torch.nn

    class Indexed(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(1, 1)])

        def forward(self, x, i: int):
            return self.layers[i](x)

    class Plain:
        def __init__(self, *args):
            self.x = 1

    class HoldsModules(nn.Module):
        def __init__(self):
            super().__init__()
            self.value = [nn.Linear(1, 1)]

        def forward(self, x):
            return self.value.x

    class HoldsSet(nn.Module):
        def __init__(self):
            super().__init__()
            self.value = {1}

        def forward(self, x):
            return self.value.x

    class HoldsObject(nn.Module):
        def __init__(self):
            super().__init__()
            self.value = Plain(1)

        def forward(self, x):
            return self.value.x

    class HoldsNothing(nn.Module):
        def __init__(self):
            super().__init__()
            self.value = []

        def forward(self, x):
            return self.value.x

    modules = Indexed(), HoldsModules(), HoldsSet(), HoldsObject(), HoldsNothing()
    return collect(locals(), __name__, "of_names") | {type(each).__name__: each for each in modules}
