"""Functions whose values, or failures, differ between scripts and Python."""

# ruff: noqa: UP006, UP035, UP045, C416

import math
from typing import Dict, List, Optional

Numbers = List[int]


def powers(n: int, x: float):
    m = n
    k = x
    k **= 2
    return n**2, 2**n, n**-1, x**n, n**x, 2**3, pow(n, 2), math.pow(n, 2), k, m, (-x) ** 0.5, 10.0 ** (x * 1000)


def rounding(n: int, x: float):
    return (
        round(x),
        round(n),
        math.floor(x),
        math.ceil(x),
        int(-x),
        n // 2,
        n // x,
        n % x,
        -n // 2,
        divmod(n, 2),
        abs(-n),
    )


def extremes(n: int, x: float):
    return max(n, x), min(n, x), max(x, n), min(1, n), max([n, 1]), min([x, 1.0]), max(x, 1.0)


def divisions(n: int, x: float):
    zero = n - 3
    return 1 / zero, -1 / zero, x / zero, zero / zero, x / (zero * 0.0), n / 2


def functions(n: int, x: float):
    zero = x - x
    return (
        math.sqrt(-x),
        math.log(zero),
        math.log(-x),
        math.exp(x * 1000),
        math.acos(x),
        math.log10(zero),
        math.log(n),
        math.sqrt(n),
    )


def functions_in_files(n: int, x: float):
    return (
        math.factorial(n),
        math.gcd(n, 6),
        math.atan2(x, n),
        math.fmod(x, n),
        math.degrees(x),
        math.erf(x),
        math.isnan(x),
    )


def sizes(x, d: Dict[str, int]):
    return (
        x.shape,
        x.size(),
        x.shape == [2, 3],
        x.shape[1:],
        x.stride(),
        len(x.shape),
        x.flatten().shape,
        x.shape[-1],
        x.size(0),
    )


def tuples_beside_lists(x, d: Dict[str, int]):
    sizes = x.shape[:-1] + (2, x.size(0))
    sizes += (7,)
    pair = (2, 3)
    return sizes, (4,) + x.shape, x.shape == pair, pair != x.shape, pair == (2, 3), pair + (1,)


def dictionaries(x, d: Dict[str, int]):
    found = d.keys()
    found.append("b")
    return found, d.values(), d.items(), [key for key in d], len(d)


def parts(x, d: Dict[str, int]):
    rows = x.unbind(0)
    rows.append(rows[0] * 2)
    halves = x.chunk(3, 1)
    return rows, halves, x.split(2, 1), [each.size(0) for each in rows]


def lists_of_tensors(x, d: Dict[str, int]):
    values = [x]
    values.insert(0, x * 2)
    values.extend([x * 3])
    last = values.pop()
    values[0] = x * 5
    table = {"a": x}
    table["b"] = last
    table.update({"c": x * 7})
    found, other = table.get("d", x * 9), table.setdefault("e", x)
    del table["a"]
    return (
        values + [x],
        values[::-1],
        [x] * 2,
        table.items(),
        found,
        other,
        table.pop("b"),
        table.values(),
        "c" in table,
    )


def texts(x, d: Dict[str, int]):
    text = "ab,ca"
    found = (
        text.upper(),
        text.split(","),
        text.replace("a", "z"),
        text.startswith("ab"),
        text.find("c"),
        "-".join([text, text]),
    )
    return found, text.strip("a"), text.rfind("a"), text[1:3], len(text), text + "!", text.isalpha(), text.endswith("a")


def beyond_the_list(x, values: Numbers, d: Dict[str, int], o: Optional[int]):
    return values[9]


def unknown_key(x, values: Numbers, d: Dict[str, int], o: Optional[int]):
    return d["q"] + 1


def division_by_zero(x, values: Numbers, d: Dict[str, int], o: Optional[int]):
    return 1 // len(values)


def power_of_zero(x, values: Numbers, d: Dict[str, int], o: Optional[int]):
    return len(values) ** -1


def raised(x, values: Numbers, d: Dict[str, int], o: Optional[int]):
    if len(values) == 0:
        raise KeyError("nothing")
    return 1


def asserted(x, values: Numbers, d: Dict[str, int], o: Optional[int]):
    n = 2
    assert len(values) > 0
    return n


def asserted_with_text(x, values: Numbers, d: Dict[str, int], o: Optional[int]):
    assert o is not None, "there is no number"
    return o


def empty_list(x, values: Numbers, d: Dict[str, int], o: Optional[int]):
    return values.pop()


def not_in_list(x, values: Numbers, d: Dict[str, int], o: Optional[int]):
    return values.index(4)


def other_sizes(x, values: Numbers, d: Dict[str, int], o: Optional[int]):
    y = x * 2
    return y.view(7)


def condition_of_many(x, values: Numbers, d: Dict[str, int], o: Optional[int]):
    return bool(x)


def reshape(x):
    return x.view(9)


def within_a_call(x, values: Numbers, d: Dict[str, int], o: Optional[int]):
    for _ in range(2):
        x = reshape(x)
    return x


NUMBERS = [powers, rounding, extremes, divisions, functions, functions_in_files]
TABLES = [sizes, tuples_beside_lists, dictionaries, parts, lists_of_tensors, texts]
FAILURES = [
    beyond_the_list, unknown_key, division_by_zero, power_of_zero, raised, asserted, asserted_with_text, empty_list, not_in_list, other_sizes,
    condition_of_many, within_a_call,
]  # fmt: skip
