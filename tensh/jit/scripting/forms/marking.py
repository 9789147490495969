"""The marks of forms."""

__all__ = ["form"]


def form(fn=None, *, length=0, space="nn.functional", open=()):
    """Mark a function as the form of one of the same name.

    ``length`` is that of lists in its parameters, for each of which one number may be given; ``space`` is the module
    within torch, and ``open`` names parameters whose types are those of the arguments of a call.
    """
    if fn is None:
        return lambda fn: form(fn, length=length, space=space, open=open)
    fn.form, fn.length, fn.open, fn.path = True, length, open, f"__torch__.torch.{space}.{fn.__name__}"
    return fn
