"""Adagrad."""

from tensh.optim.checks import require, require_one_way
from tensh.optim.elementwise import Elementwise, add_ratio_, decay_weights
from tensh.optim.state import blank, counter

__all__ = ["Adagrad"]


class Adagrad(Elementwise):
    """Step by the gradient over the root of the sum of all its squares so far.

    Steps get smaller where gradients have been large. ``lr_decay`` divides the rate by ``1 + lr_decay * steps``, sums
    begin at ``initial_accumulator_value``, ``eps`` is added to the root, and ``weight_decay`` times the parameter is
    added to its gradient. Duchi, Hazan and Singer, Adaptive subgradient methods for online learning and stochastic
    optimization (2011). Raise ValueError for settings that are out of range, RuntimeError for ``fused`` beside
    ``foreach`` or ``differentiable``.

    >>> import tensh as torch
    >>> w = torch.tensor(1., requires_grad=True)
    >>> optimizer = torch.optim.Adagrad([w], lr=0.1)
    >>> w.square().backward()
    >>> optimizer.step()
    >>> w
    tensor(0.9000, requires_grad=True)
    """

    ARRAYS = ("sum",)
    LATER = {"foreach": None, "maximize": False, "differentiable": False, "fused": None}

    def __init__(
        self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, *,
        maximize=False, differentiable=False, fused=None,
    ):  # fmt: skip
        require(
            lr=lr,
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )
        options = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, options)
        require_one_way(fused, foreach, differentiable)
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p] = self.begin(p, group)

    def refuse_sparse(self, group):
        """A sparse gradient has the effect of a dense one at its elements, but without weight decay."""
        if group["fused"]:
            raise RuntimeError("`fused` does not support sparse grad or complex param")
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")

    def begin(self, p, group):
        start = self.defaults["initial_accumulator_value"]
        return {"step": counter(fused=group["fused"]), "sum": blank(p, start)}

    def share_memory(self):
        """Move the sums to shared memory."""
        for state in self.state.values():
            state["sum"].share_memory_()

    def rule(self, p, group, state, step):
        eps, weight_decay = group["eps"], group["weight_decay"]
        lr = group["lr"] / (1 + (step - 1) * group["lr_decay"])

        def update(p, grad, sum):
            grad = decay_weights(grad, p, weight_decay)
            sum.addcmul_(grad, grad, value=1)
            add_ratio_(p, grad, sum.sqrt().add(eps), -lr)

        return update
