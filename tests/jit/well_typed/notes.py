"""Scripts with values of any type, several declarations of one function, and what stays Python."""

# ruff: noqa

import inspect
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union


class Pair(NamedTuple):
    a: int
    b: str


def make(torch):
    """Return name -> function."""
    Tensor, nn = torch.Tensor, torch.nn

    def any_returned(x: Any):
        return x

    def any_or_zero(x: Any) -> int:
        if isinstance(x, int):
            return x
        return 0

    def any_is_a_tensor(x: Any):
        assert isinstance(x, Tensor)
        return x + 1

    def any_of_two(x, y: Any):
        if isinstance(y, int):
            return y + 1
        elif isinstance(y, str):
            return len(y)
        return 0

    def any_and_number(x, y: Any):
        return [y, 1], (y, 1), {"a": y}

    def any_printed(x: Any):
        print(x)
        return f"{x}" + str(x)

    def any_is_none(x: Any):
        if x is None:
            return 1
        return 2

    def any_list(x, y: List[Any]):
        y.append(1)
        return len(y)

    def any_dictionary(x, y: Dict[str, Any]):
        return y.get("a")

    def takes_any(x: Any) -> str:
        return "a"

    def any_given(x):
        return takes_any(1) + takes_any("b") + takes_any([x])

    def any_optional(x, y: Optional[Any]) -> Any:
        return y

    def chosen(x, y: Any):
        return y if x.sum() > 0 else 1

    def gradient(x):
        return x.grad + 1

    def parts(x: Tensor):
        return x[0, None, ..., 1:2, ::2]

    def quoted(x, y: "List[int]", z: "Optional[int]" = None):
        return x

    def several(x: list[int], y: dict[str, int], z: tuple[int, str], u: int | None = None):
        return x

    def plain_types(x, v: complex, w: None):
        return x

    def named(x: Pair):
        return x.a

    def bare(x: list, y: Union[int, List[int], None]):
        return y

    def defaults(x: Tensor = None, y: float = 1, z: List[float] = (1, 2), u: Any = 3, v: bool = 1, w: complex = 1):
        return x

    @torch.jit._overload
    def twice(x: int, y: int = 3) -> int: ...

    @torch.jit._overload
    def twice(x: Tensor, y: int = 3) -> Tensor: ...

    def twice(x, y=3):
        if isinstance(x, int):
            return x + y
        else:
            return x.sum()

    def overloaded(x):
        return twice(x).relu() + twice(1, y=2) * twice(1)

    class Overloading(nn.Module):
        @torch.jit._overload_method
        def more(self, x: int) -> int:
            pass

        @torch.jit._overload_method
        def more(self, x: Tensor) -> Tensor:
            pass

        def more(self, x):
            return x + 1

        def forward(self, x):
            return self.more(x) + self.more(1)

    overloaded_method = Overloading()

    @torch.jit.ignore
    def ignored(x, y: int) -> str:
        return "a"

    def python(x):
        return ignored(x, 1) + "b"

    def empty_set(x):
        return set()

    def range_in_a_list(x):
        y = range(3)
        for i in y:
            x = x + i
        for i, j in enumerate([1]):
            x = x + j
        return x, list(range(3)), [i for i in range(3)], list(zip([1], [2.0])), sum([i for i in range(3)])

    def places(x):
        y, z = (x, x), (x, 1)
        i = 0
        return y[i], z[-1], tuple((1, 2)), torch.jit.annotate(Optional[int], 3)

    def raises(x):
        e = ValueError("a")
        raise e

    made = {name: each for name, each in locals().items() if inspect.isfunction(each)}
    made["overloaded_method"] = overloaded_method
    return {name: each for name, each in made.items() if name not in ("twice", "ignored")}
