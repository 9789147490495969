"""Layers, linear algebra and others under vmap, with random arguments that are PyTorch's: part of programs.py."""


def digest(torch, result):
    """Two sums of every tensor of a result, one of them weighted, in a tensor of their shape's size."""
    parts = result if isinstance(result, (list, tuple)) else [result]
    sums = []
    for part in parts:
        flat = part.reshape(-1).to(torch.float64)
        weights = torch.cos(torch.arange(flat.numel(), dtype=torch.float64))
        sums.append(
            torch.stack([flat.sum(), (flat * weights).sum(), torch.tensor(float(part.dim()), dtype=torch.float64)])
        )
    return torch.stack(sums)


def program(expression):
    """The program that computes an expression of torch, F (layers), v (vmap) and f (torch.func)."""

    def run(torch):
        torch.manual_seed(0)
        names = {
            "torch": torch,
            "F": torch.nn.functional,
            "v": torch.vmap,
            "f": torch.func,
            "x": torch.randn(4, 3, 8, 8),
        }
        return digest(torch, eval(expression, names))

    return run


LAYERS = {
    "groups": program(
        "v(lambda x, k: F.conv2d(x[None].repeat(1, 2, 1, 1), k, groups=2))(x, torch.randn(4, 6, 3, 3, 3))"
    ),
    "transpose": program("v(lambda x, k: F.conv_transpose2d(x[None], k, stride=2))(x, torch.randn(4, 3, 2, 3, 3))"),
    "transpose k": program(
        "v(lambda k: F.conv_transpose2d(x, k, stride=2, output_padding=1))(torch.randn(4, 3, 2, 3, 3))"
    ),
    "conv grad both": program(
        "v(f.grad(lambda k, x: F.conv2d(x[None], k, padding=1).sin().sum(), argnums=(0, 1)))(torch.randn(4, "
        "6, 3, 3, 3), x)"
    ),
    "bn grad": program(
        "v(f.grad(lambda w, x: F.batch_norm(x, None, None, w, None, True).sin().sum()), (None, "
        "0))(torch.ones(3), torch.randn(4, 5, 3, 2))"
    ),
    "ln grad": program("v(f.grad(lambda w, x: F.layer_norm(x, (8,), w, w).sin().sum()), (None, 0))(torch.ones(8), x)"),
    "gn grad": program(
        "v(f.grad(lambda w, x: F.group_norm(x[None], 3, w, w).sin().sum()), (None, 0))(torch.ones(3), x)"
    ),
    "maxpool grad": program("v(f.grad(lambda x: F.max_pool2d(x, 2).sin().sum()))(x)"),
    "interp jac": program(
        "f.jacrev(lambda x: F.interpolate(x[None], scale_factor=2, mode='bilinear'))(x[0, :1, :3, :3])"
    ),
    "gather grad": program(
        "v(f.grad(lambda a, i: a.gather(0, i).sin().sum()), (0, 0))(torch.randn(3, 5), torch.randint(5, (3, 4)))"
    ),
    "emb grad": program(
        "v(f.grad(lambda w, i: F.embedding(i, w).sin().sum()), (None, 0))(torch.randn(7, 3), torch.randint(7, (4, 5)))"
    ),
    "svd": program("v(lambda a: torch.linalg.svd(a)[1])(x[:, :, 0, :3])"),
    "qr grad": program("v(f.grad(lambda a: torch.linalg.qr(a)[1].abs().sum()))(torch.randn(3, 4, 4))"),
    "cholesky solve": program(
        "v(lambda a, b: torch.cholesky_solve(b, torch.linalg.cholesky(a @ a.T + "
        "torch.eye(3))))(torch.randn(2, 3, 3), torch.randn(2, 3, 1))"
    ),
    "lstm like": program(
        "v(lambda x: torch.stack([(h := torch.tanh(x[i] + (h if i else 0))) for i in range(3)]))(torch.randn(5, 3, 4))"
    ),
    "attention grad": program(
        "v(f.grad(lambda q: F.scaled_dot_product_attention(q, q, q).sum()))(torch.randn(3, 2, 4, 5))"
    ),
    "mha": program(
        "v(lambda q: F.multi_head_attention_forward(q, q, q, 4, 2, torch.eye(12, 4), torch.zeros(12), None, "
        "None, False, 0.0, torch.eye(4), torch.zeros(4))[0])(torch.randn(3, 5, 2, 4))"
    ),
    "hess ce": program(
        "f.hessian(lambda w: F.cross_entropy(torch.ones(2, 3) @ w, torch.tensor([0, 1])))(torch.randn(3, 3))"
    ),
    "vmap hess": program(
        "v(f.hessian(lambda w, y: F.cross_entropy(w, y)), (0, 0))(torch.randn(3, 4), torch.tensor([0, 1, 3]))"
    ),
    "jvp vjp": program(
        "v(lambda a, t: f.jvp(f.grad(lambda z: (z ** 3).sum()), (a,), (t,))[1])(torch.randn(3, 4), torch.randn(3, 4))"
    ),
    "maml": program(
        "f.grad(lambda w: v(lambda x, y: (lambda w2: ((x @ w2 - y) ** 2).mean())(w - 0.1 * f.grad(lambda w: "
        "((x @ w - y) ** 2).mean())(w)))(torch.ones(3, 4, 2), torch.zeros(3, 4)).mean())(torch.ones(2))"
    ),
    "bce": program("v(F.binary_cross_entropy)(torch.rand(3, 4), torch.rand(3, 4))"),
    "kl": program("v(F.kl_div)(torch.rand(3, 4), torch.rand(3, 4))"),
    "cos": program("v(F.cosine_similarity, (0, None, None))(torch.rand(3, 4), torch.rand(4), 0)"),
    "ctc": program(
        "v(lambda p: F.ctc_loss(p.log_softmax(-1), torch.tensor([[1, 2]]), torch.tensor([5]), "
        "torch.tensor([2])))(torch.randn(3, 5, 1, 4))"
    ),
    "cumprod": program("v(lambda a: a.cumprod(0))(torch.randn(3, 4))"),
    "prod grad": program("v(f.grad(lambda a: a.prod()))(torch.randn(3, 4))"),
    "logcumsumexp": program("v(lambda a: a.logcumsumexp(0))(torch.randn(3, 4))"),
    "unfold": program("v(lambda a: F.unfold(a[None], 2))(x)"),
    "fold": program("v(lambda a: F.fold(a[None], (4, 4), 2, stride=2))(torch.randn(3, 8, 4))"),
    "pixel": program("v(lambda a: F.pixel_shuffle(a, 2))(torch.randn(3, 4, 2, 2))"),
    "gridsample": program(
        "v(lambda a, g: F.grid_sample(a[None], g[None], align_corners=False))(x, torch.rand(4, 5, 5, 2))"
    ),
    "pad": program("v(lambda a: F.pad(a, (1, 1, 1, 1), mode='reflect'))(x)"),
    "circ": program("v(lambda a: F.pad(a[None], (1, 1, 1, 1), mode='circular'))(x)"),
    "einsum": program(
        "v(lambda a, b: torch.einsum('ij,jk,kl->il', a, b, a))(torch.randn(3, 2, 2), torch.randn(3, 2, 2))"
    ),
    "tensordot": program("v(lambda a: torch.tensordot(a, a, 2))(torch.randn(3, 2, 2))"),
    "kron": program("v(torch.kron)(torch.randn(3, 2, 2), torch.randn(3, 2, 2))"),
    "complex": program(
        "[r.abs() for r in v(lambda a: (a.conj() * a, torch.view_as_real(a), a.angle().exp(), "
        "a.real))(torch.randn(3, 4, dtype=torch.complex64))]"
    ),
    "fft grad": program("v(f.grad(lambda a: torch.fft.rfft(a).abs().sum()))(torch.randn(3, 6))"),
    "mode": program("v(lambda a: a.mode())(torch.randint(3, (4, 5)))"),
    "kth": program("v(lambda a: a.kthvalue(2))(torch.randn(3, 5))"),
    "nansum": program("v(lambda a: a.nansum())(torch.randn(3, 5))"),
    "cdist": program("v(torch.cdist)(torch.randn(3, 4, 2), torch.randn(3, 5, 2))"),
    "baddbmm": program(
        "v(torch.baddbmm, (None, 0, 0))(torch.randn(2, 3, 3), torch.randn(4, 2, 3, 2), torch.randn(4, 2, 2, 3))"
    ),
    "matrix_exp": program("v(torch.matrix_exp)(torch.randn(3, 2, 2))"),
    "pinv": program("v(torch.linalg.pinv)(torch.randn(3, 4, 2))"),
    "lstsq": program("v(lambda a, b: torch.linalg.lstsq(a, b).solution)(torch.randn(3, 4, 2), torch.randn(3, 4, 1))"),
    "norms": program(
        "v(lambda a: (torch.linalg.norm(a), torch.linalg.norm(a, 'nuc'), torch.linalg.matrix_norm(a, 2), "
        "a.norm(1, 0)))(torch.randn(3, 4, 2))"
    ),
    "cov": program("v(torch.cov)(torch.randn(3, 4, 5))"),
    "corr": program("v(torch.corrcoef)(torch.randn(3, 4, 5))"),
    "trapz": program("v(torch.trapezoid)(torch.randn(3, 4))"),
    "diff": program("v(torch.diff)(torch.randn(3, 4))"),
    "gradient": program("v(lambda a: torch.gradient(a)[0])(torch.randn(3, 4))"),
    "cross": program("v(torch.linalg.cross, (0, None))(torch.randn(4, 3), torch.randn(3))"),
    "rot90": program("v(torch.rot90)(torch.randn(3, 4, 5))"),
    "meshgrid": program("v(lambda a, b: torch.meshgrid(a, b, indexing='ij'))(torch.randn(3, 2), torch.randn(3, 4))"),
    "block_diag": program("v(torch.block_diag)(torch.randn(3, 2, 2), torch.randn(3, 1, 2))"),
    "combinations": program("v(torch.combinations)(torch.randn(3, 4))"),
    "vander": program("v(torch.vander)(torch.randn(3, 4))"),
    "scatter_reduce": program(
        "v(lambda a, i: torch.zeros_like(a).scatter_reduce(0, i, a, 'amax'))(torch.randn(3, 4), "
        "torch.randint(4, (3, 4)))"
    ),
    "bincountw": program("v(lambda i: torch.bincount(i, minlength=6))(torch.randint(4, (3, 4)).clamp(max=3))"),
    "one_hot": program("v(lambda i: F.one_hot(i, 5))(torch.randint(5, (3, 4)))"),
    "isin": program("v(lambda a: torch.isin(a, torch.tensor([1, 2])))(torch.randint(5, (3, 4)))"),
}

BESIDE = {
    "solve_triangular": "torch.linalg.solve_triangular(a, b, upper=True)",
    "cholesky_solve": "torch.cholesky_solve(b, a)",
    "solve": "torch.linalg.solve(a @ a.mT + 3 * torch.eye(3), b)",
    "ldl_solve": "torch.linalg.ldl_solve(*torch.linalg.ldl_factor(a @ a.mT), b)",
    "cdist by sums": "torch.cdist(a, b, 1.0)",
    "cdist": "torch.cdist(b, a)",
}
"""Functions of a matrix for a sample, and of two matrices for the same sample."""

LAYERS |= {
    f"{name}, {dims}": program(f"v(lambda a, b: {text}, {dims})({one}, {two})")
    for name, text in BESIDE.items()
    for dims, one, two in (
        ((0, 0), "torch.randn(2, 3, 3) + 3 * torch.eye(3)", "torch.randn(2, 2, 3, 3)"),
        ((0, None), "torch.randn(2, 3, 3) + 3 * torch.eye(3)", "torch.randn(2, 3, 3)"),
    )
}
LAYERS |= {
    "embedding with a largest norm": program(
        "v(lambda i, w: F.embedding(i, w, max_norm=1.0))(torch.tensor([[0, 1], [1, 1]]), torch.randn(2, 3, 4))"
    ),
    "embedding with a largest norm, the same rows": program(
        "v(lambda w: F.embedding(torch.tensor([2, 0]), w, max_norm=1.0))(torch.randn(2, 3, 4))"
    ),
}
