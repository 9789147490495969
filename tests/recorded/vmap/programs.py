"""Programs with vmap, held as data: functions of the module, which is tensh or PyTorch, that return tensors.

What PyTorch gives for them stands in vmap.json: ``python -m tests.recorded vmap`` (needs PyTorch).
"""

from tests.recorded.vmap.equal_samples import EQUAL_SAMPLES
from tests.recorded.vmap.layers import LAYERS


def numbers(torch, *shape, start=0):
    """Numbers that look random and are the same everywhere."""
    count = 1
    for n in shape:
        count *= n
    return torch.sin(torch.arange(start, start + count, dtype=torch.float64) * 1.7 + 0.3).reshape(shape)


def mlp(torch, params, x, y):
    """The loss of one sample."""
    F = torch.nn.functional
    h = torch.tanh(F.linear(x, params["w1"], params["b1"]))
    return F.cross_entropy(F.linear(h, params["w2"], params["b2"]), y)


def weights(torch):
    return {
        "w1": numbers(torch, 5, 3), "b1": numbers(torch, 5, start=20),
        "w2": numbers(torch, 4, 5, start=30), "b2": numbers(torch, 4, start=60),
    }  # fmt: skip


def per_sample_gradients(torch):
    grads = torch.func.grad(lambda p, x, y: mlp(torch, p, x, y))
    samples = numbers(torch, 6, 3, start=9), torch.tensor([0, 1, 2, 3, 0, 1])
    result = torch.func.vmap(grads, in_dims=(None, 0, 0))(weights(torch), *samples)
    return [result[name] for name in sorted(result)]


def ensemble(torch):
    """Several models, each on all samples."""
    stacked = {name: torch.stack([w, 2 * w, -w]) for name, w in weights(torch).items()}
    x, y = numbers(torch, 6, 3), torch.tensor([0, 1, 2, 3, 0, 1])
    of_batch = torch.vmap(lambda p, x, y: mlp(torch, p, x, y), (None, 0, 0))
    return torch.vmap(of_batch, (0, None, None))(stacked, x, y)


def written(torch):
    def f(a):
        out = torch.zeros_like(a)
        out[0] = a[1] * 2
        out[1:].add_(a[:-1]).mul_(a.sum())
        out[torch.tensor([2, 0])] += 1
        return out

    x = numbers(torch, 2, 4)
    return torch.vmap(f)(x)


def written_outside(torch):
    """Writes to an argument go into the caller's tensor."""
    x = numbers(torch, 2, 3)
    result = torch.vmap(lambda a: a.mul_(2).exp())(x)
    return x, result


def newton(torch):
    """A function with a loop, and a factorisation."""

    def root(a):
        x = a
        for _ in range(8):
            x = 0.5 * (x + a / x)
        return x

    spd = numbers(torch, 3, 4, 4)
    spd = spd @ spd.mT + 5 * torch.eye(4, dtype=torch.float64)
    solve = torch.vmap(torch.linalg.solve, (0, None))(spd, numbers(torch, 4))
    return torch.vmap(root)(torch.tensor([2.0, 3.0, 10.0], dtype=torch.float64)), solve


def convolution(torch, in_dims):
    F = torch.nn.functional
    x, w, b = numbers(torch, 2, 3, 4, 6, 6), numbers(torch, 2, 2, 4, 3, 3, start=5), numbers(torch, 2, 2, start=8)
    args = [t if d == 0 else t[0] for t, d in zip((x, w, b), in_dims)]
    return torch.vmap(lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1), in_dims)(*args)


def with_features(torch):
    """Layers in a row, sample by sample and by the batch."""
    F = torch.nn.functional

    def f(x):
        x = F.layer_norm(x, (8,))
        x = F.gelu(F.pad(x, (1, 1)))
        x = F.max_pool1d(x.unsqueeze(0), 2).squeeze(0)
        return F.softmax(x, -1), F.normalize(x, dim=-1), F.one_hot(x.argmax(-1), 5)

    return torch.vmap(f)(numbers(torch, 3, 2, 8))


def attention(torch):
    F = torch.nn.functional
    q, k, v = (numbers(torch, 3, 2, 4, 8, start=s) for s in (0, 7, 13))
    return torch.vmap(F.scaled_dot_product_attention)(q, k, v), torch.vmap(
        F.scaled_dot_product_attention, (0, None, None)
    )(q, k[0], v[0])


def functions(torch):
    """Functions with derivatives of the user's own: one whose rule follows from them, one with a rule of its own."""

    class Scaled(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, n):
            return x * n, x.sum()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.n = inputs[1]
            ctx.save_for_backward(inputs[0])

        @staticmethod
        def backward(ctx, g, h):
            (x,) = ctx.saved_tensors
            return g * ctx.n + h + 0 * x, None

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(x, y):
            return x * y

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return g * y, g * x

        @staticmethod
        def vmap(info, in_dims, x, y):
            assert (info.batch_size, info.randomness, in_dims) == (2, "error", (0, None))
            return Product.apply(x, y), 0

    return Scaled.apply, Product.apply


def custom(torch):
    scaled, product = functions(torch)
    x = numbers(torch, 2, 3)
    return [
        torch.vmap(lambda a: scaled(a, 3.0))(x),
        torch.vmap(torch.func.grad(lambda a: sum(t.sum() for t in scaled(a, 3.0))))(x),
        torch.func.grad(lambda a: torch.vmap(lambda row: scaled(row, 2.0)[0])(a).sum())(x),
        torch.vmap(product, (0, None))(x, x[0]),
        torch.vmap(torch.func.grad(lambda a, b: product(a, b).sum()), (0, None))(x, x[0]),
        torch.func.jacrev(lambda a: product(a, a))(x[0]),
    ]


def without_rule(torch):
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

    return torch.vmap(Doubled.apply)(torch.ones(2))


def of_one_piece(torch):
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    return torch.vmap(Doubled.apply)(torch.ones(2))


def facts(torch, *tensors):
    """Whether tensors require grad, are leaves and have no node."""
    return torch.tensor([[t.requires_grad, t.is_leaf, t.grad_fn is None] for t in tensors])


def history(torch):
    """Samples have no history within vmap, but that of a transform within it."""
    seen, x = [], numbers(torch, 3, 2).requires_grad_()

    def look(*tensors):
        seen.append(facts(torch, *tensors))

    def square(a):
        look(a, a * 2, a.detach(), a + x[0], x, x * 2)
        return (a * a).sum()

    def gradient(a):
        return torch.func.grad(lambda b: (look(b, b * 2, a * b), (a * b).sum())[1])(a)

    def nested(a):
        return torch.vmap(lambda b: (look(a, b, a * b), a * b)[1])(a)

    torch.vmap(square)(x.detach())
    results = torch.vmap(square)(x), torch.vmap(square)(x * 2), torch.vmap(gradient)(x.detach()), torch.vmap(nested)(x)
    return [*seen, facts(torch, *results)]


def made_parameters(torch):
    """Parameters made of samples, which end their history."""

    def use(a):
        p = torch.nn.Parameter(a)
        return torch.tensor(isinstance(p, torch.nn.Parameter)), p * 2

    tripled = torch.vmap(lambda a: torch.Tensor._make_subclass(torch.nn.Parameter, a, False) * 3)
    return [*torch.vmap(use)(numbers(torch, 3, 2).requires_grad_()), tripled(numbers(torch, 2))]


PROGRAMS = {
    "history": history,
    "parameters made of samples": made_parameters,
    "arithmetic": lambda torch: torch.vmap(lambda a, b: (a * b - a / 2, (a > b).sum(), a @ b, a.max(0)))(
        numbers(torch, 3, 4), numbers(torch, 3, 4, start=7)
    ),
    "promotion": lambda torch: torch.vmap(lambda a, b: (a[0] + b, a.long()[1] * 1.5, b.float() * a[0], b.int() + a[0].long()))(
        numbers(torch, 2, 3), numbers(torch, 2, 3).float()
    ),
    "in_dims": lambda torch: torch.vmap(lambda a, b: a * b, in_dims=(-1, 1))(numbers(torch, 4, 3), numbers(torch, 4, 3)),
    "in_dims nested": lambda torch: torch.vmap(lambda d, c: d["a"] + d["b"][0] * c, in_dims=({"a": 0, "b": (1,)}, None))(
        {"a": numbers(torch, 2, 3), "b": (numbers(torch, 3, 2),)}, 2.0
    ),
    "out_dims": lambda torch: torch.vmap(
        lambda a: {"x": a, "y": (a.sum(), a[:, None] * a, 3)}, out_dims={"x": 1, "y": (0, -2, None)}
    )(numbers(torch, 2, 3))["y"][1],
    "unbatched results": lambda torch: torch.vmap(lambda a: (torch.ones(2), a))(numbers(torch, 3, 2)),
    "keyword arguments": lambda torch: torch.vmap(lambda a, b: a - b)(numbers(torch, 2, 3), b=numbers(torch, 2, 3, start=4)),
    "empty batch": lambda torch: torch.vmap(lambda a: (a.sum(), a * 2, torch.trace(a)))(torch.zeros(0, 3, 3)),
    "chunks": lambda torch: torch.vmap(lambda a: (a * 2, a.sum()), out_dims=(1, 0), chunk_size=2)(numbers(torch, 5, 3)),
    "chunks of random numbers": lambda torch: [
        torch.manual_seed(3) and torch.vmap(lambda a: a + torch.rand(2), chunk_size=2, randomness=mode)(torch.zeros(5, 2))
        for mode in ("same", "different")
    ],
    "spectrograms": lambda torch: torch.vmap(lambda s, w: torch.stft(s, 4, win_length=3, window=w, return_complex=True).abs())(
        numbers(torch, 2, 16), numbers(torch, 2, 3, start=2)
    ),
    "searches": lambda torch: torch.vmap(lambda a, v: (torch.searchsorted(a.sort()[0], v), torch.bucketize(v, torch.tensor([0.0, 0.5]))))(
        numbers(torch, 2, 6), numbers(torch, 2, 3, start=2)
    ),
    "slices": lambda torch: torch.vmap(lambda a, i, s: (a.index_add(0, i, s, alpha=2), a.index_copy(1, i, s.T), a.index_fill(0, i, 1.5)))(
        numbers(torch, 2, 4, 4), torch.tensor([[0, 2], [3, 1]]), numbers(torch, 2, 2, 4)
    ),
    "bilinear": lambda torch: [torch.vmap(torch.nn.functional.bilinear, dims)(*[
        numbers(torch, *shape) if dim is None else numbers(torch, 2, *shape)
        for shape, dim in zip(((5, 3), (5, 4), (6, 3, 4)), dims)
    ]) for dims in ((0, 0, None), (None, None, 0), (0, None, 0))],
    "nested": lambda torch: torch.vmap(torch.vmap(torch.dot, (None, 0)), (0, None))(numbers(torch, 3, 5), numbers(torch, 4, 5)),
    "nested three times": lambda torch: torch.vmap(torch.vmap(torch.vmap(torch.mul, (None, 0)), (None, 0), 1), (0, None))(
        numbers(torch, 2, 3), numbers(torch, 4, 5, 3)
    ),
    "nested products": lambda torch: [
        torch.vmap(torch.vmap(torch.matmul, one), two)(numbers(torch, 2, *first), numbers(torch, 4, *second, start=3))
        for first in ((3,), (5, 3)) for second in ((3,), (3, 2)) for one, two in (((None, 0), (0, None)), ((0, None), (None, 0)))
    ],
    "nested with reductions": lambda torch: torch.vmap(
        lambda a: torch.vmap(lambda b: (a * b).sum() + a.mean() + b.prod())(a.T)
    )(numbers(torch, 2, 3, 3)),
    "matrices": lambda torch: torch.vmap(lambda a, b: (a @ b, torch.einsum("ij,kj->ik", a, b), torch.outer(a[0], b[0])))(
        numbers(torch, 2, 3, 3), numbers(torch, 2, 3, 3, start=5)
    ),
    "matrix products of one batch": lambda torch: [
        torch.vmap(torch.matmul, dims)(*args)
        for one in ((3,), (2, 3), (4, 2, 3)) for two in ((3,), (3, 2), (4, 3, 2))
        for dims, args in (
            ((0, None), (numbers(torch, 5, *one), numbers(torch, *two))),
            ((None, 0), (numbers(torch, *one), numbers(torch, 5, *two))),
            ((0, 0), (numbers(torch, 5, *one), numbers(torch, 5, *two))),
        )
    ],
    "indices": lambda torch: torch.vmap(
        lambda a, i: (a[i], a[:, i], a[i, i], a[i, :, None], a[0, i[0]], a.gather(1, i[None]), a.index_select(1, i))
    )(numbers(torch, 2, 4, 4), torch.tensor([[0, 3, 1], [2, 2, 0]])),
    "indices of one batch": lambda torch: [
        torch.vmap(lambda a, i: (a[i], a[..., i], a[:, i], a[i, :, i], torch.take(a, i)), dims)(a, i)
        for dims, a, i in (
            ((0, None), numbers(torch, 2, 4, 4, 4), torch.tensor([0, 3, 1])),
            ((None, 0), numbers(torch, 4, 4, 4), torch.tensor([[0, 3, 1], [2, 2, 0]])),
        )
    ],
    "masks": lambda torch: torch.vmap(lambda a: (torch.where(a > 0, a, -1.0), a.masked_fill(a < 0, 0.0), a.clamp(-0.5, 0.5), a.clamp(max=a[0])))(
        numbers(torch, 2, 5)
    ),
    "masks that all samples share": lambda torch: torch.vmap(
        lambda a: (a[torch.tensor([True, False, True])], a.index_put((torch.tensor([False, True, True]),), a[:2]))
    )(numbers(torch, 2, 3)),
    "writes": written, "writes outside": written_outside, "loops and solvers": newton,
    "sorted": lambda torch: torch.vmap(lambda a: (a.sort(-1), a.topk(2), a.median(), a.cumsum(0), a.argsort(descending=True)))(
        numbers(torch, 3, 5)
    ),
    "shapes": lambda torch: torch.vmap(
        lambda a: (a.T, a.reshape(-1), a.flip(0), a.roll(1), torch.cat([a, a], 1), torch.stack([a, a * 2], -1), a.unfold(1, 2, 1),
                   a.diagonal(), a.tile(2, 2), a.expand(2, 3, 4), a.split(2, 1), a.squeeze(), a.unsqueeze(-1), a.movedim(0, 1))
    )(numbers(torch, 2, 3, 4)),
    "strides": lambda torch: torch.vmap(lambda a: a.as_strided((2, 2), (1, 2)))(numbers(torch, 3, 6)),
    "of samples": lambda torch: torch.vmap(lambda a: (torch.histc(a, 4, -1, 1), a.renorm(2, 0, 0.5)))(numbers(torch, 3, 2, 4)),
    **{f"convolution {dims}": (lambda torch, dims=dims: convolution(torch, dims))
       for dims in ((0, None, None), (None, 0, None), (None, None, 0), (0, 0, 0))},
    "features": with_features, "attention": attention,
    "batch norm": lambda torch: torch.vmap(lambda x, w: torch.nn.functional.batch_norm(x, None, None, w, w, True))(
        numbers(torch, 2, 4, 3), numbers(torch, 2, 3)
    ),
    "embedding": lambda torch: torch.vmap(torch.nn.functional.embedding)(
        torch.tensor([[0, 2], [1, 1]]), numbers(torch, 2, 3, 4)
    ),
    "spectra": lambda torch: torch.vmap(lambda a: (torch.fft.rfft(a).real, torch.fft.fft2(a).imag, torch.fft.irfft(a)))(
        numbers(torch, 2, 4, 5)
    ),
    "eigen": lambda torch: torch.vmap(lambda a: (torch.linalg.eigvalsh(a @ a.T), torch.linalg.det(a), torch.linalg.inv(a),
                                                torch.linalg.svdvals(a)))(
        numbers(torch, 2, 3, 3) + 2 * torch.eye(3, dtype=torch.float64)
    ),
    # with derivatives
    "per-sample gradients": per_sample_gradients, "ensemble": ensemble,
    "gradient of a map": lambda torch: torch.func.grad(lambda w: torch.vmap(lambda x: (w * x).sin().sum())(numbers(torch, 3, 2)).sum())(
        numbers(torch, 2)
    ),
    "map of a gradient of a map": lambda torch: torch.vmap(
        torch.func.grad(lambda w, xs: torch.vmap(lambda x: (w @ x).tanh())(xs).sum()), (None, 0)
    )(numbers(torch, 3), numbers(torch, 4, 2, 3)),
    "second derivatives": lambda torch: torch.vmap(torch.func.grad(torch.func.grad(lambda x: torch.sin(x) * x)))(numbers(torch, 5)),
    "jacobians": lambda torch: [
        torch.vmap(j(lambda x: torch.softmax(x, 0) * x.sum()))(numbers(torch, 2, 3)) for j in (torch.func.jacrev, torch.func.jacfwd)
    ],
    "jacobian of several": lambda torch: torch.func.jacrev(lambda a, b: (a @ b, b.exp()), argnums=(0, 1))(
        numbers(torch, 2, 3), numbers(torch, 3)
    ),
    "hessians": lambda torch: [
        torch.func.hessian(lambda x: (x.prod() + x.exp().sum()))(numbers(torch, 3)),
        torch.vmap(torch.func.hessian(lambda x: (x @ x).log()))(numbers(torch, 2, 3)),
        torch.func.jacrev(torch.func.jacrev(lambda x: (x**3).sum()))(numbers(torch, 2)),
    ],
    "pulled back": lambda torch: torch.vmap(torch.func.vjp(lambda x: torch.tanh(x) @ numbers(torch, 3, 2), numbers(torch, 3))[1])(
        torch.eye(2, dtype=torch.float64)
    ),
    "pushed forward": lambda torch: torch.vmap(lambda x, t: torch.func.jvp(lambda x: (x * x).cumsum(0), (x,), (t,)))(
        numbers(torch, 2, 3), numbers(torch, 2, 3, start=5)
    ),
    "directions": lambda torch: torch.vmap(
        lambda t: torch.func.jvp(lambda x: torch.linalg.norm(x.sin()), (numbers(torch, 3),), (t,))[1]
    )(torch.eye(3, dtype=torch.float64)),
    "custom functions": custom,
    "recorded": lambda torch: (lambda x: torch.autograd.grad(torch.vmap(lambda a: a.exp() * a[0])(x).sum(), x))(
        numbers(torch, 2, 3).requires_grad_()
    ),
    "batched weights": lambda torch: (
        lambda x: torch.autograd.grad(x**3, x, torch.eye(3, dtype=torch.float64), is_grads_batched=True)
    )(numbers(torch, 3).requires_grad_()),
    "vectorised": lambda torch: [
        torch.autograd.functional.jacobian(lambda x: x.exp() * x.sum(), numbers(torch, 3), vectorize=True),
        torch.autograd.functional.jacobian(lambda x: x.exp() * x.sum(), numbers(torch, 3), vectorize=True, strategy="forward-mode"),
        torch.autograd.functional.hessian(lambda x: (x.exp() * x.sum()).sum(), numbers(torch, 3), vectorize=True),
    ],
}  # fmt: skip

PROGRAMS |= LAYERS | EQUAL_SAMPLES
