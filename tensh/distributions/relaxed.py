"""Relaxed distributions: a base with a temperature, and chances as probabilities or logits, transformed."""

from tensh.distributions.transformed_distribution import TransformedDistribution
from tensh.distributions.utils import formula


class Relaxed(TransformedDistribution):
    """What the base knows is known of the relaxed distribution."""

    @property
    def temperature(self):
        """How far outcomes are from those of the discrete distribution."""
        return self.base_dist.temperature

    logits = formula(lambda d: d.base_dist.logits, "The logarithms of the odds, or of the probabilities.")
    probs = formula(lambda d: d.base_dist.probs, "The probabilities.")
