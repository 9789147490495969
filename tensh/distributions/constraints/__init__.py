"""torch.distributions.constraints: the regions of parameters and outcomes.

The method ``check`` returns which events of a tensor are valid. ``event_dim`` is the number of last dimensions that
make up one event; ``is_discrete`` is True if the valid values are isolated.

>>> import tensh as torch
>>> from tensh.distributions import constraints
>>> constraints.positive.check(torch.tensor([-1.0, 2.0]))
tensor([False,  True])
>>> constraints.interval(0, 3)
Interval(lower_bound=0, upper_bound=3)
"""

from tensh.distributions.constraints.base import Constraint, _Dependent, _DependentProperty, is_dependent
from tensh.distributions.constraints.combined import MixtureSameFamilyConstraint, _Cat, _IndependentConstraint, _Stack
from tensh.distributions.constraints.matrices import (
    _CorrCholesky,
    _LowerCholesky,
    _LowerTriangular,
    _PositiveDefinite,
    _PositiveSemidefinite,
    _Square,
    _Symmetric,
)
from tensh.distributions.constraints.numeric import (
    _Boolean,
    _GreaterThan,
    _GreaterThanEq,
    _HalfOpenInterval,
    _IntegerGreaterThan,
    _IntegerInterval,
    _Interval,
    _LessThan,
    _Real,
)
from tensh.distributions.constraints.vectors import _Multinomial, _OneHot, _Simplex

__all__ = [
    "Constraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property", "greater_than", "greater_than_eq",
    "independent", "integer_interval", "interval", "half_open_interval", "is_dependent", "less_than", "lower_cholesky",
    "lower_triangular", "MixtureSameFamilyConstraint", "multinomial", "nonnegative", "nonnegative_integer", "one_hot",
    "positive", "positive_semidefinite", "positive_definite", "positive_integer", "real", "real_vector", "simplex",
    "square", "stack", "symmetric", "unit_interval",
]  # fmt: skip

dependent, dependent_property = _Dependent(), _DependentProperty
independent, cat, stack = _IndependentConstraint, _Cat, _Stack
greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
interval, half_open_interval, integer_interval = _Interval, _HalfOpenInterval, _IntegerInterval
real, positive, nonnegative, unit_interval = _Real(), _GreaterThan(0.0), _GreaterThanEq(0.0), _Interval(0.0, 1.0)
boolean, nonnegative_integer, positive_integer = _Boolean(), _IntegerGreaterThan(0), _IntegerGreaterThan(1)
real_vector, one_hot, simplex, multinomial = independent(real, 1), _OneHot(), _Simplex(), _Multinomial
square, symmetric, lower_triangular, lower_cholesky = _Square(), _Symmetric(), _LowerTriangular(), _LowerCholesky()
corr_cholesky, positive_semidefinite, positive_definite = _CorrCholesky(), _PositiveSemidefinite(), _PositiveDefinite()
