"""Divergences between two families of numbers: the cross entropy, from a few means over p, minus the entropy of p."""

import functools
import math

import tensh as torch
from tensh.distributions.bernoulli import Bernoulli
from tensh.distributions.beta import Beta
from tensh.distributions.binomial import Binomial
from tensh.distributions.continuous_bernoulli import ContinuousBernoulli
from tensh.distributions.exponential import Exponential
from tensh.distributions.gamma import Gamma
from tensh.distributions.gumbel import Gumbel
from tensh.distributions.kl.dispatch import register_kl
from tensh.distributions.laplace import Laplace
from tensh.distributions.normal import Normal
from tensh.distributions.pareto import Pareto
from tensh.distributions.poisson import Poisson
from tensh.distributions.uniform import Uniform
from tensh.distributions.utils import euler_constant

# p -> families of q with a formula, finite if q's support contains that of p
FINITE = {
    Bernoulli: (Poisson,),
    Beta: (ContinuousBernoulli, Exponential, Gamma, Normal, Uniform),
    ContinuousBernoulli: (Exponential, Normal, Uniform),
    Exponential: (Gamma, Gumbel, Normal),
    Gamma: (Exponential, Gumbel, Normal),
    Gumbel: (Normal,),
    Laplace: (Normal,),
    Normal: (Gumbel, Laplace),
    Pareto: (Exponential, Gamma, Normal),
    Uniform: (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Normal, Pareto),
}
# p -> families of q whose support never contains that of p
INFINITE = {
    Beta: (Pareto,),
    ContinuousBernoulli: (Pareto,),
    Exponential: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gamma: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gumbel: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Laplace: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Normal: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Pareto: (Beta, ContinuousBernoulli, Uniform),
    Poisson: (Bernoulli, Binomial),
}


# ── means over p, besides p.mean and p.variance ──────────────────────────────
@functools.singledispatch
def mean_log(p):
    """Return the mean of ``log(x)``."""
    raise NotImplementedError


@mean_log.register(Beta)
def _beta_log(p):
    return p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()


@mean_log.register(Exponential)
def _exponential_log(p):
    return -p.rate.log() - euler_constant


@mean_log.register(Gamma)
def _gamma_log(p):
    return p.concentration.digamma() - p.rate.log()


@mean_log.register(Pareto)
def _pareto_log(p):
    return p.scale.log() + p.alpha.reciprocal()


@mean_log.register(Uniform)
def _uniform_log(p):
    return _mean_log_between(p.low, p.high)


def _mean_log_between(low, high):
    return (torch.special.xlogy(high, high) - torch.special.xlogy(low, low)) / (high - low) - 1


@functools.singledispatch
def mean_decay(p, start, scale):
    """Return the mean of ``exp((start - x) / scale)``."""
    raise NotImplementedError


@mean_decay.register(Exponential)
def _exponential_decay(p, start, scale):
    return torch.exp(start / scale) * p.rate * scale / (p.rate * scale + 1)


@mean_decay.register(Gamma)
def _gamma_decay(p, start, scale):
    return torch.exp(start / scale) * (1 + (p.rate * scale).reciprocal()).pow(-p.concentration)


@mean_decay.register(Normal)
def _normal_decay(p, start, scale):
    return torch.exp((start - p.loc) / scale + 0.5 * (p.scale / scale).pow(2))


@mean_decay.register(Uniform)
def _uniform_decay(p, start, scale):
    return (((start - p.low) / scale).exp() - ((start - p.high) / scale).exp()) * scale / (p.high - p.low)


# ── the mean of -log(q(x)) over p ────────────────────────────────────────────
@functools.singledispatch
def cross_entropy(q, p):
    """Return the cross entropy of q relative to p, if q's support contains that of p."""
    raise NotImplementedError


@cross_entropy.register(Beta)
def _of_beta(q, p):
    a, b = q.concentration1, q.concentration0
    means = (a - 1) * mean_log(p) + (b - 1) * _mean_log_between(1 - p.high, 1 - p.low)  # p is uniform
    return a.lgamma() + b.lgamma() - (a + b).lgamma() - means


@cross_entropy.register(ContinuousBernoulli)
def _of_continuous_bernoulli(q, p):
    return -p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()


@cross_entropy.register(Exponential)
def _of_exponential(q, p):
    return q.rate * p.mean - q.rate.log()


@cross_entropy.register(Gamma)
def _of_gamma(q, p):
    normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    return normalizer - (q.concentration - 1) * mean_log(p) + q.rate * p.mean


@cross_entropy.register(Gumbel)
def _of_gumbel(q, p):
    return q.scale.log() + (p.mean - q.loc) / q.scale + mean_decay(p, q.loc, q.scale)


@cross_entropy.register(Laplace)
def _of_laplace(q, p):
    shift = p.loc - q.loc  # p is normal; the mean of its distance from q.loc is that of a folded normal distribution
    ratio = shift / p.scale
    distance = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * ratio.pow(2)) + shift * torch.erf(
        math.sqrt(0.5) * ratio
    )
    return (2 * q.scale).log() + distance / q.scale


@cross_entropy.register(Normal)
def _of_normal(q, p):
    variance = q.scale.pow(2)
    return 0.5 * (2 * math.pi * variance).log() + (p.variance + (p.mean - q.loc).pow(2)) / (2 * variance)


@cross_entropy.register(Pareto)
def _of_pareto(q, p):
    return (q.alpha + 1) * mean_log(p) - q.alpha.log() - q.alpha * q.scale.log()


@cross_entropy.register(Poisson)
def _of_poisson(q, p):
    return q.rate - p.mean * q.rate.log()  # p is 0 or 1, whose factorials are 1


@cross_entropy.register(Uniform)
def _of_uniform(q, p):
    return (q.high - q.low).log()


# ── the divergences ──────────────────────────────────────────────────────────
def _finite(p, q):
    return cross_entropy(q, p) - p.entropy()


def _bounds(distribution):
    support = distribution.support
    return getattr(support, "lower_bound", -math.inf), getattr(support, "upper_bound", math.inf)


def _require_support(p, q):
    """Return the divergence: infinite unless q's support contains that of p."""
    (low, high), (begin, end) = _bounds(p), _bounds(q)
    return torch.where(torch.as_tensor((low < begin) | (high > end)), math.inf, _finite(p, q))


def _well_within(p, q):
    """Return the divergence: infinite unless q's support extends beyond that of p on both sides, as in PyTorch."""
    (low, high), (begin, end) = _bounds(p), _bounds(q)
    return torch.where((low <= begin) | (high >= end), math.inf, _finite(p, q))


def _infinite(p, q):
    return torch.full_like(p.mean, math.inf)


for each, others in FINITE.items():
    for other in others:
        register_kl(each, other)(_require_support)
for each, others in INFINITE.items():
    for other in others:
        register_kl(each, other)(_infinite)
register_kl(Bernoulli, Poisson)(_finite)  # Bernoulli's support has no bounds, but Poisson's contains it
register_kl(Uniform, ContinuousBernoulli)(_well_within)
register_kl(ContinuousBernoulli, Uniform)(_well_within)
