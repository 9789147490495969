"""RAdam."""

from tensh.optim.checks import require
from tensh.optim.elementwise import Elementwise, average_, average_square_, weigh
from tensh.optim.state import blank, counter

__all__ = ["RAdam"]


class RAdam(Elementwise):
    """Step as Adam does, and divide by the root of the squares only once enough of them were seen.

    ``betas``, ``eps`` and ``weight_decay`` are those of ``Adam``, or of ``AdamW`` with
    ``decoupled_weight_decay``. Liu et al., On the variance of the adaptive learning rate and beyond (2020). Raise
    ValueError for settings that are out of range.

    >>> import tensh as torch
    >>> w = torch.tensor(1., requires_grad=True)
    >>> optimizer = torch.optim.RAdam([w], lr=0.1)
    >>> w.square().backward()
    >>> optimizer.step()
    >>> w
    tensor(0.8000, requires_grad=True)
    """

    ARRAYS = ("exp_avg", "exp_avg_sq")
    LATER = {
        "foreach": None, "maximize": False, "differentiable": False, "decoupled_weight_decay": False,
        "capturable": False,
    }  # fmt: skip

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
        foreach=None, maximize=False, capturable=False, differentiable=False,
    ):  # fmt: skip
        require(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay)
        options = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, options)

    def begin(self, p, group):
        return {"step": counter(), "exp_avg": blank(p), "exp_avg_sq": blank(p)}

    def rule(self, p, group, state, step):
        lr, eps = group["lr"], group["eps"]
        beta1, beta2 = group["betas"]
        correction1, correction2 = 1 - beta1**step, 1 - beta2**step
        longest = 2 / (1 - beta2) - 1  # the length of the averages in steps; the paper's rho
        length = longest - 2 * step * beta2**step / correction2
        if length > 5:
            known = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)

        def update(p, grad, exp_avg, exp_avg_sq):
            grad = weigh(grad, p, group)
            average_(exp_avg, grad, beta1)
            average_square_(exp_avg_sq, grad, beta2)
            change = exp_avg.div(correction1).mul(lr)
            if length > 5:
                change = change.mul(correction2**0.5 / exp_avg_sq.sqrt().add(eps)).mul(known**0.5)
            p.add_(change, alpha=-1)

        return update
