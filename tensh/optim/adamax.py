"""Adamax."""

from tensh.optim.checks import require
from tensh.optim.elementwise import Elementwise, add_ratio_, average_, decay_weights, keep
from tensh.optim.state import blank, counter

__all__ = ["Adamax"]


class Adamax(Elementwise):
    """Step as Adam does, with the decaying maximum ``max(beta2 * u, |g|)`` in place of the root of squares.

    ``betas`` are the shares of the average and of the maximum that a step keeps, ``eps`` is added to the gradient in
    the maximum, and ``weight_decay`` times the parameter is added to its gradient. Kingma and Ba, Adam: A method for
    stochastic optimization (2015), section 7. Raise ValueError for settings that are out of range.

    >>> import tensh as torch
    >>> w = torch.tensor(1., requires_grad=True)
    >>> optimizer = torch.optim.Adamax([w], lr=0.1)
    >>> w.square().backward()
    >>> optimizer.step()
    >>> w
    tensor(0.9000, requires_grad=True)
    """

    ARRAYS = ("exp_avg", "exp_inf")
    LATER = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
        differentiable=False, capturable=False,
    ):  # fmt: skip
        require(lr=lr, eps=eps, betas=betas, weight_decay=weight_decay)
        options = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, options)

    def begin(self, p, group):
        return {"step": counter(), "exp_avg": blank(p), "exp_inf": blank(p)}

    def rule(self, p, group, state, step):
        eps, weight_decay = group["eps"], group["weight_decay"]
        beta1, beta2 = group["betas"]
        step_size = group["lr"] / (1 - beta1**step)

        def update(p, grad, exp_avg, exp_inf):
            grad = decay_weights(grad, p, weight_decay)
            average_(exp_avg, grad, beta1)
            exp_inf.copy_(keep(exp_inf.mul_(beta2)).maximum(grad.abs().add_(eps)))
            add_ratio_(p, exp_avg, keep(exp_inf), -step_size)

        return update
