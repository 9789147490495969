"""Distribution: what every distribution has, and what follows from its declaration."""

import warnings

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.facts import add_facts
from tensh.distributions.utils import formula, lazy_property
from tensh.engine.dispatch.vmap.batched import BatchedTensor

__all__ = ["Distribution"]

SCALAR = torch.Size()


class Distribution:
    """A batch of distributions of one kind, of events of one shape; the base of all, and of a user's own.

    A sample of ``sample_shape`` has the shape ``sample_shape + batch_shape + event_shape``. A subclass sets its parameters
    and calls ``super().__init__(batch_shape, event_shape, validate_args)``; it says in ``arg_constraints`` where each
    parameter may lie and in ``support`` where the outcomes lie, and both are checked where ``validate_args`` is on
    (the default).  ``has_rsample``: samples are differentiable functions of the parameters;
    ``has_enumerate_support``: the outcomes can be listed. Raise ValueError for a parameter or value that is not
    allowed.

    >>> import tensh as torch
    >>> d = torch.distributions.Normal(torch.zeros(3), 1.0)
    >>> d.batch_shape, d.event_shape, d.sample((2,)).shape
    (torch.Size([3]), torch.Size([]), torch.Size([2, 3]))
    """

    has_rsample = False
    has_enumerate_support = False
    _shared = ()  # attributes that are the same in every expansion: see ``expandable``
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value):
        """Say whether distributions are checked that do not say ``validate_args``."""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=SCALAR, event_shape=SCALAR, validate_args=None):
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _check_parameters(self):
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
            if constraints.is_dependent(constraint) or self._is_found_later(name):
                continue
            value = getattr(self, name)
            if not all_true(constraint.check(value)):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def _is_found_later(self, name):
        return name not in vars(self) and isinstance(getattr(type(self), name), lazy_property)

    def expand(self, batch_shape, _instance=None):
        """Expand the distributions to a larger batch without copying; ``_instance`` is the object that a subclass has
        made for the result."""
        raise NotImplementedError

    batch_shape = formula(lambda d: d._batch_shape, "The shape of the batch.")
    event_shape = formula(lambda d: d._event_shape, "The shape of one outcome.")

    @property
    def arg_constraints(self):
        """A dictionary: parameter -> constraint."""
        raise NotImplementedError

    @property
    def support(self):
        """The constraint of outcomes."""
        raise NotImplementedError

    @property
    def mean(self):
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self):
        """The likeliest outcome."""
        raise NotImplementedError(f"{class_text(self)} does not implement mode")

    @property
    def variance(self):
        """The variance."""
        raise NotImplementedError

    stddev = formula(lambda d: d.variance.sqrt(), "The standard deviation.")

    def sample(self, sample_shape=()):
        """Outcomes, not recorded."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        """Outcomes as differentiable functions of the parameters, where ``has_rsample``."""
        raise NotImplementedError

    def sample_n(self, n):
        """Old form of ``sample((n,))``."""
        warnings.warn(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", category=FutureWarning, stacklevel=2
        )
        return self.sample(torch.Size((n,)))

    def log_prob(self, value):
        """The logarithm of the density, or of the probability, at ``value``."""
        raise NotImplementedError

    def cdf(self, value):
        """The probability of outcomes up to ``value``."""
        raise NotImplementedError

    def icdf(self, value):
        """The outcome up to which the probability is ``value``."""
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        """All outcomes along a new first dimension, for the whole batch or (``expand=False``) for one that stands for it."""
        raise NotImplementedError

    def entropy(self):
        """The entropy, in nats; shape ``batch_shape``."""
        raise NotImplementedError

    def perplexity(self):
        """``exp`` of the entropy."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape=()):
        return torch.Size(torch.Size(sample_shape) + self._batch_shape + self._event_shape)

    def _check_sample(self, value):
        """Validate ``value`` where validation is on."""
        if self._validate_args:
            self._validate_sample(value)

    def _validate_sample(self, value):
        """Raise ValueError if ``value`` has another shape than outcomes have, or lies where none do."""
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
        """A blank instance for ``expand`` of ``cls`` to fill; NotImplementedError if a subclass has to make its own."""
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
    """True if all elements are true; inside ``vmap``, those of all samples."""
    return bool((valid.value if type(valid) is BatchedTensor else valid).all())


def class_text(d):
    """The class of a distribution in the words of PyTorch."""
    return str(type(d)).replace("'tensh.", "'torch.")


def expandable(cls):
    """A distribution that is expanded by what an instance holds.

    Tensors and distributions whose shapes begin with the batch's are expanded; all else is shared, and what ``_shared`` names.
    The constraints of its parameters go into its documentation.
    """

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(cls, _instance)
        batch_shape = torch.Size(batch_shape)
        for name in vars(self).keys() - vars(new).keys():
            value = vars(self)[name]
            setattr(new, name, value if name in self._shared else _expand_value(value, self._batch_shape, batch_shape))
        new._batch_shape, new._validate_args = batch_shape, self._validate_args
        return new

    expand.__doc__ = Distribution.expand.__doc__
    cls.expand = expand
    return add_facts(cls)


def _expand_value(value, old, new):
    """``value`` as part of a batch of shape ``new`` instead of ``old``, if it has the shape of such a part."""
    count = len(old)
    if isinstance(value, torch.Tensor) and value.shape[:count] == old:
        return value.expand(new + value.shape[count:])
    if isinstance(value, Distribution) and value.batch_shape[:count] == old:
        return value.expand(new + value.batch_shape[count:])
    return value
