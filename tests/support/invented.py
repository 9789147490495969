"""Models of many kinds, as somebody might write them: gated layers, attention, recurrence, branches, writes, integers."""


def make_invented(torch):
    """Return name -> (function that makes the model, arguments, keywords)."""
    nn, F, I = torch.nn, torch.nn.functional, torch.tensor

    def ar(*s):
        n = 1
        for e in s:
            n *= e
        return (torch.arange(float(n)).reshape(s) * 0.37).sin()

    class GatedConvolution(nn.Module):  # gated conv
        def __init__(s):
            super().__init__()
            s.a = nn.Conv1d(2, 4, 3, padding=1)
            s.g = nn.Conv1d(2, 4, 3, padding=1)
            s.n = nn.InstanceNorm1d(4, affine=True)

        def forward(s, x):
            return s.n(torch.tanh(s.a(x)) * torch.sigmoid(s.g(x)))

    class SqueezeExcite(nn.Module):  # squeeze excite
        def __init__(s):
            super().__init__()
            s.c = nn.Conv2d(3, 8, 3, stride=2, bias=False)
            s.f1 = nn.Linear(8, 2)
            s.f2 = nn.Linear(2, 8)

        def forward(s, x):
            y = s.c(x)
            w = y.mean((2, 3))
            w = torch.sigmoid(s.f2(F.relu(s.f1(w))))
            return y * w[:, :, None, None]

    class RotaryAttention(nn.Module):  # rotary-ish attention
        def __init__(s):
            super().__init__()
            s.qkv = nn.Linear(8, 24)
            s.o = nn.Linear(8, 8)
            s.register_buffer("cos", torch.cos(torch.arange(5.0)[:, None] * torch.ones(1, 4)), persistent=False)

        def forward(s, x):
            b, t, d = x.shape
            q, k, v = s.qkv(x).view(b, t, 3, 2, 4).unbind(2)
            q, k = q * s.cos[:t, None], k * s.cos[:t, None]
            a = torch.einsum("bthd,bshd->bhts", q, k) / d**0.5
            a = a.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf")).softmax(-1)
            return s.o(torch.einsum("bhts,bshd->bthd", a, v).reshape(b, t, d))

    class MaskedPooling(nn.Module):  # embedding + GRU + pooled
        def __init__(s):
            super().__init__()
            s.e = nn.Embedding(10, 4, padding_idx=0)
            s.r = nn.GRU(4, 3, batch_first=True, bidirectional=True)
            s.l = nn.Linear(6, 2)

        def forward(s, i):
            h, _ = s.r(s.e(i))
            m = (i != 0).unsqueeze(-1)
            return s.l((h * m).sum(1) / m.sum(1).clamp(min=1))

    class Keywords(nn.Module):  # dict outputs, kwargs
        def __init__(s):
            super().__init__()
            s.w = nn.Parameter(torch.ones(3))
            s.scale = 2.5

        def forward(s, x, *, bias=None, flip: bool = False):
            y = x * s.w * s.scale
            if bias is not None:
                y = y + bias
            if flip:
                y = y.flip(-1)
            return {"y": y, "stats": (y.mean(), y.std(unbiased=False))}

    class SkipConnections(nn.Module):  # UNet-ish
        def __init__(s):
            super().__init__()
            s.d = nn.Conv2d(1, 2, 3, padding=1)
            s.m = nn.Conv2d(2, 2, 3, padding=1)
            s.u = nn.ConvTranspose2d(2, 2, 2, stride=2)
            s.o = nn.Conv2d(4, 1, 1)

        def forward(s, x):
            a = F.leaky_relu(s.d(x), 0.2)
            b = F.gelu(s.m(F.max_pool2d(a, 2)))
            return s.o(torch.cat([a, s.u(b)], dim=1)) + F.interpolate(
                b[:, :1], scale_factor=2, mode="bilinear", align_corners=False
            )

    class RunningMean(nn.Module):  # running buffer
        def __init__(s):
            super().__init__()
            s.register_buffer("avg", torch.zeros(3))
            s.register_buffer("n", torch.tensor(0))

        def forward(s, x):
            s.n += 1
            s.avg.mul_(0.9).add_(x.mean(0), alpha=0.1)
            return x - s.avg

    class Containers(nn.Module):  # module dict & list, loops
        def __init__(s):
            super().__init__()
            s.b = nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.Linear(3, 3, bias=False)})
            s.p = nn.ParameterList([nn.Parameter(torch.ones(3) * i) for i in range(2)])

        def forward(s, x):
            for k, m in s.b.items():
                x = F.silu(m(x)) + s.p[0 if k == "a" else 1]
            return x

    class Branching(nn.Module):  # cond
        def __init__(s):
            super().__init__()
            s.l = nn.Linear(3, 3)

        def forward(s, x):
            return torch.cond(x.sum() > 0, lambda x: s.l(x).relu(), lambda x: x * 2, (x,))

    class Filter(nn.Module):  # kalman-ish
        def forward(s, x, P):
            for _ in range(2):
                K = P @ torch.linalg.inv(P + torch.eye(2))
                x = x + K @ (1 - x)
                P = (torch.eye(2) - K) @ P
            return x, P

    class Scatter(nn.Module):
        def forward(s, x, idx):
            y = torch.zeros(4, x.shape[1]).index_add(0, idx, x)
            y[0] = -1.0
            y[:, 1] *= 2
            return y.scatter(1, idx[:, None], 7.0), y.gather(1, idx[:1, None].expand(1, 2))

    class Sorting(nn.Module):
        def forward(s, x):
            return (
                torch.topk(x, 2).values,
                x.argsort(-1, descending=True),
                x.cumsum(-1),
                torch.where(x > x.mean(), x, torch.zeros_like(x)),
            )

    class NormedWeights(nn.Module):
        def __init__(s):
            super().__init__()
            s.l = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
            s.d = nn.Dropout(0.5)

        def forward(s, x):
            return s.d(s.l(x)).log_softmax(-1)

    class Spectrum(nn.Module):
        def forward(s, x):
            return torch.fft.rfft(x).abs(), torch.fft.irfft(torch.fft.rfft(x), n=x.shape[-1])

    class UnrolledCell(nn.Module):
        def __init__(s):
            super().__init__()
            s.c = nn.LSTMCell(3, 2)

        def forward(s, x):
            h = c = x.new_zeros(x.shape[0], 2)
            outs = []
            for t in range(x.shape[1]):
                h, c = s.c(x[:, t], (h, c))
                outs.append(h)
            return torch.stack(outs, 1)

    class Encoder(nn.Module):
        def __init__(s):
            super().__init__()
            s.e = nn.TransformerEncoder(
                nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True, norm_first=True),
                2,
                enable_nested_tensor=False,
            )

        def forward(s, x, m):
            return s.e(x, src_key_padding_mask=m)

    class Distances(nn.Module):
        def forward(s, a, b):
            return torch.cdist(a, b), F.cosine_similarity(a[:, None], b[None], dim=-1), torch.logsumexp(a @ b.T, 0)

    class Masked(nn.Module):
        def forward(s, x):
            x = x.clone()
            x[x < 0] = 0
            x.clamp_(max=2)
            return x.view(-1), x.T.contiguous().view(-1), x.sum(0, keepdim=True).expand_as(x)

    class Normed(nn.Module):
        def __init__(s):
            super().__init__()
            s.b = nn.BatchNorm1d(3)
            s.l = nn.Linear(3, 3)

        def forward(s, x):
            return s.b(s.l(x))

    class Integers(nn.Module):
        def forward(s, x, y):
            return (
                x // 2,
                x % 3,
                -x // 2,
                torch.div(x, 2, rounding_mode="trunc"),
                x << 1,
                x & y,
                x | 1,
                ~x,
                x ^ y,
                (x == y).any(),
                x.float() / y,
            )

    def maker(cls):
        def make():
            torch.manual_seed(1)
            made = cls()
            with torch.no_grad():
                for place, each in enumerate(made.parameters()):
                    each.copy_(ar(*each.shape) * 0.3 + 0.05 * place)
            return made.eval()

        return make

    models = [
        (GatedConvolution, (ar(2, 2, 6),), {}),
        (SqueezeExcite, (ar(1, 3, 8, 8),), {}),
        (RotaryAttention, (ar(2, 5, 8),), {}),
        (MaskedPooling, (I([[1, 2, 0], [3, 0, 0]]),), {}),
        (Keywords, (ar(2, 3),), {"bias": ar(3), "flip": True}),
        (SkipConnections, (ar(1, 1, 8, 8),), {}),
        (RunningMean, (ar(2, 3),), {}),
        (Containers, (ar(2, 3),), {}),
        (Branching, (ar(2, 3),), {}),
        (Filter, (ar(2), torch.eye(2) * 2), {}),
        (Scatter, (ar(3, 2), I([0, 1, 1])), {}),
        (Sorting, (ar(2, 4),), {}),
        (NormedWeights, (ar(2, 3),), {}),
        (Spectrum, (ar(2, 8),), {}),
        (UnrolledCell, (ar(2, 3, 3),), {}),
        (Encoder, (ar(2, 3, 4), I([[False, False, True], [False] * 3])), {}),
        (Distances, (ar(3, 2), ar(4, 2)), {}),
        (Masked, (ar(2, 3),), {}),
        (Normed, (ar(4, 3),), {}),
        (Integers, (I([5, -3, 8]), I([1, 2, 3])), {}),
    ]
    return {cls.__name__: (maker(cls), args, kw) for cls, args, kw in models}
