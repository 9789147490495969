"""Scripts that use members which values do not have."""

# ruff: noqa

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
    Tensor = torch.Tensor

    def item_of_int(k: int):
        return k.item()

    def unknown_method(x):
        return x.foo()

    def unknown_attribute(x):
        return x.foo

    def numpy_method(x):
        return x.numpy()

    def method_of_list(l: List[int]):
        return l.push(1)

    def method_of_text(s: str):
        return s.foo()

    def method_of_dict(d: Dict[str, int]):
        return d.foo()

    def attribute_of_int(k: int):
        return k.shape

    def attribute_of_list(l: List[Tensor]):
        return l.shape

    def method_of_optional(x: Optional[Tensor]):
        return x.sum()

    def attribute_of_optional(x: Optional[Tensor]):
        return x.shape

    def method_of_float(v: float):
        return v.floor()

    def field_of_point(p: Point):
        return p.z

    def call_of_value(x):
        return x(1)

    def call_of_int(k: int):
        return k(1)

    def index_dict_attr(d: Dict[str, Tensor]):
        return d.a

    def sort_attr(x):
        return x.sort().valuess

    def shape_call(x):
        return x.shape()

    def dtype_plus(x):
        return x.dtype.foo

    def numpy_call(x):
        return x.detach().numpy().sum()

    def point_assign(p: P):
        p.x = 3
        return p

    def tensor_attr_assign(x):
        x.foo = 3
        return x

    def tensor_list(l: List[Tensor]):
        return l.sum()

    def complexes(c: complex):
        return c.real, c + 1, abs(c), c * 2.0

    return collect(locals(), __name__)
