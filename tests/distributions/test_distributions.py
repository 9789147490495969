"""torch.distributions: properties and samples with PyTorch's numbers, and PyTorch's errors."""

import inspect

import pytest

import tensh
from tensh import distributions
from tests.recorded.answers import read_answers
from tests.recorded.distributions.cases import (
    CASES,
    CONSTRAINTS,
    FILE,
    REFUSED,
    SEED,
    Names,
    evaluate,
    figures,
    outcome,
    plain,
)

TOLERANCE = 2e-5  # of single precision
FACTS = """batch_shape event_shape has_rsample has_enumerate_support mean mode variance stddev support param_shape probs
    logits df concentration1 _natural_params""".split()
CALLS = {
    "entropy": lambda d: d.entropy(),
    "perplexity": lambda d: d.perplexity(),
    "enumerate_support": lambda d: d.enumerate_support(),
    "enumerate_support once": lambda d: d.enumerate_support(False),
    "repr": repr,
}


def same(ours, theirs, what="", tolerance=1e-8):
    """Assert that two outcomes are the same: numbers within rounding, all else exactly."""
    if isinstance(theirs, list):
        assert type(ours) is type(theirs) and len(ours) == len(theirs), (what, ours, theirs)
        tolerance = TOLERANCE if theirs[:1] == ["torch.float32"] else tolerance
        for one, other in zip(ours, theirs, strict=True):
            same(one, other, what, tolerance)
    elif isinstance(theirs, float):
        assert ours == pytest.approx(theirs, rel=tolerance, abs=tolerance / 4, nan_ok=True), (what, ours, theirs)
    else:
        assert ours == theirs, (what, ours, theirs)


def facts(code, torch, expanded):
    d = evaluate(code, torch)
    if expanded:
        d = d.expand((2, *d.batch_shape))
    found = {name: outcome(getattr, d, name) for name in FACTS}
    return found | {name: outcome(call, d) for name, call in CALLS.items()}


@pytest.mark.parametrize("expanded", [False, True])
@pytest.mark.parametrize("code", CASES)
def test_facts_are_pytorchs(oracle, code, expanded):
    ours, theirs = facts(code, tensh, expanded), facts(code, oracle, expanded)
    for name, value in theirs.items():
        if not (isinstance(value, list) and value[:1] == ["AttributeError"]):  # what PyTorch lacks may be there
            same(ours[name], value, name)


def draws(code, torch, shape):
    torch.manual_seed(SEED)
    d = evaluate(code, torch)
    return [outcome(d.sample, shape), outcome(d.rsample, shape), plain(torch.rand(2))]


@pytest.mark.parametrize("shape", [(), (3,), (40, 2)])
@pytest.mark.parametrize("code", CASES)
def test_draws_are_pytorchs(oracle, code, shape):
    same(draws(code, tensh, shape), draws(code, oracle, shape))


def densities(code, torch, drawn):
    d = evaluate(code, torch)
    drawn = torch.tensor(drawn[2], dtype=getattr(torch, drawn[0].removeprefix("torch.")))
    given = evaluate(CASES[code], torch)
    chances = torch.tensor([0.1, 0.5, 0.875], dtype=torch.float64).view(-1, *[1] * len(d.batch_shape))
    chances = chances.to(torch.float64 if drawn.dtype == torch.float64 else torch.float32)
    points = {"drawn": drawn, "given": given}
    found = {(name, key): outcome(getattr(d, name), x) for name in ("log_prob", "cdf") for key, x in points.items()}
    return found | {"icdf": outcome(d.icdf, chances)}


@pytest.mark.parametrize("code", CASES)
def test_densities_are_pytorchs(oracle, code):
    oracle.manual_seed(SEED)
    drawn = plain(evaluate(code, oracle).sample((3,)))
    ours, theirs = densities(code, tensh, drawn), densities(code, oracle, drawn)
    for name, value in theirs.items():
        same(ours[name], value, name)


GRADIENTS = {
    "rsample": lambda d, x: d.rsample((3,)),
    "log_prob": lambda d, x: d.log_prob(x),
    "cdf": lambda d, x: d.cdf(x),
    "icdf": lambda d, x: d.icdf(x.sigmoid()),
    "entropy": lambda d, x: d.entropy(),
    "mean": lambda d, x: d.mean,
    "variance": lambda d, x: d.variance,
}


def gradient(function, code, torch):
    """The gradients of a function of a distribution and of outcomes, for the parameters and the outcomes."""
    torch.manual_seed(SEED)
    names = Names(torch, differentiable=True)
    value = function(evaluate(code, torch, names), evaluate(CASES[code], torch, names))
    weights = torch.arange(1, value.numel() + 1).view(value.shape)
    weighted = (value * weights)[value.isfinite()].sum()
    return torch.autograd.grad(weighted, names.leaves, allow_unused=True)


@pytest.mark.parametrize("code", [code for code in CASES if "tensor" in code])
def test_gradients_are_pytorchs(oracle, code):
    for name, function in GRADIENTS.items():
        same(*(outcome(gradient, function, code, torch) for torch in (tensh, oracle)), name)


@pytest.mark.parametrize("code", REFUSED)
def test_mistakes_are_refused_with_pytorchs_words(oracle, code):
    ours, theirs = (outcome(evaluate, code, torch) for torch in (tensh, oracle))
    assert ours == theirs


def constraint_facts(code, value, torch):
    facts = {
        "repr": repr,
        "is_discrete": lambda c: c.is_discrete,
        "event_dim": lambda c: c.event_dim,
        "check": lambda c: c.check(evaluate(value, torch)),
    }
    return {name: outcome(lambda fact=fact: fact(evaluate(code, torch))) for name, fact in facts.items()}


@pytest.mark.parametrize(("code", "value"), CONSTRAINTS)
def test_constraints_are_pytorchs(oracle, code, value):
    assert constraint_facts(code, value, tensh) == constraint_facts(code, value, oracle)


def parameters(function):
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


def signatures(cls):
    """Method -> its parameters, of a class and its bases; and those of the constructor."""
    methods = {name: parameters(m) for name, m in inspect.getmembers(cls, inspect.isfunction) if name[0] != "_"}
    return methods | {"": parameters(cls)}


def test_names_are_pytorchs(oracle):
    assert sorted(distributions.__all__) == sorted(oracle.distributions.__all__)
    for module in ("constraints", "utils"):
        assert sorted(getattr(distributions, module).__all__) == sorted(getattr(oracle.distributions, module).__all__)


@pytest.mark.parametrize(
    "name", sorted({code.partition("(")[0] for code in CASES} | {"Distribution", "ExponentialFamily"})
)
def test_signatures_are_pytorchs(oracle, name):
    ours, theirs = getattr(distributions, name), getattr(oracle.distributions, name)
    assert ours.__module__.partition(".")[2] == theirs.__module__.partition(".")[2]
    expected, found = signatures(theirs), signatures(ours)
    assert {method: found.get(method) for method in expected} == expected


# ── as recorded from PyTorch ─────────────────────────────────────────────────
FIGURES = read_answers(FILE)


def test_every_distribution_is_recorded():
    assert [*FIGURES] == [*CASES, *REFUSED]


@pytest.mark.parametrize("code", FIGURES)
def test_figures_are_as_recorded(code):
    same(figures(code, tensh), FIGURES[code])
