"""Scripts that call what stays Python, or use what is not a value."""

# ruff: noqa

import inspect
from typing import List, Optional


def make(torch):
    """Return name -> function."""
    Tensor, nn = torch.Tensor, torch.nn

    @torch.jit.ignore
    def ignored(x):
        return x

    @torch.jit.ignore
    def annotated(x, y: int, z=3) -> List[int]:
        return [1]

    @torch.jit.unused
    def unused(x, y: int) -> List[int]:
        return x

    def ignored_of_a_number(x):
        return ignored(1)

    def annotated_of_a_text(x):
        return annotated(x, "a", x)

    def annotated_without_an_argument(x):
        return annotated(x)

    def annotated_without_a_default(x):
        return annotated(x, 1)

    def annotated_plus_one(x):
        return annotated(x, 1, x) + 1

    def unused_of_a_text(x):
        return unused(x, "a")

    class Ignoring(nn.Module):
        @torch.jit.ignore
        def count(self, x, y: int) -> List[int]:
            return [1]

        def forward(self, x):
            return self.count(x, "a")

    class Adding(Ignoring):
        def forward(self, x):
            return self.count(x, 1) + 1

    ignored_method, sum_with_an_ignored_method = Ignoring(), Adding()

    @torch.jit._overload
    def twice(x: int) -> int: ...

    @torch.jit._overload
    def twice(x: str) -> str: ...

    def twice(x):
        return x + x

    @torch.jit._overload
    def same(x: int) -> int: ...

    @torch.jit._overload
    def same(x: str) -> int: ...

    def same(x):
        return x

    def overloaded_of_a_float(x):
        return twice(1.5)

    def overloaded_of_nothing(x):
        return twice()

    def sum_of_overloads(x):
        return twice(1) + twice("a")

    def overload_with_another_result(x):
        return same(1)

    def set_of_a_list(x):
        return set([1, 2])

    def frozen_set(x):
        return frozenset([1])

    def bytes_of_a_number(x):
        return bytes(3)

    def filtered(x):
        return filter(None, [1])

    def mapped(x):
        return list(map(ignored_of_a_number, [x]))

    def sorted_by(x):
        return sorted([2, 1], key=ignored_of_a_number)

    def backwards(x):
        for i in reversed([1, 2]):
            x = x + i
        return x

    def empty_set_as_list(x):
        y: List[int] = set()
        return y

    def a_range(x):
        return range(3)

    def an_enumeration(x):
        return enumerate([1])

    def pairs(x):
        return zip([1], [2])

    def length_of_a_range(x):
        return len(range(3))

    def backwards_range(x):
        for i in reversed(range(3)):
            x = x + i
        return x

    def printed(x):
        return print(x)

    def an_exception(x):
        return ValueError("a")

    def the_class(x):
        return x.__class__

    def attribute_of_a_tensor(x):
        return hasattr(x, "foo")

    def attribute_of_a_list(x):
        return hasattr([1], "append")

    def tuple_of_a_list(x):
        return tuple([1, 2])

    def tuple_of_sizes(x):
        return tuple(x.shape)

    def place_in_a_tuple(x):
        return (x, 1)[x.dim()]

    def computed_place_in_a_tuple(x):
        y = (x, 1)
        return y[1 - 1]

    def sum_of_tensors(x):
        return sum([x, x])

    def sum_with_a_start(x):
        return sum([1, 2], 3)

    def dots(x):
        ...
        return x

    def by_place_only(x, /):
        return x

    names = "ignored annotated unused twice same".split()
    made = {name: each for name, each in locals().items() if inspect.isfunction(each) and name not in names}
    return made | {"ignored_method": ignored_method, "sum_with_an_ignored_method": sum_with_an_ignored_method}
