"""Divergences of distributions: beside PyTorch, and by what has to hold."""

from importlib import import_module

import pytest

import tensh
from tensh.distributions.kl.between import INFINITE
from tests.support.engines import SEED, Case, agree, outcome

FAMILIES = {
    "Bernoulli": ("Bernoulli(p([0.2, 0.7]))", "Bernoulli(logits=p([0.3, -2.0]))", "Bernoulli(p(0.0))"),
    "Beta": ("Beta(p([0.7, 2.0]), p([1.5, 0.5]))", "Beta(p([1.5, 3.0]), p([2.0, 1.0]))", "Beta(2.0, 3.0)"),
    "Binomial": ("Binomial(5, p([0.2, 0.7]))", "Binomial(5, p([0.4, 0.6]))", "Binomial(3, p(0.5))"),
    "Categorical": (
        "Categorical(p([[0.2, 0.7, 0.1], [0.3, 0.3, 0.4]]))",
        "Categorical(logits=p([[0.0, 1.0, 2.0]] * 2))",
        "Categorical(p([0.0, 0.5, 0.5]))",
    ),
    "Cauchy": ("Cauchy(p([0.0, 1.0]), p([1.0, 2.0]))", "Cauchy(p([0.5, -1.0]), p([2.0, 0.3]))", "Cauchy(0.0, 1.0)"),
    "ContinuousBernoulli": (
        "ContinuousBernoulli(p([0.2, 0.7]))",
        "ContinuousBernoulli(logits=p([0.3, -2.0]))",
        "ContinuousBernoulli(p(0.4))",
    ),
    "Dirichlet": (
        "Dirichlet(p([[0.5, 1.0, 3.0], [2.0, 2.0, 1.0]]))",
        "Dirichlet(p([[1.0, 1.0, 1.0], [0.3, 2.0, 4.0]]))",
        "Dirichlet(p([0.5, 0.5]))",
    ),
    "Exponential": ("Exponential(p([0.5, 2.0]))", "Exponential(p([1.0, 3.0]))", "Exponential(1.5)"),
    "Gamma": ("Gamma(p([0.5, 2.0]), p([1.0, 3.0]))", "Gamma(p([1.5, 3.0]), p([2.0, 0.7]))", "Chi2(p(3.0))"),
    "Geometric": ("Geometric(p([0.2, 0.7]))", "Geometric(logits=p([0.3, -2.0]))", "Geometric(p(0.4))"),
    "Gumbel": ("Gumbel(p([0.0, 1.0]), p([1.0, 2.0]))", "Gumbel(p([0.5, -1.0]), p([2.0, 0.7]))", "Gumbel(0.0, 1.0)"),
    "HalfNormal": ("HalfNormal(p([0.5, 2.0]))", "HalfNormal(p([1.0, 3.0]))", "HalfNormal(1.5)"),
    "Independent": (
        "Independent(Normal(p([[0.0, 1.0]]), 1.0), 1)",
        "Independent(Normal(p([[0.5, 0.2]]), p(2.0)), 1)",
        "Independent(Gamma(p([0.5, 2.0]), 1.0), 1)",
    ),
    "Laplace": ("Laplace(p([0.0, 1.0]), p([1.0, 2.0]))", "Laplace(p([0.5, -1.0]), p([2.0, 0.3]))", "Laplace(0.0, 1.0)"),
    "LowRankMultivariateNormal": (
        "LowRankMultivariateNormal(p([0.5, -1.0, 2.0]), p([[1.0], [0.5], [-2.0]]), p([0.5, 1.0, 2.0]))",
        "LowRankMultivariateNormal(p([[0.5, -1.0, 0.3]] * 2), p([[[1.0, 2.0], [0.5, 0.1], [0.2, -1.0]]] * 2), p([1.0] * 3))",
        "LowRankMultivariateNormal(p([0.5, -1.0]), p([[1.0], [0.5]]), p([0.5, 1.0]))",
    ),
    "MultivariateNormal": (
        "MultivariateNormal(p([0.5, -1.0, 2.0]), spd(3))",
        "MultivariateNormal(p([[0.5, -1.0, 0.3]] * 2), precision_matrix=spd(3, 2))",
        "MultivariateNormal(p([0.0, 1.0]), scale_tril=p([[2.0, 0.0], [0.5, 1.0]]))",
    ),
    "Normal": ("Normal(p([0.0, 1.0]), p([1.0, 2.0]))", "Normal(p([0.5, -1.0]), p([2.0, 0.3]))", "Normal(0.0, 1.0)"),
    "OneHotCategorical": (
        "OneHotCategorical(p([[0.2, 0.7, 0.1], [0.3, 0.3, 0.4]]))",
        "OneHotCategorical(logits=p([[0.0, 1.0, 2.0]] * 2))",
        "OneHotCategorical(p([0.0, 0.5, 0.5]))",
    ),
    "Pareto": ("Pareto(p([0.5, 2.0]), p([1.0, 3.0]))", "Pareto(p([0.4, 3.0]), p([1.5, 2.5]))", "Pareto(1.0, 4.0)"),
    "Poisson": ("Poisson(p([0.5, 2.0]))", "Poisson(p([1.0, 3.0]))", "Poisson(1.5)"),
    "TransformedDistribution": (
        "LogNormal(p([0.0, 1.0]), p([1.0, 2.0]))",
        "LogNormal(p([0.5, -1.0]), p([2.0, 0.3]))",
        "TransformedDistribution(Normal(0.0, 1.0), [SigmoidTransform()])",
    ),
    "Uniform": ("Uniform(p([0.1, 1.0]), p([0.7, 2.0]))", "Uniform(p([0.0, 0.5]), p([1.0, 3.0]))", "Uniform(-1.0, 1.0)"),
    "ExponentialFamily": (
        "Wishart(p(3.5), spd(2))",
        "Wishart(p(5.0), p([[2.0, 0.5], [0.5, 1.0]]))",
        "NegativeBinomial(3, p(0.5))",
    ),
}


def registered(engine):
    kl = import_module(f"{engine.distributions.__name__}.kl")
    return {(p.__name__, q.__name__) for p, q in getattr(kl, "dispatch", kl)._KL_REGISTRY}


PAIRS = sorted(registered(tensh))
WIDE = ("ExponentialFamily", "Independent", "LowRankMultivariateNormal", "MultivariateNormal")  # of other batches
NEVER = {(p.__name__, q.__name__) for p, others in INFINITE.items() for q in others}
MIXED = [(p, q) for p, q in PAIRS if p != q and p not in WIDE and (p, q) not in NEVER]


def test_divergences_are_registered_for_the_pairs_of_pytorch(oracle):
    assert set(PAIRS) == registered(oracle)


def divergence(p, q, engine):
    """The divergence and its gradients, or how it fails."""
    texts = [FAMILIES[name][which] for name, which in (p, q)]
    case = Case(engine, "Normal(0.0, 1.0)")
    case.names |= dict(zip("ab", map(case.evaluate, texts)))

    def found():
        value = case.evaluate("kl_divergence(a, b)")
        if not value.requires_grad or not value.isfinite().all():
            return value
        slopes = engine.autograd.grad(value.sum(), case.leaves, allow_unused=True)
        # The derivative of a family's normalizer, which is part of its divergence, may have other nodes.
        return [value.detach() if p[0] == "ExponentialFamily" else value, *slopes]

    return outcome(found)


@pytest.mark.parametrize("p, q", PAIRS)
def test_divergences_are_those_of_pytorch(oracle, p, q):
    for which in ((0, 1), (1, 0), (0, 0), (2, 2), (2, 0)):
        found = [divergence(*zip((p, q), which), engine) for engine in (tensh, oracle)]
        if found[1][0] != "IndexError":  # PyTorch cannot mask what broadcasting has made
            agree(*found, f"{p} {q} {which}", 1e-6)


@pytest.mark.parametrize("name", FAMILIES)
def test_divergence_from_itself_is_nothing(name):
    for text in FAMILIES[name]:
        case = Case(tensh, text, "float64")
        if "NegativeBinomial" not in text:
            value = case.evaluate(f"kl_divergence({text}, {text})").detach()
            tensh.testing.assert_close(value, tensh.zeros_like(value), atol=1e-5, rtol=0)


@pytest.fixture
def unchecked():
    """Values outside a support have a log_prob, too."""
    tensh.distributions.Distribution.set_default_validate_args(False)
    yield
    tensh.distributions.Distribution.set_default_validate_args(True)


@pytest.mark.parametrize("p, q", MIXED)
def test_divergences_of_families_are_means_of_log_ratios(unchecked, p, q):
    case = Case(tensh, f"({FAMILIES[p][1]}, {FAMILIES[q][0]})")
    a, b = case.value
    tensh.manual_seed(SEED)
    x = a.sample((20000,))
    value = tensh.distributions.kl_divergence(a, b).detach()
    ratios = (a.log_prob(x) - b.log_prob(x)).detach()
    error = 5 * ratios.std(0) / 20000**0.5 + 1e-9
    assert ((ratios.mean(0) - value).abs() < error)[value.isfinite()].all()


@pytest.mark.parametrize("p, q", [pair for pair in PAIRS if pair[0] not in WIDE])
def test_divergences_broadcast(p, q):
    a, b = (Case(tensh, FAMILIES[name][i]).value for i, name in enumerate((p, q)))
    a, b = (each.expand(shape + each.batch_shape[-1:]) for each, shape in ((a, (3, 1)), (b, (4,))))
    value = tensh.distributions.kl_divergence(a, b)
    if not value.isinf().all():
        whole = [each.expand((3, 4) + each.batch_shape[2 - (each is b) :]) for each in (a, b)]
        tensh.testing.assert_close(value, tensh.distributions.kl_divergence(*whole))


def test_divergence_takes_the_nearest_of_what_is_registered():
    space = tensh.distributions

    class Near(space.Normal):
        pass

    class Nearer(Near):
        pass

    one, two = Nearer(0.0, 1.0), Nearer(1.0, 1.0)
    assert space.kl_divergence(one, two) == 0.5
    registry = tensh.distributions.kl.dispatch._KL_REGISTRY
    before = dict(registry)
    try:
        space.register_kl(Near, space.Normal)(lambda p, q: "near, normal")
        space.register_kl(space.Normal, Nearer)(lambda p, q: "normal, nearer")
        assert space.kl_divergence(one, space.Normal(0.0, 1.0)) == "near, normal"
        with pytest.warns(
            RuntimeWarning, match=r"Ambiguous kl_divergence\(Nearer, Nearer\). Please register_kl\(Near, Nearer\)"
        ):
            assert space.kl_divergence(one, two) == "near, normal"
        space.register_kl(Near, Nearer)(lambda p, q: "near, nearer")
        assert space.kl_divergence(one, two) == "near, nearer"
    finally:
        registry.clear()
        registry.update(before)
        tensh.distributions.kl.dispatch._KL_MEMOIZE.clear()
