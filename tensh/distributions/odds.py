"""Odds: the base of distributions whose probabilities are given directly or as logits."""

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.utils import broadcast_all, formula, lazy_property, logits_to_probs, probs_to_logits


def find_given(probs, logits):
    """Return (name, value) of the argument that is given, ``probs`` or ``logits``."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return ("logits", logits) if probs is None else ("probs", probs)


class Odds:
    """The part of a distribution with ``probs`` or ``logits``, which computes the other when requested."""

    _is_binary = True  # a number is the probability of 1, not of one of several categories

    def _take(self, probs, logits, *others):
        """Broadcast the given argument with ``others`` and keep it; return the broadcast others."""
        name, value = find_given(probs, logits)
        *others, self._param = broadcast_all(*others, value)
        setattr(self, name, self._param)
        return others

    @lazy_property
    def logits(self):
        """The logarithms of the odds, or of the probabilities."""
        return probs_to_logits(self.probs, is_binary=self._is_binary)

    @lazy_property
    def probs(self):
        """The probabilities."""
        return logits_to_probs(self.logits, is_binary=self._is_binary)

    param_shape = formula(lambda d: d._param.size(), "The shape of ``probs`` and ``logits``.")

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)

    def _enumerate(self, count, dtype, expand):
        """Return 0 to ``count - 1`` along a new first dimension, before those of the batch."""
        values = torch.arange(count, dtype=dtype, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values


class OfCategories:
    """The part of a distribution that counts or marks the categories of ``_categorical``, with its probabilities."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    probs = formula(lambda d: d._categorical.probs, "The probabilities of the categories.")
    logits = formula(lambda d: d._categorical.logits, "The logarithms of the probabilities.")
    param_shape = formula(lambda d: d._categorical.param_shape, "The shape of ``probs`` and ``logits``.")
    _param = formula(lambda d: d._categorical._param)

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)
