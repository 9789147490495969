"""Scripts whose results, lists or dictionaries have other types than they say."""

# ruff: noqa

from typing import Dict, List, Optional, Tuple

from tests.jit.collecting import collect


def make(torch):
    """Return name -> function."""
    Tensor = torch.Tensor

    def annotated_list(k: int):
        y: List[float] = [k]
        return y

    def return_float(k: int) -> float:
        return k

    def return_text(x) -> str:
        return x.shape

    def return_nothing(x) -> Tensor:
        y = x

    def return_too_many(x) -> Tensor:
        return x, x

    def return_too_few(x) -> Tuple[Tensor, Tensor]:
        return x

    def return_of_three(x) -> Tuple[Tensor, Tensor]:
        return x, x, x

    def return_optional(x: Optional[Tensor]) -> Tensor:
        return x

    def returns_differ(x, k: int):
        if k > 0:
            return x
        return k

    def returns_differ_in_else(x, k: int):
        if k > 0:
            return 1
        else:
            return "a"

    def return_list(x) -> List[int]:
        return [x]

    def return_in_loop(xs: List[int]):
        for x in xs:
            if x > 1:
                return x
        return "none"

    def return_bool(x) -> bool:
        return x > 0

    def return_none_annotated(x) -> None:
        return x

    def list_hint_int(k: int) -> int:
        return [k]

    def list_hint_opt(k: int) -> Optional[List[int]]:
        return [1.0]

    def dict_hint(k: int) -> Dict[str, float]:
        return {"a": k}

    def dict_hint_key(k: int) -> Dict[int, int]:
        return {"a": k}

    def dict_hint_int(k: int) -> int:
        return {"a": k}

    def empty_hint_int(k: int) -> int:
        return []

    def tuple_ret(k: int) -> Tuple[int, float]:
        return k, k

    def none_to_tensor(x) -> Tensor:
        return None

    def opt_return_then(x: Optional[Tensor]) -> Tensor:
        if x is not None:
            y = x
        return x

    def return_no_value(x) -> Tensor:
        return

    def return_some(x, k: int) -> Tensor:
        if k > 1:
            return x

    def return_some_loop(x, k: int) -> int:
        while k > 1:
            return k

    def mixed_num(k: int):
        if k > 2:
            return 1
        return 1.5

    def tuple_list_ret(k: int) -> Tuple[List[int], Dict[str, int]]:
        return [], {}

    return collect(locals(), __name__)
