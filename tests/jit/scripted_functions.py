"""Functions and modules to script: the Python that TorchScript takes."""

# ruff: noqa: F841, UP006, UP035, UP045, UP032, SIM108, SIM300

import math
from typing import Any, Dict, List, Optional, Tuple

from tests.jit.scripted_functions_of_tuples import CASES
from tests.jit.scripted_programs import make_functions
from tests.jit.scripts_of_loops import make_loops


def make_scripts(torch):
    """Return name -> function of typed arguments."""
    F, Tensor = torch.nn.functional, torch.Tensor

    def double(x):
        return x * 2

    def s_arithmetic(x, k: int, p: float):
        return 2 - x, 2 / x, 2 < x, x % 2, 2**x, 3 * x, x // 2, x**2, -x, k // 2, k / 2, k**2, k % 2, p * k, -k, x @ x

    def s_branch(x, y, n: int = 3):
        z = x * 2
        for i in range(n):
            if bool(x.sum() > i):
                z = z + y
            else:
                z = z - y
        return z

    def s_elif(x, k: int):
        if k > 3:
            y = x + 1
        elif k > 2:
            y = x + 2
        else:
            y = x
        return y

    def s_early(x, k: int):
        if k > 3:
            return x
        y = x + 1
        if k > 2:
            return y
        return y * x

    def s_nested_early(x, k: int):
        if k > 3:
            return x
        elif k > 1:
            return x * k
        else:
            return x - k

    def s_lists(xs: List[Tensor], k: Optional[int] = None) -> Tuple[Tensor, int]:
        total = torch.zeros(3)
        for x in xs:
            total += x.relu()
        if k is None:
            k = 2
        while k < 10:
            k += 1
        assert len(xs) > 0, "empty"
        return total[0], k

    def s_optional(x: Optional[Tensor], k: int):
        if x is not None and k > 0:
            y = x + 1
        else:
            y = torch.ones([2, 3], dtype=torch.float64)
        return y

    def s_optional_or(x: Optional[Tensor]):
        if x is None or x.dim() > 2:
            return torch.zeros(1)
        return x * 2

    def s_optional_else(x: Optional[Tensor], y):
        z = x if x is not None else y
        return z + y

    def s_index(x, i: int):
        y = x[0, i:, ..., None]
        y[0] = 1.0
        y[i, 1:] = x
        z = x[x > 0]
        return y, z, x[-1], x[[0, 1]], x[0:2, 1], x[..., 0], x[None], x[:, 1:3], x[::2]

    def s_updates(x, d: Dict[str, int], l: List[int]):
        x[0] += 1
        for k in d:
            d[k] += 1
        x += 1
        x *= 2
        l[0] += 1
        l += [3]
        return x, d, l

    def s_dicts(m: Dict[str, int]):
        for k, v in m.items():
            m[k] = v + 1
        n: Dict[str, torch.Tensor] = {}
        n["a"] = torch.ones(1)
        return len(m), list(m.keys()), list(m.values()), "a" in m, "b" not in m, n

    def s_sequences(x, xs: List[int]):
        k = 0
        for i, v in enumerate(xs):
            k += i * v
        for a, b in zip(xs, xs):
            k += a * b
        for i in range(1, 7, 2):
            k -= i
        for part in x:
            k += int(part)
        return k

    def s_comprehension(xs: List[int], ts: List[Tensor]):
        ys = [x * 2 for x in xs]
        ys.append(3)
        return ys, [t + 1 for t in ts], sorted(xs), sum(xs), max(xs), min(1, 2), abs(xs[0])

    def s_texts(x, n: int):
        s = f"{n} items"
        print(s, x)
        return s + "!", "{} of {}".format(n, 3), str(n), s.upper(), s == "3 items", len(s)

    def s_raise(x):
        if x.dim() != 2:
            raise ValueError("dimensions " + str(x.dim()))
        n, m = x.shape
        return x.view(m, n), n

    def s_casts(x, k: int, p: float, b: bool):
        return float(k), int(p), bool(k), float(x), int(x), bool(x), math.pi, math.sqrt(p), math.floor(p), round(p)

    def s_tuples(x: Tuple[int, Tensor], y):
        a, b = x
        c, (d, e) = y, (a, b)
        v, i = y.max(1)
        return b * a + x[0], (1, 2), [1, 2], {"a": 1}, c, d, e, (v, i)[0]

    def s_functions(x):
        a = F.relu(x) + F.softmax(x, dim=-1)
        return a, F.linear(x, x), F.gelu(x), F.one_hot(x, 3), double(x), F.mse_loss(x, x, reduction="sum")

    def s_defaults(x):
        return torch.conv2d(x, x), x.sum(0, keepdim=True), torch.cat([x, x], 1), torch.stack([x]), x.mean(), x.std(0)

    def s_attributes(x):
        return x.dtype == torch.float32, x.device, x.requires_grad, x.is_cuda, x.layout, x.dim(), x.size(0), x.size()

    def s_conversions(x, y):
        return x.to(torch.float64), x.to(y), x.float(), x.double(), x.to("cpu"), x.type_as(y), x.item()

    def s_no_grad(x):
        with torch.no_grad():
            y = x + 1
        return y

    def s_booleans(x, a: bool, b: bool, k: int):
        return a and b, a or b, not a, a and k > 2 or b, 1 < k < 4, k == 2, k != 3, a == b

    def s_conditional(x, k: int):
        w = x.view(-1) if k > 2 else x
        return w, 1 if k > 1 else 2

    def s_while(x):
        while bool(x.norm() > 1):
            x = x / 2
        return x

    def s_break(x, k: int):
        for i in range(k):
            if i == 5:
                break
            x = x + i
        return x

    def s_continue(x, k: int):
        i = 0
        while i < k:
            i += 1
            if i == 2:
                continue
            x = x * i
        return x

    def s_return_in_loop(x, xs: List[int]):
        for i in xs:
            if i == 2:
                return x
        return x + 1

    def s_annotated(x):
        a: List[int] = []
        b: Optional[int] = None
        c = torch.jit.annotate(Dict[str, int], {})
        for i in range(3):
            a.append(i)
            b = i
        return a, b, c

    def s_isinstance(x: Optional[int], y):
        if isinstance(x, int):
            z = x + 1
        else:
            z = 0
        return z, isinstance(y, torch.Tensor)

    def s_folded(x):
        k = 2 * 3 + 1
        if k > 5:
            return x * k
        return x

    def s_inplace(x, y):
        x.add_(y)
        x.clamp_(0, 1)
        y.zero_()
        return x

    def s_unused(x):
        y = x + 1
        z = y * 2
        return x

    def s_new(n: int):
        return (
            torch.arange(n),
            torch.zeros(n, 2),
            torch.full([2], 1.5),
            torch.rand(2, 3),
            torch.eye(n),
            torch.tensor([1, 2]),
        )

    def s_shapes(x):
        b, c = x.shape[0], x.shape[1]
        return (
            x.reshape(b, -1),
            x.view(b, c),
            x.permute(1, 0),
            x.transpose(0, 1),
            x.expand(-1, c),
            x.flatten(1),
            x.unsqueeze(0),
        )

    def s_split(x):
        a, b = x.chunk(2, 0)
        c = torch.split(x, 1)
        q, k, v = x.unbind(0)
        return a, b, c, q, k, v, len(c)

    def s_nested_loops(x, n: int):
        for i in range(n):
            for j in range(i):
                if j > 1:
                    x = x + j
        return x

    def s_kwargs(x, scale: float = 2.0, flag: bool = False):
        if flag:
            x = x.clamp(min=0)
        return x * scale

    def s_strings(mode: str, x):
        if mode == "sum":
            return x.sum()
        elif mode in ["mean", "avg"]:
            return x.mean()
        else:
            raise RuntimeError(f"unknown {mode}")

    def s_not_none(x: Optional[Tensor]):
        assert x is not None
        return x + 1

    def s_aug_types(k: int, p: float):
        k += 1
        k *= 2
        p /= 2
        p -= k
        return k, p

    def s_tuple_list(pairs: List[Tuple[int, float]]):
        total = 0.0
        for a, b in pairs:
            total += a * b
        return total, pairs[0][1]

    def s_pop(l: List[int], d: Dict[str, Tensor]):
        a = l.pop()
        l.extend([1, 2])
        l.insert(0, 4)
        l.reverse()
        d.pop("a")
        del d["b"]
        return a, l[1:], l[-1], l.index(2), l.copy(), d.get("c"), l + [1], [0] * 3

    def s_nothing(x):
        x.add_(1)

    def s_comprehensions(xs: List[int], names: List[str]):
        return {x: x + 1 for x in xs}, {each: len(each) for each in names}

    def s_any(x: Any):
        assert isinstance(x, int)
        return x + 1

    def s_starred(t: Tuple[int, int, int]):
        a, *b = t
        *c, d = t
        return a, b, c, d

    def s_unnamed(x, k: int):
        for _ in range(k):
            x = x + 1
        return x

    def s_identity(x, k: int):
        return x is None, x is not None, k is None

    def s_masked(x):
        x[x > 4] = 0
        return x

    def s_returns_of_elif(x: int) -> int:
        if x > 3:
            if x > 5:
                return 1
            elif x > 4:
                return 2
        elif x < 0:
            return 5
        return 3

    def s_return_between(x: int):
        y = 1
        if x > 3:
            y = 2
            if x > 5:
                return y
            y = 4
        else:
            y = 3
        y = y + 1
        return y

    def s_refined_returns(x: Optional[int], y: Optional[Tensor]) -> int:
        if x is not None and y is not None:
            return x + int(y.sum())
        elif x is not None:
            return x
        return -1

    def s_return_of_while(x, n: int):
        i = 0
        while i < n:
            i += 1
            if i == 3:
                return x
        return x + 1

    def s_return_of_carrying_loop(x, n: int):
        for i in range(n):
            if i == 3:
                return x + i
            x = x * 2
        return x

    def s_return_of_loop_in_branch(x, n: int) -> int:
        if n > 2:
            for i in range(n):
                for j in range(i):
                    if j == 2:
                        return i
        return 0

    def s_continue_only(x, n: int):
        for i in range(n):
            if i == 3:
                continue
            x = x * 2
        return x

    def s_joined_tuples(t: Tuple[int, str, float]):
        return len(t), t + (3,)

    def s_several_targets(x: int):
        a = b = x
        a += 1
        return a, b

    own = {name: value for name, value in locals().items() if name.startswith("s_")}
    return own | {function.__name__: function for function in CASES} | make_functions(torch) | make_loops(torch)
