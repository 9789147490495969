"""Correct scripts with values that may be None, or of several types."""

# ruff: noqa

import typing
from typing import Any, List, NamedTuple, Optional, Tuple, Union

from tests.jit.collecting import collect


class Batch(NamedTuple):
    values: List[int]
    label: Optional[str]


def make(torch):
    """Return name -> function."""
    Tensor = torch.Tensor

    def running_best(l: List[int]) -> Optional[int]:
        best: Optional[int] = None
        for v in l:
            if best is None:
                best = v
            elif v > best:
                best = v
        return best

    def default_argument(x, weight: Optional[Tensor] = None):
        if weight is None:
            weight = torch.ones_like(x)
        return x * weight

    def early_return(x: Optional[Tensor], k: int):
        if x is None:
            return torch.zeros(k)
        return x + 1

    def raise_if_none(x: Optional[Tensor]):
        if x is None:
            raise ValueError("no tensor")
        return x.sum()

    def assert_not_none(x: Optional[Tensor], y: Optional[Tensor]):
        assert x is not None and y is not None
        return x + y

    def both_checked(x: Optional[Tensor], y: Optional[Tensor]):
        if x is not None and y is not None:
            return x + y
        return torch.zeros(1)

    def either_missing(x: Optional[Tensor], y: Optional[Tensor]):
        if x is None or y is None:
            return torch.zeros(1)
        return x + y

    def checked_in_condition(x: Optional[Tensor]):
        if x is not None and x.dim() > 1:
            return x[0]
        return torch.zeros(1)

    def not_none(x: Optional[int]):
        if not (x is None):
            return x + 1
        return 0

    def ternary_none(x: Optional[int]):
        y = 0 if x is None else x
        return y + 1

    def while_not_none(k: int):
        x: Optional[int] = k
        n = 0
        while x is not None:
            n += 1
            if n > 3:
                x = None
        return n

    def dead_branch(x):
        if x is None:
            return x + missing
        return x

    def union_of_two(x: Union[int, str]) -> int:
        if isinstance(x, int):
            return x + 1
        else:
            return len(x)

    def union_of_three(x: Union[int, float, str]) -> float:
        if isinstance(x, str):
            return 0.0
        if isinstance(x, int):
            return float(x)
        return x

    def any_value(x: Any):
        if isinstance(x, Tensor):
            return x.sum()
        return torch.zeros(1)

    def batches(b: Batch):
        label = b.label
        if label is not None:
            return label + "a", b.values[0]
        return "none", len(b.values)

    def optional_elements(l: List[Optional[int]]):
        total = 0
        for v in l:
            if v is not None:
                total += v
        return total

    def cast(x: Any):
        return torch.jit.annotate(Optional[int], None)

    def none_to_opt(x) -> Optional[int]:
        return None

    def if_set_outer_opt(x: Optional[int], k: int):
        if x is None:
            x = 3
        return x + 1

    def static_dead(x):
        if x is None:
            return missing
        return x

    def assert_refine(x: Optional[Tensor]):
        assert x is not None
        return x + 1

    def refined_none_nested(x: Optional[int], k: int):
        if x is None:
            if k > 1:
                x = 3
        return x

    def and_refined(x: Optional[int], y: Optional[int]):
        return x is not None and x > 1

    def or_refined(x: Optional[int]):
        return x is None or x > 1

    def tern_refined(x: Optional[int], k: int):
        return x + 1 if x is not None and k > 1 else k

    def elif_refined(x: Optional[int], k: int):
        if x is None:
            y = 1
        elif x > 2:
            y = x
        else:
            y = x + k
        return y

    def isinst_list(x: Union[List[int], int]):
        if isinstance(x, list):
            return x[0]
        return x

    def isinst_opt(x: Optional[int]):
        if isinstance(x, int):
            return x + 1
        return 0

    def isinst_listint(x: Union[List[int], List[str]]):
        if isinstance(x, List[int]):
            return x[0]
        return 1

    def isinst_tuple(x: Union[int, str, float]):
        if isinstance(x, (int, float)):
            return x
        return 1

    def unify_opt_if(k: int):
        if k > 1:
            y = None
        else:
            y = k
        if y is not None:
            y = y + 1
        return y

    def union_join(k: int, u: Union[int, str]):
        if k > 1:
            u = 1
        else:
            u = "a"
        return u

    def list_of_union(u: List[Union[int, str]]):
        x = u[0]
        if isinstance(x, int):
            return x + 1
        return 0

    def opt_list_default(l: Optional[List[int]] = None):
        if l is None:
            l = []
        l.append(1)
        return l

    def opt_list_default2(l: Optional[List[int]] = None):
        if l is None:
            l = [1]
        return l[0]

    def loop_opt(xs: List[int], prev: Optional[int] = None):
        for x in xs:
            if prev is not None and prev > x:
                return x
            prev = x
        return prev

    def opt_return(k: int) -> Optional[int]:
        if k > 1:
            return k
        return None

    def tuple_opt(k: int) -> Tuple[Optional[int], int]:
        return None, k

    def list_opt(k: int) -> List[Optional[int]]:
        return [None, k]

    def union_ret(k: int) -> Union[int, str]:
        if k > 1:
            return 1
        return "a"

    def only_for_checkers(x: Tensor):
        if typing.TYPE_CHECKING:
            layout: Optional[torch.layout] = None
        if not typing.TYPE_CHECKING and torch.jit.is_scripting():
            kind: Optional[int] = None
        else:
            kind: Optional[torch.layout] = None
        return x + 1

    return collect(locals(), __name__)
