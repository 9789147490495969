"""Relaxed distributions: transforms of a base with a temperature and probabilities or logits."""

from tensh.distributions.transformed_distribution import TransformedDistribution
from tensh.distributions.utils import formula


class RelaxedDistribution(TransformedDistribution):
    """The parameters of a relaxed distribution, which are those of its base."""

    @property
    def temperature(self):
        """The temperature; the lower it is, the nearer samples are to the discrete distribution."""
        return self.base_dist.temperature

    logits = formula(lambda d: d.base_dist.logits, "The logarithms of the odds, or of the probabilities.")
    probs = formula(lambda d: d.base_dist.probs, "The probabilities.")
