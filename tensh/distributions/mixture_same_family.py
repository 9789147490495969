"""Mixtures of distributions of one family."""

import tensh as torch
from tensh.distributions.categorical import Categorical
from tensh.distributions.constraints import MixtureSameFamilyConstraint, dependent_property
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.utils import formula

__all__ = ["MixtureSameFamily"]


@expandable
class MixtureSameFamily(Distribution):
    """Outcomes of one of K components, which the Categorical ``mixture_distribution`` selects.

    Shapes: mixture [*] of K categories, components [*, K]. ``component_distribution`` has the K components as its last
    batch dimension. Raise ValueError if they do not fit.

    >>> import tensh as torch
    >>> from tensh.distributions import Categorical, MixtureSameFamily, Normal
    >>> d = MixtureSameFamily(Categorical(torch.tensor([0.25, 0.75])), Normal(torch.tensor([0., 4.]), 1.))
    >>> d.mean, d.variance
    (tensor(3.), tensor(4.))
    """

    _shared = (
        "_mixture_distribution",
    )  # until ``_follow_expansion``: its batch may be smaller than that of components
    arg_constraints = {}
    has_rsample = False

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        mixing, batch_shape = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        if any(m != c and 1 not in (m, c) for m, c in zip(reversed(mixing), reversed(batch_shape), strict=False)):
            raise ValueError(
                f"`mixture_distribution.batch_shape` ({mixing}) is not compatible with "
                f"`component_distribution.batch_shape`({batch_shape})"
            )
        weights, components = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if weights != components:
            raise ValueError(
                f"`mixture_distribution component` ({weights}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({components})"
            )
        self._component_distribution = component_distribution
        self._mixture_distribution = mixture_distribution
        self._num_component = components
        self._event_ndims = len(component_distribution.event_shape)
        super().__init__(batch_shape, component_distribution.event_shape, validate_args=validate_args)

    def _follow_expansion(self):
        self._mixture_distribution = self._mixture_distribution.expand(self._batch_shape)

    @dependent_property
    def support(self):
        return MixtureSameFamilyConstraint(self._component_distribution.support)

    mixture_distribution = formula(lambda d: d._mixture_distribution, "The Categorical that selects a component.")
    component_distribution = formula(lambda d: d._component_distribution, "The components.")

    def _weights(self):
        """Return the probabilities of the components, to be multiplied by their values: [*batch, K, 1...]."""
        probs = self.mixture_distribution.probs
        return probs.reshape(probs.shape + (1,) * self._event_ndims)

    @property
    def mean(self):
        return torch.sum(self._weights() * self.component_distribution.mean, dim=-1 - self._event_ndims)

    @property
    def variance(self):
        weights, dim = self._weights(), -1 - self._event_ndims
        within = torch.sum(weights * self.component_distribution.variance, dim=dim)
        apart = (self.component_distribution.mean - self._pad(self.mean)).pow(2.0)
        return within + torch.sum(weights * apart, dim=dim)

    def cdf(self, x):
        return torch.sum(self.component_distribution.cdf(self._pad(x)) * self.mixture_distribution.probs, dim=-1)

    def log_prob(self, x):
        self._check_sample(x)
        weights = torch.log_softmax(self.mixture_distribution.logits, dim=-1)
        return torch.logsumexp(self.component_distribution.log_prob(self._pad(x)) + weights, dim=-1)

    def sample(self, sample_shape=()):
        sample_shape = torch.Size(sample_shape)
        dim = len(sample_shape) + len(self.batch_shape)
        with torch.no_grad():
            chosen = self.mixture_distribution.sample(sample_shape)
            outcomes = self.component_distribution.sample(sample_shape)
            chosen = chosen.reshape(chosen.shape + (1,) * (1 + self._event_ndims))
            return torch.gather(outcomes, dim, chosen.expand(chosen.shape[: dim + 1] + self.event_shape)).squeeze(dim)

    def _pad(self, x):
        """Insert a dimension for the components into ``x``."""
        return x.unsqueeze(-1 - self._event_ndims)

    def __repr__(self):
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
