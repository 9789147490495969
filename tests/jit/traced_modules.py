"""Modules to trace: layers, containers, shared layers, several inputs and results."""


def make_modules(torch):
    """Return name -> (module, arguments)."""
    nn, F = torch.nn, torch.nn.functional
    x, y = torch.arange(6.0).reshape(2, 3) + 1, torch.ones(2, 3)

    class Lin(nn.Module):
        def __init__(s):
            super().__init__()
            s.fc = nn.Linear(3, 2)

        def forward(s, x):
            return F.relu(s.fc(x))

    class Seq(nn.Module):
        def __init__(s):
            super().__init__()
            s.net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))

        def forward(s, x):
            return s.net(x)

    class Conv(nn.Module):
        def __init__(s):
            super().__init__()
            s.c = nn.Conv2d(1, 2, 3, padding=1)
            s.b = nn.BatchNorm2d(2)
            s.p = nn.MaxPool2d(2)

        def forward(s, x):
            return s.p(F.relu(s.b(s.c(x)))).flatten(1)

    class Norm(nn.Module):
        def __init__(s):
            super().__init__()
            s.n = nn.LayerNorm(3)
            s.w = nn.Parameter(torch.ones(3))
            s.register_buffer("b", torch.zeros(3))

        def forward(s, x):
            return s.n(x) * s.w + s.b

    class Shared(nn.Module):
        def __init__(s):
            super().__init__()
            s.fc = nn.Linear(3, 3)

        def forward(s, x):
            return s.fc(s.fc(x))

    class Multi(nn.Module):
        def __init__(s):
            super().__init__()
            s.a = nn.Linear(3, 2)
            s.b = nn.Linear(3, 2)

        def forward(s, x, y):
            return s.a(x), s.b(y)

    class Inner(nn.Module):
        def __init__(s):
            super().__init__()
            s.w = nn.Parameter(torch.ones(3))

        def forward(s, x):
            return x * s.w, x + 1

    class Outer(nn.Module):
        def __init__(s):
            super().__init__()
            s.i = Inner()
            s.l = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])

        def forward(s, x):
            a, b = s.i(x)
            for l in s.l:
                a = l(a)
            return a + b

    class Res(nn.Module):
        def __init__(s):
            super().__init__()
            s.f = nn.Sequential(nn.Linear(3, 3), nn.Tanh())

        def forward(s, x):
            return x + s.f(x)

    class Drop(nn.Module):
        def __init__(s):
            super().__init__()
            s.e = nn.Embedding(5, 3)
            s.d = nn.Dropout(0.1)
            s.o = nn.Linear(3, 5)

        def forward(s, x):
            return s.o(s.d(s.e(x)))

    class Rnn(nn.Module):
        def __init__(s):
            super().__init__()
            s.r = nn.LSTM(3, 4, batch_first=True)

        def forward(s, x):
            return s.r(x)[0]

    class Att(nn.Module):
        def __init__(s):
            super().__init__()
            s.q = nn.Linear(3, 3)
            s.k = nn.Linear(3, 3)

        def forward(s, x):
            return torch.softmax(s.q(x) @ s.k(x).transpose(-2, -1) / 3**0.5, -1) @ x

    items = [
        ("lin", Lin(), (x,)),
        ("seq", Seq(), (x,)),
        ("seqtop", nn.Sequential(nn.Linear(3, 4), nn.ReLU()), (x,)),
        ("linear", nn.Linear(3, 2), (x,)),
        ("conv", Conv().eval(), (torch.ones(1, 1, 4, 4),)),
        ("convtrain", Conv(), (torch.ones(1, 1, 4, 4),)),
        ("norm", Norm(), (x,)),
        ("shared", Shared(), (x,)),
        ("multi", Multi(), (x, y)),
        ("outer", Outer(), (x,)),
        ("res", Res(), (x,)),
        ("drop", Drop().eval(), (torch.tensor([[1, 2]]),)),
        ("rnn", Rnn(), (torch.ones(1, 2, 3),)),
        ("att", Att(), (x,)),
        ("tel", nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), (torch.ones(1, 2, 4),)),
    ]
    return {name: (module, args) for name, module, args in items}
