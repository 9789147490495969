"""Scripts whose branches, loops and numbers depend on elements or on dynamic sizes, and their arguments."""

import tensh as torch

CASES, SIZES, REFUSED = {}, {}, {}
"""Function -> arguments of the example and of other calls; the same at several sizes; function -> words of the refusal."""
X = torch.arange(6.0).reshape(2, 3) - 2
SAMPLES = [(X,), (-torch.ones(2, 3),), (torch.ones(2, 3),), (torch.full((2, 3), 50.0),)]
COUNTS = [(X, torch.tensor(count)) for count in (1, 0, 5)]


def on(table, value):
    """Return a decorator that adds a function to a table."""

    def add(function):
        table[function] = value
        return function

    return add


@on(CASES, SAMPLES)
def assign_in_branches(x):
    y = x
    z = x + 1
    if x.sum() > 0:
        y = y * 2
        if x.max() > 40:
            z = z - 1
            y = y + z
    else:
        z = z * 3
    return y, z


@on(CASES, SAMPLES)
def choose_of_three(x):
    if x.sum() > 100:
        y = x * 2
    elif x.sum() > 0:
        y = x.exp()
    else:
        y = -x
    return y


@on(CASES, SAMPLES)
def double_while_small(x):
    i = 0
    y = x
    while bool(y.abs().sum() < 100):
        y = y * 2 + i
        i += 1
    return y, i


@on(CASES, COUNTS)
def count_turns(x, n):
    y = x
    for i in range(int(n)):
        y = y * 2 + i
    return y


@on(CASES, COUNTS)
def choose_rows(x, n):
    y = x[0]
    for i in range(1, int(n) + 4, 2):
        y = y + x[i % 2] * i
    return y


@on(CASES, SAMPLES)
def compute_with_numbers(x):
    k = int(x.sum())
    f = float(x.mean())
    s = k // 4 + k % 4 - 2 * k
    if k > 3 and not (f < 0.5):
        s = s + 1
    a, b = int(x.max()), int(x.min())
    s = s + max(a, b) - min(a, 3) + abs(b)
    return x + s, x * f, torch.tensor(s), s, f / 2, a / 7, x * (a**2)


@on(CASES, SAMPLES)
def scale_results_without_dimensions(x):
    k = float(x.mean())
    return x.sum() * k, x.sum() + int(x.max()), torch.full((2, 2), 1.0) * k


@on(CASES, SAMPLES)
def combine_booleans(x):
    a = bool(x.sum() > 0)
    b = bool(x.max() > 40)
    if a and b:
        r = 1
    elif a or b:
        r = 2
    else:
        r = 3
    return x * r


@on(CASES, SAMPLES)
def return_early(x):
    if x.sum() > 100:
        return x
    y = x + 1
    if x.sum() > 0:
        return y
    return y * 2


@on(CASES, SAMPLES)
def leave_and_continue(x):
    y = x
    for i in range(10):
        if y.sum() > 50:
            break
        if y.sum() < -3:
            continue
        y = y * 2 + i
    return y


@on(CASES, SAMPLES)
def return_from_loop(x):
    for i in range(5):
        if x.sum() > i * 10:
            return x + i
    return x * 0


@on(CASES, SAMPLES)
def check_first(x):
    assert x.sum() < 1000, "large"
    if x.sum() < -1000:
        raise ValueError("small")
    return x + 1


@on(CASES, SAMPLES)
def nest_loops(x):
    y = x
    n = int(x.abs().max()) % 4
    for i in range(n):
        for j in range(i + 1):
            y = y + i * j
        if y.sum() > 10:
            y = y - 5
    return y


@on(CASES, SAMPLES)
def give_containers(x):
    pair = (x, x + 1)
    rows = [x, x + 1]
    if x.sum() > 0:
        pair = (x * 2, x)
        rows = [x * 3, x]
    a, b = pair
    return a - b, torch.stack(rows)


@on(CASES, SAMPLES)
def give_integers(x):
    y = (x * 2).to(torch.int64) if bool(x.sum() > 0) else x.to(torch.int64) - 1
    return y, y.float() / 2


def scale_if_large(x, k: int):
    if x.sum() > k:
        return x * k
    return x


@on(CASES, SAMPLES)
def call_functions(x):
    return scale_if_large(scale_if_large(x, 2), 3) + scale_if_large(-x, 1)


@on(SIZES, SAMPLES)
def sum_rows(x):
    y = torch.zeros(3)
    for i in range(x.size(0)):
        y = y + x[i] * i
    return y


@on(SIZES, SAMPLES)
def scale_by_size(x):
    y = x
    if x.sum() > 0:
        y = x * x.size(0)
    return y


@on(SIZES, SAMPLES)
def compare_size(x):
    if x.size(0) > 3:
        return x + 1
    return x - 1


@on(REFUSED, "a list or a dictionary changes")
def append_in_branch(x):
    rows = [x]
    if x.sum() > 0:
        rows.append(x * 2)
    return torch.stack(rows).sum()


@on(REFUSED, "gives a value of NoneType")
def give_nothing(x):
    y: torch.Tensor | None = None
    if x.sum() > 0:
        y = x
    if y is not None:
        return y + 1
    return x


@on(REFUSED, "input mutation")
def write_in_branch(x):
    y = x.clone()
    if x.sum() > 0:
        y.add_(1)
    return y


@on(REFUSED, "same metadata")
def grow_in_loop(x):
    y = x
    for _ in range(int(x.max())):
        y = torch.cat([y, x])
    return y


class Branches(torch.nn.Module):
    """A module whose branches and loops read parameters and buffers."""

    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
        self.register_buffer("shift", torch.ones(3))

    def forward(self, x):
        if x.sum() > 0:
            y = self.first(x)
        else:
            shifted = self.second(x) + self.shift
            y = shifted * 2
        n = 0
        while y.abs().sum() < 100 and n < 6:
            y = self.first(y) + y
            n += 1
        return y


class Around(torch.nn.Module):
    """A module of Python that calls a script."""

    def __init__(self):
        super().__init__()
        self.script, self.before = torch.jit.script(Branches()), torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.script(self.before(x)) * 2
