"""Odds: what distributions share whose chances are given as probabilities or as logits."""

import tensh as torch
from tensh.distributions import constraints
from tensh.distributions.utils import broadcast_all, formula, lazy_property, logits_to_probs, probs_to_logits


def find_given(probs, logits):
    """(name, value) of the one of the two that is given."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return ("logits", logits) if probs is None else ("probs", probs)


class Odds:
    """A part of a distribution that has ``probs`` or ``logits``, and finds the other of the two when it is asked for."""

    _is_binary = True  # one number is the chance of 1, not one among several

    def _take(self, probs, logits, *others):
        """Keep the one that is given, after broadcasting it with ``others``, which are returned."""
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
        """0 to ``count - 1`` along a new first dimension, before those of the batch."""
        values = torch.arange(count, dtype=dtype, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values


class OfCategories:
    """A part of a distribution that counts or marks the categories of ``_categorical``, and has its chances."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}

    probs = formula(lambda d: d._categorical.probs, "The chances of the categories.")
    logits = formula(lambda d: d._categorical.logits, "The logarithms of the chances.")
    param_shape = formula(lambda d: d._categorical.param_shape, "The shape of ``probs`` and ``logits``.")
    _param = formula(lambda d: d._categorical._param)

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)
