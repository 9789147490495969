"""Functions that are called with tensors of several sizes, for either library, and the graphs that a back end gets."""


def make_cases(torch):
    """Return (function, shapes or values of the arguments of each call, ``dynamic``, marks as (argument, dimension))."""
    nn = torch.nn

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.heads = nn.Linear(8, 8), 2

        def forward(self, x):
            b, t, c = x.shape
            q = self.inner(x).view(b, t, self.heads, c // self.heads).transpose(1, 2)
            a = q @ q.transpose(-2, -1) / (c // self.heads) ** 0.5
            a = a.masked_fill(torch.tril(torch.ones(t, t)) == 0, float("-inf")).softmax(-1)
            return (a @ q).transpose(1, 2).reshape(b, t, c)

    def flatten(x):
        b, c = x.shape
        return x.view(b * c).sum() * b

    def decide(x):
        if x.shape[0] > 4:
            return x * 2
        return x * 3

    def widen(x):
        return torch.zeros(x.shape[0], x.shape[1] + 1) + x.sum(), x.new_zeros(x.size(0), 2 * x.size(1))

    def position(x):
        b, t = x.size()
        return x + torch.arange(0, t).unsqueeze(0).expand(b, t)

    def double(x):
        y = torch.cat([x, x])
        return y.view(y.shape[0], -1, 1).sum(0) * y.size(0)

    def join(x, y):
        both = torch.cat([x, y], 0)
        return both * both.shape[0]

    def roots(x):
        import math

        return x / math.sqrt(x.size(-1)), x * (x.shape[0] / 2), x * len(x)

    def sizes(x):
        return x.size(), x.size(0) + 1, x.numel(), x.shape[0] + x.shape[1]

    def shapes(x):
        return torch.zeros(x.shape), torch.zeros(x.size()[1:]), x.view(x.shape)

    def count(x, k):
        return x * k, x.shape[0] * k

    def fixed(x):
        if x.shape[0] == 3:
            return x * 2
        return x + 1

    def columns(x):
        n, c = x.shape
        return x[:, 1:] * n

    def inner(x, w):
        y = x @ w
        return y.view(y.shape[0], y.shape[1] // 2, 2)

    plain, three = (lambda x: x.sin() + 1), [[(3, 4)], [(5, 6)], [(7, 6)]]
    return [
        (plain, three, True), (plain, [[(3, 3)], [(5, 6)]], True), (plain, [[(1, 4)], [(5, 6)]], True), (plain, three, None),
        (plain, [[(3, 4)], [(5, 4)], [(7, 5)], [(8, 6)]], None), (plain, [[(3, 4)], [(5, 4)]], False),
        (plain, [[(3, 4)], [(5, 4)]], None, [(0, 0)]), (lambda x, y: x + y, [[(3, 4)] * 2, [(5, 6)] * 2, [(5, 6), (1, 6)]], True),
        (flatten, three, True), (lambda x: x.reshape(x.shape[0], -1, 2), three, True), (decide, [[(3, 4)], [(4, 6)], [(7, 6)]], True),
        (lambda x, n: x * n, [[(3, 4), 5], [(3, 4), 6]], True), (lambda x, n: x * n, [[(3, 4), 5], [(3, 4), 6], [(3, 4), 7]], None),
        (widen, three, True), (position, three, True), (double, three, True), (join, [[(3, 4), (5, 4)], [(5, 6), (7, 6)]], True),
        (roots, three, True), (sizes, three, True), (count, [[(3, 4), 5], [(5, 6), 7]], True), (shapes, three, True), (fixed, [[(3, 4)], [(5, 6)], [(4, 4)]], True),
        (columns, [[(3, 4)], [(5, 4)]], None, [(0, 0)]), (inner, [[(n, 4), (4, 6)] for n in (3, 5, 7)], None),
        (lambda x: x @ x.T, three, True),
        (lambda x: x[:, : x.shape[1] // 2], three, True), (lambda x, y: x @ y, [[(3, 4), (4, 5)], [(6, 5), (5, 2)]], True),
        (nn.Linear(4, 2), [[(3, 4)], [(5, 4)]], True), (nn.Conv2d(3, 4, 3), [[(2, 3, 8, 8)], [(3, 3, 9, 9)]], True),
        (nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2)), [[(n, 4)] for n in (2, 3, 5)], None),
        (Attention(), [[(2, 5, 8)], [(3, 6, 8)], [(4, 7, 8)]], None), (Attention(), [[(2, 5, 8)], [(3, 6, 8)]], True),
    ]  # fmt: skip


def run_case(torch, function, calls, dynamic, marks=()):
    """Run a function compiled and uncompiled; return what the back end got for each graph, and each call of one."""
    found = []

    def describe(value):
        return tuple(value.shape) if isinstance(value, torch.Tensor) else str(value)

    def backend(module, inputs):
        found.append((module.code, [describe(each) for each in inputs]))

        def run(*args):
            found.append([describe(each) for each in args])
            return module(*args)

        return run

    torch.compiler.reset()
    compiled = torch.compile(function, backend=backend, dynamic=dynamic)
    for call in calls:
        args = [
            torch.arange(1.0, 1 + torch.Size(each).numel()).reshape(each).clone() if isinstance(each, tuple) else each
            for each in call
        ]
        for number, dim in marks:
            torch._dynamo.mark_dynamic(args[number], dim)
        made, wanted = compiled(*args), function(*args)
        for one, two in zip(*(each if isinstance(each, tuple) else (each,) for each in (made, wanted)), strict=True):
            assert torch.allclose(one, two) if isinstance(one, torch.Tensor) else (one, type(one)) == (two, type(two))
    return found
