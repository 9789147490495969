"""The printing options that format.py reads and ``set_printoptions`` changes."""

from contextlib import contextmanager
from types import SimpleNamespace

PROFILES = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": float("inf"), "edgeitems": 3, "linewidth": 80},
}

options = SimpleNamespace(**PROFILES["default"], sci_mode=None)
"""The current settings."""


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """Set how tensors are printed; options that are not given keep their values, except ``sci_mode``.

    Args:
        precision: digits after the point (initially 4).
        threshold: tensors with more elements than this are summarised (1000).
        edgeitems: elements printed at each end of a summarised dimension (3).
        linewidth: characters per line (80); rows of a tensor wrap there.
        profile: "default", "short" or "full"; the other arguments override it.
        sci_mode: always (True) or never (False) scientific notation. None lets each tensor decide; every call
            sets this option, so a call without it resets it to None.

    >>> import tensh as torch
    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor([3.14159])
    tensor([3.14])
    >>> torch.set_printoptions(profile="default")
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changes = PROFILES.get(profile, {}) | {name: value for name, value in given.items() if value is not None}
    for name, value in changes.items():
        setattr(options, name, value)
    options.sci_mode = sci_mode


def get_printoptions():
    """Return the current options, as keyword arguments of ``set_printoptions``.

    >>> import tensh as torch
    >>> torch.get_printoptions()["edgeitems"]
    3
    """
    return dict(vars(options))


@contextmanager
def printoptions(**changes):
    """Print with other options inside a ``with`` block, given as arguments of ``set_printoptions``.

    >>> import tensh as torch
    >>> with torch.printoptions(precision=1):
    ...     print(torch.tensor([3.14159]))
    tensor([3.1])
    """
    before = get_printoptions()
    set_printoptions(**changes)
    try:
        yield
    finally:
        set_printoptions(**before)
