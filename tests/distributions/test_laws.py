"""torch.distributions: what must hold of distributions whatever PyTorch says, and distributions of one's own."""

import copy
import math
import pickle
import warnings

import pytest

import tensh
from tensh import distributions
from tensh.distributions import constraints, utils
from tensh.distributions.exp_family import ExponentialFamily
from tests.recorded.distributions.cases import CASES, DENSITIES, SEED, VECTORS, evaluate, outcome


@pytest.mark.parametrize("code", DENSITIES)
def test_probabilities_add_up_to_one(code):
    d = evaluate(code, tensh)
    if d.has_enumerate_support:
        total = d.log_prob(d.enumerate_support()).exp().sum(0)
    elif d.support.is_discrete:
        counts = tensh.arange(2000, dtype=tensh.float64)
        total = d.log_prob(counts.view(-1, *[1] * len(d.batch_shape))).exp().sum(0)
    else:
        total = integral(lambda x: d.log_prob(x).exp(), *DENSITIES[code])
    assert total.flatten().tolist() == pytest.approx([1.0] * d.batch_shape.numel(), abs=1e-3)


def integral(f, low, high):
    """The integral of a function by the midpoint rule: over the tangents of angles, which reach infinity, or straight."""
    steps = 100_000
    t = (tensh.arange(steps, dtype=tensh.float64) + 0.5) / steps
    if math.isfinite(low) and math.isfinite(high):
        return f(low + t * (high - low)).sum() * (high - low) / steps
    begin = math.atan(low)
    angle = begin + t * (math.atan(high) - begin)
    return (f(angle.tan()) / angle.cos() ** 2).sum() * (math.atan(high) - begin) / steps


@pytest.mark.parametrize("code", [code for code in DENSITIES if "NotImplementedError" not in str(outcome(
    lambda code=code: evaluate(code, tensh).icdf(tensh.tensor(0.5))))])  # fmt: skip
def test_quantiles_undo_the_distribution_function(code):
    d, chances = evaluate(code, tensh), tensh.tensor([0.01, 0.3, 0.5, 0.99], dtype=tensh.float64)
    assert d.cdf(d.icdf(chances)).tolist() == pytest.approx(chances.tolist(), abs=1e-6)


@pytest.mark.parametrize("code", [*DENSITIES, *VECTORS])
def test_samples_have_the_moments(code):
    tensh.manual_seed(SEED)
    d, n = evaluate(code, tensh), 20_000
    drawn = d.sample((n,)).double()
    if isinstance(d, distributions.VonMises):  # its moments are those of points of the circle
        assert drawn.cos().mean().hypot(drawn.sin().mean()).item() == pytest.approx(1 - d.variance.item(), rel=0.02)
    elif d.mean.isfinite().all() and d.variance.isfinite().all():
        assert ((drawn.mean(0) - d.mean).abs() <= 5 * d.stddev / n**0.5).all()
        assert drawn.std(0).flatten().tolist() == pytest.approx(d.stddev.flatten().tolist(), rel=0.1)


@pytest.mark.parametrize("code", [code for code in CASES if "0)" not in code])
def test_families_have_the_entropy_of_their_normalizer(code):
    d = evaluate(code, tensh)
    if not isinstance(d, ExponentialFamily) or not isinstance(outcome(lambda: d._mean_carrier_measure), int):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        direct, general = d.entropy(), ExponentialFamily.entropy(d)
    where = general.isfinite()  # probabilities of 0 and 1 have no natural parameter
    assert general[where].tolist() == pytest.approx(direct[where].tolist(), rel=1e-3, abs=1e-4)


class Shifted(distributions.Normal):
    """A user's subclass with another signature."""

    def __init__(self, shift, weights):
        self.weights = weights
        super().__init__(shift, 1.0)


class Careful(Shifted):
    """One that says how it is expanded."""

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Careful, _instance)
        new.weights = self.weights
        return super().expand(batch_shape, _instance=new)


class Coin(distributions.Distribution):
    """A user's own."""

    arg_constraints = {"bias": constraints.unit_interval}
    support = constraints.boolean

    def __init__(self, bias, validate_args=None):
        self.bias = bias
        super().__init__(bias.shape, validate_args=validate_args)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return tensh.where(value == 1, self.bias, 1 - self.bias).log()


def test_a_subclass_with_another_signature_has_to_say_how_it_is_expanded():
    with pytest.raises(
        NotImplementedError, match="Subclass Shifted of Normal that defines a custom __init__ method must"
    ):
        Shifted(tensh.zeros(3), None).expand((2, 3))
    weights = tensh.ones(7)
    larger = Careful(tensh.zeros(3), weights).expand((2, 3))
    assert type(larger) is Careful and larger.weights is weights and larger.loc.shape == (2, 3)


def test_a_distribution_of_ones_own():
    coin = Coin(tensh.tensor([0.25, 0.5]))
    assert coin.log_prob(tensh.ones(2)).exp().tolist() == [0.25, 0.5] and repr(coin) == "Coin(bias: torch.Size([2]))"
    with pytest.raises(ValueError, match=r"Expected parameter bias \(Tensor of shape \(1,\)\) of distribution Coin"):
        Coin(tensh.tensor([2.0]))
    with pytest.raises(ValueError, match=r"to be within the support \(Boolean\(\)\) of the distribution Coin"):
        coin.log_prob(tensh.tensor(0.5))
    assert Coin(tensh.tensor([2.0]), validate_args=False).batch_shape == (1,)
    with pytest.raises(NotImplementedError):
        coin.expand((3, 2))


def test_what_is_not_declared_is_not_checked_and_said():
    class Silent(distributions.Distribution):
        pass

    with pytest.warns(UserWarning, match="does not define `arg_constraints`"):
        silent = Silent()
    with pytest.warns(UserWarning, match="does not define `support`"):
        silent._validate_sample(tensh.tensor(1.0))


def test_checks_can_be_switched_off_for_all():
    distributions.Distribution.set_default_validate_args(False)
    try:
        assert distributions.Normal(0.0, -1.0).scale == -1
        with pytest.raises(ValueError):
            distributions.Normal(0.0, -1.0, validate_args=True)
    finally:
        distributions.Distribution.set_default_validate_args(True)


def test_an_expansion_shares_memory_and_settings():
    d = distributions.Normal(tensh.zeros(3), 1.0, validate_args=False)
    larger = d.expand((2, 3))
    assert larger.loc.data_ptr() == d.loc.data_ptr() and larger._validate_args is False
    counts = distributions.Multinomial(4, tensh.ones(3)).expand((2,))
    assert counts.entropy().shape == (2,)


def test_copies_say_the_same():
    d = distributions.StudentT(tensh.tensor([3.0, 4.0]))
    for other in (copy.deepcopy(d), pickle.loads(pickle.dumps(d))):
        assert other.log_prob(tensh.ones(2)).tolist() == d.log_prob(tensh.ones(2)).tolist()


def test_parameters_are_checked_in_all_samples_of_vmap():
    def density(loc, scale):
        return distributions.Normal(loc, scale).log_prob(loc)

    expected = distributions.Normal(0.0, tensh.tensor([1.0, 2.0])).log_prob(tensh.tensor(0.0))
    assert tensh.vmap(density)(tensh.zeros(2), tensh.tensor([1.0, 2.0])).tolist() == expected.tolist()
    with pytest.raises((ValueError, RuntimeError)):
        tensh.vmap(density)(tensh.zeros(2), tensh.tensor([1.0, -2.0]))


def test_odds_are_found_once_and_recorded():
    logits = tensh.zeros(2, requires_grad=True)
    d = distributions.Bernoulli(logits=logits)
    with tensh.no_grad():
        probs = d.probs
    assert d.probs is probs and probs.requires_grad
    assert isinstance(distributions.Bernoulli.probs, utils.lazy_property)


@pytest.mark.parametrize("diag", [-1, 0, 1])
def test_triangles_become_vectors_and_come_back(diag):
    size = {-1: 3, 0: 6, 1: 8}[diag]
    vector = tensh.arange(1.0, 1 + 2 * size).view(2, size)
    matrix = utils.vec_to_tril_matrix(vector, diag)
    assert matrix.shape == (2, 3, 3) and tensh.equal(utils.tril_matrix_to_vec(matrix, diag), vector)
    with pytest.raises(ValueError, match="cannot be expressed as the lower triangular part"):
        utils.vec_to_tril_matrix(tensh.ones(5))
    with pytest.raises(ValueError, match="provided is outside"):
        utils.tril_matrix_to_vec(matrix, 3)


def test_a_constraint_that_depends_is_known_on_the_class():
    support = distributions.Binomial.support
    assert constraints.is_dependent(support) and support.is_discrete and support.event_dim == 0
    with pytest.raises(ValueError, match="Cannot determine validity of dependent constraint"):
        support.check(tensh.ones(2))
    with pytest.raises(NotImplementedError, match="event_dim cannot be determined statically"):
        constraints.dependent.event_dim  # noqa: B018
