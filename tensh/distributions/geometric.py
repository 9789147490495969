"""Geometric distributions."""

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.distribution import Distribution, expandable
from tensh.distributions.odds import Odds
from tensh.distributions.utils import _write_where, broadcast_all, formula

__all__ = ["Geometric"]


@expandable
class Geometric(Odds, Distribution):
    """The number of failures before the first success in trials with ``probs`` or log-odds ``logits``: 0, 1, ...

    (``Tensor.geometric_`` also counts the successful trial.)

    >>> import tensh as torch
    >>> torch.distributions.Geometric(0.25).mean
    tensor(3.)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)
        if self._validate_args and probs is not None and not (self.probs > 0).all():
            value = self.probs
            raise ValueError(
                f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution {self!r} "
                f"to be positive but found invalid values:\n{value.data[~(value > 0)]}"
            )

    mean = formula(lambda d: 1.0 / d.probs - 1.0)
    mode = formula(lambda d: torch.zeros_like(d.probs))
    variance = formula(lambda d: (1.0 / d.probs - 1.0) / d.probs)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            u = self.probs.new(shape).uniform_(torch.finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value):
        self._check_sample(value)
        value, probs = broadcast_all(value, self.probs)
        certain = (probs == 1) & (value == 0)  # 0 * log(0) would be nan
        probs = _write_where(probs.clone(memory_format=torch.contiguous_format), certain, 0)
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self):
        cross = torch.nn.functional.binary_cross_entropy_with_logits
        return cross(self.logits, self.probs, reduction="none") / self.probs
