"""Relaxed distributions: a base with a temperature, and chances as probabilities or logits, transformed."""

from tensh.distributions.transformed_distribution import TransformedDistribution


class Relaxed(TransformedDistribution):
    """What the base knows is known of the relaxed distribution."""

    @property
    def temperature(self):
        """How far outcomes are from those of the discrete distribution."""
        return self.base_dist.temperature

    @property
    def logits(self):
        """The logarithms of the odds, or of the probabilities."""
        return self.base_dist.logits

    @property
    def probs(self):
        """The probabilities."""
        return self.base_dist.probs
