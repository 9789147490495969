"""RMSprop."""

from tensh.optim.checks import require
from tensh.optim.elementwise import Elementwise, add_ratio_, add_scaled_, average_, average_square_, decay_weights
from tensh.optim.state import blank, counter

__all__ = ["RMSprop"]


class RMSprop(Elementwise):
    """Step by the gradient over the root of the average of its squares, or over its standard deviation (``centered``).

    ``alpha`` is the share of the averages that a step keeps, ``eps`` is added to the root, ``momentum`` sums the steps,
    and ``weight_decay`` times the parameter is added to its gradient. Hinton, Neural networks for machine learning,
    lecture 6 (2012); centered after Graves, Generating sequences with recurrent neural networks (2013). Raise
    ValueError for settings that are out of range.

    >>> import tensh as torch
    >>> w = torch.tensor(1., requires_grad=True)
    >>> optimizer = torch.optim.RMSprop([w])
    >>> w.square().backward()
    >>> optimizer.step()
    >>> w
    tensor(0.9000, requires_grad=True)
    """

    ARRAYS = ("square_avg", "momentum_buffer", "grad_avg")
    LATER = {
        "momentum": 0, "centered": False, "foreach": None, "maximize": False, "differentiable": False,
        "capturable": False,
    }  # fmt: skip

    def __init__(
        self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, capturable=False,
        foreach=None, maximize=False, differentiable=False,
    ):  # fmt: skip
        require(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        options = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, options)

    def begin(self, p, group):
        state = {"step": counter(), "square_avg": blank(p)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = blank(p)
        if group["centered"]:
            state["grad_avg"] = blank(p)
        return state

    def rule(self, p, group, state, step):
        lr, alpha, eps, weight_decay = group["lr"], group["alpha"], group["eps"], group["weight_decay"]
        momentum, centered = group["momentum"], group["centered"]

        def update(p, grad, square_avg, momentum_buffer=None, grad_avg=None):
            grad = decay_weights(grad, p, weight_decay)
            average_square_(square_avg, grad, alpha)
            variance = square_avg
            if centered:
                average_(grad_avg, grad, alpha)
                variance = square_avg.addcmul(grad_avg, grad_avg, value=-1)
            deviation = variance.sqrt().add(eps)
            if momentum > 0:
                momentum_buffer.mul_(momentum).addcdiv_(grad, deviation)
                add_scaled_(p, momentum_buffer, -lr)
            else:
                add_ratio_(p, grad, deviation, -lr)

        return update
