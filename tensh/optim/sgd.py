"""Stochastic gradient descent."""

from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.tensor import SPARSE
from tensh.optim.checks import REQUIRED_OF_SGD, require, require_one_way
from tensh.optim.elementwise import Elementwise, add_scaled_, decay_weights
from tensh.optim.state import blank

__all__ = ["SGD"]


class SGD(Elementwise):
    """Descend the gradient, with momentum if wanted: ``v = momentum * v + (1 - dampening) * g``, ``p -= lr * v``.

    The first step takes ``v = g``. With ``nesterov`` the step is ``g + momentum * v`` instead of ``v``.
    ``weight_decay`` times the parameter is added to its gradient g. Momentum after Sutskever, Martens, Dahl and Hinton,
    On the importance of initialization and momentum in deep learning (2013). Raise ValueError for settings that are out
    of range and for ``nesterov`` without momentum or with dampening, RuntimeError for ``fused`` beside ``foreach`` or
    ``differentiable``.

    >>> import tensh as torch
    >>> w = torch.tensor(1., requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.1)
    >>> w.square().backward()
    >>> optimizer.step()
    >>> w
    tensor(0.8000, requires_grad=True)
    """

    ARRAYS, COUNTERS = ("momentum_buffer",), ()
    LATER = {"nesterov": False, "maximize": False, "foreach": None, "differentiable": False, "fused": False}

    def __init__(
        self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, foreach=None,
        differentiable=False, fused=None,
    ):  # fmt: skip
        require(REQUIRED_OF_SGD, lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        options = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, options)
        require_one_way(fused, foreach, differentiable)

    def refuse_sparse(self, group):
        """A sparse gradient has the effect of a dense one at its elements, except for the fused kernel and weight decay."""
        if group["fused"]:
            raise RuntimeError("`_fused_sgd` does not support sparse gradients")
        if group["weight_decay"] != 0:
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")

    def begin(self, p, group):
        return {"momentum_buffer": None} if group["momentum"] != 0 else {}

    def _step_on_arrays(self, p, grad, group, state):
        """One step of one parameter; the momentum of sparse gradients is sparse, and so is the step."""
        if type(grad.array) not in SPARSE or group["momentum"] == 0:
            super()._step_on_arrays(p, grad, group, state)
            return
        momentum, remaining, buffer = group["momentum"], 1 - group["dampening"], state["momentum_buffer"]
        with no_grad():
            if group["maximize"]:
                grad = -grad
            buffer = grad.clone() if buffer is None else buffer.mul_(momentum).add_(grad, alpha=remaining)
            state["momentum_buffer"] = buffer
            p.add_(grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer, alpha=-group["lr"])

    def rule(self, p, group, state, step):
        lr, momentum, nesterov, weight_decay = group["lr"], group["momentum"], group["nesterov"], group["weight_decay"]
        remaining = 1 - group["dampening"]
        starts = momentum != 0 and state["momentum_buffer"] is None
        if starts:
            state["momentum_buffer"] = blank(p)

        def update(p, grad, momentum_buffer=None):
            grad = decay_weights(grad, p, weight_decay)
            if momentum != 0:
                if starts:
                    momentum_buffer.copy_(grad.detach())
                else:
                    momentum_buffer.mul_(momentum).add_(grad, alpha=remaining)
                grad = grad.add(momentum_buffer, alpha=momentum) if nesterov else momentum_buffer
            add_scaled_(p, grad, -lr)

        return update
