"""Relaxed distributions: a base with a temperature, and chances as probabilities or logits, transformed."""

from tensh.distributions.transformed_distribution import TransformedDistribution
from tensh.distributions.utils import formula


class RelaxedDistribution(TransformedDistribution):
    """The parameters of a relaxed distribution, taken from its base."""

    @property
    def temperature(self):
        """The temperature: the lower, the nearer samples are to those of the discrete distribution."""
        return self.base_dist.temperature

    logits = formula(lambda d: d.base_dist.logits, "The logarithms of the odds, or of the probabilities.")
    probs = formula(lambda d: d.base_dist.probs, "The probabilities.")
