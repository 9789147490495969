"""Divergences between two distributions of one family."""

import math

import tensh as torch
from tensh.distributions.bernoulli import Bernoulli
from tensh.distributions.beta import Beta
from tensh.distributions.binomial import Binomial
from tensh.distributions.categorical import Categorical
from tensh.distributions.cauchy import Cauchy
from tensh.distributions.continuous_bernoulli import ContinuousBernoulli
from tensh.distributions.dirichlet import Dirichlet
from tensh.distributions.exp_family import ExponentialFamily
from tensh.distributions.exponential import Exponential
from tensh.distributions.gamma import Gamma
from tensh.distributions.geometric import Geometric
from tensh.distributions.gumbel import Gumbel
from tensh.distributions.half_normal import HalfNormal
from tensh.distributions.independent import Independent
from tensh.distributions.kl.dispatch import kl_divergence, register_kl
from tensh.distributions.laplace import Laplace
from tensh.distributions.normal import Normal
from tensh.distributions.one_hot_categorical import OneHotCategorical
from tensh.distributions.pareto import Pareto
from tensh.distributions.poisson import Poisson
from tensh.distributions.transformed_distribution import TransformedDistribution
from tensh.distributions.uniform import Uniform
from tensh.distributions.utils import _sum_rightmost, _write_where, euler_constant
from tensh.nn.functional import softplus


def _weigh(p, q, log_ratio):
    """Return ``p * log(p / q)``: 0 where p is 0, and infinite where only q is."""
    weighed = _write_where(p * log_ratio, q == 0, math.inf)
    return _write_where(weighed, p == 0, 0)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    one = _weigh(p.probs, q.probs, softplus(-q.logits) - softplus(-p.logits))
    zero = _weigh(1 - p.probs, 1 - q.probs, softplus(q.logits) - softplus(p.logits))
    return one + zero


@register_kl(Beta, Beta)
def _beta(p, q):
    whole, other = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    beta_q = q.concentration1.lgamma() + q.concentration0.lgamma() + whole.lgamma()
    beta_p = p.concentration1.lgamma() + p.concentration0.lgamma() + other.lgamma()
    one = (p.concentration1 - q.concentration1) * p.concentration1.digamma()
    zero = (p.concentration0 - q.concentration0) * p.concentration0.digamma()
    return beta_q - beta_p + one + zero + (other - whole) * whole.digamma()


@register_kl(Binomial, Binomial)
def _binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    each = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return _write_where(p.total_count * each, p.total_count > q.total_count, math.inf)


@register_kl(Categorical, Categorical)
def _categorical(p, q):
    return _weigh(p.probs, q.probs, p.logits - q.logits).sum(-1)


@register_kl(Cauchy, Cauchy)
def _cauchy(p, q):
    # Chyzak and Nielsen, A closed-form formula for the Kullback-Leibler divergence between Cauchy distributions (2019).
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p, q):
    own = p._cont_bern_log_norm() + torch.log1p(-p.probs)
    others = -q._cont_bern_log_norm() - torch.log1p(-q.probs)
    return p.mean * (p.logits - q.logits) + own + others


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p, q):
    a, b = p.concentration, q.concentration
    whole, other = a.sum(-1), b.sum(-1)
    normalizers = whole.lgamma() - other.lgamma() - (a.lgamma() - b.lgamma()).sum(-1)
    mean_log = a.digamma() - whole.digamma().unsqueeze(-1)
    return normalizers + ((a - b) * mean_log).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p, q):
    # A Bregman divergence: Nielsen and Nock, Entropies and cross-entropies of exponential families (2010).
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot "
            "                            be computed using Bregman divergences"
        )
    begin, end = [each.detach().requires_grad_() for each in p._natural_params], q._natural_params
    normalizer = p._log_normalizer(*begin)
    slopes = torch.autograd.grad(normalizer.sum(), begin, create_graph=True)
    result = q._log_normalizer(*end) - normalizer
    for a, b, slope in zip(begin, end, slopes):
        term = (b - a) * slope
        result = result - _sum_rightmost(term, max(0, term.dim() - result.dim()))
    return result


@register_kl(Gamma, Gamma)
def _gamma(p, q):
    a, b = p.concentration, q.concentration
    normalizers = b * (p.rate / q.rate).log() + (b.lgamma() - a.lgamma())
    return normalizers + (a - b) * a.digamma() + (q.rate - p.rate) * (a / p.rate)


@register_kl(Geometric, Geometric)
def _geometric(p, q):
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(Gumbel, Gumbel)
def _gumbel(p, q):
    ratio, end, begin = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    decay = (end + (1 + ratio).lgamma() - begin).exp()
    return -ratio.log() - end + begin + ratio * euler_constant + decay - (1 + euler_constant)


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p, q):
    return _normal(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(Laplace, Laplace)
def _laplace(p, q):
    ratio, apart = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + apart / q.scale + ratio * torch.exp(-apart / p.scale) - 1


@register_kl(Normal, Normal)
def _normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot_categorical(p, q):
    return _categorical(p._categorical, q._categorical)


@register_kl(Pareto, Pareto)
def _pareto(p, q):
    scales, ratio = p.scale / q.scale, q.alpha / p.alpha
    result = q.alpha * scales.log() + -ratio.log() + ratio - 1
    return _write_where(result, p.scale < q.scale, math.inf)


@register_kl(Poisson, Poisson)
def _poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transforms(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Uniform, Uniform)
def _uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return _write_where(result, (q.low > p.low) | (q.high < p.high), math.inf)
