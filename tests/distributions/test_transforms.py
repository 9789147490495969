"""Transforms and the registries that lead to them: beside PyTorch, and by what has to hold."""

import itertools
import math
import pickle

import pytest

import tensh
from tests.support.engines import Case, agree_on, outcome

X = "t([[-1.2, 0.3, 0.8], [2.0, -0.1, 0.05]])"
POSITIVE = "t([[1.2, 0.3, 0.8], [2.0, 0.1, 0.05]])"
MATRICES = "t([[[0.3, 1.0], [-0.4, 0.2]], [[-1.0, 0.5], [2.0, 0.1]]])"
TRANSFORMS = [
    ("AbsTransform()", X),
    ("AffineTransform(1.5, -2.0)", X),
    ("AffineTransform(t([1.0, 2.0, 3.0]), t([0.5, -2.0, 3.0]))", X),
    ("AffineTransform(t(1.0), t([0.5, -2.0, 3.0]), event_dim=1)", X),
    ("AffineTransform(0.5, 2, event_dim=2)", X),
    ("AffineTransform(0.5, t([[1.0, -2.0, 3.0], [0.5, 2.0, 1.0]]), event_dim=2)", X),
    ("AffineTransform(t([[1.0], [2.0]]), 3.0)", "t([0.5, -1.0, 2.0])"),
    ("CatTransform([ExpTransform(), identity_transform], dim=-1, lengths=[1, 2])", X),
    ("CatTransform([ExpTransform(), AffineTransform(0.0, 3.0)], dim=0)", X),
    ("CatTransform([SoftmaxTransform(), IndependentTransform(ExpTransform(), 1)], dim=-1, lengths=[1, 2])", X),
    ("CatTransform([StickBreakingTransform(), StickBreakingTransform()], dim=0)", X),
    ("ComposeTransform([])", X),
    ("ComposeTransform([AffineTransform(0.5, 2.0), SigmoidTransform(), ExpTransform()])", X),
    ("ComposeTransform([ExpTransform(), StickBreakingTransform()])", X),
    (
        "ComposeTransform([StickBreakingTransform(), AffineTransform(1.0, 2.0), IndependentTransform(ExpTransform(), 1)])",
        X,
    ),
    ("ComposeTransform([ReshapeTransform((3,), (3, 1)), TanhTransform()])", X),
    ("CorrCholeskyTransform()", X),
    ("CorrCholeskyTransform()", "t([[0.7], [-0.2]])"),
    ("CumulativeDistributionTransform(Normal(t(0.5), t(2.0)))", X),
    ("ExpTransform()", X),
    ("ExpTransform().inv", POSITIVE),
    ("IndependentTransform(ExpTransform(), 1)", X),
    ("IndependentTransform(SigmoidTransform(), 2)", X),
    ("LowerCholeskyTransform()", MATRICES),
    ("PositiveDefiniteTransform()", MATRICES),
    ("PowerTransform(2.5)", POSITIVE),
    ("PowerTransform(t([-1.0, 2.0, 0.5]))", POSITIVE),
    ("ReshapeTransform((3,), (3, 1))", X),
    ("ReshapeTransform((2, 3), (6,))", X),
    ("SigmoidTransform()", X),
    ("SoftplusTransform()", X),
    ("SoftmaxTransform()", X),
    ("StackTransform([ExpTransform(), SigmoidTransform(), TanhTransform()], dim=1)", X),
    ("StackTransform([ExpTransform(), AffineTransform(1.0, 2.0)], dim=0)", X),
    ("StickBreakingTransform()", X),
    ("TanhTransform()", X),
    ("TanhTransform().inv", "t([[0.5, -0.9], [0.0, 0.1]])"),
]
ASKED = (
    "f(x)", "f.inv(f(x))", "f.log_abs_det_jacobian(x, f(x))", "f.inv.log_abs_det_jacobian(f(x), x)", "f.bijective",
    "f.sign", "f.inv.sign", "f.event_dim", "f.domain", "f.codomain", "f.domain.event_dim", "f.inv.codomain", "repr(f)",
    "repr(f.inv)", "f.forward_shape(x.shape)", "f.inverse_shape(f(x).shape)", "f.inverse_shape((5, 3, 3))",
    "f.forward_shape((5, 3))", "f.forward_shape(())", "f.inverse_shape(())", "f == f", "f.inv.inv is f",
    "f.with_cache(1)(x)", "f.codomain.check(f(x))", "f.inv == f", "f.inv == f.inv", "f == ExpTransform()",
)  # fmt: skip


@pytest.mark.parametrize("text, x", TRANSFORMS)
def test_transforms_are_those_of_pytorch(oracle, text, x):
    cases = [Case(engine, text) for engine in (tensh, oracle)]
    for case in cases:
        case.names |= {"f": case.value, "x": case.evaluate(x)}
    for question in ASKED:
        agree_on(question, cases, text)


@pytest.mark.parametrize("text, x", TRANSFORMS)
def test_transforms_lead_there_and_back(text, x):
    case = Case(tensh, text)
    f, x = case.value, case.evaluate(x)
    y = f(x)
    back = f.inv(y)
    tensh.testing.assert_close(f(back), y)
    if f.bijective:
        tensh.testing.assert_close(back, x.broadcast_to(back.shape))
    assert f.inv.inv is f and f.codomain.check(y).all() and f.domain.check(back).all()
    if not text.startswith("Cat"):
        assert f.forward_shape(x.shape) == y.shape
    tensh.testing.assert_close(pickle.loads(pickle.dumps(f))(x), y)


@pytest.mark.parametrize("text, x", [pair for pair in TRANSFORMS if not pair[0].startswith("Compose")])
def test_a_cache_brings_the_very_input_back(text, x):
    case = Case(tensh, text)
    f, x = case.value.with_cache(1), case.evaluate(x)
    y = f(x)
    assert f(x) is y and f.inv(y) is x and f.with_cache(1) is f
    z = y.clone()
    assert f(f.inv(z)) is z


@pytest.mark.parametrize("text, x", TRANSFORMS)
def test_log_abs_det_jacobian_is_that_of_autograd(text, x):
    case = Case(tensh, text)
    f, x = case.value, case.evaluate(x)
    if not f.bijective or f.inverse_shape(f.forward_shape(x.shape)) != x.shape or "StickBreakingTransform(), " in text:
        return  # many inputs for one output, or of another shape; or a part counts the simplex as so many numbers
    whole = f.log_abs_det_jacobian(x, f(x))
    for index in itertools.product(*map(range, whole.shape)):

        def event(part, index=index):
            filled = x.index_put(tuple(map(tensh.tensor, index)), part) if index else part
            return coordinates(text, f(filled)[index])

        jacobian = tensh.autograd.functional.jacobian(event, x[index])
        size = max(1, x[index].numel())
        tensh.testing.assert_close(whole[index], tensh.linalg.slogdet(jacobian.reshape(size, size)).logabsdet)


def coordinates(text, y):
    """The size of an output's numbers that determine the rest: all but a simplex's last, those below a factor's diagonal."""
    if "CorrCholesky" in text:
        return tensh.distributions.utils.tril_matrix_to_vec(y, -1)
    return y[..., :-1] if "StickBreaking" in text else y


# ── from constraints to transforms ───────────────────────────────────────────
CONSTRAINED = {
    "constraints.real": (3,),
    "constraints.real_vector": (3,),
    "constraints.positive": (3,),
    "constraints.nonnegative": (3,),
    "constraints.greater_than(t([1.0, 2.0, 3.0]))": (3,),
    "constraints.greater_than_eq(-2.0)": (3,),
    "constraints.less_than(5)": (3,),
    "constraints.unit_interval": (3,),
    "constraints.interval(-3.0, 4.0)": (3,),
    "constraints.interval(t([-3.0, 0.0, 1.0]), t([-2.0, 1.0, 3.0]))": (3,),
    "constraints.half_open_interval(0.0, 2.0)": (3,),
    "constraints.simplex": (3,),
    "constraints.lower_cholesky": (3, 3),
    "constraints.corr_cholesky": (6,),
    "constraints.positive_definite": (3, 3),
    "constraints.positive_semidefinite": (3, 3),
    "constraints.independent(constraints.positive, 1)": (3,),
    "constraints.cat([constraints.positive, constraints.real], dim=-1, lengths=[2, 1])": (3,),
    "constraints.stack([constraints.positive, constraints.unit_interval, constraints.real], dim=-1)": (3,),
    "constraints.boolean": (3,),
    "constraints.dependent": (3,),
    "constraints.one_hot": (3,),
}


@pytest.mark.parametrize("registry", ["biject_to", "transform_to"])
@pytest.mark.parametrize("text, shape", CONSTRAINED.items())
def test_registries_are_those_of_pytorch(oracle, registry, text, shape):
    x = tensh.linspace(-4, 4, 2 * math.prod(shape), dtype=tensh.float64).sin().reshape(2, *shape).tolist()
    cases = [Case(engine, text) for engine in (tensh, oracle)]
    for case in cases:
        case.names |= {"c": case.value, "x": case.tensor(x)}
    for question in (f"{registry}(c)(x)", f"{registry}(c)", f"{registry}(c).domain"):
        agree_on(question, cases, text)


@pytest.mark.parametrize("registry", ["biject_to", "transform_to"])
@pytest.mark.parametrize("text, shape", list(CONSTRAINED.items())[:-3])
def test_what_is_led_there_is_valid(registry, text, shape):
    if registry == "biject_to" and any(word in text for word in ("lower", "definite")):
        return  # no bijection is known
    case = Case(tensh, text)
    transform = getattr(tensh.distributions, registry)(case.value)
    x = tensh.linspace(-4, 4, 2 * math.prod(shape), dtype=case.dtype).sin().reshape(2, *shape)
    y = transform(x)
    assert case.value.check(y).all() and (transform.bijective or registry == "transform_to")
    tensh.testing.assert_close(transform(transform.inv(y)), y)


def test_registries_take_constraints_of_the_user():
    from tensh.distributions import constraint_registry, constraints, transforms

    class Odd(constraints.Constraint):
        pass

    registry = constraint_registry.ConstraintRegistry()
    assert registry.register(Odd(), transforms.SoftplusTransform) is transforms.SoftplusTransform
    registry.register(Odd)(lambda constraint: transforms.ExpTransform())
    assert registry(Odd()) == transforms.ExpTransform()


# ── what fails ───────────────────────────────────────────────────────────────
REFUSED = """
Transform(cache_size=2)
Transform().sign
Transform()(t(1.0))
Transform().inv(t(1.0))
Transform().log_abs_det_jacobian(t(1.0), t(1.0))
StickBreakingTransform().inv.sign
LowerCholeskyTransform().log_abs_det_jacobian(t(1.0), t(1.0))
StackTransform([ExpTransform(), 3])
CatTransform([3])
CatTransform([ExpTransform()], lengths=[1, 2])
CatTransform([ExpTransform()], dim=1)(t([1.0]))
CatTransform([ExpTransform()], dim=1).inv(t([1.0]))
CatTransform([ExpTransform()], dim=1).log_abs_det_jacobian(t([1.0]), t([1.0]))
CatTransform([ExpTransform()])(t([1.0, 2.0]))
CatTransform([ExpTransform()]).inv(t([1.0, 2.0]))
CatTransform([ExpTransform()]).log_abs_det_jacobian(t([1.0]), t([1.0, 2.0]))
StackTransform([ExpTransform()], dim=-2)(t([1.0]))
StackTransform([ExpTransform()])(t([1.0, 2.0]))
StackTransform([ExpTransform()]).inv(t([1.0, 2.0]))
StackTransform([ExpTransform()]).log_abs_det_jacobian(t([1.0]), t([1.0, 2.0]))
CorrCholeskyTransform().forward_shape(())
CorrCholeskyTransform().forward_shape((4,))
CorrCholeskyTransform().inverse_shape((4,))
CorrCholeskyTransform().inverse_shape((4, 3))
CorrCholeskyTransform()(t([1.0, 2.0]))
IndependentTransform(ExpTransform(), 2)(t([1.0]))
IndependentTransform(ExpTransform(), 2).inv(t([1.0]))
ReshapeTransform((2,), (3,))
ReshapeTransform((2,), (2, 1)).forward_shape(Size([3, 4]))
ReshapeTransform((2,), (2, 1)).inverse_shape(Size([4]))
ReshapeTransform((2,), (2, 1)).event_dim
StickBreakingTransform().forward_shape(())
SoftmaxTransform().inverse_shape(())
biject_to(constraints.lower_cholesky)
biject_to(constraints.positive_definite)
transform_to(constraints.boolean)
transform_to(constraints.dependent)
transform_to.register(3, ExpTransform)
transform_to(3)
PowerTransform("two")
{ExpTransform(): 1}
""".strip().splitlines()


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused_is_refused_as_in_pytorch(oracle, text):
    cases = [Case(engine, "0") for engine in (tensh, oracle)]
    agree_on(text, cases, text)
    assert outcome(cases[0].evaluate, text)[0].endswith("Error")


class Mine(tensh.distributions.Transform):
    """A transform as users write them."""

    bijective, sign = True, +1
    domain = codomain = tensh.distributions.constraints.real

    def __init__(self, power):
        super().__init__()
        self.power = power

    def _call(self, x):
        return x**self.power

    def _inverse(self, y):
        return y.abs() ** (1 / self.power) * y.sign()

    def log_abs_det_jacobian(self, x, y):
        return (self.power * x.abs() ** (self.power - 1)).log()


def test_transforms_of_the_user():
    space, x = tensh.distributions, tensh.tensor([1.5, -2.0])
    whole = space.ComposeTransform([Mine(3), space.AffineTransform(1.0, -2.0)])
    tensh.testing.assert_close(whole.inv(whole(x)), x)
    tensh.testing.assert_close(whole.log_abs_det_jacobian(x, whole(x)), (6 * x**2).log())
    assert Mine(3) != Mine(3) and repr(Mine(3)) == "Mine()" and whole.sign == -1
    with pytest.raises(NotImplementedError, match="Mine'>.with_cache is not implemented"):
        Mine(3).with_cache()
    d = space.TransformedDistribution(space.Normal(0.0, 1.0), [Mine(3)])
    tensh.testing.assert_close(d.cdf(tensh.tensor([8.0])), space.Normal(0.0, 1.0).cdf(tensh.tensor([2.0])))


def test_one_scale_counts_for_every_number_of_an_event():
    t = tensh.distributions.AffineTransform(0.0, tensh.tensor(2.0), event_dim=1)
    tensh.testing.assert_close(t.log_abs_det_jacobian(tensh.ones(4, 3), tensh.ones(4, 3)), tensh.full((4,), 8.0).log())
