"""A branch that depends on an element of a tensor: run, it is Python's; mapped over a batch, both are."""

import warnings

import tensh as torch
from tensh._higher_order_ops.operators import HigherOrderOperator
from tensh.engine.dispatch.capture.exporting import exporting
from tensh.func.trees import flatten, leaves_of, unflatten

__all__ = ["cond", "cond_op"]


CONSTANT = (
    "Pred is a Python constant. When used with torch.cond, it specializes on one of the branches. If you want torch.cond to preserve "
    "two branches, please make the predicate a boolean tensor or a SymBool."
)


def check_operands(name, operands):
    """Raise RuntimeError unless ``operands`` is a tuple or list of tensors."""
    if not isinstance(operands, (tuple, list)) or not all(isinstance(t, torch.Tensor) for t in leaves_of(operands)):
        raise RuntimeError(
            f"Expect {name} to be a tuple of possibly nested dict/list/tuple that only consists of tensor leaves, "
            f"but got {operands}."
        )


def cond(pred, true_fn, false_fn, operands=()):
    """Return ``true_fn(*operands)`` where ``pred`` holds, else ``false_fn(*operands)``.

    ``pred`` is a bool or a tensor of one element; ``operands`` are tensors of any shapes ``[*]``, in any structure.
    Under ``vmap``, each sample takes its own branch. Raises RuntimeError for anything else. Differentiable as the
    branch that is taken.

    >>> import tensh as torch
    >>> x = torch.arange(3.0)
    >>> torch.cond(x.sum() > 1, lambda x: x + 1, lambda x: x - 1, (x,))
    tensor([1., 2., 3.])
    """
    if not (callable(true_fn) and callable(false_fn)):
        raise RuntimeError("Expect both branches to be callable.")
    check_operands("operands", operands)
    if isinstance(pred, torch.Tensor):
        if pred.numel() != 1:
            raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
        return cond_op(pred, true_fn, false_fn, tuple(operands))
    if hasattr(pred, "node"):  # a comparison of sizes or numbers in a trace
        return cond_op(pred, true_fn, false_fn, tuple(operands))
    if exporting.now:
        warnings.warn(CONSTANT, UserWarning, stacklevel=2)
    return true_fn(*operands) if pred else false_fn(*operands)


def branch(pred, true_fn, false_fn, operands=()):
    """Compute the branch that ``pred`` chooses; under ``vmap``, both."""
    if getattr(pred, "hides_batches", False):
        return choose(pred, true_fn(*operands), false_fn(*operands))
    return true_fn(*operands) if pred else false_fn(*operands)


def choose(pred, first, second):
    """Return the leaves of ``first`` where ``pred`` holds, of ``second`` elsewhere."""
    leaves, spec = flatten(first)
    others = leaves_of(second)
    return unflatten([torch.where(pred, a, b) for a, b in zip(leaves, others, strict=True)], spec)


cond_op = HigherOrderOperator("cond", branch, ("true_graph", "false_graph"), first=1)
