"""Constraints of numbers."""

from tensh.distributions.constraints.base import Constraint
from tensh.support.naming import Shared


class _Bounded(Constraint):
    """A range of numbers, which prints its bounds: numbers or tensors."""

    def __init__(self, **bounds):
        vars(self).update(bounds)
        super().__init__()

    def __repr__(self):
        bounds = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"{type(self).__name__[1:]}({bounds})"


class _Above(Shared, _Bounded):
    def __init__(self, lower_bound):
        super().__init__(lower_bound=lower_bound)


class _Below(Shared, _Bounded):
    def __init__(self, upper_bound):
        super().__init__(upper_bound=upper_bound)


class _Between(Shared, _Bounded):
    def __init__(self, lower_bound, upper_bound):
        super().__init__(lower_bound=lower_bound, upper_bound=upper_bound)


class _GreaterThan(_Above):
    """Numbers above ``lower_bound``."""

    def check(self, value):
        return self.lower_bound < value


class _GreaterThanEq(_Above):
    """Numbers of at least ``lower_bound``."""

    def check(self, value):
        return self.lower_bound <= value


class _LessThan(_Below):
    """Numbers below ``upper_bound``."""

    def check(self, value):
        return value < self.upper_bound


class _Interval(_Between):
    """Numbers from ``lower_bound`` to ``upper_bound``, inclusive."""

    def check(self, value):
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    """Numbers from ``lower_bound`` to below ``upper_bound``."""

    def check(self, value):
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _IntegerInterval(_Between):
    """Integers from ``lower_bound`` to ``upper_bound``, inclusive."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerGreaterThan(_Above):
    """Integers of at least ``lower_bound``."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (value >= self.lower_bound)


class _Boolean(Constraint):
    """0 and 1."""

    is_discrete = True

    def check(self, value):
        return (value == 0) | (value == 1)


class _Real(Constraint):
    """All numbers except nan."""

    def check(self, value):
        return value == value  # nan differs from itself
