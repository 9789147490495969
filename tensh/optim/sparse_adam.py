"""Adam for sparse gradients: rows that have no gradient keep their averages."""

import math

import numpy as np

from tensh.engine.arrays.uninterrupted import Uninterrupted
from tensh.engine.core.clock import stamp_write
from tensh.engine.core.tensor import Tensor
from tensh.engine.methods.creation.fill import zeros_like
from tensh.optim.checks import require
from tensh.optim.optimizer import Optimizer, evaluate

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam for the elements of a sparse gradient only, with averages of these.

    ``betas`` and ``eps`` are those of ``Adam``. Raise ValueError for settings out of range, RuntimeError for a
    dense gradient.

    >>> import tensh as torch
    >>> table = torch.nn.Embedding(3, 2, sparse=True)
    >>> optimizer = torch.optim.SparseAdam(table.parameters())
    >>> table(torch.tensor([1])).sum().backward()
    >>> optimizer.step()
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not lr > 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        require(betas=betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        params = [((i, j), p) for i, group in enumerate(self.param_groups) for j, p in enumerate(group["params"])]
        for kind, found, message in (
            ("Sparse", [[*at] for at, p in params if p.is_sparse], "requires dense parameter tensors"),
            ("Complex", [[*at] for at, p in params if p.is_complex()], "does not support complex parameters"),
        ):
            if found:
                raise ValueError(f"{kind} params at indices {found}: SparseAdam {message}")

    def step(self, closure=None):
        """Change the parameters; ``closure``, if given, computes the loss and its gradients first; its result is returned."""
        loss = evaluate(closure)
        with Uninterrupted():
            for group in self.param_groups:
                changing = [p for p in group["params"] if p.grad is not None]
                if not all(p.grad.is_sparse for p in changing):
                    raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
                for p in changing:
                    self.update(p, p.grad.coalesce(), group)
        return loss

    def update(self, p, grad, group):
        """Change one parameter where its gradient has values."""
        state = self.state[p]
        if not state:
            state.update(step=0, exp_avg=zeros_like(p.detach()), exp_avg_sq=zeros_like(p.detach()))
        state["step"] += 1
        places, values = tuple(grad.array.indices[0]), grad.array.values
        if not len(values):
            return
        values = -values if group["maximize"] else values
        beta1, beta2 = group["betas"]
        lr = group["lr"].item() if isinstance(group["lr"], Tensor) else group["lr"]
        average, square = state["exp_avg"].array, state["exp_avg_sq"].array
        average[places] += (values - average[places]) * (1 - beta1)
        square[places] += (values * values - square[places]) * (1 - beta2)
        size = lr * math.sqrt(1 - beta2 ** state["step"]) / (1 - beta1 ** state["step"])
        p.array[places] += -size * (average[places] / (np.sqrt(square[places]) + group["eps"]))
        for each in (p.array, average, square):
            stamp_write(each)
