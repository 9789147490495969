"""Distribution: the base class of all distributions, and what follows from their declarations."""

import warnings

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.facts import add_facts
from tensh.distributions.utils import formula, lazy_property
from tensh.engine.dispatch.vmap.batched import BatchedTensor

__all__ = ["Distribution"]

SCALAR = torch.Size()


class Distribution:
    """A batch of distributions of one kind with one event shape; the base of all distributions, including a user's.

    A sample of ``sample_shape`` has the shape ``sample_shape + batch_shape + event_shape``. A subclass sets its
    parameters and calls ``super().__init__(batch_shape, event_shape, validate_args)``; it declares the constraints of
    parameters in ``arg_constraints`` and that of outcomes in ``support``, which are checked if ``validate_args`` is on
    (the default).  ``has_rsample``: samples are differentiable functions of the parameters; ``has_enumerate_support``:
    the outcomes can be listed. Raise ValueError for a parameter or value that is not allowed.

    >>> import tensh as torch
    >>> d = torch.distributions.Normal(torch.zeros(3), 1.0)
    >>> d.batch_shape, d.event_shape, d.sample((2,)).shape
    (torch.Size([3]), torch.Size([]), torch.Size([2, 3]))
    """

    has_rsample = False
    has_enumerate_support = False
    _shared = ()  # attributes that ``expandable`` copies unchanged
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value):
        """Set whether distributions without the argument ``validate_args`` are checked."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=SCALAR, event_shape=SCALAR, validate_args=None):
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self.__check_parameters()
        super().__init__()

    def __check_parameters(self):
        """Raise ValueError for a parameter that does not satisfy its constraint."""
        try:
            declared = self.arg_constraints
        except NotImplementedError:
            declared = {}
            warnings.warn(
                f"{class_text(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize the "
                "distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
        for name, constraint in declared.items():
            if constraints.is_dependent(constraint) or self.__is_found_later(name):
                continue
            value = getattr(self, name)
            if not all_true(constraint.check(value)):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def __is_found_later(self, name):
        return name not in vars(self) and isinstance(getattr(type(self), name), lazy_property)

    def expand(self, batch_shape, _instance=None):
        """Expand the distributions to a larger batch without copying; ``_instance`` is a subclass's new object."""
        raise NotImplementedError

    batch_shape = formula(lambda d: d._batch_shape, "The shape of the batch.")
    event_shape = formula(lambda d: d._event_shape, "The shape of one outcome.")

    @property
    def arg_constraints(self):
        """A dictionary: parameter -> constraint."""
        raise NotImplementedError

    @property
    def support(self):
        """The constraint on outcomes."""
        raise NotImplementedError

    @property
    def mean(self):
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self):
        """The most probable outcome."""
        raise NotImplementedError(f"{class_text(self)} does not implement mode")

    @property
    def variance(self):
        """The variance."""
        raise NotImplementedError

    stddev = formula(lambda d: d.variance.sqrt(), "The standard deviation.")

    def sample(self, sample_shape=()):
        """Draw samples, without recording."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        """Draw samples that are differentiable functions of the parameters; requires ``has_rsample``."""
        raise NotImplementedError

    def sample_n(self, n):
        """Draw ``sample((n,))``, the older form."""
        warnings.warn(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", category=FutureWarning, stacklevel=2
        )
        return self.sample(torch.Size((n,)))

    def log_prob(self, value):
        """Return the logarithm of the density, or of the probability, at ``value``."""
        raise NotImplementedError

    def cdf(self, value):
        """Return the probability of outcomes up to ``value``."""
        raise NotImplementedError

    def icdf(self, value):
        """Return the outcome whose ``cdf`` is ``value``."""
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        """List all outcomes along a new first dimension; with ``expand=False`` batch dimensions have size 1."""
        raise NotImplementedError

    def entropy(self):
        """Return the entropy in nats; shape ``batch_shape``."""
        raise NotImplementedError

    def perplexity(self):
        """Return ``exp`` of the entropy."""
        return torch.exp(self.entropy())

    def _follow_expansion(self):
        """Renew the attributes that follow from parameters, which ``expandable`` has expanded."""

    def _extended_shape(self, sample_shape=()):
        return torch.Size(torch.Size(sample_shape) + self._batch_shape + self._event_shape)

    def _check_sample(self, value):
        """Validate ``value`` if validation is on."""
        if self._validate_args:
            self._validate_sample(value)

    def _validate_sample(self, value):
        """Raise ValueError if ``value`` has another shape than outcomes, or is outside of the support."""
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape = value.size()
        if shape[len(shape) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}.")
        expected = self._batch_shape + self._event_shape
        if any(i != j and 1 not in (i, j) for i, j in zip(reversed(shape), reversed(expected), strict=False)):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{class_text(self)} does not define `support` to enable sample validation. Please initialize the distribution "
                "with `validate_args=False` to turn off validation.",
                stacklevel=2,
            )
            return
        if support is None:
            raise AssertionError("support is unexpectedly None")
        if not all_true(support.check(value)):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def _get_checked_instance(self, cls, _instance=None):
        """Make a blank instance of ``cls`` for ``expand``; raise NotImplementedError if a subclass must make it."""
        if _instance is not None:
            return _instance
        if type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method "
                "must also define a custom .expand() method."
            )
        return self.__new__(type(self))

    def __repr__(self):
        own = vars(self)
        shown = {name: own[name] for name in self.arg_constraints if name in own}
        arguments = (f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in shown.items())
        return f"{type(self).__name__}({', '.join(arguments)})"


def all_true(valid):
    """Return True if all elements are true; inside ``vmap``, those of all samples."""
    return bool((valid.value if type(valid) is BatchedTensor else valid).all())


def class_text(d):
    """Return the class of a distribution as PyTorch's messages name it."""
    return str(type(d)).replace("'tensh.", "'torch.")


def expandable(cls):
    """Give a distribution class an ``expand`` that works on the attributes of its instances.

    Tensors and distributions whose shapes start with the batch shape are expanded; all others are shared, as are those
    in ``_shared``. The constraints on parameters are added to the docstring.
    """

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(cls, _instance)
        batch_shape = torch.Size(batch_shape)
        for name, value in vars(self).items():
            if name in vars(new):
                continue
            setattr(new, name, value if name in self._shared else _expand_value(value, self._batch_shape, batch_shape))
        new._batch_shape, new._validate_args = batch_shape, self._validate_args
        new._follow_expansion()
        return new

    expand.__doc__ = Distribution.expand.__doc__
    cls.expand = expand
    return add_facts(cls)


def _expand_value(value, old, new):
    """Expand ``value`` from the batch shape ``old`` to ``new``, if its shape starts with ``old``."""
    count = len(old)
    if isinstance(value, torch.Tensor) and value.shape[:count] == old:
        return value.expand(new + value.shape[count:])
    if isinstance(value, Distribution) and value.batch_shape[:count] == old:
        return value.expand(new + value.batch_shape[count:])
    return value
