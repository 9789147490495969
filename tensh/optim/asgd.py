"""Averaged stochastic gradient descent."""

from tensh.optim.checks import require
from tensh.optim.elementwise import Elementwise, add_scaled_, decay_weights
from tensh.optim.state import blank, counter

__all__ = ["ASGD"]


class ASGD(Elementwise):
    """Descend the gradient with shrinking steps, and average the parameters since step ``t0``.

    The average is ``state[p]["ax"]``. The rate is ``lr / (1 + lambd * lr * step) ** alpha``; ``lambd`` also shrinks the
    parameters, and ``weight_decay`` times the parameter is added to its gradient. Polyak and Juditsky, Acceleration of
    stochastic approximation by averaging (1992). Raise ValueError for settings that are out of range.

    >>> import tensh as torch
    >>> w = torch.tensor(1., requires_grad=True)
    >>> optimizer = torch.optim.ASGD([w], lr=0.1)
    >>> w.square().backward()
    >>> optimizer.step()
    >>> w
    tensor(0.8000, requires_grad=True)
    """

    ARRAYS, COUNTERS = ("ax",), ("step", "eta", "mu")
    CAPTURED = "params, mus, etas, and state_steps"
    LATER = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def __init__(
        self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
        differentiable=False, capturable=False,
    ):  # fmt: skip
        require(lr=lr, weight_decay=weight_decay)
        options = {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, options)

    def begin(self, p, group):
        return {"step": counter(), "eta": counter(float(group["lr"])), "mu": counter(1.0), "ax": blank(p)}

    def rule(self, p, group, state, step):
        lr, lambd, weight_decay = group["lr"], group["lambd"], group["weight_decay"]
        eta, mu = state["eta"].item(), state["mu"].item()
        for name, value in (
            ("eta", lr / (1 + lambd * lr * step) ** group["alpha"]),
            ("mu", 1 / max(1, step - group["t0"])),
        ):
            state[name].array[...] = counter(float(value)).array  # rounded, also where a loaded state is float64

        def update(p, grad, ax):
            grad = decay_weights(grad, p, weight_decay)
            p.mul_(1 - lambd * eta)
            add_scaled_(p, grad, -eta)
            if mu != 1:
                ax.add_(p.sub(ax).mul_(mu))
            else:
                ax.copy_(p)

        return update
