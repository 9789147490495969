"""torch.torch_version: a version string that compares as a version."""

import re

from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.support.naming import torch_is_tensh
from tensh.version import __version__ as version

__all__ = ["TorchVersion"]

FORM = re.compile(
    r"v?(?:(\d+)!)?(\d+(?:\.\d+)*)[-_.]?(?:(a|b|c|rc|alpha|beta|pre|preview)[-_.]?(\d*))?"
    r"(?:[-_.]?(?:post|rev|r)[-_.]?(\d*)|-(\d+))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?",
    re.IGNORECASE,
)
STAGES = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2, "preview": 2}


def order(version):
    """Return the sort key of a version; None for other texts."""
    found = FORM.fullmatch(str(version).strip())
    if not found:
        return None
    epoch, release, stage, number, post, dash, dev, dev_number, local = found.groups()
    numbers = tuple(map(int, release.split(".")))
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers = numbers[:-1]
    after = post is not None or dash is not None
    before = STAGES[stage.lower()] if stage else -1 if dev and not after else 3
    parts = re.split("[-_.]", local.lower()) if local else ()
    return (
        int(epoch or 0), numbers, before, int(number or 0), int(post or dash or 0) if after else -1,
        int(dev_number or 0) if dev else float("inf"), tuple((1, int(p), "") if p.isdigit() else (0, 0, p) for p in parts),
    )  # fmt: skip


class TorchVersion(str):
    """A version: text that compares with text, tuples and versions as versions do.

    >>> import tensh as torch
    >>> torch.__version__ >= (2, 0), torch.__version__ >= "2.10", torch.__version__ < "2.9"
    (True, True, False)
    """

    __slots__ = ()
    __module__ = "torch.torch_version"

    def _compare(self, other, by):
        if isinstance(other, (tuple, list)):
            other = ".".join(map(str, other))
        mine, theirs = order(self), order(other)
        if mine is None or theirs is None:  # compare as strings
            mine, theirs = str.__str__(self), str(other)
        return getattr(mine, by)(theirs)

    def __eq__(self, other):
        return self._compare(other, "__eq__")

    def __lt__(self, other):
        return self._compare(other, "__lt__")

    def __le__(self, other):
        return self._compare(other, "__le__")

    def __gt__(self, other):
        return self._compare(other, "__gt__")

    def __ge__(self, other):
        return self._compare(other, "__ge__")

    __hash__ = str.__hash__

    def __reduce__(self):
        """Pickle by class if programs can find it as torch's, otherwise by a function of tensh."""
        return (TorchVersion if torch_is_tensh() else read_version), (str(self),)


def read_version(text):
    """Return the TorchVersion of a text."""
    return TorchVersion(text)


# the version of PyTorch that tensh follows, for programs that ask
__version__ = TorchVersion(version)
__getattr__ = unsupported_lookup("torch.torch_version")
