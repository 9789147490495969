"""Modules with branches and loops that depend on elements, for either library: name -> (module, arguments, others)."""

import importlib


def make_programs(torch):
    nn, cond, while_loop, scan = torch.nn, torch.cond, torch._higher_order_ops.while_loop, torch._higher_order_ops.scan
    map_rows = importlib.import_module(f"{torch.__name__}._higher_order_ops.map").map
    t, f = torch.tensor(True), torch.tensor(False)

    class Called(nn.Module):
        def __init__(self, function):
            super().__init__()
            self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)
            self.register_buffer("k", torch.ones(3))
            self.c, self.function = torch.full((3,), 2.0), function

        def forward(self, *args):
            return self.function(self, *args)

    def plain(self, x):
        return cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

    def members(self, x, p, z):
        w = x + 1
        return cond(
            p,
            lambda x: (self.a(x) + w, x * self.k),
            lambda x: (self.b(x) * 2 + z + self.c, x - self.k),
            (x,),
        )

    def constant(self, x):
        return cond(x.sum() > 0, lambda x: x * torch.tensor([1.0, 2.0, 3.0]), lambda x: x + torch.tensor(2.0), (x,))

    def nested(self, x):
        return cond(x.sum() > 2, lambda q: cond(q.sum() < 4, torch.exp, lambda q: q - 1, (q,)), lambda q: q.cos(), [x])

    def twice(self, x, y):
        z = cond(x.sum() > 1, lambda a, b: a + b, lambda a, b: a - b, (x, y))
        return cond(z.sum() > 1, lambda a, b: (a * b).sum(), lambda a, b: a.sum() + b.max(), (z, y))

    def loop(self, n, x):
        return while_loop(lambda n, x: n > 0, lambda n, x: (n - 1, x * 2), (n, x))

    def loop_outside(self, n, x, z):
        return while_loop(lambda n, x: n < 4, lambda n, x: (n + 1, self.a(x) + z), (n, x))

    def branch_in_loop(self, n, x):
        def body(n, x):
            return n - 1, cond(x.sum() > 9, lambda x: x - 5, lambda x: x + 3, (x,))

        return while_loop(lambda n, x: n > 0, body, (n, x))

    def loop_reads_start(self, n, x):
        return while_loop(lambda n, y: n < 3, lambda n, y: (n + 1, y + x), (n, x))

    def loop_starts_twice(self, n, x):
        return while_loop(lambda n, y, z: n < 3, lambda n, y, z: (n + 1, y * z + x, z + 1), (n, x, x))

    def scan_rows(self, x):
        return scan(lambda c, row: (c + row, c * row), torch.zeros(3), x)

    def scan_outside(self, x):
        return scan(lambda c, row: (c + self.k * row, self.a(c)), torch.zeros(3), x)

    def scan_structure(self, x, y):
        def combine(carry, rows):
            return {"total": carry["total"] + rows[0].sum()}, (rows[1] * 2, carry["total"] + 1)

        return scan(combine, {"total": torch.zeros(())}, (x, y), reverse=True)[1]

    def map_plain(self, x):
        return map_rows(lambda row: (row * 2, row.sum()), x)

    def map_outside(self, x, y):
        return map_rows(lambda row, other: self.a(row) + other, x, y)

    def vector(*elements):
        return torch.tensor(elements)

    rows = [1.0, 2.0, 3.0], [-1.0, 0.5, -2.0]
    x, y = vector([1.0, 2.0, 3.0]), vector([-1.0, 0.5, -2.0])
    two, four, zero = (torch.tensor(each) for each in (2, 4, 0))
    programs = {
        "plain": (plain, (x,), [(y,)]),
        "members": (members, (x, t, y), [(y, f, x), (x, f, x)]),
        "constant": (constant, (x,), [(y,)]),
        "nested": (nested, (x,), [(y,), (x / 2,)]),
        "twice": (twice, (x, y), [(y, x), (y, y)]),
        "loop": (loop, (two, x), [(four, y), (zero, x)]),
        "loop_outside": (loop_outside, (two, x, y), [(zero, y, x), (four, x, y)]),
        "branch_in_loop": (branch_in_loop, (two, x), [(four, y)]),
        "loop_reads_start": (loop_reads_start, (two, x), [(zero, y)]),
        "loop_starts_twice": (loop_starts_twice, (two, x), [(zero, y)]),
        "scan_rows": (scan_rows, (vector(*rows),), [(vector(*rows[::-1]),)]),
        "scan_outside": (scan_outside, (vector(*rows),), [(vector(*rows[::-1]),)]),
        "scan_structure": (scan_structure, (vector(*rows), vector(*rows) + 1), [(vector(*rows) * 2, vector(*rows))]),
        "map_plain": (map_plain, (vector(*rows),), [(vector(*rows[::-1]),)]),
        "map_outside": (map_outside, (vector(*rows), y[0]), [(vector(*rows[::-1]), x[0])]),
    }
    return {name: (Called(function), *rest) for name, (function, *rest) in programs.items()}
