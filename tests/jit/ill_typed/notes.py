"""Scripts with annotations that are no types, with values of any type, and with defaults of other types."""

# ruff: noqa

import inspect
import collections
import typing
from typing import Any, Callable, Dict, Final, List, Optional, Sequence, Set, Tuple, Union


def make(torch):
    """Return name -> function."""
    Tensor, nn = torch.Tensor, torch.nn

    class Net(nn.Module):
        def forward(self, x):
            return x

    def a_set(x, s: Set[int]):
        return x

    def a_set_with_its_module(x, s: typing.Set[int]):
        return x

    def a_function(f: Callable[[Tensor], Tensor], x: Tensor):
        return f(x)

    def any_function(f: Callable, x: Tensor):
        return f(x)

    def a_sequence(x: Sequence[int]):
        return x[0]

    def a_sequence_or_none(x: Sequence[int] | None):
        return x

    def all_of_one_type(x: Tuple[int, ...]):
        return x

    def an_object(x: object):
        return x

    def a_dict(x: dict):
        return x

    def a_dict_in_a_list(x: List[dict]):
        return x

    def a_set_in_a_list(x: List[Set[int]]):
        return x

    def a_set_in_a_lower_case_list(x: list[set[int]]):
        return x

    def bytes_or_int(x: int | bytes):
        return x

    def a_module(x, net: nn.Module):
        return net(x)

    def a_net(x, net: Net):
        return net(x)

    def a_size(x: torch.Size):
        return x

    def a_layout(x: torch.layout):
        return x

    def an_array(x: "np.ndarray"):
        return x

    def a_final(x: Final[int]):
        return x

    def a_deque(x: collections.deque):
        return x

    def nothing_known(x: "Foo"):
        return x

    def a_call(x: type(None)):
        return x

    def a_number(x: 3):
        return x

    def a_list_of_types(x: [int]):
        return x

    def two_types(x: (int, str)):
        return x

    def a_size_as_result(x: Tensor) -> torch.Size:
        return x.shape

    def a_function_as_result(x) -> Callable:
        return x

    def a_set_within(x):
        y: Set[int] = 3
        return y

    def an_object_within(x):
        y: object = 3
        return y

    def instance_of_a_set(x):
        return isinstance(x, set)

    def instance_of_several(x):
        return isinstance(x, (int, object))

    def annotate_with_a_set(x):
        return torch.jit.annotate(Set[int], x)

    def annotate_with_another_type(x):
        return torch.jit.annotate(int, "a")

    def called_with_an_object(x):
        return an_object(x)

    def any_plus_one(x: Any):
        return x + 1

    def any_as_int(x: Any) -> int:
        return x

    def shape_of_any(x: Any):
        return x.shape

    def element_of_any_list(x: List[Any]):
        return x[0] + 1

    def any_into_int(x: Any):
        y: int = x
        return y

    def any_equals(x: Any):
        return x == x

    def helper(x):
        return x * 2

    def any_for_a_tensor(x: Any):
        return helper(x)

    def sine_of_any(x: Any):
        return torch.sin(x)

    def loop_over_any(x, y: Any):
        for i in y:
            print(i)

    def item_of_any(x, y: Any):
        return y[0]

    def call_any(x, y: Any):
        return y()

    def not_any(x, y: Any):
        return not y

    def if_any(x, y: Any):
        if y:
            return 1
        return 2

    def int_of_any(x, y: Any):
        return int(y)

    def any_list_as_ints(x, y: List[Any]) -> List[int]:
        return y

    def ints_as_any_list(x, y: List[int]) -> List[Any]:
        return y

    def default_text(x: int = "a"):
        return x

    def default_fraction(x: int = 1.5):
        return x

    def default_none(x, y: List[int] = None):
        return x

    def default_of_optional(x, y: Optional[int] = "a"):
        return x

    def default_number(x, y: Tensor = 1):
        return x

    def default_without_annotation(x, y=1):
        return x

    def default_of_another_length(x, y: Tuple[int, int] = (1, 2, 3)):
        return x

    def default_of_union(x, y: Union[int, str] = 1.5):
        return x

    def calls_with_a_default(x):
        return default_without_annotation(x)

    def element_of_any_dictionary(x, y: Dict[str, Any]):
        return y["a"] + 1

    def quoted_union(x: "int | float"):
        return x

    def quoted_tuple_of_any_length(x: "Tuple[int, ...]"):
        return x

    def quoted_tuple(x: "tuple"):
        return x

    def quoted_variable(x):
        y: "int | None" = None
        return y

    def quoted_list_of_numbers(x):
        y: "List[int]" = []
        y.append("a")
        return y

    return {name: each for name, each in locals().items() if inspect.isfunction(each) and name != "helper"}
