"""Adadelta."""

from tensh.optim.checks import CAPTURING, require
from tensh.optim.elementwise import Elementwise, add_scaled_, average_square_, decay_weights, keep
from tensh.optim.state import blank, counter

__all__ = ["Adadelta"]


class Adadelta(Elementwise):
    """Step by the gradient times the root of squared steps over the root of squared gradients.

    A step has the unit of the parameter. ``rho`` is the share of both averages that a step keeps, ``eps`` is added
    below the roots, and ``weight_decay`` times the parameter is added to its gradient. Zeiler, Adadelta: An adaptive
    learning rate method (2012). Raise ValueError for settings that are out of range.

    >>> import tensh as torch
    >>> w = torch.tensor(1., requires_grad=True)
    >>> optimizer = torch.optim.Adadelta([w])
    >>> w.square().backward()
    >>> optimizer.step()
    >>> w
    tensor(0.9968, requires_grad=True)
    """

    ARRAYS = ("square_avg", "acc_delta")
    DEVICES = CAPTURING[:-1]
    LATER = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def __init__(
        self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False, maximize=False,
        differentiable=False,
    ):  # fmt: skip
        require(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay)
        options = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, options)

    def begin(self, p, group):
        return {"step": counter(), "square_avg": blank(p), "acc_delta": blank(p)}

    def rule(self, p, group, state, step):
        lr, rho, eps, weight_decay = group["lr"], group["rho"], group["eps"], group["weight_decay"]

        def update(p, grad, square_avg, acc_delta):
            grad = decay_weights(grad, p, weight_decay)
            average_square_(square_avg, grad, rho)
            delta = keep(acc_delta.add(eps).sqrt_()).div_(square_avg.add(eps).sqrt_()).mul_(grad)
            average_square_(acc_delta, delta, rho)
            add_scaled_(p, delta, -lr)

        return update
