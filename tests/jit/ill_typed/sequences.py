"""Scripts that take sequences apart in ways that their types do not allow."""

# ruff: noqa

from typing import List, Optional, Tuple

from tests.jit.collecting import collect


def make(torch):
    """Return name -> function."""
    F = torch.nn.functional

    def range_of_text(s: str):
        for i in range(s):
            pass
        return 1

    def iterate_int(k: int):
        for i in k:
            pass
        return 1

    def iterate_float(x: float):
        return [i for i in x]

    def dict_mixed_keys(k: int):
        return {"a": 1, 2: 2}

    def unpack_too_many(x):
        a, b, c = x, 1
        return a

    def unpack_too_few(x):
        a, b = x, 1, 2
        return a

    def unpack_int(k: int):
        a, b = k
        return a

    def unpack_tuple_parameter(t: Tuple[int, int]):
        a, b, c = t
        return a

    def index_out_of_tuple(t: Tuple[int, int]):
        return t[2]

    def index_tuple_by_variable(t: Tuple[int, str], k: int):
        return t[k]

    def index_int(k: int):
        return k[0]

    def assign_tuple(t: Tuple[int, int]):
        t[0] = 1
        return t

    def optional_index(x: Optional[List[int]]):
        return x[0]

    def optional_iterate(x: Optional[List[int]]):
        for i in x:
            pass
        return 1

    def index_tensor_text(x):
        return x["a"]

    def index_tensor_float(x, v: float):
        return x[v]

    def zip_int(k: int, l: List[int]):
        for a, b in zip(k, l):
            pass
        return 1

    def enumerate_int(k: int):
        for i, a in enumerate(k):
            pass
        return 1

    def unpack_loop(l: List[int]):
        for a, b in l:
            pass
        return 1

    def unpack_tensor(x):
        a, b = x
        return a

    def unpack_max(x):
        a, b, c = x.max(0)
        return a

    def list_of_int(k: int):
        return list(k)

    def range_tensor(x):
        for i in range(x.sum()):
            pass
        return x

    def range_float(v: float):
        for i in range(v):
            pass
        return v

    def star(x, l: List[int]):
        return x.view(*l)

    def slice_assign(l: List[int]):
        l[0:1] = [2]
        return l

    def bool_list_index(x):
        return x[[True, False]], x[True]

    def ce_text(x):
        return F.cross_entropy(x, x, foo=1)

    return collect(locals(), __name__)
