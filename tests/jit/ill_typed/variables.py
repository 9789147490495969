"""Scripts whose variables change their type."""

# ruff: noqa

from typing import Dict, List, Optional, Tuple

from tests.jit.collecting import collect


def make(torch):
    """Return name -> function."""
    Tensor = torch.Tensor

    def branch_changes(x, k: int):
        if k > 0:
            y = x
        else:
            y = 1
        return y

    def branch_none(x, k: int):
        y = None
        if k > 0:
            y = x
        return y

    def branch_changes_outer(x, k: int):
        y = 1
        if k > 0:
            y = 2.0
        return y

    def loop_division(k: int):
        while k > 1:
            k = k / 2
        return k

    def loop_none(xs: List[Tensor]):
        best = None
        for x in xs:
            best = x
        return best

    def ternary_changes(x, k: int):
        y = x if k > 0 else 1
        return y

    def ternary_texts(k: int):
        return "a" if k else 0

    def annotated_wrong(x):
        y: int = x
        return y

    def annotated_float(k: int):
        y: str = k
        return y

    def while_none(x: Optional[int]):
        while x:
            x = None
        return 1

    def if_none(x):
        y = None
        if y:
            return x
        return x

    def if_tuple(t: Tuple[int, int]):
        if t:
            return 1
        return 2

    def if_opt_tensor(x: Optional[Tensor]):
        if x:
            return 1
        return 2

    def if_device(x):
        if x.device:
            return 1
        return 2

    def comp_shadow(x, xs: List[int]):
        return [x for x in xs]

    def for_shadow(x, xs: List[int]):
        for x in xs:
            pass
        return x

    def for_shadow_after(xs: List[int]):
        i = "a"
        for i in range(3):
            pass
        return i

    def annot_in_branch(k: int):
        y = 1
        if k > 1:
            y: int = 3
        return y

    def loop_changed_type(x):
        y = x
        for i in range(3):
            y = 1
        return y

    def while_changed(x, k: int):
        y = [1]
        while k > 0:
            y = [x]
            k -= 1
        return y

    def list_empty_then(x):
        y = []
        for i in range(3):
            y = [i]
        return y

    def if_list_change(x, k: int):
        y = []
        if k > 1:
            y = [1]
        return y

    def refined_nested(x: Optional[int], k: int):
        if x is not None:
            if k > 1:
                x = None
        return x

    def refined_loop(x: Optional[int], k: int):
        if x is not None:
            for i in range(k):
                x = None
        return x

    def assert_then_none(x: Optional[int], k: int):
        assert x is not None
        if k > 1:
            x = None
        return x

    def raise_then_none(x: Optional[int], k: int):
        if x is None:
            raise ValueError("a")
        if k > 1:
            x = None
        return x

    def ifnone_then_none(x: Optional[int], k: int):
        if x is None:
            x = 3
        if k > 1:
            x = None
        return x

    def opt_reassigned(x: Optional[int], k: int):
        x = k
        if k > 1:
            x = None
        return x

    def opt_annot_reassigned(k: int):
        x: Optional[int] = None
        x = k
        if k > 1:
            x = None
        return x

    def not_opt(x: Optional[Tensor]):
        if not x:
            return 1
        return 2

    def opt_dict_default(l: Optional[Dict[str, int]] = None):
        if l is None:
            l = {}
        l["a"] = 1
        return l

    def bool_changes_to_int(k: int):
        b = False
        if k > 1:
            b = 1
        return b

    def float_to_int_in_if(k: int):
        b = 1.0
        if k > 1:
            b = 1
        return b

    def missing_where_the_pass_ends(x, n: int):
        for i in range(n):
            if i == 1:
                y = x + 1
            else:
                continue
            x = x - y
        return x

    def unknown_behind_break(x, n: int):
        while n > 0:
            break
            x = never_defined
        return x

    return collect(locals(), __name__)
