"""Correct scripts with numbers and texts."""

# ruff: noqa

import math


from tests.jit.collecting import collect


def make(torch):
    """Return name -> function."""

    def hi(k: int):
        return k

    def text_methods(s: str):
        parts = s.split(",")
        first = parts[0].strip().upper()
        return (
            ", ".join(parts) + first,
            s.startswith("a"),
            s.find("b"),
            s[0],
            s[1:],
            s.replace("a", "b"),
            len(s),
            int("3"),
        )

    def text_format(s: str, k: int):
        return "{} {}".format(s, k) + f"{s} {k}" + "%s %d" % (s, k) + str(k)

    def numbers(k: int, v: float):
        return (
            k + v,
            k * v,
            k / 2,
            k // 2,
            k % 3,
            k**2,
            -v,
            abs(k),
            abs(v),
            max(k, 3),
            min(v, 2.0),
            round(v),
            int(v),
            float(k),
            bool(k),
        )

    def more_numbers(k: int, v: float):
        a, b = divmod(k, 2)
        return (
            math.sqrt(v),
            math.floor(v),
            math.ceil(v),
            math.pi * v,
            math.log(v),
            a + b,
            k & 1,
            k | 2,
            k ^ 3,
            k << 1,
            k >> 1,
            not k,
        )

    def compared(k: int, v: float, s: str):
        return (
            k < v,
            v >= 1,
            0 < k < 5,
            s == "a",
            s != "b",
            s < "c",
            k == 1 or v == 2.0,
            k and k,
            k in [1, 2],
            s in ["a", "b"],
        )

    def flags(b: bool, k: int):
        n = b + 1
        return n, b and k > 1, not b, -b, b == True, n * b, k if b else 0

    def made(k: int):
        return (
            torch.tensor(1.0),
            torch.tensor([1, 2]),
            torch.tensor([[1.0], [2.0]]),
            torch.arange(k),
            torch.arange(0, k, 2),
            torch.eye(k),
            torch.full([k], 1.0),
            torch.rand(k),
            torch.linspace(0, 1, k),
            torch.randn(2, 3),
            torch.empty(k, dtype=torch.int64),
            torch.zeros(1, device="cpu"),
        )

    def made_in_all_branches(k: int):
        if k > 2:
            y = 1
        elif k > 1:
            y = 2
        else:
            y = 3
        return y

    def made_unless_raised(k: int):
        if k > 2:
            y = 1.5
        else:
            raise RuntimeError(f"too small: {k}")
        return y

    def type_changes_to_text(k: int):
        a = k
        a = "text"
        return a

    def type_changes_to_float(k: int):
        a = 0
        a = 0.5
        return a

    def augmented_int_by_float(k: int):
        k *= 0.5
        return k

    def not_text(s: str):
        return not s

    def if_text(s: str):
        if s:
            return 1
        return 2

    def list_int_text(k: int):
        return [1, "a"]

    def list_int_float(k: int):
        return [1, 2.0]

    def list_int_none(k: int):
        return [1, None]

    def dict_mixed(k: int):
        return {"a": 1, "b": "c"}

    def and_num(k: int):
        return k and 2

    def bool_plus(b: bool):
        return b + 1

    def bool_plus_bool(b: bool):
        return b + b

    def bool_to_int(b: bool):
        return hi(b)

    def bool_ret(b: bool) -> int:
        return b

    def bool_lt(b: bool):
        return b < 1

    def float_int_div(k: int):
        return k / 2 + k // 2 + 2.0 // k

    def str_methods(s: str):
        return s.upper().split(",")[0].strip() + s.replace("a", "b")

    def str_format(s: str, k: int):
        return "%s %d" % (s, k) + "{}".format(k)

    def str_slice(s: str):
        return s[1:] + s[0]

    def neg_bool(b: bool):
        return -b

    def sqrt_int(k: int):
        import_ = k
        return torch.sqrt(k)

    def ones_like_int(k: int):
        return torch.ones(k, k), torch.ones((k, 2)), torch.ones([k])

    def int_to_bool_in_if(k: int):
        b = 1
        if k > 1:
            b = True
        return b

    def strs(s: str):
        return (
            s.isdigit(),
            s.lower(),
            s.strip("a"),
            s.split(),
            s.rjust(3),
            s * 1 if False else s,
            s.encode if False else s,
            s.count("a"),
            ord(s[0]),
            chr(3),
        )

    def math_fns(k: int, v: float):
        return (
            math.sqrt(k),
            math.pow(k, v),
            math.exp(k),
            math.isnan(v),
            math.gcd(k, 2),
            math.factorial(3),
            math.atan2(v, k),
            math.inf,
            math.fabs(k),
        )

    def exc(k: int):
        if k == 1:
            raise ValueError("a")
        elif k == 2:
            raise RuntimeError
        elif k == 3:
            raise KeyError(f"{k}")
        elif k == 4:
            raise Exception("a", k)
        else:
            raise NotImplementedError()

    def always_raises(k: int) -> int:
        raise ValueError("a")

    def returns_none(k: int) -> None:
        k + 1

    def returns_none2(k: int):
        k + 1

    def returns_none3(k: int):
        if k > 1:
            return
        k + 2

    def swap(k: int, j: float):
        a, b = k, j
        a, b = b, a
        return a, b

    def swap_same(k: int, j: int):
        k, j = j, k
        while j > 0:
            k, j = j, k % j
        return k

    def multiple(k: int):
        a = b = k
        return a + b

    def rand_(k: int):
        return (
            torch.rand(k, k),
            torch.randn([k]),
            torch.randint(0, k, (2,)),
            torch.randint(k, [2]),
            torch.bernoulli(torch.rand(2)),
            torch.normal(0.0, 1.0, [2]),
        )

    return collect(locals(), __name__, "hi")
