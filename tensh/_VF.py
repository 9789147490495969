"""torch._VF: the functions of torch by the names of their operators, which layers call."""

from tensh.engine import find_public


def __getattr__(name):
    """Return a function of torch."""
    try:
        return find_public(name)
    except (AttributeError, NotImplementedError):
        raise AttributeError(f"'torch._C._VariableFunctionsClass' object has no attribute '{name}'") from None
