"""Scripts with operators between values that have none."""

# ruff: noqa

from typing import Dict, List, NamedTuple, Optional, Union

from tests.jit.collecting import collect


class P(NamedTuple):
    x: int
    y: float


def make(torch):
    """Return name -> function."""
    Tensor = torch.Tensor

    def add_text(x):
        return x + "a"

    def add_none(x):
        return x + None

    def text_and_number(k: int):
        return "a" + k

    def list_plus_number(l: List[int]):
        return l + 1

    def divide_text(s: str):
        return s / 2

    def minus_text(s: str):
        return -s

    def compare_text(s: str, k: int):
        return s < k

    def dict_value(d: Dict[str, int]):
        d["a"] = "b"
        return d

    def dict_key(d: Dict[str, int]):
        return d[1]

    def empty_dict_of_int(k: int):
        d = {}
        d["a"] = k
        return d

    def list_index(l: List[int]):
        return l["a"]

    def list_of_text_index(l: List[int], x: float):
        return l[x]

    def assign_text(s: str):
        s[0] = "a"
        return s

    def optional_plus(x: Optional[int]):
        return x + 1

    def optional_tensor_plus(x: Optional[Tensor], y):
        return y + x

    def optional_wrong_check(x: Optional[Tensor], k: int):
        if k > 0 or x is not None:
            return x + 1
        return torch.ones(1)

    def optional_after_check(x: Optional[int]):
        if x is not None:
            pass
        return x + 1

    def optional_compare(x: Optional[int]):
        return x > 1

    def union_plus(x: Union[int, str]):
        return x + 1

    def str_plus(s: str):
        return s + 1.0

    def fstring(s: str):
        return f"{s}" + 1

    def sub_list(l: List[int], m: List[int]):
        return l - m

    def mul_lists(l: List[int], m: List[int]):
        return l * m

    def invert_float(v: float):
        return ~v

    def in_int(k: int):
        return 1 in k

    def contains_wrong(l: List[int]):
        return "a" in l

    def aug_list(l: List[int]):
        l += 1
        return l

    def aug_attr_text(s: str):
        s += 1
        return s

    def aug_tensor_text(x):
        x += "a"
        return x

    def slice_int(k: int):
        return k[1:]

    def slice_list_text(l: List[int]):
        return l["a":]

    def index_tensor_set_text(x):
        x[0] = "a"
        return x

    def while_text(s: str):
        while s > 1:
            s = "a"
        return s

    def point_plus(p: P):
        return p + 1

    def or_return(x: Optional[Tensor], k: int):
        if x is None and k > 2:
            return torch.ones(1)
        return x + 1

    def opt_list_elem(l: List[Optional[Tensor]]):
        return l[0] + 1

    def opt_dict(d: Dict[str, Optional[int]]):
        return d["a"] + 1

    def opt_elem_checked(l: List[Optional[Tensor]]):
        if l[0] is not None:
            return l[0] + 1
        return torch.ones(1)

    def type_comment_missing(x, k):
        return x + [k]

    def pow_text(s: str):
        return s**2

    def matmul_int(k: int, x):
        return x @ k

    def chained(k: int, s: str):
        return 1 < k < s

    def dict_loop(d: Dict[str, int]):
        t = ""
        for k, v in d.items():
            t = t + v
        return t

    def string_index(s: str):
        return s["a"]

    def int_matmul(x, k: int):
        return k @ x

    def opt_eq_none(x: Optional[int]):
        return x == None

    def str_eq_none(x: str):
        return x == 1

    def list_eq(l: List[int], m: List[float]):
        return l == m

    def str_mul(s: str):
        return s * 2

    def set_self(l: List[int]):
        l[0] = 2.0
        return l

    def while_refined(x: Optional[int]):
        y = 0
        while x is not None:
            y = x + 1
        return y

    def eq_none(x: Optional[int]):
        if x == None:
            return 1
        return 2

    return collect(locals(), __name__)
