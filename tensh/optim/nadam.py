"""NAdam."""

from tensh.optim.checks import require
from tensh.optim.elementwise import Elementwise, add_ratio_, average_, average_square_, weigh
from tensh.optim.state import blank, counter

__all__ = ["NAdam"]


class NAdam(Elementwise):
    """Step as Adam does, with Nesterov's momentum: the present gradient and the next average, each with its weight.

    ``momentum_decay`` is how fast the momentum rises towards the first of the ``betas``; ``betas``, ``eps`` and
    ``weight_decay`` are those of ``Adam``, or of ``AdamW`` with ``decoupled_weight_decay``. Dozat,
    Incorporating Nesterov momentum into Adam (2016). Raise ValueError for settings that are out of range.

    >>> import tensh as torch
    >>> w = torch.tensor(1., requires_grad=True)
    >>> optimizer = torch.optim.NAdam([w], lr=0.1)
    >>> w.square().backward()
    >>> optimizer.step()
    >>> w
    tensor(0.8944, requires_grad=True)
    """

    ARRAYS, COUNTERS = ("exp_avg", "exp_avg_sq"), ("step", "mu_product")
    CAPTURED = "params, mu_products and state_steps"
    LATER = {
        "maximize": False, "foreach": None, "capturable": False, "differentiable": False,
        "decoupled_weight_decay": False,
    }  # fmt: skip

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
        decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False, differentiable=False,
    ):  # fmt: skip
        require(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay, momentum_decay=momentum_decay)
        options = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, options)

    def begin(self, p, group):
        return {"step": counter(), "mu_product": counter(1.0), "exp_avg": blank(p), "exp_avg_sq": blank(p)}

    def rule(self, p, group, state, step):
        lr, eps = group["lr"], group["eps"]
        beta1, beta2 = group["betas"]
        correction = 1 - beta2**step
        mu, mu_next = (beta1 * (1 - 0.5 * 0.96 ** (s * group["momentum_decay"])) for s in (step, step + 1))
        if group["differentiable"]:
            product = state["mu_product"].mul_(mu).clone()
        else:
            product = state["mu_product"].array
            product *= mu
            product = product.item()
        now = -lr * (1 - mu) / (1 - product)
        later = -lr * mu_next / (1 - product * mu_next)

        def update(p, grad, exp_avg, exp_avg_sq):
            grad = weigh(grad, p, group)
            average_(exp_avg, grad, beta1)
            average_square_(exp_avg_sq, grad, beta2)
            denominator = exp_avg_sq.div(correction).sqrt().add(eps)
            add_ratio_(p, grad, denominator, now)
            add_ratio_(p, exp_avg, denominator, later)

        return update
