"""Constraint, the base class, and constraints that depend on other values."""


class Constraint:
    """A region of values; the base of all constraints, including a user's."""

    is_discrete = False
    event_dim = 0

    def check(self, value):
        """Return a bool for each event: whether it is valid."""
        raise NotImplementedError

    def __repr__(self):
        return f"{type(self).__name__[1:]}()"


class _Dependent(Constraint):
    """A region that depends on other values; the arguments are what is known without them."""

    def __init__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        self._is_discrete, self._event_dim = is_discrete, event_dim
        super().__init__()

    @property
    def is_discrete(self):
        return self._read_fact("is_discrete")

    @property
    def event_dim(self):
        return self._read_fact("event_dim")

    def _read_fact(self, fact):
        value = getattr(self, f"_{fact}")
        if value is NotImplemented:
            raise NotImplementedError(f".{fact} cannot be determined statically")
        return value

    def __call__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, x):
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint):
    """Return True if a constraint depends on other values, so that nothing can be checked yet.

    >>> from tensh.distributions import constraints
    >>> constraints.is_dependent(constraints.dependent), constraints.is_dependent(constraints.real)
    (True, False)
    """
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """A property that returns a constraint; on the class, it is a constraint that depends on the instance."""

    def __init__(self, fn=None, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        super().__init__(fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn):
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)
