"""Scripts that call functions with wrong arguments."""

# ruff: noqa

import math
from typing import Dict, List, NamedTuple, Optional

from tests.jit.collecting import collect


class Point(NamedTuple):
    x: int
    y: float


class P(NamedTuple):
    x: int
    y: float


def make(torch):
    """Return name -> function."""
    F = torch.nn.functional
    Tensor = torch.Tensor

    def helper(x, k: int):
        return x * k

    def half(v: float):
        return v / 2

    def sum_of_text(x):
        return x.sum("a")

    def unknown_keyword(x):
        return x.sum(dimm=1)

    def too_many_arguments(x):
        return torch.relu(x, 1)

    def too_few_arguments(x):
        return torch.cat()

    def cat_of_tensor(x):
        return torch.cat(x, 0)

    def view_of_text(x):
        return x.view("a")

    def reshape_of_float(x):
        return x.reshape(2.0)

    def append_wrong(l: List[int]):
        l.append("a")
        return l

    def append_tensor_to_ints(x):
        l = [1]
        l.append(x)
        return l

    def append_int_to_empty(x):
        l = []
        l.append(1)
        return l

    def int_of_list(l: List[int]):
        return int(l)

    def max_of_text(x):
        return max(x, "a")

    def clamp_text(x):
        return torch.clamp(x, "a")

    def softmax_missing(x):
        return torch.softmax(x)

    def dropout_text(x):
        return F.dropout(x, "a")

    def linear_missing(x):
        return F.linear(x)

    def zeros_of_text(x):
        return torch.zeros("a")

    def math_of_tensor_list(x: List[float]):
        return math.sqrt(x)

    def transpose_one(x):
        return x.transpose(0)

    def tolist_method(x):
        return x.tolist()

    def optional_to_function(x: Optional[Tensor]):
        return torch.relu(x)

    def none_to_parameter(x):
        return torch.relu(None)

    def calls_helper_wrong(x):
        return helper(x, 2.0)

    def calls_helper_swapped(x):
        return helper(2, x)

    def calls_helper_few(x):
        return helper(x)

    def calls_helper_many(x):
        return helper(x, 2, 3)

    def calls_helper_keyword(x):
        return helper(x, m=3)

    def makes_point(k: int):
        return Point("a", 2.0)

    def if_multi(l: List[int], x):
        y = x + 1
        z = l[0]
        if z > 0:
            w = y.sum()
            w = w.item() + l
        return y

    def drop_int(x):
        return F.dropout(x, 1)

    def torch_drop_int(x):
        return torch.dropout(x, 1, True)

    def int_to_float(k: int):
        return half(k)

    def const_to_float(k: int):
        return half(1)

    def call_method_missing_arg(x):
        return x.view()

    def str_join(s: List[int]):
        return ",".join(s)

    def max_plus(x):
        return x.max(0) + 1

    def tensor_of_text(x):
        return torch.tensor("a")

    def point_args(k: int):
        p = P(k, 2)
        return p.x

    def point_few(k: int):
        return P(k)

    def float_of_list(l: List[float]):
        return float(l)

    def str_of(k: List[int]):
        return str(k) + 1

    def min_text(s: str):
        return min(s, 1)

    def abs_text(s: str):
        return abs(s)

    def round_text(s: str):
        return round(s)

    def device_text(x):
        return x.to(3.0)

    def bad_dtype(x):
        return x.to(dtype="float")

    def keyword_wrong(x):
        return torch.sum(x, axis=0)

    def keyword_dims(x):
        return torch.cat([x, x], dims=0)

    def cat_mixed(x):
        return torch.cat([x, 1])

    def stack_ints(x):
        return torch.stack([1, 2])

    def list_of_lists(l: List[List[int]]):
        l.append(1)
        return l

    def dict_get(d: Dict[str, int]):
        return d.get("a") + 1

    def relu_number(k: int):
        return F.relu(k)

    def softmax_text(x):
        return F.softmax(x, "a")

    def mse_one(x):
        return F.mse_loss(x)

    def pad_int(x):
        return F.pad(x, 1)

    def conv_text(x):
        return F.conv2d(x, x, "a")

    def mean_int(l: List[int]):
        return torch.mean(l)

    def add_method(x):
        return x.add("a")

    def add_kw(x):
        return x.add(x, beta=1)

    def int_of_two(x: str):
        return int(x, 3)

    def float_of_two(x: int):
        return float(x, 2)

    def bool_of_two(x: int):
        return bool(x, 2)

    def text_of_two(x: int):
        return str(x, 2)

    def int_of_nothing(x: int):
        return int()

    def range_of_four(x: int):
        return range(x, 1, 2, 3)

    def enumerate_three(x: List[int]):
        for i in enumerate(x, 1, 2):
            pass

    def zip_nothing(x: List[int]):
        for i in zip():
            pass

    def isinstance_of_one(x: List[int]):
        return isinstance(x)

    def list_of_two(x: List[int]):
        return list(x, 1)

    def tuple_of_two(x: List[int]):
        return tuple(x, 1)

    def tuple_of_nothing(x: int):
        return tuple()

    def hasattr_of_one(x: List[int]):
        return hasattr(x)

    def getattr_of_one(x: List[int]):
        return getattr(x)

    return collect(locals(), __name__, "helper", "half")
