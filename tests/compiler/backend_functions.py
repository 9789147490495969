"""Functions and layers whose graphs a back end gets, written for either library."""


def make_layers(torch):
    """Return (layer, its arguments)."""
    nn, x, rows, image = torch.nn, torch.ones(2, 4, 8), torch.ones(4, 8), torch.ones(2, 4, 8, 8)
    return [
        (nn.Linear(8, 2), x), (nn.Conv1d(4, 2, 3, padding=1), x), (nn.ConvTranspose2d(4, 2, 3, stride=2), image),
        (nn.BatchNorm1d(4).eval(), x), (nn.BatchNorm2d(4), image), (nn.InstanceNorm1d(4), x), (nn.LayerNorm(8), x),
        (nn.GroupNorm(2, 4), x), (nn.LocalResponseNorm(2), image), (nn.MaxPool1d(2), x), (nn.AvgPool2d(2), image),
        (nn.AdaptiveAvgPool2d((2, 2)), image), (nn.LPPool1d(2, 2), x), (nn.LeakyReLU(0.2), x), (nn.ELU(), x), (nn.CELU(), x),
        (nn.Hardtanh(), x), (nn.RReLU().eval(), x), (nn.GLU(), x), (nn.Softmax(-1), x), (nn.LogSoftmax(1), x), (nn.Softmin(1), x),
        (nn.Softmax2d(), image), (nn.Dropout(0.3), x), (nn.Fold((4, 4), (2, 2)), torch.ones(1, 8, 9)), (nn.Unfold(2), image),
        (nn.Upsample(scale_factor=2), image), (nn.Upsample(size=(4, 4), mode="bilinear", align_corners=True), image),
        (nn.CosineSimilarity(), x, x), (nn.MSELoss(reduction="sum"), x, rows), (nn.SmoothL1Loss(), x, x), (nn.PReLU(), x),
    ]  # fmt: skip


def make_functions(torch):
    """Return functions of a matrix, whose calls name some arguments and leave out others."""
    F = torch.nn.functional
    return [
        lambda x: F.dropout(x, p=0.5, training=True),
        lambda x: F.layer_norm(x, (3,)),
        lambda x: F.layer_norm(x, x.shape[-1:], eps=1e-3),
        lambda x: F.softmax(x, dim=-1) + F.log_softmax(x, 1),
        lambda x: F.interpolate(x[None], scale_factor=2, mode="linear", align_corners=False),
        lambda x: F.mse_loss(x, x * 2, reduction="none"),
        lambda x: F.normalize(x, dim=1),
        lambda x: F.max_pool1d(x, 2) + F.gelu(x, approximate="tanh").sum(),
        lambda x: torch.clamp(x, min=0, max=1.0),
        lambda x: x.mT @ x,
        lambda x: (x.clone().mul_(2), x.dim()),
    ]


def make_models(torch):
    """Return models that call chains of layers, and functions with further arguments."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.l = nn.Linear(8, 8)
            self.s = nn.Sequential(nn.Linear(8, 8), nn.Tanh())

        def forward(self, x):
            y = self.l(x).relu()
            return x + self.s(y)

    class Model(nn.Module):
        def __init__(this):
            super().__init__()
            this.chain = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
            this.more = nn.ModuleList([nn.Sequential(nn.Linear(8, 8), nn.GELU()) for _ in range(2)])

        def forward(this, q):
            x = this.chain(q)
            for each in this.more:
                x = x + each(x)
            return this.chain(x), x

    def multiply(x, *a, k=None, **kw):
        return x * a[0] * k * kw["z"]

    x = torch.ones(4, 8)
    return [
        (nn.Sequential(nn.Linear(8, 3), nn.ReLU(), nn.Linear(3, 1)), (x,), {}),
        (nn.Sequential(Block(), nn.Sequential(nn.ReLU(), Block()), nn.Sigmoid()), (x,), {}),
        (Model(), (x,), {}), (Model(), (), {"q": x}), (nn.Linear(8, 2), (), {"input": x}), (nn.Linear(8, 2).forward, (x,), {}),
        (multiply, (x, x), {"k": x, "z": x}),
    ]  # fmt: skip


def make_named(torch):
    """Return (function, its argument) whose values are assigned to variables apart from the calls that make them."""
    F, x, rows = torch.nn.functional, torch.ones(3), torch.ones(3, 3)

    def scale(t, k=2):
        t = t * k
        u = t + 1
        return u

    def wave(p):
        return p.sin()

    def helpers(x):
        a = scale(x)
        b = scale(wave(a) + 1, k=4)
        c = {"k": a * b}
        r = [each * 2 for each in (a, b)]
        (u, v), w = (r, c["k"])
        x = wave(x)
        return u + v + w, x

    def parts(x):
        v, i = torch.sort(x)
        m, _ = torch.max(x, 0)
        return v + m, torch.topk(x, 2)[0] * 2, x.max(1).values

    def attention(x):
        q, k, v = x.chunk(3, -1)
        att = F.softmax((q @ k.transpose(-2, -1)) / 2, dim=-1)
        out = att @ v
        first, second, third = x
        return out, first + second, third * 2

    def loop(x):
        hidden, h = [], torch.zeros(3)
        for t in range(2):
            h = torch.tanh(x[t] + h)
            hidden.append(h)
        a, b = hidden
        return a * b

    class Weighted(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.k, self.w = 2, torch.nn.Parameter(torch.ones(3))

        def forward(self, x):
            n = 4
            y = (
                2 * x
                + self.k * x
                + x * self.k
                + n * x
                + (1 + n) * x
                + 2 * x.sum()
                + x.sum() * 2
                + 2 * self.w
                + self.w * 2
            )
            return 0.5 * (x + 1) + (x + 1) * 0.5 + 1 + x + (2 + x) + x.shape[0] * x + float(3) * x + -1 * x + y

    def sums(a):
        parts = [a.sin(), a.cos()]
        total = sum(parts)
        return total + sum([a, a, 1]), sum((each * 2 for each in parts), start=a), sum([a.mean()]) / 2

    return [(Weighted(), x), (sums, x), (helpers, x), (parts, rows), (attention, rows), (loop, rows)]


def list_graphs(torch):
    """Return the code of the graphs that a back end gets for all of them."""

    class Around(torch.nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, *args):
            return self.inner(*args)

    found = []

    def backend(module, inputs):
        found.append(module.code)
        return module.forward

    for model, *args in [
        *((Around(layer), *args) for layer, *args in make_layers(torch)),
        *((function, torch.ones(2, 3)) for function in make_functions(torch)),
        *make_named(torch),
    ]:
        torch.compiler.reset()
        torch.compile(model, backend=backend)(*(each.clone() for each in args))
    for model, args, options in make_models(torch):
        torch.compiler.reset()
        torch.compile(model, backend=backend)(*args, **options)
    return found
