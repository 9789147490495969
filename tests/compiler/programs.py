"""Functions for ``torch.compile``: (function, arguments, the reason why it runs as it is, or None)."""

import random
from collections import OrderedDict, namedtuple
from math import sqrt

import tensh as torch
from tensh.nn import functional as F

FACTOR = 3.0
SETTINGS = {"scale": 2.0, "powers": [1, 2, 3]}
LOG = []
Pair = namedtuple("Pair", "left right")
PROGRAMS = []


def program(*shapes, reason=None, more=(), dtype=None, kwargs=None):
    """Declare a program whose first arguments are tensors of these shapes that require grad."""

    def declare(function):
        PROGRAMS.append((function, shapes, more, kwargs or {}, dtype, reason))
        return function

    return declare


# ── what Python has ──────────────────────────────────────────────────────────
@program((3,))
def globals_and_modules(x):
    return (x * FACTOR / sqrt(2)).sum()


@program((3,), kwargs={"b": 4})
def defaults_and_keywords(x, a=2.0, *, b=3):
    return x * a + b


def make_closure(factor):
    def closure(x):
        return x * factor

    return closure


program((3,))(make_closure(2.5))


@program((3,))
def loop_over_a_list(x):
    for power in SETTINGS["powers"]:
        x = x * power + x.sin()
    return x.sum() * SETTINGS["scale"]


@program((3,), more=(True,))
def early_return(x, flag):
    if flag:
        return x.sum()
    return x.prod()


@program((3,), (3,))
def structures(x, y):
    return [x + y, {"a": (x, y * 2)}], Pair(x - 1, None), "text", 3


@program((3, 4))
def comprehensions(x):
    return torch.cat([row * number for number, row in enumerate(x)]).sum()


@program((3, 4))
def unpacking(x):
    first, *others = x
    return first.sum() * sum(each.prod() for each in others)


@program((3, 4))
def sizes_as_numbers(x):
    return x.view(x.shape[0], -1).sum(1) / x.size(1) * x.numel() + len(x)


@program((3, 4), more=("relu",))
def functions_by_name(x, name):
    return getattr(F, name)(x).sum()


@program((2, 6))
def failures_that_are_caught(x):
    try:
        x.view(7)
    except RuntimeError:
        x = x * 3
    return x.sum()


@program((3,))
def inner_functions(x):
    def apply(function, value):
        return function(value)

    return apply(lambda value: value * 2, x) + OrderedDict(a=1)["a"]


# ── tensors ──────────────────────────────────────────────────────────────────
@program((4, 3))
def views(x):
    return x.view(3, 4).t()[1:].reshape(-1).unsqueeze(0).expand(2, -1).sum()


@program((4, 3))
def results_that_are_arguments(x):
    return x, x + 1


@program((4,))
def local_writes(x):
    y = x * 2
    y.add_(1)
    y.mul_(x)
    y[0] = 5.0
    return y.sum()


@program((4, 3))
def writes_through_views(x):
    y = x * 2
    y[1:].mul_(3)
    y[:, 0] += 1
    return y.sum(0)


@program((4,))
def written_results(x):
    out = torch.empty(4)
    torch.mul(x.detach(), 2, out=out)
    return out + x


@program((4,))
def without_gradients(x):
    with torch.no_grad():
        y = x * 2
    return (x * y).sum() + (x * x.detach()).sum(), y


@program((4,))
def random_numbers(x):
    return x * torch.rand(4) + torch.randn_like(x) + F.dropout(x, 0.3) + F.alpha_dropout(x, 0.4)


@program((4,), (4,))
def unused_arguments(x, y):
    z = x.sin()
    return x * 2, (y * 1).detach(), z.sum() > 100


@program((4,), more=(torch.tensor([0, 3, 1, 2]),))
def promotion(x, i):
    return (x * i + i / 2 + (i > 1)).sum(), i // 2, i.float().mean() + x.double().sum()


@program((5,), more=(torch.tensor([4, 0, 0]),))
def indices(x, i):
    return x[i].sum() + x[[1, 2]].prod() if False else x[i] * x.gather(0, i) + x.index_select(0, i)


@program((5,))
def sorting(x):
    values, places = x.sort()
    return values[:2].sum(), places, x.topk(2)[0], x.max(0), x.argmax()


@program((5, 5))
def linear_algebra(x):
    return torch.linalg.inv(x @ x.T + torch.eye(5) * 3).trace(), torch.linalg.norm(x), torch.einsum("ij,kj->ik", x, x)


@program((4,))
def numbers_of_no_dimensions(x):
    return x.sum() * x[0] + x.mean().exp() + torch.tensor(2.0) * 3


@program((0, 3))
def nothing(x):
    return x.sum(), x * 2


@program((5,), dtype=torch.complex64)
def complex_numbers(x):
    return (x * x.conj()).real.sum() + x.abs().sum()


@program((3, 4))
def half_precision(x):
    return x.half().float().sum() + x.bfloat16().sum().float()


@program((200, 300), (300,), (200, 1))
def long_chains(x, b, c):
    return (((x + b) * c).tanh() * 2 + x.sigmoid()).exp().mean()


@program((200, 300))
def chains_around_reductions(x):
    return F.gelu(F.softmax(x * 2 + 1, 1) * 3).log_softmax(1).sum() + F.silu(x).mean()


@program((3,))
def common_parts(x):
    return (x.exp() + 1) * (x.exp() + 1) + torch.ones(3) * 2 * x.exp()


@program((3,))
def branches_on_elements(x):
    return x * 2 if x.sum() > 0 else x * 3


# ── what no graph can do ─────────────────────────────────────────────────────
@program((3,), reason="print is called")
def printing(x):
    print(end="")
    return x * 2


@program((3,), reason="__float__ reads the elements of a tensor")
def numbers_of_elements(x):
    return x * float(x.max())


@program((3,), reason="numpy reads the elements of a tensor")
def arrays(x):
    return x * torch.from_numpy(x.detach().numpy()).sum()


@program((3,), reason="the result shape of index depends on the elements of a tensor")
def masks(x):
    return x[x > 0].sum()


@program((3,), reason="the function changes a value that it reads")
def changed_globals(x):
    LOG.append(1)
    return x * 2 + len(LOG[:1])


@program((3,), reason="the attribute note is set")
def set_attributes(x):
    F.relu.note = 1
    return x * 2


@program((3,), reason="grad is called")
def gradients_inside(x):
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    return (g**2).sum()


@program((4, 3))
def views_of_arguments_and_results(x):
    y = x * 2
    return x.view(-1), x[0].detach(), y[1:], y, y.t(), y.unbind(0)[1][2:]


@program((4, 3))
def views_of_what_is_not_returned(x):
    y = x * 2
    return y[1:], y[:2]


@program((4, 3))
def views_of_what_is_written(x):
    y = x * 2
    z = y.view(-1)[1:]
    z.mul_(2)
    w = y[0]
    w.add_(3)
    return y, z, w, y.t()


@program((4, 3))
def writes_through_two_views(x):
    y = x.clone()
    z, w = y.view(-1), y.t()
    y.add_(1)
    z.mul_(3)
    return z, w, y[0].unsqueeze(0)


@program((3,), more=(torch.zeros(3),))
def arguments_that_are_written_twice(x, total):
    total.add_(1)
    total.mul_(2)
    return x * 2 + total.sum() - total.sum()


@program((1, 2, 3, 4))
def attention(q):
    mask = torch.ones(3, 3, dtype=torch.bool)
    masked = F.scaled_dot_product_attention(q, q, q, attn_mask=mask)
    return masked, F.scaled_dot_product_attention(q, q, q, is_causal=True)


@program((5, 2, 3), (1, 2, 3), (1, 2, 3), (12, 3), (12, 3))
def recurrent_layers(x, h, c, w, v):
    return torch.lstm(x, (h, c), [w, v], False, 1, 0.0, True, False, False)


@program((3,))
def signs_have_no_slope(x):
    return x.sign() * x + x.floor().detach(), x.ceil(), x.chunk(2)[0]


@program((3,), reason="random.random is called")
def numbers_of_chance(x):
    return x * random.random() * 0


@program((3,), reason="the variable calls of the enclosing function is set")
def counters(x):
    return count_calls(x)


def make_counter():
    calls = 0

    def count_calls(x):
        nonlocal calls
        calls += 1
        return x * 2

    return count_calls


count_calls = make_counter()


@program((3,), reason="apply is called")
def functions_of_the_user(x):
    return Doubled.apply(x) + 1


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


@program((3,))
def written_numbers(x):
    y = x @ x
    y.zero_()
    return y + x, y, x.max(0)[0].add_(1)


@program((3, 4), reason="vmap is called")
def mapped_over_rows(x):
    return torch.vmap(lambda row: (row > 0) * row.sin() * row.sum())(x) + x.clone().mul_(2)
