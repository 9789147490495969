"""Optimizers with steps that use a parameter as a whole, written with tensors, as norms and products dominate."""

from tensh.engine.arrays.uninterrupted import Uninterrupted
from tensh.engine.autograd.modes import no_grad
from tensh.optim.checks import refuse_sparse_gradients
from tensh.optim.optimizer import Optimizer, evaluate
from tensh.support.naming import Shared


class Whole(Shared, Optimizer):
    """A subclass defines the state of a parameter (``begin``) and its update (``update``)."""

    SHARED = ("step",)

    def begin(self, p, group):
        """Return the state of a parameter before its first step."""
        raise NotImplementedError

    def update(self, p, grad, group, state):
        """Change one parameter; nothing is recorded."""
        raise NotImplementedError

    def step(self, closure=None):
        """Change the parameters; ``closure``, if given, computes the loss and its gradients first; its result is returned."""
        loss = evaluate(closure)
        with no_grad(), Uninterrupted():
            for group in self.param_groups:
                if any(p.grad is not None and p.grad.is_sparse for p in group["params"]):
                    refuse_sparse_gradients(type(self).__name__)
                for p in group["params"]:
                    if p.grad is not None:
                        self._step_one(p, group)
        return loss

    def _step_one(self, p, group):
        if p.is_complex():
            raise RuntimeError(f"{type(self).__name__} does not support complex parameters")
        state = self.state[p]
        if not state:
            state.update(self.begin(p, group))
        self.update(p, p.grad, group, state)
