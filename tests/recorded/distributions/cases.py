"""Distributions and constraints for the generic tests in test_distributions.py, in the names of torch and its distributions.

``python -m tests.recorded distributions``, where PyTorch is installed, records what it draws and says there, for machines
without it.
"""

import math
import warnings
from pathlib import Path

FILE = Path(__file__).with_name("distributions.json")
SEED = 5

# distribution -> outcomes to be looked at besides what is drawn
CASES = {
    "Bernoulli(0.3)": "tensor([0., 1.])",
    "Bernoulli(probs=tensor([0., 0.25, 0.5, 1.]))": "tensor([[0.], [1.]])",
    "Bernoulli(logits=tensor([[-3., 0.], [0.5, 20.]], dtype=float64))": "tensor([0., 1.], dtype=float64)",
    "Beta(2.0, 0.5)": "tensor([0., 0.25, 1.])",
    "Beta(tensor([0.5, 1., 3.]), tensor([[2.], [0.7]]))": "tensor([0.1, 0.5, 0.9])",
    "Beta(tensor([0.5, 40.], dtype=float64), 3)": "tensor(0.5, dtype=float64)",
    "Binomial(5, tensor([0., 0.2, 1.]))": "tensor([[0.], [3.], [5.]])",
    "Binomial(tensor([[5.], [40.]]), tensor([0.5, 0.8]))": "tensor([0., 5.])",
    "Binomial(12, logits=tensor([-1., 0., 30.], dtype=float64))": "tensor(12., dtype=float64)",
    "Binomial(probs=tensor(0.25))": "tensor([0., 1.])",
    "Binomial(tensor([3, 4]), tensor([0.25, 0.5]))": "tensor([0., 3.])",
    "Categorical(tensor([1., 1., 2.]))": "tensor([0, 1, 2])",
    "Categorical(tensor([[0.5, 0.5, 0.], [0.25, 0.25, 0.5]]))": "tensor([[0], [1], [2]])",
    "Categorical(logits=tensor([[[0., 1., 2., -inf]]], dtype=float64))": "tensor([[[0]], [[3]]])",
    "Cauchy(0.0, 1.0)": "tensor([-1000., 0., 2.])",
    "Cauchy(tensor([0., 1.]), tensor([[0.5], [2.]]))": "tensor(3.)",
    "Chi2(3.0)": "tensor([0.5, 10.])",
    "Chi2(tensor([0.5, 2., 9.], dtype=float64))": "tensor(1., dtype=float64)",
    "Chi2(tensor([1, 4]))": "tensor(1.)",
    "ContinuousBernoulli(0.3)": "tensor([0., 0.25, 1.])",
    "ContinuousBernoulli(tensor([0., 0.2, 0.4995, 0.5, 0.9]))": "tensor([[0.], [0.5], [1.]])",
    "ContinuousBernoulli(logits=tensor([[-2., 0.], [0.001, 3.]], dtype=float64))": "tensor(0.25, dtype=float64)",
    "ContinuousBernoulli(0.47, lims=(0.45, 0.55))": "tensor(0.25)",
    "Dirichlet(tensor([0.5, 1., 3.]))": "tensor([[0.2, 0.3, 0.5], [1., 0., 0.]])",
    "Dirichlet(tensor([[0.5, 0.2], [2., 7.], [0.5, 3.]], dtype=float64))": "tensor([0.25, 0.75], dtype=float64)",
    "Exponential(2.0)": "tensor([0., 1., 30.])",
    "Exponential(tensor([[0.5], [4.]], dtype=float64))": "tensor([0., 3.], dtype=float64)",
    "FisherSnedecor(3.0, 5.0)": "tensor([0.5, 2.])",
    "FisherSnedecor(tensor([1., 2., 5.]), tensor([[2.], [4.], [9.]]))": "tensor(1.5)",
    "Gamma(2.0, 3.0)": "tensor([0., 0.5])",
    "Gamma(tensor([0.3, 1., 9.]), tensor([[0.5], [2.]]))": "tensor(1.5)",
    "Gamma(tensor([2.5], dtype=float64), 1)": "tensor([0.25, 4.], dtype=float64)",
    "GeneralizedPareto(0.5, 2.0, 0.25)": "tensor([0.5, 3.])",
    "GeneralizedPareto(tensor([0., 1.]), 2.0, tensor([[0.], [0.7], [1.5], [-0.5], [-1.]]))": "tensor([1.25])",
    "Geometric(0.3)": "tensor([0., 4.])",
    "Geometric(tensor([0.1, 0.5, 1.]))": "tensor([[0.], [2.]])",
    "Geometric(logits=tensor([[-2.], [1.]], dtype=float64))": "tensor(3., dtype=float64)",
    "Laplace(0.0, 1.0)": "tensor([-3., 0., 3.])",
    "Laplace(tensor([0., 1.]), tensor([[0.5], [2.]], dtype=float32))": "tensor(-1.)",
    "Multinomial(5, tensor([1., 1., 2.]))": "tensor([[1., 1., 3.], [0., 5., 0.]])",
    "Multinomial(3, logits=tensor([[0., 1.], [-inf, 2.]], dtype=float64))": "tensor([0., 3.], dtype=float64)",
    "Multinomial(probs=tensor([0.5, 0.5]))": "tensor([1., 0.])",
    "NegativeBinomial(3, tensor([0.2, 0.6]))": "tensor([[0.], [4.]])",
    "NegativeBinomial(tensor([[1.], [7.5]]), logits=tensor([-1., 0.5]))": "tensor([0., 2.])",
    "NegativeBinomial(tensor([0., 2.], dtype=float64), tensor(0.5, dtype=float64))": "tensor(0., dtype=float64)",
    "Normal(0.0, 1.0)": "tensor([-40., 0., 3.])",
    "Normal(tensor([0., 1.]), tensor([[1.], [2.5]]))": "tensor(0.5)",
    "Normal(tensor([[0.25]], dtype=float64), 3)": "tensor([1., 2.], dtype=float64)",
    "Normal(1, 2)": "tensor(1.)",
    "OneHotCategorical(tensor([1., 1., 2.]))": "tensor([0., 1., 0.])",
    "OneHotCategorical(logits=tensor([[0., 1.], [3., 2.]], dtype=float64))": "tensor([[[1., 0.]], [[0., 1.]]], dtype=float64)",
    "OneHotCategoricalStraightThrough(tensor([[1., 1., 2.], [0., 1., 0.]]))": "tensor([0., 1., 0.])",
    "Poisson(3.0)": "tensor([0., 5.])",
    "Poisson(tensor([[0., 0.5, 40.]], dtype=float64))": "tensor([[0.], [3.]], dtype=float64)",
    "StudentT(3.0)": "tensor([-2., 0.5])",
    "StudentT(tensor([0.5, 1., 2., 7.]), tensor([[1.], [2.]]), 2.0)": "tensor(0.25)",
    "StudentT(tensor(5., dtype=float64), 1)": "tensor(0.25, dtype=float64)",
    "Uniform(0.0, 5.0)": "tensor([0., 2.5, 5.])",
    "Uniform(tensor([0., 1.]), tensor([[1.5], [3.]]))": "tensor(1.25)",
    "Uniform(-1, tensor([1.], dtype=float64))": "tensor(0.25, dtype=float64)",
    "VonMises(0.5, 2.0)": "tensor([-7., 0.5])",
    "VonMises(tensor([0., 3.]), tensor([[0.001], [3.], [50.]]))": "tensor(1.)",
    "VonMises(tensor(1., dtype=float64), 4)": "tensor(1., dtype=float64)",
    # batches of none
    "Normal(zeros(0), 1.0)": "zeros(0)",
    "Gamma(ones(2, 0), 1.0)": "ones(2, 0)",
    "Categorical(ones(0, 3))": "zeros(0)",
}

# distribution in double precision whose density is smooth -> where it begins and ends; None if outcomes are counted
REAL, ABOVE, UNIT = (-math.inf, math.inf), (0.0, math.inf), (0.0, 1.0)
DENSITIES = {
    "Bernoulli(tensor([0.3, 0.5], dtype=float64))": None,
    "Beta(tensor(2., dtype=float64), 3.5)": UNIT,
    "Binomial(7, tensor([0.3, 0.9], dtype=float64))": None,
    "Categorical(tensor([[1., 2., 3.]], dtype=float64))": None,
    "Cauchy(tensor(1., dtype=float64), 2.)": REAL,
    "Chi2(tensor(4., dtype=float64))": ABOVE,
    "ContinuousBernoulli(tensor(0.3, dtype=float64))": UNIT,
    "ContinuousBernoulli(tensor(0.5, dtype=float64))": UNIT,
    "Exponential(tensor(3., dtype=float64))": ABOVE,
    "FisherSnedecor(tensor(4., dtype=float64), 12.)": ABOVE,
    "Gamma(tensor(2.5, dtype=float64), 3.)": ABOVE,
    "GeneralizedPareto(tensor(0.5, dtype=float64), 2., 0.)": (0.5, math.inf),
    "GeneralizedPareto(tensor(0., dtype=float64), 2., 0.125)": ABOVE,
    "GeneralizedPareto(tensor(0., dtype=float64), 2., -0.5)": (0.0, 4.0),
    "Geometric(tensor([0.05, 0.5], dtype=float64))": None,
    "Laplace(tensor(1., dtype=float64), 0.5)": REAL,
    "NegativeBinomial(3, tensor([0.5, 0.9], dtype=float64))": None,
    "Normal(tensor(-1., dtype=float64), 2.)": REAL,
    "OneHotCategorical(tensor([[1., 2., 3.], [1., 0., 0.]], dtype=float64))": None,
    "Poisson(tensor([0., 2., 300.], dtype=float64))": None,
    "StudentT(tensor(5., dtype=float64), 1., 0.5)": REAL,
    "Uniform(tensor(-1., dtype=float64), 3.)": (-1.0, 3.0),
    "VonMises(tensor(1., dtype=float64), 4.)": (-math.pi, math.pi),
}
VECTORS = [
    "Dirichlet(tensor([[0.5, 1., 4.], [0.1, 0.1, 0.2]], dtype=float64))",
    "Multinomial(6, tensor([[1., 2., 3.], [1., 0., 1.]], dtype=float64))",
]

# what is refused
REFUSED = [
    line.strip()
    for line in """
    Bernoulli()
    Bernoulli(0.5, 0.5)
    Bernoulli("half")
    Bernoulli(1.5)
    Bernoulli(logits=tensor([0., nan]))
    Bernoulli(0.5).log_prob(0.5)
    Bernoulli(0.5).log_prob(tensor(0.5))
    Bernoulli(0.5).cdf(tensor(0.))
    Beta(-1., 1.)
    Beta(1., tensor([0., 1.]))
    Beta(1., 1.).log_prob(tensor(1.5))
    Binomial(3)
    Binomial(-1, tensor(0.5))
    Binomial(3.5, tensor(0.5))
    Binomial(3, tensor(1.5))
    Binomial(3, tensor(0.5)).log_prob(tensor(4.))
    Binomial(3, tensor(0.5)).log_prob(tensor([0.5, 4.]))
    Binomial(tensor([1, 2]), tensor(0.5))
    Binomial(tensor([1., 2.]), tensor(0.5)).entropy()
    Binomial(tensor([1., 2.]), tensor(0.5)).enumerate_support()
    Categorical()
    Categorical(tensor(0.5))
    Categorical(logits=tensor(0.5))
    Categorical(tensor([-1., 0.5]))
    Categorical(tensor([0., 0.]))
    Categorical(logits=tensor([0., nan]))
    Categorical(ones(3)).log_prob(tensor(3))
    Categorical(ones(3)).log_prob(tensor(0.5))
    Categorical(ones(2, 3)).log_prob(tensor([0, 1, 2]))
    Categorical(ones(3)).rsample()
    Categorical(ones(3)).cdf(tensor(0))
    Cauchy(0., 0.)
    Cauchy(nan, 1.)
    Chi2(-1.)
    Chi2(tensor([1., 0.]))
    ContinuousBernoulli()
    ContinuousBernoulli(1.5)
    ContinuousBernoulli(1.5, validate_args=True)
    ContinuousBernoulli(1.5, validate_args=False)
    ContinuousBernoulli(0.5).log_prob(tensor(1.5))
    ContinuousBernoulli(0.5).mode
    Dirichlet(tensor(1.))
    Dirichlet(tensor([1., -1.]))
    Dirichlet(tensor([[1., -1.], [2., 3.]]))
    Dirichlet(tensor([1., 1.])).log_prob(tensor([0.5, 0.6]))
    Dirichlet(tensor([1., 1.])).log_prob(tensor([0.5, 0.3, 0.2]))
    Dirichlet(tensor([1., 1.])).log_prob(tensor(0.5))
    Exponential(0.)
    Exponential(1.).log_prob(tensor(-1.))
    Exponential(1.).cdf(tensor(-1.))
    FisherSnedecor(-1., 1.)
    FisherSnedecor(1., tensor([1., 0.]))
    FisherSnedecor(1., 1.).log_prob(tensor(0.))
    FisherSnedecor(1., 1.).entropy()
    Gamma(0., 1.)
    Gamma(1., -1.)
    Gamma(1., 1.).log_prob(tensor(-1.))
    GeneralizedPareto(0., -1., 0.)
    GeneralizedPareto(0., 1., -1.).log_prob(tensor(2.))
    GeneralizedPareto(0., 1., -1.).cdf(tensor([0.5, -2.]))
    Geometric()
    Geometric(0.)
    Geometric(tensor([0., 0.5, 0.]))
    Geometric(-0.5)
    Geometric(0.5).log_prob(tensor(-1.))
    Geometric(0.5).log_prob(tensor(0.5))
    Laplace(0., 0.)
    Laplace(0., 1.).log_prob(tensor(nan))
    Multinomial(tensor([3, 4]), tensor([0.5, 0.5]))
    Multinomial(3)
    Multinomial(3, tensor([0.5, -0.5]))
    Multinomial(3, tensor([0.5, 0.5])).log_prob(tensor([3., 1.]))
    Multinomial(3, tensor([0.5, 0.5])).log_prob(tensor([-1., 1.]))
    Multinomial(3, tensor([0.5, 0.5])).log_prob(tensor([1., 1., 1.]))
    Multinomial(3, tensor([0.5, 0.5])).mode
    Multinomial(3, tensor([0.5, 0.5])).enumerate_support()
    NegativeBinomial(3)
    NegativeBinomial(-1., tensor(0.5))
    NegativeBinomial(1., tensor(1.))
    NegativeBinomial(1., tensor(0.5)).log_prob(tensor(-1.))
    NegativeBinomial(1., tensor(0.5)).entropy()
    Normal(0.0, -1.0)
    Normal(0.0, tensor([1., 0.]))
    Normal(nan, 1.0)
    Normal("zero", 1.0)
    Normal(1j, 1.0)
    Normal(None, 1.0)
    Normal([0.], 1.0)
    Normal(zeros(2), ones(3))
    Normal(0.0, 1.0).log_prob(tensor(nan))
    Normal(0.0, 1.0).log_prob(0.5)
    Normal(0.0, 1.0).log_prob([0.5])
    Normal(zeros(3), 1.0).log_prob(zeros(2))
    Normal(zeros(3), 1.0).expand((2,))
    Normal(zeros(3), 1.0).expand((3, 2))
    Normal(0., 1.).enumerate_support()
    Normal(0., 1., True, 3)
    Normal(0.)
    OneHotCategorical()
    OneHotCategorical(tensor([1., -1.]))
    OneHotCategorical(ones(3)).log_prob(tensor([1., 1., 0.]))
    OneHotCategorical(ones(3)).log_prob(tensor([0.5, 0.5, 0.]))
    OneHotCategorical(ones(3)).log_prob(tensor(1.))
    OneHotCategorical(ones(3)).rsample()
    Poisson(-1.)
    Poisson(1.).log_prob(tensor(0.5))
    Poisson(1.).entropy()
    Poisson(1.).rsample()
    Poisson(tensor([4])).sample()
    StudentT(0.)
    StudentT(1., 0., -1.)
    StudentT(1.).cdf(tensor(0.))
    Uniform(1., 0.)
    Uniform(tensor([0., 1.]), 1.)
    Uniform(0., 1.).log_prob(tensor(1.5))
    Uniform(0., 1.).cdf(tensor(-0.5))
    VonMises(0., 0.)
    VonMises(0., 1.).rsample()
    VonMises(0., 1.).entropy()
    VonMises(0., 1.).cdf(tensor(0.))
    Distribution.set_default_validate_args(2)
    Distribution().sample()
    Distribution(validate_args=False).sample()
    Distribution(validate_args=False).mean
    Distribution(validate_args=False).mode
    Distribution(validate_args=False).expand((2,))
""".strip().splitlines()
]

# constraint and what it is asked about
CONSTRAINTS = [
    ("boolean", "tensor([0., 1., 0.5, nan])"),
    ("one_hot", "tensor([[0., 1.], [1., 1.], [0.5, 0.5], [0., 0.]])"),
    ("nonnegative_integer", "tensor([-1., 0., 0.5, 3.])"),
    ("positive_integer", "tensor([0, 1, 2])"),
    ("integer_interval(1, 3)", "tensor([0., 1., 1.5, 3., 4.])"),
    ("integer_interval(tensor([0., 2.]), 3)", "tensor([[1., 1.], [3., 4.]])"),
    ("real", "tensor([0., inf, nan])"),
    ("real_vector", "tensor([[0., 1.], [nan, 1.]])"),
    ("positive", "tensor([-1., 0., 1.])"),
    ("nonnegative", "tensor([-1., 0., 1.])"),
    ("greater_than(2)", "tensor([2., 3.])"),
    ("greater_than_eq(tensor([1., 2.]))", "tensor([1., 1.])"),
    ("less_than(2.)", "tensor([1., 2.])"),
    ("unit_interval", "tensor([-0.1, 0., 1., 1.1])"),
    ("interval(-1, 1)", "tensor([-1., 1., 2.])"),
    ("half_open_interval(0, 1)", "tensor([0., 1.])"),
    ("simplex", "tensor([[0.5, 0.5], [0.5, 0.6], [-0.5, 1.5]])"),
    ("multinomial(3)", "tensor([[1., 2.], [2., 2.], [-1., 0.]])"),
    ("lower_triangular", "tensor([[[1., 0.], [2., -3.]], [[1., 2.], [0., 1.]]])"),
    ("lower_cholesky", "tensor([[[1., 0.], [2., -3.]], [[1., 0.], [4., 1.]]])"),
    ("corr_cholesky", "tensor([[[1., 0.], [0.6, 0.8]], [[1., 0.], [4., 1.]]])"),
    ("square", "ones(3, 2, 2)"),
    ("square", "ones(2, 3)"),
    ("symmetric", "tensor([[[1., 2.], [2., 1.]], [[1., 2.], [3., 1.]]])"),
    ("symmetric", "ones(2, 3)"),
    ("positive_semidefinite", "tensor([[[2., 1.], [1., 2.]], [[1., 2.], [2., 1.]]])"),
    ("positive_definite", "tensor([[[2., 1.], [1., 2.]], [[1., 2.], [2., 1.]]])"),
    ("positive_definite", "tensor([[1., 2.], [3., 4.]])"),
    ("independent(positive, 1)", "tensor([[1., 2.], [1., -2.]])"),
    ("independent(simplex, 2)", "ones(3, 2, 2) / 2"),
    ("independent(positive, 2)", "ones(3)"),
    ("independent(positive, -1)", "ones(3)"),
    ("independent(positive, 1.)", "ones(3)"),
    ("independent(3, 1)", "ones(3)"),
    ("MixtureSameFamilyConstraint(interval(zeros(3), tensor([1., 2., 3.])))", "tensor([0.5, 1.5, -1.])"),
    ("MixtureSameFamilyConstraint(simplex)", "ones(4, 2) / 2"),
    ("MixtureSameFamilyConstraint(simplex)", "tensor(0.5)"),
    ("MixtureSameFamilyConstraint(0)", "tensor(0.5)"),
    ("cat([positive, real])", "tensor([-1., -1.])"),
    ("cat([simplex, one_hot], -2, [1, 2])", "tensor([[0.5, 0.5], [1., 0.], [0., 0.]])"),
    ("cat([positive, boolean], 0, [1])", "ones(2)"),
    ("cat([positive, boolean], 2)", "ones(2)"),
    ("cat([1])", "ones(2)"),
    ("stack([positive, boolean], -1)", "tensor([[1., 1.], [-1., 0.5]])"),
    ("stack([positive, boolean])", "tensor([[1., 1.], [-1., 0.]])"),
    ("stack([1])", "ones(2)"),
    ("stack([positive, simplex], -1)", "ones(2, 2)"),
    ("dependent", "ones(2)"),
    ("dependent(is_discrete=True)", "ones(2)"),
    ("dependent(event_dim=2)(is_discrete=False)", "ones(2)"),
    ("Constraint()", "ones(2)"),
]


class Names(dict):
    """The names of ``torch.distributions``, then those of ``torch``; tensors of floats are leaves that want gradients."""

    def __init__(self, torch, differentiable=False):
        self.torch, self.leaves = torch, []
        self.update(inf=math.inf, nan=math.nan)
        if differentiable:
            self["tensor"] = self.leaf

    def leaf(self, data, dtype=None):
        t = self.torch.tensor(data, dtype=dtype)
        if t.is_floating_point():
            self.leaves.append(t.requires_grad_())
        return t

    def __missing__(self, name):
        for space in (self.torch.distributions, self.torch.distributions.constraints, self.torch):
            if hasattr(space, name):
                return getattr(space, name)
        raise KeyError(name)


def evaluate(code, torch, names=None):
    return eval(code, {"__builtins__": __builtins__}, names or Names(torch))


def plain(value):
    """A value as data that both engines can be compared by."""
    if hasattr(value, "detach"):
        return [str(value.dtype), list(value.shape), value.detach().tolist()]
    if isinstance(value, tuple | list):
        return [plain(v) for v in value]
    return value if isinstance(value, int | float | str | None.__class__) else repr(value)


def outcome(function, *arguments):
    """Return the outcome of a call: a value as data, or the exception."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return plain(function(*arguments))
    except Exception as error:
        return [type(error).__name__, str(error)]


def figures(code, torch):
    """What is recorded of a distribution: draws, the density of what is given, the entropy; of a mistake, the words."""
    if code not in CASES:
        return outcome(evaluate, code, torch)
    torch.manual_seed(SEED)
    d, x = evaluate(code, torch), evaluate(CASES[code], torch)
    return [outcome(d.sample, (3,)), outcome(d.log_prob, x), outcome(d.entropy)]
