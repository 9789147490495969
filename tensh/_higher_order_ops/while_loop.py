"""A loop that depends on elements of tensors."""

__all__ = ["while_loop"]


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
    while cond_fn(*carried_inputs):
        carried_inputs = body_fn(*carried_inputs)
        if not isinstance(carried_inputs, (tuple, list)):
            raise RuntimeError(f"body_fn should return a tuple but got {type(carried_inputs)}")
    return tuple(carried_inputs)
