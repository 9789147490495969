"""Correct scripts with lists, dictionaries, tuples and loops."""

# ruff: noqa

from typing import Dict, List, NamedTuple, Tuple

from tests.jit.collecting import collect


class Point(NamedTuple):
    x: int
    y: float


def make(torch):
    """Return name -> function."""
    Tensor = torch.Tensor

    def loop_total(x):
        total = 0
        for i in range(3):
            total = total + x
        return total

    def list_of_empty(k: int):
        l: List[int] = []
        for i in range(k):
            l.append(i)
        return l

    def annotated_later(k: int):
        l = torch.jit.annotate(List[int], [])
        l.append(k)
        d = torch.jit.annotate(Dict[str, int], {})
        d["a"] = k
        return l, d

    def dict_of_lists(k: int):
        d: Dict[str, List[int]] = {}
        if "a" not in d:
            d["a"] = [k]
        d["a"].append(k)
        return d

    def dict_methods(d: Dict[str, Tensor]):
        for k, v in d.items():
            d[k] = v + 1
        for k in d.keys():
            d[k] += 1
        total = torch.zeros(1)
        for v in d.values():
            total = total + v.sum()
        return d.get("a"), d.pop("a"), list(d.keys()), total, len(d)

    def dict_comprehension(l: List[int]) -> Dict[int, int]:
        return {k: k * 2 for k in l}

    def list_methods(l: List[int]):
        l.append(1)
        l.extend([2, 3])
        l.insert(0, 4)
        l.reverse()
        l.sort()
        l.sort(reverse=True)
        m = l.copy()
        return l.pop(), l.pop(0), l.index(2), l.count(1), m, l + m, l[1:], l[-1], 3 in l, l == m, l * 2

    def sizes(x, t: Tuple[int, int]):
        b, c = x.shape[0], x.size(1)
        return (
            x.view(b, -1),
            x.reshape([b, c]),
            x.view(t),
            x.reshape(b * c),
            x.expand(2, -1, -1),
            x.permute(1, 0),
            x.transpose(0, 1),
        )

    def parts(x):
        a, b = x.chunk(2)
        c, d = torch.split(x, 1)
        e = x.unbind(0)
        return a, b, c, d, e[0], [p + 1 for p in x.unbind()], torch.chunk(x, 2, dim=0)[0]

    def tuples(t: Tuple[int, str], u: Tuple[int, int]):
        a, b = t
        c = t[0] + a
        d = t[-1]
        s = 0
        for v in u:
            s += v
        return c, b, d, s, len(t), u == (1, 2), t + u, u[0:1], 1 in u

    def nested(t: Tuple[int, Tuple[str, List[int]]]):
        a, (b, c) = t
        return a, b, c[0], t[1][1]

    def tuple_as_list(t: Tuple[int, int]) -> List[int]:
        return t

    def points(p: Point, k: int):
        q = Point(k, 2.0)
        r = Point(x=1, y=2.0)
        x, y = p
        return p.x + q.x, p[0], p.y * 2, r, x, y

    def several(xs: List[int], ts: List[Tensor], names: List[str]):
        for i, (a, b) in enumerate(zip(xs, ts)):
            names.append(str(a + i))
        for i in range(len(xs) - 1, -1, -1):
            xs[i] += 1
        for n, t in zip(names, ts):
            t += len(n)
        return [x * 2 for x in xs], [t.sum() for t in ts], [n for n in names], sorted(xs), sum(xs), max(xs), min(xs)

    def leaves_loops(xs: List[int]):
        for x in xs:
            if x < 0:
                continue
            if x > 3:
                break
            if x == 2:
                return x
        return -1

    def nested_loops(k: int):
        found: List[Tuple[int, int]] = []
        for i in range(k):
            for j in range(i):
                if (i + j) % 2 == 0:
                    found.append((i, j))
        return found

    def generator(xs: List[int]):
        return [x + 1 for x in [y * 2 for y in xs]]

    def deep_lists(l: List[List[int]], d: Dict[str, Dict[str, int]]):
        return l[0][1] + 1, d["a"]["b"] + 1, [len(v) for v in l], [[k + 1 for k in v] for v in l]

    def returned_hint(x) -> List[float]:
        return x.tolist()

    def parameter_shape(x, shape: List[int]):
        shape = x
        return shape

    def loop_changes(x):
        total = 0
        for i in range(3):
            total = total + x
        return total

    def loop_augmented(x):
        total = 0
        for i in range(3):
            total += x.sum()
        return total

    def if_list(l: List[int]):
        if l:
            return 1
        return 2

    def if_dict(d: Dict[str, int]):
        if d:
            return 1
        return 2

    def unpack_list(l: List[int]):
        a, b = l
        return a

    def mixed_return_loop(x, k: int):
        for i in range(k):
            if i > 2:
                return x
        return None

    def item_index(x, l: List[int]):
        return l[x.sum()]

    def item_index2(x, l: List[int]):
        return l[x.item()]

    def tuple_eq(t: Tuple[int, int]):
        return t == (1, 2)

    def tuple_add(t: Tuple[int, int]):
        return t + (1, 2)

    def tuple_in(t: Tuple[int, int]):
        return 1 in t

    def tuple_len(t: Tuple[int, int]):
        return len(t)

    def tuple_iter(t: Tuple[int, str]):
        for a in t:
            pass
        return t

    def tuple_list(t: Tuple[int, int]) -> List[int]:
        return t

    def tuple_list_arg(x, t: Tuple[int, int]):
        return x.view(t)

    def dict_get2(d: Dict[str, int]):
        return d.get("a", 1) + 1

    def max_list(l: List[float]):
        return max(l) + 1

    def lst_slice(l: List[int]):
        return l[1:] + l[:-1] + [3]

    def loop_flag(xs: List[int]):
        found = False
        for x in xs:
            if x > 1:
                found = True
        return found

    def tensor_assign_to_float(x):
        best = 0.0
        for i in range(3):
            if x[i] > best:
                best = x[i]
        return best

    def item_assign_to_float(x):
        best = 0.0
        for i in range(3):
            best = max(best, x[i].item())
        return best

    def item_assign2(x):
        best = 0.0
        for i in range(3):
            best = x[i].item()
        return best

    def minmax(x, k: int, v: float, l: List[int]):
        return max(k, v), min(k, k), max(l), max(x, x), max(l, l), min([1.0, 2.0])

    def any_all(l: List[bool], x):
        return any(l), all(l), sum(l), any([v > 1 for v in [1, 2]])

    def shape_mul(x):
        n = 1
        for s in x.shape:
            n *= s
        return (
            n,
            x.shape[1:],
            x.shape + [1],
            x.shape == [1],
            list(x.shape),
            x.size()[0],
            x.stride(0),
            x.stride(),
            x.shape[-1] // 2,
        )

    def slice_steps(x, l: List[int], a: int):
        return (
            x[a:],
            x[:a],
            x[a : a + 1],
            x[::2],
            l[a:],
            l[:-1],
            x[:, a],
            x[a, :],
            x[..., None, :],
            x[x],
            x[l],
            x[torch.tensor(0)],
        )

    def dict_int(d: Dict[int, Tensor]):
        return (
            d[0],
            1 in d,
            [d[k] for k in d],
            d.keys(),
            d.items(),
            d.copy(),
            d.setdefault(1, torch.zeros(1)),
            d.update(d),
            d.popitem(),
        )

    def dict_ret(x) -> Dict[str, Tensor]:
        return {"a": x}

    def empty_ret() -> List[int]:
        return []

    def empty_dict_ret() -> Dict[str, int]:
        return {}

    def nest_unpack(l: List[Tuple[int, Tuple[str, float]]]):
        for a, (b, c) in l:
            a += 1
        return [c for a, (b, c) in l]

    def enumerate_dict(d: Dict[str, int]):
        for i, k in enumerate(d):
            d[k] = i
        for i, (k, v) in enumerate(d.items()):
            d[k] = i + v
        return d

    def enumerate_start(l: List[str]):
        for i, k in enumerate(l, 1):
            l[i] = k
        return l

    def zip3(a: List[int], b: List[str], c: Tensor):
        s = ""
        for x, y, z in zip(a, b, c):
            s += y + str(x) + str(int(z))
        return s

    def tensor_iter(x):
        out = []
        for row in x:
            for v in row:
                out.append(v)
        return torch.stack(out)

    def string_iter(s: str):
        n = 0
        for c in s:
            if c == "a":
                n += 1
        return n

    def total_of_floats(l: List[float]) -> float:
        total = 0.0
        for v in l:
            total += v * 2
        return total / len(l)

    return collect(locals(), __name__, "total_of_floats")
