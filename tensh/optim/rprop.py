"""Rprop."""

from tensh.optim.checks import require
from tensh.optim.elementwise import Elementwise, keep
from tensh.optim.state import blank, counter

__all__ = ["Rprop"]


class Rprop(Elementwise):
    """Step by the sign of the gradient, with a step size for each element.

    A step size grows while the gradient keeps its sign, and shrinks when not; where the sign has changed the element
    waits for one step. ``etas`` are the factors by which step sizes shrink and grow, ``step_sizes`` the least and the
    largest; they begin at ``lr``. Riedmiller and Braun, A direct adaptive method for faster backpropagation learning:
    the RPROP algorithm (1993). Raise ValueError for settings that are out of range.

    >>> import tensh as torch
    >>> w = torch.tensor(1., requires_grad=True)
    >>> optimizer = torch.optim.Rprop([w], lr=0.1)
    >>> w.square().backward()
    >>> optimizer.step()
    >>> w
    tensor(0.9000, requires_grad=True)
    """

    ARRAYS = ("prev", "step_size")
    LATER = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def __init__(
        self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None,
        maximize=False, differentiable=False,
    ):  # fmt: skip
        require(lr=lr)
        if not 0 < etas[0] < 1 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        options = {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, options)

    def begin(self, p, group):
        return {"step": counter(), "prev": blank(p), "step_size": blank(p, float(group["lr"]))}

    def rule(self, p, group, state, step):
        shrink, grow = group["etas"]
        smallest, largest = group["step_sizes"]

        def update(p, grad, prev, step_size):
            change = grad.mul(keep(prev)).sign()
            turned = change.lt(0)
            change.masked_fill_(change.gt(0), grow).masked_fill_(turned, shrink).masked_fill_(change.eq(0), 1)
            step_size.mul_(change).clamp_(smallest, largest)
            grad = grad.masked_fill(turned, 0)
            p.addcmul_(grad.sign(), keep(step_size), value=-1)
            prev.copy_(grad)

        return update
