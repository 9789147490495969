"""torch.fx._compatibility: what the documentation of a function promises for later versions."""

import textwrap
from contextlib import suppress

STABLE = "\n\n.. note::\n    Backwards-compatibility for this API is guaranteed.\n"
UNSTABLE = "\n\n.. warning::\n    This API is experimental and is *NOT* backward-compatible.\n"


def compatibility(is_backward_compatible):
    """Make a decorator that adds to a docstring whether the function stays as it is in later versions.

    >>> from tensh.fx._compatibility import compatibility
    >>> compatibility(is_backward_compatible=True)(len) is len
    True
    """

    def mark(function):
        doc = textwrap.dedent(getattr(function, "__doc__", None) or "")
        note = STABLE if is_backward_compatible else UNSTABLE
        with suppress(AttributeError):  # functions written in C
            function.__doc__ = doc + note
        return function

    return mark
