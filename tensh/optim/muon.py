"""Muon."""

import math

from tensh.engine.core.tensor import Tensor
from tensh.optim.checks import REQUIRED_OF_YOUNG, require
from tensh.optim.state import blank
from tensh.optim.whole import Whole


class Muon(Whole):
    """Step by the orthogonalized momentum: for the matrices of hidden layers only.

    The step is the orthogonal matrix nearest to the averaged gradient, approximately, after ``ns_steps`` steps of
    Newton and Schulz in bfloat16. ``momentum`` is the share of the average that a step keeps, and with ``nesterov`` the
    gradient looks ahead; ``ns_coefficients`` are those of a step's polynomial, ``eps`` is the least norm that divides.
    ``adjust_lr_fn`` fits ``lr`` to a matrix: "original", by its shape, or "match_rms_adamw". ``lr * weight_decay`` of a
    parameter is taken from it. Jordan et al., Muon: An optimizer for hidden layers in neural networks (2024); the
    learning rate after Liu et al., Muon is scalable for LLM training (2025). Raise ValueError for parameters that are
    no matrices [n, m] and for settings that are out of range.

    >>> import tensh as torch
    >>> w = torch.eye(2, requires_grad=True)
    >>> optimizer = torch.optim.Muon([w], lr=0.1)
    >>> w.square().sum().backward()
    >>> optimizer.step()
    >>> w.diagonal() < 1
    tensor([True, True])
    """

    def __init__(
        self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True, ns_coefficients=(3.4445, -4.775, 2.0315),
        eps=1e-7, ns_steps=5, adjust_lr_fn=None,
    ):  # fmt: skip
        require(REQUIRED_OF_YOUNG, lr=lr, momentum=momentum, decay=weight_decay)
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        options = {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
        }  # fmt: skip
        super().__init__(params, options)
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}"
                    )

    def begin(self, p, group):
        return {"momentum_buffer": blank(p)}

    def update(self, p, grad, group, state):
        lr, momentum, average = group["lr"], group["momentum"], state["momentum_buffer"]
        lr = lr.squeeze() if isinstance(lr, Tensor) else lr
        average.lerp_(grad, 1 - momentum)
        direction = grad.lerp(average, momentum) if group["nesterov"] else average
        direction = orthogonal(direction, group["ns_coefficients"], group["ns_steps"], group["eps"])
        p.mul_(1 - lr * group["weight_decay"])
        p.add_(direction, alpha=-lr * _ratio(group["adjust_lr_fn"], *p.shape))


def orthogonal(matrix, coefficients, steps, eps):
    """Nearly the orthogonal matrix nearest to ``matrix``, by iterating ``X -> (a + b X X^T + c (X X^T)^2) X``."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    is_tall = matrix.size(0) > matrix.size(1)
    x = matrix.bfloat16()
    x = x.T if is_tall else x
    x = x.div(x.norm().clamp(min=eps))
    for _ in range(steps):
        gram = x @ x.T
        x = x.addmm(gram.addmm(gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if is_tall else x


def _ratio(adjust_lr_fn, rows, columns):
    """Return the factor of the learning rate for a matrix of this shape."""
    if adjust_lr_fn == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1, rows / columns))
