"""Constraints made from others."""

import tensh as torch
from tensh.distributions.constraints.base import Constraint
from tensh.support.naming import Shared


def _require_constraint(base):
    if not isinstance(base, Constraint):
        raise AssertionError(f"base_constraint must be a Constraint, got {type(base).__name__}")


def _check_events(constraint, value, result, batch_dims):
    """Return a bool for each event: whether ``result`` is true along all dimensions after the first ``batch_dims``."""
    if batch_dims < 0:
        raise ValueError(f"Expected value.dim() >= {constraint.event_dim} but got {value.dim()}")
    return result.reshape(result.shape[:batch_dims] + (-1,)).all(-1)


class _IndependentConstraint(Constraint):
    """``base_constraint`` for events with additional dimensions, which is valid if all parts are."""

    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        _require_constraint(base_constraint)
        count = reinterpreted_batch_ndims
        if not isinstance(count, int):
            raise AssertionError(f"reinterpreted_batch_ndims must be an int, got {type(count).__name__}")
        if count < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {count}")
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, count
        super().__init__()

    @property
    def is_discrete(self):
        return self.base_constraint.is_discrete

    @property
    def event_dim(self):
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value):
        result = self.base_constraint.check(value)
        return _check_events(self, value, result, result.dim() - self.reinterpreted_batch_ndims)

    def __repr__(self):
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """The constraint of mixtures: an outcome must satisfy ``base_constraint`` for each component."""

    def __init__(self, base_constraint):
        _require_constraint(base_constraint)
        self.base_constraint = base_constraint
        super().__init__()

    @property
    def is_discrete(self):
        return self.base_constraint.is_discrete

    @property
    def event_dim(self):
        return self.base_constraint.event_dim

    def check(self, value):
        """Return a bool for each event: whether it is valid for every component."""
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        return _check_events(self, value, result, value.dim() - self.event_dim)

    def __repr__(self):
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


class _Joined(Shared, Constraint):
    """The base of ``cat`` and ``stack``: a constraint for each part along ``dim``."""

    def __init__(self, cseq, dim=0):
        self.cseq, self.dim = list(cseq), dim
        if not all(isinstance(c, Constraint) for c in self.cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        super().__init__()

    @property
    def is_discrete(self):
        return any(c.is_discrete for c in self.cseq)

    @property
    def event_dim(self):
        return max(c.event_dim for c in self.cseq)

    def _require_dim(self, value):
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")


class _Cat(_Joined):
    """A constraint for each of several parts along ``dim``, of ``lengths`` (1 by default)."""

    def __init__(self, cseq, dim=0, lengths=None):
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    def check(self, value):
        self._require_dim(value)
        ends = torch.tensor([0, *self.lengths]).cumsum(0).tolist()
        parts = [value.narrow(self.dim, start, length) for start, length in zip(ends, self.lengths, strict=False)]
        return torch.cat([c.check(part) for c, part in zip(self.cseq, parts, strict=True)], self.dim)


class _Stack(_Joined):
    """A constraint for each slice along ``dim``."""

    @property
    def event_dim(self):
        dim = super().event_dim
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value):
        self._require_dim(value)
        slices = value.unbind(self.dim)
        return torch.stack([c.check(v) for v, c in zip(slices, self.cseq, strict=False)], self.dim)
