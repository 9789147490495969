"""Programs with custom functions and checkpoints, whose graphs have graphs within them."""


def make_functions(torch):
    """Return custom functions by name."""

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, q, n):
            ctx.save_for_backward(q)
            ctx.n = n
            return q**3 * n

        @staticmethod
        def backward(ctx, g):
            (q,) = ctx.saved_tensors
            return g * 3 * q**2 * ctx.n, None

    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            c = b * a
            ctx.save_for_backward(a, b, c)
            ctx.mark_non_differentiable(c)
            return a + b, c

        @staticmethod
        def backward(ctx, g, h):
            a, b, c = ctx.saved_tensors
            return g * b, g * a + c

    class Apart(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x.sin()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * x.cos()

    class Straight(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.round()

        @staticmethod
        def backward(ctx, g):
            return g

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 3

    class Written(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.add_(1)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    class Between(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            m = x.exp()
            ctx.save_for_backward(m)
            ctx.x, ctx.size = x, x.shape[0]
            return m * m

        @staticmethod
        def backward(ctx, g):
            (m,) = ctx.saved_tensors
            return g * m * ctx.size + ctx.x if ctx.needs_input_grad[0] else None

    class Mixed(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b, factors):
            return a * factors[0], 5

        @staticmethod
        def backward(ctx, g, h):
            return g, None, None

    class Nested(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return Cube.apply(a, 2) + 1

        @staticmethod
        def backward(ctx, g):
            return g

    class Drawn(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * torch.rand(3)

        @staticmethod
        def backward(ctx, g):
            return g

    return {each.__name__: each for each in (Cube, Two, Apart, Straight, Same, Written, Between, Mixed, Nested, Drawn)}


def make_programs(torch):
    """Return name -> (function, the number of its arguments)."""
    checkpoint = torch.utils.checkpoint.checkpoint

    f = {name: each.apply for name, each in make_functions(torch).items()}
    weight = torch.ones(3, 3)
    captured = torch.full((3,), 2.0, requires_grad=True)

    def mixed(x):
        return checkpoint(lambda a, b: (a @ weight + b * captured).sin(), x, x * 2, use_reentrant=False) + 1

    def mixed_with_reentry(x):
        return checkpoint(lambda a, b: (a @ weight + b * captured).sin(), x, x * 2, use_reentrant=True) + 1

    return {
        "a constant": (lambda x: f["Cube"](x, 2) + 1, 1),
        "several": (lambda x, y: f["Two"](x * 2, y), 2),
        "one of several": (lambda x, y: f["Two"](x * 2, y)[0], 2),
        "set up apart": (lambda x: f["Apart"](x), 1),
        "one after another": (lambda x: f["Cube"](f["Cube"](x, 2), 3), 1),
        "straight through": (lambda x: f["Straight"](x) * x, 1),
        "unchanged": (lambda x: f["Same"](x), 1),
        "written": (lambda x: f["Written"](x * 2), 1),
        "an intermediate result": (lambda x: f["Between"](x), 1),
        "other values": (lambda x, y: f["Mixed"](x, y, [weight[0]]), 2),
        "within another": (lambda x: f["Nested"](x), 1),
        "draws": (lambda x: f["Drawn"](x), 1),
        "without gradients": (lambda x: f["Cube"](x.detach(), 2) + 1, 1),
        "a checkpoint": (mixed, 1),
        "a checkpoint with reentry": (mixed_with_reentry, 1),
        "a checkpoint by name": (
            lambda x: checkpoint(lambda a, *, k: a.sin() * k, x, k=x.cos(), use_reentrant=False, preserve_rng_state=False), 1,
        ),
        "a checkpoint of a dictionary": (lambda x: checkpoint(lambda x: {"a": x.sin(), "b": [x, 2]}, x, use_reentrant=False)["a"], 1),
        "a checkpoint within another": (
            lambda x: checkpoint(lambda x: checkpoint(torch.sin, x, use_reentrant=False) * 2, x, use_reentrant=False), 1,
        ),
        "a checkpoint of a function": (lambda x: checkpoint(lambda x: f["Cube"](x, 2), x, use_reentrant=False), 1),
    }  # fmt: skip


def run(torch, function, count):
    """Return (the code of the graphs, (results, gradients) of two compiled calls, those of an uncompiled one)."""
    graphs, found = [], []

    def backend(module, inputs):
        graphs.append([each.code.replace("tensh", "torch") for each in module.modules() if hasattr(each, "code")])
        return module.forward

    compiled = torch.compile(function, backend=backend, fullgraph=True)
    for each in (compiled, compiled, function):
        torch.manual_seed(0)
        given = [(torch.arange(3.0) + number).requires_grad_() for number in range(count)]
        results = [one for one in torch.utils._pytree.tree_leaves(each(*given)) if isinstance(one, torch.Tensor)]
        for result in results:
            if result.requires_grad:
                result.sum().backward(retain_graph=True)
        found.append([one.tolist() for one in results] + [one.grad is not None and one.grad.tolist() for one in given])
    return graphs, *found
