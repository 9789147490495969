"""L-BFGS."""

from tensh.engine.arrays.uninterrupted import Uninterrupted
from tensh.engine.autograd.modes import enable_grad, no_grad
from tensh.engine.core.tensor import Tensor
from tensh.engine.operators.shapes.composites.joining import cat
from tensh.engine.operators.shapes.layout import view_as_real
from tensh.optim.checks import require
from tensh.optim.line_search import (  # noqa: F401 (libraries import the private ones from here)
    Point,
    _cubic_interpolate,
    _strong_wolfe,
    strong_wolfe,
)
from tensh.optim.optimizer import Optimizer

__all__ = ["LBFGS"]

KEPT = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")  # kept from step to step


class LBFGS(Optimizer):
    """Step as Newton's method does, with the curvature estimated from the last ``history_size`` steps.

    A step is up to ``max_iter`` iterations and calls ``closure`` many times, which must clear the gradients, compute
    the loss and call ``backward``. An iteration goes ``lr`` along the direction, or as far as
    ``line_search_fn="strong_wolfe"`` finds. A step ends after ``max_eval`` calls (None: 5/4 of ``max_iter``), at
    gradients up to ``tolerance_grad``, and at changes below ``tolerance_change``. Liu and Nocedal, On the limited
    memory BFGS method for large scale optimization (1989). Raise ValueError for several parameter groups and for
    settings that are out of range.

    >>> import tensh as torch
    >>> w = torch.tensor([3., -1.], requires_grad=True)
    >>> optimizer = torch.optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (w - torch.tensor([1., 2.])).square().sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure)
    tensor(13., grad_fn=<SumBackward0>)
    >>> w
    tensor([1.0000, 2.0000], requires_grad=True)
    """

    def __init__(
        self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9, history_size=100,
        line_search_fn=None,
    ):  # fmt: skip
        require(lr=lr)
        options = {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn,
        }  # fmt: skip
        super().__init__(params, options)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    @no_grad()
    def step(self, closure):
        """Run some iterations; return the result of the first call of ``closure``.

        If the closure fails, or is interrupted, parameters and state are as before.
        """
        params = self.param_groups[0]["params"]
        state = self.state[params[0]]
        before = [p.clone() for p in params]
        remembered = {name: list(value) if isinstance(value, list) else value for name, value in state.items()}
        try:
            return self._step(enable_grad()(closure), params, state)
        except BaseException:
            with Uninterrupted():
                for p, value in zip(params, before):
                    p.copy_(value)
                state.clear()
                state.update(remembered)
            raise

    def _step(self, closure, params, state):
        group = self.param_groups[0]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = closure()
        state["func_evals"] += 1
        grad = flat_gradient(params)
        if grad.abs().max() <= group["tolerance_grad"]:
            return first
        state.update(self._iterate(closure, group, state, _number(first), grad))
        return first

    def _iterate(self, closure, group, state, loss, grad):
        """Run the iterations of one step; return the new state."""
        params, lr, tolerance = group["params"], group["lr"], group["tolerance_change"]
        lr = lr.squeeze() if isinstance(lr, Tensor) else lr
        memory = {name: state.get(name) for name in KEPT}
        evaluations = 1
        for iteration in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            self._direct(memory, state, grad, group["history_size"])
            memory["prev_flat_grad"], memory["prev_loss"] = grad.clone(), loss
            d = memory["d"]
            memory["t"] = t = lr if state["n_iter"] > 1 else min(1.0, 1.0 / grad.abs().sum()) * lr
            slope = grad.dot(d)
            if slope > -tolerance:
                break
            count = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                start = Point(0, loss, grad, slope)
                along = _evaluate_along(params, d, closure)
                point, count = strong_wolfe(along, start, t, d.abs().max(), group["max_eval"] - evaluations)
                memory["t"], loss, grad, _ = point
                move(params, point.t, d)
            else:
                move(params, t, d)
                if iteration != group["max_iter"]:  # the loss is not needed afterwards
                    loss, grad, count = _number(closure()), flat_gradient(params), 1
            evaluations += count
            state["func_evals"] += count
            if (
                iteration == group["max_iter"]
                or evaluations >= group["max_eval"]
                or grad.abs().max() <= group["tolerance_grad"]
                or d.mul(memory["t"]).abs().max() <= tolerance
                or abs(loss - memory["prev_loss"]) < tolerance
            ):
                break
        return memory

    def _direct(self, memory, state, grad, history_size):
        """Find the next direction: the gradient times an approximate inverse of the matrix of second derivatives."""
        if state["n_iter"] == 1:
            memory.update(d=grad.neg(), old_dirs=[], old_stps=[], ro=[], H_diag=1)
            return
        changes, steps, inverses = memory["old_dirs"], memory["old_stps"], memory["ro"]
        change, step = grad.sub(memory["prev_flat_grad"]), memory["d"].mul(memory["t"])
        curvature = change.dot(step)
        if curvature > 1e-10:
            if len(changes) == history_size:
                for each in (changes, steps, inverses):
                    each.pop(0)
            changes.append(change)
            steps.append(step)
            inverses.append(1.0 / curvature)
            memory["H_diag"] = curvature / change.dot(change)
        weights = state.setdefault("al", [None] * history_size)
        d = grad.neg()
        for i in reversed(range(len(changes))):
            weights[i] = steps[i].dot(d) * inverses[i]
            d.add_(changes[i], alpha=-weights[i])
        d = d.mul(memory["H_diag"])
        for i in range(len(changes)):
            d.add_(steps[i], alpha=weights[i] - changes[i].dot(d) * inverses[i])
        memory["d"] = d


def flat_gradient(params):
    """Return the gradients of all parameters joined, complex numbers as two; zeros for missing gradients."""
    grads = [p.detach().new_zeros(p.shape) if p.grad is None else p.grad.to_dense() for p in params]
    return cat([(view_as_real.fn(grad) if grad.is_complex() else grad).reshape(-1) for grad in grads])


def _number(loss):
    return loss.item() if isinstance(loss, Tensor) else float(loss)


def move(params, t, direction):
    """Move all parameters by ``t`` along a direction."""
    start = 0
    for p in params:
        p = view_as_real.fn(p) if p.is_complex() else p
        p.add_(direction[start : start + p.numel()].view(p.shape), alpha=t)
        start += p.numel()


def _evaluate_along(params, direction, closure):
    """Return the line search's function of the step size, which restores the parameters."""
    before = [p.clone() for p in params]

    def evaluate(t):
        try:
            move(params, t, direction)
            loss = _number(closure())
            grad = flat_gradient(params)
        finally:
            for p, value in zip(params, before):
                p.copy_(value)
        return Point(t, loss, grad, grad.dot(direction))

    return evaluate
