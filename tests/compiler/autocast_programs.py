"""Functions of a matrix that run under autocast, and functions that switch it in other ways."""

import tensh as torch
from tensh import nn

F = nn.functional
m, v, labels = (
    torch.tensor([[1.0, 2.0, 3.0], [0.5, 1.7, 2.3], [1.1, 0.3, 0.9]]),
    torch.ones(3) * 0.3,
    torch.tensor([0, 2, 1]),
)
layer = nn.Linear(3, 3)
image = torch.arange(36.0).reshape(1, 1, 6, 6) / 7

CALLS = {
    "mm": lambda x: x @ m, "mm_index": lambda x: (x @ m)[labels], "addmm": lambda x: torch.addmm(x, x, m),
    "bmm": lambda x: torch.bmm(x[None], m[None]), "chain": lambda x: x @ m @ m @ x.T, "mv": lambda x: x.mv(v),
    "linear": lambda x: F.linear(x, m, v), "layer": lambda x: layer(x).relu(), "einsum": lambda x: torch.einsum("ij,jk", x, m),
    "matmul": lambda x: torch.matmul(x[None], m), "conv2d": lambda x: F.conv2d(image, x[None, None]),
    "attention": lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None]),
    "cross_entropy": lambda x: F.cross_entropy(x @ m, labels), "mse_loss": lambda x: F.mse_loss(x @ m, x),
    "cat": lambda x: torch.cat([x @ m, x]), "softmax": lambda x: (x @ m).softmax(0), "layer_norm": lambda x: F.layer_norm(x @ m, (3,)),
    "prod": lambda x: (x @ m).prod(), "inverse": lambda x: torch.linalg.inv(x @ m), "fft": lambda x: torch.fft.fft(x @ m).abs(),
    "write": lambda x: (x @ m).add_(x), "cdist": lambda x: torch.cdist(x, m), "out": lambda x: torch.mm(x.detach(), m, out=torch.empty(3, 3)),
}  # fmt: skip
"""Name -> a function of a matrix."""


def nested(x):
    with torch.autocast("cpu"):
        y = x @ m
        with torch.autocast("cpu", enabled=False):
            z = x @ m
    return y, z


def raises(x):
    try:
        with torch.autocast("cpu"):
            y = x @ m
            raise KeyError
    except KeyError:
        return y, x @ m


def returns_early(x):
    with torch.autocast("cpu", cache_enabled=False):
        if x.dim() == 2:
            return layer(x)
    return x


def without_gradients(x):
    with torch.autocast("cpu"), torch.no_grad():
        return layer(x), x + 1


@torch.autocast("cpu", torch.float16)
def decorated(x):
    return layer(x) * 2


outer = torch.autocast("cpu")


def reused(x):
    with outer:
        y = x @ m
    with outer:
        return y @ m, layer(x)


PROGRAMS = [nested, raises, returns_early, without_gradients, decorated, reused]
"""Functions with the regions of autocast inside."""
REGIONS = [
    [("cpu", None, True, None), ("cpu", None, False, None)], [("cpu", None, True, None)], [("cpu", None, True, False)],
    [("cpu", None, True, None)], [("cpu", torch.float16, True, True)], [("cpu", torch.bfloat16, True, True)] * 2,
]  # fmt: skip
"""The settings of the regions of each, in the calls of graphs for back ends."""
