"""A loop that depends on elements of tensors."""

from tensh._higher_order_ops.operators import HigherOrderOperator

__all__ = ["while_loop", "while_loop_op"]


def while_loop(cond_fn, body_fn, carried_inputs):
    """Replace ``carried_inputs`` by ``body_fn(*carried_inputs)`` while ``cond_fn(*carried_inputs)`` holds; return the last.

    ``carried_inputs`` are tensors and numbers in any structure. Raises RuntimeError for other inputs.

    >>> import tensh as torch
    >>> torch.while_loop(lambda n, x: n < 3, lambda n, x: (n + 1, x * 2), (torch.tensor(0), torch.ones(2)))
    (tensor(3), tensor([8., 8.]))
    """
    if not (callable(cond_fn) and callable(body_fn)):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    if not isinstance(carried_inputs, (tuple, list)):
        raise RuntimeError(
            f"Expect carried_inputs to be a tuple of possibly nested dict/list/tuple that only consists of tensor or int leaves, but got {carried_inputs}."
        )
    return while_loop_op(cond_fn, body_fn, tuple(carried_inputs), ())


def repeat(cond_fn, body_fn, carried, additional=()):
    """Compute the loop: both functions take what is carried, then ``additional``."""
    while cond_fn(*carried, *additional):
        carried = body_fn(*carried, *additional)
        if not isinstance(carried, (tuple, list)):
            raise RuntimeError(f"body_fn should return a tuple but got {type(carried)}")
    return tuple(carried)


while_loop_op = HigherOrderOperator(
    "while_loop", repeat, ("while_loop_cond_graph", "while_loop_body_graph"), apart=True
)
