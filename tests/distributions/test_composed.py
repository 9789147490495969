"""Distributions that are made of others, and those of vectors and matrices: beside PyTorch, and by what has to hold."""

import warnings

import pytest

import tensh
from tests.recorded.distributions.cases import CASES
from tests.support.engines import SEED, Case, agree, agree_on, outcome, seeded

DISTRIBUTIONS = [
    "ExpRelaxedCategorical(p(0.7), probs=p([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]))",
    "ExpRelaxedCategorical(p(1.5), logits=p([0.2, -0.3, 0.5]))",
    "Gumbel(p([0.5, -1.0]), p([[1.0], [2.5]]))",
    "Gumbel(0.5, 2.0)",
    "Gumbel(1, p(2.0))",
    "HalfCauchy(p([0.5, 2.0]))",
    "HalfCauchy(1.5)",
    "HalfNormal(p([[0.5, 2.0]]))",
    "HalfNormal(2)",
    "Independent(Bernoulli(p([0.2, 0.7])), 0)",
    "Independent(Normal(p([[0.5, -1.0, 0.0]]), p([[1.0], [2.5]])), 1)",
    "Independent(Normal(p([[0.5, -1.0, 0.0]]), p([[1.0], [2.5]])), 2)",
    "Independent(Dirichlet(p([[0.5, 1.0, 3.0], [2.0, 2.0, 1.0]])), 1)",
    "InverseGamma(p([0.7, 1.5, 3.0]), p([[1.0], [2.5]]))",
    "InverseGamma(2.5, 1.5)",
    "Kumaraswamy(p([0.7, 1.5, 3.0]), p([[1.0], [2.5]]))",
    "Kumaraswamy(2.0, 3.0)",
    "LKJCholesky(2, p(0.7))",
    "LKJCholesky(4, p([0.7, 3.0]))",
    "LKJCholesky(3)",
    "LogitRelaxedBernoulli(p(0.7), probs=p([0.2, 0.9]))",
    "LogitRelaxedBernoulli(p(0.7), logits=0.5)",
    "LogNormal(p([0.5, -1.0]), p([[1.0], [2.5]]))",
    "LogNormal(0.0, 1.0)",
    "LogisticNormal(p([0.5, -1.0]), p([1.0, 2.5]))",
    "LogisticNormal(p(0.5), p(1.0))",
    "LogisticNormal(p([[0.5, -1.0, 0.1], [0.0, 1.0, 2.0]]), p(1.0))",
    "LowRankMultivariateNormal(p([0.5, -1.0, 2.0]), p([[1.0], [0.5], [-2.0]]), p([0.5, 1.0, 2.0]))",
    "LowRankMultivariateNormal(p([[0.5, -1.0]]), p([[[1.0, 2.0], [0.5, 0.1]]] * 3), p([0.5, 1.0]))",
    "MixtureSameFamily(Categorical(p([0.25, 0.75])), Normal(p([0.0, 4.0]), p(1.0)))",
    "MixtureSameFamily(Categorical(p([[0.2, 0.8], [0.5, 0.5]])), Gumbel(p([0.0, 4.0]), p([[1.0], [2.0]])))",
    "MixtureSameFamily(Categorical(logits=p([0.2, 0.8, 0.1])), Independent(Normal(p([[0.0, 4.0]] * 3), 1.0), 1))",
    "MixtureSameFamily(Categorical(p([0.2, 0.8])), MultivariateNormal(p([[0.0, 4.0], [1.0, 1.0]]), spd(2)))",
    "MultivariateNormal(p([0.5, -1.0]), covariance_matrix=p([[2.0, 0.5], [0.5, 1.0]]))",
    "MultivariateNormal(p([0.5, -1.0]), precision_matrix=p([[2.0, 0.5], [0.5, 1.0]]))",
    "MultivariateNormal(p([[0.5, -1.0]] * 3), scale_tril=p([[2.0, 0.0], [0.5, 1.0]]))",
    "MultivariateNormal(p([0.5, -1.0, 2.0]), spd(3, 2, 2))",
    "MultivariateNormal(p([[[0.5, -1.0, 2.0]] * 3]), spd(3, 2, 1))",
    "Pareto(p([0.5, 2.0]), p([[0.7], [1.5], [3.0]]))",
    "Pareto(1.0, 2.5)",
    "RelaxedBernoulli(p([0.7, 2.0]), probs=p([0.2, 0.9]))",
    "RelaxedBernoulli(p(0.7), logits=p([[0.2, 0.9]]))",
    "RelaxedOneHotCategorical(p(0.7), probs=p([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]]))",
    "RelaxedOneHotCategorical(p(2.2), logits=p([0.2, -0.3, 0.5]))",
    "TransformedDistribution(Uniform(0.0, p([1.0, 1.0])), [SigmoidTransform().inv, AffineTransform(1.0, p([2.0, -3.0]))])",
    "TransformedDistribution(Normal(p([0.0, 1.0, 2.0]), 1.0), [ExpTransform(), StickBreakingTransform()])",
    "TransformedDistribution(Normal(p([0.0, 1.0, 2.0, 3.0]), 1.0), ReshapeTransform((4,), (2, 2)))",
    "TransformedDistribution(MultivariateNormal(p([0.0, 1.0]), spd(2)), [AffineTransform(p(1.0), p(2.0)), TanhTransform()])",
    "TransformedDistribution(Normal(p([0.0] * 6), 1.0), [CorrCholeskyTransform()])",
    "TransformedDistribution(Normal(p(0.0), 1.0), [])",
    "TransformedDistribution(Normal(p(0.0), 1.0), AffineTransform(p([[1.0], [2.0]]), 2))",
    "TransformedDistribution(Poisson(p([1.0, 3.0])), [AffineTransform(2.0, 3.0)])",
    "TransformedDistribution(LogNormal(p([0.1, 0.2]), 0.5), PowerTransform(p([-1.0, 2.0])))",
    "TransformedDistribution(Normal(p([0.1, 0.2]), 0.5), CumulativeDistributionTransform(Laplace(0.0, p(1.0))))",
    "Weibull(p([0.5, 2.0]), p([[0.7], [1.5], [3.0]]))",
    "Weibull(1.0, 2.5)",
    "Wishart(p(3.5), covariance_matrix=p([[2.0, 0.5], [0.5, 1.0]]))",
    "Wishart(p([3.5, 5.0]), precision_matrix=p([[2.0, 0.5], [0.5, 1.0]]))",
    "Wishart(p(4.5), scale_tril=p([[[2.0, 0.0], [0.5, 1.0]]] * 2))",
    "Wishart(4, spd(3))",
]
PROPERTIES = (
    "d.batch_shape", "d.event_shape", "repr(d)", "d.mean", "d.mode", "d.variance", "d.stddev", "d.entropy()",
    "d.perplexity()", "d.support", "d.has_rsample", "d.has_enumerate_support", "d.enumerate_support()", "d.sample()",
    "d.sample((3,))", "d.rsample((2, 2))", "d.log_prob(v)", "d.cdf(v)", "d.icdf(t(0.3))", "d.cdf(d.icdf(t(0.6)))",
    "d.support.check(v)", "repr(d.arg_constraints)", "d.scale_tril", "d.precision_matrix", "d.covariance_matrix",
    "d.probs", "d.logits", "d.temperature", "d.loc", "d.scale", "d.param_shape",
)  # fmt: skip
EXPANDED = (
    "repr(e)", "e.batch_shape", "e.event_shape", "e.sample((3,))", "e.log_prob(v)", "e.entropy()", "e.mean", "e.variance",
    "e.covariance_matrix", "e._validate_args", "type(e).__name__", "e.cdf(v)", "e.icdf(t(0.3))",
)  # fmt: skip


def scored(engine, text, dtype="float64"):
    """A case with its distribution as ``d``."""
    case = Case(engine, text, dtype)
    case.names |= {"d": case.value}
    return case


@pytest.fixture(params=DISTRIBUTIONS)
def pair(request, oracle):
    """A distribution in both engines, and one value for both."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = seeded(scored(oracle, request.param), "d.sample((2,))").tolist()
    cases = [scored(engine, request.param) for engine in (tensh, oracle)]
    for case in cases:
        case.names["v"] = case.tensor(drawn)
    return request.param, cases


def test_distributions_are_those_of_pytorch(pair):
    text, cases = pair
    for question in PROPERTIES:
        agree_on(question, cases, text, 1e-7)


def test_distributions_expand_as_those_of_pytorch(pair):
    text, cases = pair
    for case in cases:
        case.names["e"] = case.evaluate("d.expand((2, *d.batch_shape))")
    for question in EXPANDED:
        agree_on(question, cases, text, 1e-7)


@pytest.mark.parametrize("question", ["d.log_prob(v)", "d.rsample((3,))", "d.entropy()", "d.cdf(v)", "d.icdf(t(0.3))"])
def test_gradients_are_those_of_pytorch(pair, question):
    text, cases = pair

    def gradients(case):
        value = seeded(case, question)
        weights = case.engine.arange(value.numel(), dtype=value.dtype).cos().reshape(value.shape)
        return list(case.engine.autograd.grad((value * weights).sum(), case.leaves, allow_unused=True))

    agree(*(outcome(gradients, case) for case in cases), f"{question} for {text}", 1e-6)


@pytest.mark.parametrize("text", DISTRIBUTIONS)
def test_single_precision_samples_are_those_of_pytorch(oracle, text):
    cases = [scored(engine, text, "float32") for engine in (tensh, oracle)]
    agree_on("d.sample((3,))", cases, text)


# ── what fails ───────────────────────────────────────────────────────────────
REFUSED = """
ExpRelaxedCategorical(t(1.0), probs=t(0.5))
ExpRelaxedCategorical(t(1.0), probs=t([0.5, 0.5])).log_prob(t([0.5, nan]))
ExpRelaxedCategorical(t(1.0), probs=t([-0.5, 1.5]))
Gumbel(0.0, -1.0)
Gumbel(t([0.0, nan]), 1.0)
Gumbel("zero", 1.0)
Gumbel(0.0, 1.0).log_prob(t(nan))
Gumbel(0.0, 1.0).log_prob(0.5)
HalfCauchy(-1.0)
HalfCauchy(t([0.0, 1.0]))
HalfCauchy(1.0).log_prob(t(-1.0))
HalfCauchy(1.0).cdf(t(-1.0))
HalfNormal(t([[-1.0], [2.0]]))
HalfNormal(1.0).log_prob(t(-1.0))
HalfNormal(t([1.0, 2.0])).cdf(t([1.0, 2.0, 3.0]))
Independent(Normal(0.0, 1.0), 1)
Independent(Bernoulli(t([0.5, 0.5])), 1).enumerate_support()
Independent(Normal(t([0.0, 1.0]), 1.0), 1).log_prob(t([0.0, 1.0, 2.0]))
Independent(Normal(t([0.0, 1.0]), 1.0), 1).cdf(t([0.0, 1.0]))
InverseGamma(t(-1.0), t(1.0))
InverseGamma(1.0, 0.0)
InverseGamma(1.0, 1.0).log_prob(t(-1.0))
Kumaraswamy(-1.0, 1.0)
Kumaraswamy(1.0, 1.0).log_prob(t(2.0))
LKJCholesky(1)
LKJCholesky(3, -1.0)
LKJCholesky(2).log_prob(t([[1.0, 0.0], [1.0, 1.0]]))
LKJCholesky(2).rsample()
LKJCholesky(2).log_prob(t([1.0, 0.0]))
LogitRelaxedBernoulli(t(1.0))
LogitRelaxedBernoulli(t(1.0), probs=0.5, logits=0.0)
LogitRelaxedBernoulli(t(1.0), probs=1.5)
LogNormal(0.0, -1.0)
LogNormal(0.0, 1.0).log_prob(t(-1.0))
LogisticNormal(t([0.0, 1.0]), -1.0)
LogisticNormal(t([0.0, 1.0]), 1.0).log_prob(t([0.5, 0.5]))
LogisticNormal(t([0.0, 1.0]), 1.0).log_prob(t([0.5, 0.6, 0.1]))
LowRankMultivariateNormal(t(0.0), t([[1.0]]), t([1.0]))
LowRankMultivariateNormal(t([0.0]), t([1.0]), t([1.0]))
LowRankMultivariateNormal(t([0.0, 1.0]), t([[1.0]]), t([1.0, 1.0]))
LowRankMultivariateNormal(t([0.0, 1.0]), t([[1.0], [2.0]]), t([1.0]))
LowRankMultivariateNormal(zeros(2, 2), zeros(3, 2, 1), ones(2))
LowRankMultivariateNormal(t([0.0, 1.0]), t([[1.0], [2.0]]), t([1.0, 0.0]))
MixtureSameFamily(Normal(t([0.0, 1.0]), 1.0), Normal(t([0.0, 1.0]), 1.0))
MixtureSameFamily(Categorical(t([0.5, 0.5])), 3)
MixtureSameFamily(Categorical(t([0.5, 0.5])), Normal(t([0.0, 1.0, 2.0]), 1.0))
MixtureSameFamily(Categorical(t([[0.5, 0.5]] * 2)), Normal(zeros(3, 2), 1.0))
MixtureSameFamily(Categorical(t([0.5, 0.5])), Gamma(t([1.0, 2.0]), 1.0)).log_prob(t(-1.0))
MixtureSameFamily(Categorical(t([0.5, 0.5])), Normal(t([1.0, 2.0]), 1.0)).icdf(t(0.5))
MixtureSameFamily(Categorical(t([0.5, 0.5])), Normal(t([1.0, 2.0]), 1.0)).rsample()
MultivariateNormal(t(0.0), eye(1))
MultivariateNormal(zeros(2))
MultivariateNormal(zeros(2), eye(2), eye(2))
MultivariateNormal(zeros(2), zeros(2))
MultivariateNormal(zeros(2), precision_matrix=zeros(2))
MultivariateNormal(zeros(2), scale_tril=zeros(2))
MultivariateNormal(zeros(2), -eye(2))
MultivariateNormal(zeros(2), ones(2, 2).tril(), validate_args=True)
MultivariateNormal(zeros(2), scale_tril=ones(2, 2))
MultivariateNormal(zeros(2), eye(2)).log_prob(zeros(3))
MultivariateNormal(zeros(2), eye(2)).cdf(zeros(2))
Pareto(1.0, -1.0)
Pareto(2.0, 1.0).log_prob(t(1.0))
RelaxedBernoulli(t(1.0), logits=nan)
RelaxedBernoulli(t(1.0), 0.5).log_prob(t(2.0))
RelaxedOneHotCategorical(t(1.0))
RelaxedOneHotCategorical(t(1.0), t([0.5, 0.5])).log_prob(t([0.5, 0.6]))
TransformedDistribution(Normal(0.0, 1.0), 3)
TransformedDistribution(Normal(0.0, 1.0), [3])
TransformedDistribution(Normal(0.0, 1.0), [StickBreakingTransform()])
TransformedDistribution(Normal(0.0, 1.0), ExpTransform()).log_prob(t(-1.0))
TransformedDistribution(Normal(0.0, 1.0), ExpTransform()).mean
TransformedDistribution(Normal(0.0, 1.0), ExpTransform()).mode
TransformedDistribution(Normal(0.0, 1.0), ExpTransform()).entropy()
TransformedDistribution(Normal(0.0, 1.0), AbsTransform()).cdf(t(1.0))
TransformedDistribution(Normal(0.0, 1.0), AbsTransform()).log_prob(t(1.0))
Weibull(1.0, -1.0)
Weibull(1.0, 1.0).log_prob(t(0.0))
Wishart(t(3.0))
Wishart(t(3.0), eye(2), eye(2))
Wishart(t(3.0), ones(2))
Wishart(t(0.5), eye(2))
Wishart(3, -eye(2))
Wishart(t(3.0), eye(2)).log_prob(-eye(2))
kl_divergence(Wishart(t(3.0), eye(2)), Normal(0.0, 1.0))
kl_divergence(Weibull(1.0, 1.0), Normal(0.0, 1.0))
kl_divergence(LKJCholesky(2), LKJCholesky(2))
kl_divergence(MultivariateNormal(zeros(2), eye(2)), MultivariateNormal(zeros(3), eye(3)))
kl_divergence(MultivariateNormal(zeros(2), eye(2)), LowRankMultivariateNormal(zeros(3), ones(3, 1), ones(3)))
kl_divergence(LowRankMultivariateNormal(zeros(3), ones(3, 1), ones(3)), MultivariateNormal(zeros(2), eye(2)))
kl_divergence(*(LowRankMultivariateNormal(zeros(n), ones(n, 1), ones(n)) for n in (2, 3)))
kl_divergence(Independent(Normal(zeros(2), 1.0), 1), Independent(Normal(zeros(2), 1.0), 0))
kl_divergence(LogNormal(0.0, 1.0), TransformedDistribution(Normal(0.0, 1.0), TanhTransform()))
kl_divergence(Binomial(2, 0.5), Binomial(3, 0.5))
kl_divergence(Gamma(1.0, 1.0), Poisson(1.0))
""".strip().splitlines()


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused_is_refused_as_in_pytorch(oracle, text):
    cases = [Case(engine, "0") for engine in (tensh, oracle)]
    agree_on(text, cases, text)
    assert outcome(cases[0].evaluate, text)[0].endswith("Error")


@pytest.mark.parametrize("text", [text for text in REFUSED if ".log_prob(" in text or ".cdf(" in text])
def test_without_validation_values_are_pytorchs(oracle, text):
    text = text.replace(").log_prob", ", validate_args=False).log_prob").replace(").cdf", ", validate_args=False).cdf")
    agree_on(text, [Case(engine, "0") for engine in (tensh, oracle)], text)


# ── what has to hold ─────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "text", [text for text in DISTRIBUTIONS if "Poisson" not in text and "Bernoulli(p([0.2, 0.7]))" not in text]
)
def test_samples_are_valid_and_have_the_shape_of_the_parameters(text):
    d = scored(tensh, text).value
    tensh.manual_seed(SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = d.sample((50,))
    assert x.shape == (50, *d.batch_shape, *d.event_shape) and not x.requires_grad
    assert d.support.check(x).shape == (50, *d.batch_shape)
    assert d.log_prob(x).shape == (50, *d.batch_shape) and d.log_prob(x).isfinite().all()


MOMENTS = [
    text
    for text in DISTRIBUTIONS
    if text.startswith(("Log", "Gumbel", "Half", "Kumar", "Weibull", "Mix", "Multi", "LowR", "Wishart", "Indep"))
    and "Cauchy" not in text
]


@pytest.mark.parametrize("text", MOMENTS)
def test_means_of_samples_are_the_mean(text):
    d = scored(tensh, text).value
    tensh.manual_seed(SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = d.sample((4000,))
    try:
        mean, variance = d.mean, d.variance
    except NotImplementedError:
        return
    error = 5 * (variance / 4000).sqrt()
    assert ((x.mean(0) - mean).abs() <= error).all() or variance.max() > 50  # a heavy tail has no such limit


def test_a_subclass_of_the_user():
    space = tensh.distributions

    class Plain(space.LogNormal):
        pass

    class Own(space.LogNormal):
        def __init__(self, loc):
            super().__init__(loc, 1.0)

    class Expanding(Own):
        def expand(self, batch_shape, _instance=None):
            new = self._get_checked_instance(Expanding, _instance)
            new.mark = "here"
            return super().expand(batch_shape, _instance=new)

    assert type(Plain(0.0, 1.0).expand((3,))) is Plain
    with pytest.raises(
        NotImplementedError, match="Subclass Own of LogNormal that defines a custom __init__ method must"
    ):
        Own(0.0).expand((3,))
    expanded = Expanding(0.0).expand((3,))
    assert type(expanded) is Expanding and expanded.mark == "here" and expanded.mean.shape == (3,)


def test_few_degrees_of_freedom_are_worth_a_warning():
    with pytest.warns(UserWarning, match="Low df values detected. Singular samples are highly likely to occur"):
        tensh.distributions.Wishart(tensh.tensor(1.5), tensh.eye(2))


def test_factors_are_shared_by_expansions():
    space = tensh.distributions
    d = space.MultivariateNormal(tensh.zeros(2), tensh.eye(2)).expand((5, 3))
    assert d._unbroadcasted_scale_tril.shape == (2, 2) and d.scale_tril.shape == (5, 3, 2, 2)
    relaxed = space.RelaxedBernoulli(tensh.tensor([2.0]), 0.5)
    assert relaxed.expand((4,)).temperature is relaxed.temperature


def test_a_sample_is_drawn_again_while_it_is_singular(monkeypatch):
    d = tensh.distributions.Wishart(tensh.tensor([3.0, 4.0]), tensh.eye(2))
    draws, regular = [], d._draw

    def drawn(shape):
        draws.append(tuple(shape))
        new = regular(shape)
        if len(draws) < 4:
            new[0] = tensh.ones(2, 2)  # of rank 1, and so for the whole batch
        return new

    monkeypatch.setattr(d, "_draw", drawn)
    with pytest.warns(UserWarning, match="Singular sample detected."):
        sample = d.sample((3,))
    assert draws == [(3,), (3,), (1,), (1,)] and d.support.check(sample).all()


def test_every_distribution_has_a_case():
    space = tensh.distributions
    classes = {
        n for n in space.__all__ if isinstance(v := getattr(space, n), type) and issubclass(v, space.Distribution)
    }
    named = {case.partition("(")[0] for case in (*CASES, *DISTRIBUTIONS)}
    assert classes - named == {"Distribution", "ExponentialFamily"}


def test_independent_of_something_is_an_annotation():
    assert tensh.distributions.Independent[tensh.distributions.Normal].__args__ == (tensh.distributions.Normal,)
