"""The signatures that ``inspect`` shows: parameters as text, parsed at first use."""

import inspect

PLACED = "dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False"


class Later(inspect.Signature):
    """A signature that is computed at its first use; most are never used."""

    __slots__ = ("make",)

    def __init__(self, make):
        self.make = make

    def __getattr__(self, name):
        if name not in ("_parameters", "_return_annotation"):
            raise AttributeError(name)
        made = self.make()
        self._parameters, self._return_annotation = made._parameters, made._return_annotation
        return getattr(made, name)

    def replace(self, **changes):
        """Return a changed signature, as ``inspect`` needs for bound methods."""
        return self.make().replace(**changes)


def read_signature(parameters):
    """Return the signature of these parameters, parsed at first use."""
    return Later(lambda: inspect.signature(eval(f"lambda {parameters}: None")))


def shows(parameters, keywords=f"out=None, {PLACED}"):
    """Make ``inspect`` show these parameters for a function of ``*args`` and ``**given``."""

    def decorate(fn):
        fn.__signature__ = read_signature(f"{parameters}, {keywords}" if keywords else parameters)
        return fn

    return decorate
