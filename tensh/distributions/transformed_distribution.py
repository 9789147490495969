"""Distributions of the transformed outcomes of another distribution."""

import functools
import operator

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.independent import Independent
from tensh.distributions.transforms import ComposeTransform, Transform
from tensh.distributions.utils import _sum_rightmost, formula

__all__ = ["TransformedDistribution"]


@expandable
class TransformedDistribution(Distribution):
    """The distribution of ``t(x)`` for ``x`` of ``base_distribution`` and one or several transforms in order.

    Its density is that of ``x`` divided by the Jacobian determinant. Dimensions that a transform couples become part of
    an event, and the base is expanded to the shape to which the transforms broadcast. Raise ValueError for anything but
    transforms, and for a base with too few dimensions.

    >>> import tensh as torch
    >>> from tensh.distributions import AffineTransform, SigmoidTransform, TransformedDistribution, Uniform
    >>> logistic = TransformedDistribution(Uniform(0., 1.), [SigmoidTransform().inv, AffineTransform(1., 2.)])
    >>> logistic.log_prob(torch.tensor([0., 1.])).exp()
    tensor([0.1175, 0.1250])
    >>> logistic.cdf(torch.tensor(1.))
    tensor(0.5000)
    """

    arg_constraints = {}

    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = [transforms] if isinstance(transforms, Transform) else transforms
        if not isinstance(self.transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        if not all(isinstance(each, Transform) for each in self.transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        whole = ComposeTransform(self.transforms)
        begin, end = whole.domain.event_dim, whole.codomain.event_dim
        shape = base_distribution.batch_shape + base_distribution.event_shape
        event_dim = len(base_distribution.event_shape)
        if len(shape) < begin:
            raise ValueError(f"base_distribution needs to have shape with size at least {begin}, but got {shape}.")
        outcome = whole.forward_shape(shape)
        expanded = whole.inverse_shape(outcome)
        if shape != expanded:
            base_distribution = base_distribution.expand(expanded[: len(expanded) - event_dim])
        if begin > event_dim:
            base_distribution = Independent(base_distribution, begin - event_dim)
        self.base_dist = base_distribution
        cut = len(outcome) - max(end, event_dim + end - begin)  # dimensions coupled by the transform or the base
        super().__init__(outcome[:cut], outcome[cut:], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        extra = len(self.event_shape) - support.event_dim
        return constraints.independent(support, extra) if extra > 0 else support

    has_rsample = formula(lambda d: d.base_dist.has_rsample)

    def _forward(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=()):
        return self._forward(self.base_dist.rsample(sample_shape))

    def log_prob(self, value):
        self._check_sample(value)
        event_dim, y, result = len(self.event_shape), value, 0.0
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            log_det = transform.log_abs_det_jacobian(x, y)
            result = result - _sum_rightmost(log_det, event_dim - transform.domain.event_dim)
            y = x
        return result + _sum_rightmost(self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape))

    def _orient(self, probability):
        """Return ``1 - probability`` if the transforms are decreasing, which exchanges below and above."""
        sign = functools.reduce(operator.mul, (transform.sign for transform in self.transforms), 1)
        return probability if isinstance(sign, int) and sign == 1 else sign * (probability - 0.5) + 0.5

    def cdf(self, value):
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._orient(self.base_dist.cdf(value))

    def icdf(self, value):
        return self._forward(self.base_dist.icdf(self._orient(value)))
