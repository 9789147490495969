"""Adafactor."""

from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.info import finfo
from tensh.optim.checks import REQUIRED_OF_YOUNG, require
from tensh.optim.state import blank, counter
from tensh.optim.whole import Whole


class Adafactor(Whole):
    """Scale steps by squared gradients, for matrices with one average per row and column only.

    Step t forgets ``t ** beta2_decay`` of the averages; ``eps`` are the least average (None: the dtype's) and the least
    scale of a parameter, ``d`` is the largest mean square of a change, and ``lr * weight_decay`` of a parameter is
    taken from it. Shazeer and Stern, Adafactor: Adaptive learning rates with sublinear memory cost (2018). Raise
    ValueError for settings that are out of range.

    >>> import tensh as torch
    >>> w = torch.tensor(1., requires_grad=True)
    >>> optimizer = torch.optim.Adafactor([w], lr=0.1)
    >>> w.square().backward()
    >>> optimizer.step()
    >>> w
    tensor(0.9000, requires_grad=True)
    """

    COUNTERS = ("step",)
    LATER = {"foreach": None}

    def __init__(
        self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None,
        maximize=False,
    ):  # fmt: skip
        values = {"lr": lr, "beta2_decay": beta2_decay, "epsilon1": eps[0], "epsilon2": eps[1], "d": d}
        require(REQUIRED_OF_YOUNG, **values, weight_decay=weight_decay)
        options = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, options)

    def begin(self, p, group):
        if p.ndim < 2:
            return {"step": counter(), "variance": blank(p)}
        rows, columns = p.detach().sum(-1, keepdim=True), p.detach().sum(-2, keepdim=True)
        return {"step": counter(), "row_var": blank(rows), "col_var": blank(columns)}

    def update(self, p, grad, group, state):
        grad = grad.neg() if group["maximize"] else grad
        lr = group["lr"].item() if isinstance(group["lr"], Tensor) else group["lr"]
        smallest, least_scale = group["eps"]
        smallest = finfo(p.dtype).eps if smallest is None else smallest
        state["step"] += 1
        step = state["step"].item()
        scale = max(least_scale, p.norm(2).item() / p.numel() ** 0.5) * min(lr, 1 / step**0.5)
        if group["weight_decay"] != 0:
            p.mul_(1 - lr * group["weight_decay"])
        variance = _variance(grad, state, step ** group["beta2_decay"], smallest)
        change = variance.clamp_(min=smallest * smallest).rsqrt_().mul_(grad)
        excess = max(1.0, change.norm(2).item() / (change.numel() ** 0.5 * group["d"]))
        p.add_(change, alpha=-scale / excess)


def _variance(grad, state, weight, smallest):
    """Update and return the averages of squares, for a matrix the product of those of its rows and columns."""
    if grad.ndim < 2:
        return state["variance"].lerp_(grad * grad, weight).clone()
    rows, columns = state["row_var"], state["col_var"]
    for average, dim in ((rows, -1), (columns, -2)):
        average.lerp_(grad.norm(2, dim=dim, keepdim=True).square_().div_(grad.size(dim)), weight)
    return (rows @ columns).div_(rows.mean(dim=-2, keepdim=True).clamp_(min=smallest))
