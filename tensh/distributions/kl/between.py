"""Divergences between two families of numbers: minus the entropy of p, plus the mean of ``-log(q(x))`` over x of p.

Each is written with the steps of PyTorch's, whose graph and rounding it has.
"""

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
from tensh.distributions.utils import _write_where, euler_constant

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


def _infinite(p, q):
    return torch.full_like(p.mean, math.inf)


for each, others in INFINITE.items():
    for other in others:
        register_kl(each, other)(_infinite)


def _gamma_normalizer(q):
    """Return minus the logarithm of the factor of a gamma density."""
    return q.concentration.lgamma() - q.concentration * q.rate.log()


# ── p within the unit interval ───────────────────────────────────────────────
@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)  # the factorials of 0 and 1 are 1


@register_kl(Beta, ContinuousBernoulli)
def _beta_continuous_bernoulli(p, q):
    return -p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()


@register_kl(Beta, Exponential)
def _beta_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(Beta, Gamma)
def _beta_gamma(p, q):
    mean_log = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    mean_of_rate = q.rate * p.concentration1 / (p.concentration1 + p.concentration0)
    return -p.entropy() + _gamma_normalizer(q) - (q.concentration - 1) * mean_log + mean_of_rate


@register_kl(Beta, Normal)
def _beta_normal(p, q):
    mean, variance = p.mean, q.scale.pow(2)
    normalizer = 0.5 * (variance * 2 * math.pi).log()
    square = mean * (1 - mean) / (p.concentration1 + p.concentration0 + 1) + mean.pow(2)
    distance = square * 0.5 - q.loc * mean + q.loc.pow(2) * 0.5
    return -p.entropy() + normalizer + distance / variance


@register_kl(Beta, Uniform)
def _beta_uniform(p, q):
    result = -p.entropy() + (q.high - q.low).log()
    return _write_where(result, (q.low > 0) | (q.high < 1), math.inf)


@register_kl(ContinuousBernoulli, Exponential)
def _continuous_bernoulli_exponential(p, q):
    return -p.entropy() - torch.log(q.rate) + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _continuous_bernoulli_normal(p, q):
    normalizer = 0.5 * (math.log(2.0 * math.pi) + torch.square(q.loc / q.scale)) + torch.log(q.scale)
    distance = p.variance + torch.square(p.mean) - 2.0 * q.loc * p.mean
    return -p.entropy() + normalizer + distance / (2.0 * torch.square(q.scale))


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p, q):
    result = -p.entropy() + (q.high - q.low).log()
    return torch.where(torch.max(q.low >= 0, q.high <= 1), torch.ones_like(result) * math.inf, result)


# ── p above zero ─────────────────────────────────────────────────────────────
@register_kl(Exponential, Gamma)
def _exponential_gamma(p, q):
    ratio = q.rate / p.rate
    normalizer = -q.concentration * torch.log(ratio) + ratio + q.concentration.lgamma()
    return normalizer + q.concentration * euler_constant - (1 + euler_constant)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p, q):
    width, start = p.rate * q.scale, q.loc / q.scale
    decay = torch.exp(start) * width / (width + 1)
    return width.log() - 1 - start + decay + width.reciprocal()


@register_kl(Exponential, Normal)
def _exponential_normal(p, q):
    variance, square = q.scale.pow(2), p.rate.pow(2)
    normalizer = 0.5 * torch.log(square * variance * 2 * math.pi)
    distance = square.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5
    return normalizer - 1 + distance / variance


@register_kl(Gamma, Exponential)
def _gamma_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p, q):
    width, start = p.rate * q.scale, q.loc / q.scale
    own = (p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration
    decay = torch.exp(start) * (1 + width.reciprocal()).pow(-p.concentration) - start
    return own + (width.log() + p.concentration / width) + decay


@register_kl(Gamma, Normal)
def _gamma_normal(p, q):
    variance, square = q.scale.pow(2), p.rate.pow(2)
    normalizers = 0.5 * torch.log(square * variance * 2 * math.pi) - p.concentration - p.concentration.lgamma()
    distance = 0.5 * (p.concentration.pow(2) + p.concentration) / square - q.loc * p.concentration / p.rate
    distance = distance + 0.5 * q.loc.pow(2)
    return normalizers + (p.concentration - 1) * p.concentration.digamma() + distance / variance


@register_kl(Pareto, Exponential)
def _pareto_exponential(p, q):
    start = p.scale * q.rate
    result = (p.alpha / start).log() - p.alpha.reciprocal() + p.alpha * start / (p.alpha - 1) - 1
    return _write_where(result, p.alpha <= 1, math.inf)


@register_kl(Pareto, Gamma)
def _pareto_gamma(p, q):
    mean_log = p.scale.log() + p.alpha.reciprocal()
    result = p.alpha.log() - mean_log + _gamma_normalizer(q) + (1 - q.concentration) * mean_log
    result = result + q.rate * p.alpha * p.scale / (p.alpha - 1) - 1
    return _write_where(result, p.alpha <= 1, math.inf)


@register_kl(Pareto, Normal)
def _pareto_normal(p, q):
    part = p.scale / (p.alpha - 1)  # a part of the mean
    density = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log() - p.alpha.reciprocal()
    square = p.alpha * part.pow(2) / (p.alpha - 2) + (p.alpha * part - q.loc).pow(2)
    result = density + square / (2 * q.scale.pow(2)) - 1
    return _write_where(result, p.alpha <= 2, math.inf)


# ── p on both sides of zero ──────────────────────────────────────────────────
@register_kl(Gumbel, Normal)
def _gumbel_normal(p, q):
    ratio = p.scale / q.scale
    normalizer = -(ratio / math.sqrt(2 * math.pi)).log() + (math.pi * ratio * 0.5).pow(2) / 3
    distance = ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    return normalizer + distance - (euler_constant + 1)


@register_kl(Laplace, Normal)
def _laplace_normal(p, q):
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    normalizer = 0.5 * torch.log(2 * ratio / math.pi)
    distance = 0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)
    return -normalizer + ratio + distance / variance - 1


@register_kl(Normal, Gumbel)
def _normal_gumbel(p, q):
    mean, ratio, start = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    decay = torch.exp(-mean + 0.5 * ratio + start)
    return -(ratio.log() * 0.5) + (mean - start) + decay - 0.5 * (1 + math.log(2 * math.pi))


@register_kl(Normal, Laplace)
def _normal_laplace(p, q):
    # The mean of the distance from q.loc is that of a folded normal distribution.
    apart = p.loc - q.loc
    ratio, shift = p.scale / q.scale, apart / p.scale
    distance = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * shift.pow(2))
    distance = distance + apart * torch.erf(math.sqrt(0.5) * shift)
    return -torch.log(ratio) + distance / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


# ── p uniform ────────────────────────────────────────────────────────────────
def _difference(function, p):
    """Return the difference of a function of the ends of an interval."""
    return function(p.high) - function(p.low)


def _x_log_x(x):
    return torch.special.xlogy(x, x)


@register_kl(Uniform, Beta)
def _uniform_beta(p, q):
    width = p.high - p.low
    one = (q.concentration1 - 1) * (_difference(_x_log_x, p) - width) / width
    zero = (q.concentration0 - 1) * (_difference(lambda x: _x_log_x(1 - x), p) + width) / width
    normalizer = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    return _write_where(zero + normalizer - torch.log(width) - one, (p.high > 1) | (p.low < 0), math.inf)


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p, q):
    result = _beta_continuous_bernoulli(p, q)
    return torch.where(torch.max(p.high >= 1, p.low <= 0), torch.ones_like(result) * math.inf, result)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p, q):
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return _write_where(result, p.low < 0, math.inf)


@register_kl(Uniform, Gamma)
def _uniform_gamma(p, q):
    width = p.high - p.low
    means = (1 - q.concentration) * (_difference(_x_log_x, p) - width) / width
    result = -width.log() + _gamma_normalizer(q) + means + q.rate * (p.high + p.low) / 2
    return _write_where(result, p.low < 0, math.inf)


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p, q):
    ratio = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return ratio.log() + 0.5 * (high + low) - ratio * (torch.exp(-high) - torch.exp(-low))


@register_kl(Uniform, Normal)
def _uniform_normal(p, q):
    width = p.high - p.low
    normalizer = (math.sqrt(math.pi * 2) * q.scale / width).log()
    square = width.pow(2) / 12 + ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return normalizer + 0.5 * square / q.scale.pow(2)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p, q):
    width = p.high - p.low
    density = (q.alpha * q.scale.pow(q.alpha) * width).log()
    mean_log = (_difference(_x_log_x, p) - width) / width
    return _write_where(mean_log * (q.alpha + 1) - density, p.low < q.scale, math.inf)
