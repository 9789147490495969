"""torch.distributions: probability distributions, their constraints and transforms."""

from tensh.engine.methods.namespaces import declare_namespace

# Module -> its public names. A module is loaded when one of its names is first requested.
WHERE = {
    "tensh.distributions.distribution": "Distribution",
    "tensh.distributions.exp_family": "ExponentialFamily",
    "tensh.distributions.bernoulli": "Bernoulli",
    "tensh.distributions.beta": "Beta",
    "tensh.distributions.binomial": "Binomial",
    "tensh.distributions.categorical": "Categorical",
    "tensh.distributions.cauchy": "Cauchy",
    "tensh.distributions.chi2": "Chi2",
    "tensh.distributions.continuous_bernoulli": "ContinuousBernoulli",
    "tensh.distributions.dirichlet": "Dirichlet",
    "tensh.distributions.exponential": "Exponential",
    "tensh.distributions.fishersnedecor": "FisherSnedecor",
    "tensh.distributions.gamma": "Gamma",
    "tensh.distributions.generalized_pareto": "GeneralizedPareto",
    "tensh.distributions.geometric": "Geometric",
    "tensh.distributions.gumbel": "Gumbel",
    "tensh.distributions.half_cauchy": "HalfCauchy",
    "tensh.distributions.half_normal": "HalfNormal",
    "tensh.distributions.independent": "Independent",
    "tensh.distributions.inverse_gamma": "InverseGamma",
    "tensh.distributions.kumaraswamy": "Kumaraswamy",
    "tensh.distributions.laplace": "Laplace",
    "tensh.distributions.lkj_cholesky": "LKJCholesky",
    "tensh.distributions.log_normal": "LogNormal",
    "tensh.distributions.logistic_normal": "LogisticNormal",
    "tensh.distributions.lowrank_multivariate_normal": "LowRankMultivariateNormal",
    "tensh.distributions.mixture_same_family": "MixtureSameFamily",
    "tensh.distributions.multinomial": "Multinomial",
    "tensh.distributions.multivariate_normal": "MultivariateNormal",
    "tensh.distributions.negative_binomial": "NegativeBinomial",
    "tensh.distributions.normal": "Normal",
    "tensh.distributions.one_hot_categorical": "OneHotCategorical OneHotCategoricalStraightThrough",
    "tensh.distributions.pareto": "Pareto",
    "tensh.distributions.poisson": "Poisson",
    "tensh.distributions.relaxed_bernoulli": "RelaxedBernoulli",
    "tensh.distributions.relaxed_categorical": "RelaxedOneHotCategorical",
    "tensh.distributions.studentT": "StudentT",
    "tensh.distributions.transformed_distribution": "TransformedDistribution",
    "tensh.distributions.uniform": "Uniform",
    "tensh.distributions.von_mises": "VonMises",
    "tensh.distributions.weibull": "Weibull",
    "tensh.distributions.wishart": "Wishart",
    "tensh.distributions.constraint_registry": "biject_to transform_to",
    "tensh.distributions.kl": "kl_divergence register_kl",
    "tensh.distributions.transforms": """AbsTransform AffineTransform CatTransform ComposeTransform CorrCholeskyTransform
        CumulativeDistributionTransform ExpTransform IndependentTransform LowerCholeskyTransform
        PositiveDefiniteTransform PowerTransform ReshapeTransform SigmoidTransform SoftplusTransform TanhTransform
        SoftmaxTransform StackTransform StickBreakingTransform Transform identity_transform""",
}
PLACES = {name: module for module, names in WHERE.items() for name in names.split()}
SUBMODULES = sorted({module.rpartition(".")[2] for module in WHERE} | {"constraints", "utils"})

__all__ = [*PLACES]  # noqa: PLE0604 (they are strings)

__getattr__, __dir__ = declare_namespace("tensh.distributions", globals(), PLACES, SUBMODULES)
