"""Constraints of numbers."""

from tensh.distributions.constraints.base import Constraint


class _Bounded(Constraint):
    """A range of numbers; its bounds, numbers or tensors, are what it shows."""

    def __init__(self, **bounds):
        vars(self).update(bounds)
        super().__init__()

    def __repr__(self):
        bounds = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"{type(self).__name__[1:]}({bounds})"


class _Above(_Bounded):
    def __init__(self, lower_bound):
        super().__init__(lower_bound=lower_bound)


class _Below(_Bounded):
    def __init__(self, upper_bound):
        super().__init__(upper_bound=upper_bound)


class _Between(_Bounded):
    def __init__(self, lower_bound, upper_bound):
        super().__init__(lower_bound=lower_bound, upper_bound=upper_bound)


class _GreaterThan(_Above):
    """Above ``lower_bound``."""

    def check(self, value):
        return self.lower_bound < value


class _GreaterThanEq(_Above):
    """Above ``lower_bound``, or it."""

    def check(self, value):
        return self.lower_bound <= value


class _LessThan(_Below):
    """Below ``upper_bound``."""

    def check(self, value):
        return value < self.upper_bound


class _Interval(_Between):
    """From ``lower_bound`` to ``upper_bound``, both included."""

    def check(self, value):
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    """From ``lower_bound`` to below ``upper_bound``."""

    def check(self, value):
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _IntegerInterval(_Between):
    """Whole numbers from ``lower_bound`` to ``upper_bound``, both included."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerGreaterThan(_Above):
    """Whole numbers from ``lower_bound``."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (value >= self.lower_bound)


class _Boolean(Constraint):
    """0 or 1."""

    is_discrete = True

    def check(self, value):
        return (value == 0) | (value == 1)


class _Real(Constraint):
    """All but nan."""

    def check(self, value):
        return value == value  # nan is not equal to itself
