"""Entries of PyTorch's own databases, run on tensh and on PyTorch.

The samples of an entry are PyTorch's values; ``Twin`` builds tensh's counterparts. Outcomes are compared as
plain data: the result of a call, or its error.
"""

import dataclasses
import io
import os
import sys
import warnings

import numpy as np
import pytest

import tensh
from tests.support.project import SHARED

oracle = pytest.importorskip("torch")
if not (SHARED / "conformance").is_dir():
    pytest.skip("no reference material beside the project", allow_module_level=True)
sys.path.append(str(SHARED / "conformance"))
compare, convert = (pytest.importorskip(f"harness.{name}") for name in ("compare", "convert"))

EVERY = os.environ.get("TENSH_DATABASES") == "all"
"""True to run all samples of the databases, false to run some of each entry."""

SEED = 7


def seed():
    """Seed both libraries alike."""
    oracle.manual_seed(SEED)
    tensh.manual_seed(SEED)


def pick_evenly(cases, number):
    """At most so many of the cases, spread over their list, or all of them."""
    if EVERY or len(cases) <= number:
        return list(cases)
    return [cases[round(place)] for place in np.linspace(0, len(cases) - 1, number)]


def counterpart(m, value):
    """Return the name of a class or function of PyTorch in module ``m``."""
    homes = ("torch", "torch.nn", "torch.nn.functional", "torch.optim", value.__module__)
    return next(found(m, path) for home in homes if found(oracle, path := f"{home}.{value.__name__}") is value)


def found(m, path):
    for name in path.split(".")[1:]:
        m = getattr(m, name, None)
    return m


class Twin(convert.Importer):
    """Values of PyTorch as values of module ``mod``: tensors of all layouts, modules, packed sequences, functions."""

    def __init__(self, mod):
        super().__init__(mod, grad=True)

    def __call__(self, value):
        if isinstance(value, oracle.nn.Parameter) and id(value) not in self._known:
            tensor = self.mod.nn.Parameter(self._tensor(value.detach()), requires_grad=value.requires_grad)
            self._known[id(value)] = value, tensor
        if isinstance(value, oracle.nn.Module):
            return self.module(value)
        if isinstance(value, oracle.nn.utils.rnn.PackedSequence):
            return self.mod.nn.utils.rnn.PackedSequence(*map(self, value))
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {field.name: self(getattr(value, field.name)) for field in dataclasses.fields(value)}
            return self(type(value))(**fields)
        if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
            return value if self.mod is oracle or value.__module__ == "builtins" else counterpart(self.mod, value)
        return super().__call__(value)

    def module(self, value):
        """A module among the arguments, loaded from a file that PyTorch writes."""
        kept = io.BytesIO()
        oracle.save(value, kept)
        kept.seek(0)
        return self.mod.load(kept, weights_only=False)

    def _tensor(self, source):
        if source.layout is oracle.sparse_coo:
            indices, values = self(source._indices()), self(source._values().detach())
            made = self.mod.sparse_coo_tensor(indices, values, tuple(source.shape), is_coalesced=source.is_coalesced())
            return made.requires_grad_(source.requires_grad)
        return super()._tensor(source)


def outcome(function, *args, **kwargs):
    """Return (the result, None), or (None, the error)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args, **kwargs), None
        except Exception as error:
            return None, error


def said(error):
    """Return the class and text of an error, without the folder of a file."""
    return None if error is None else f"{compare.error_kind(error)}: {error}"


def plain(m, value):
    """A result as plain data: a sparse tensor as its parts, a plain tuple as a list."""
    return convert.plain(m, dense(m, value))


def dense(m, value):
    if isinstance(value, m.Tensor) and value.layout is not m.strided:
        return [value._indices(), value._values()]
    if isinstance(value, dict):
        return {name: dense(m, each) for name, each in value.items()}
    return [dense(m, each) for each in value] if type(value) in (list, tuple) else value


def unlike(theirs, ours, **options):
    """Describe the difference between results of PyTorch and tensh; None if there is none."""
    return compare.difference(plain(oracle, theirs), plain(tensh, ours), **options)
