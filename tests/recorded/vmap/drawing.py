"""Programs with vmap that draw random numbers: functions of the module, which is tensh or PyTorch."""

RANDOM = {
    "rand": lambda torch, a: torch.rand(3),
    "rand many": lambda torch, a: torch.rand(20),
    "randn": lambda torch, a: torch.randn(2, 3),
    "randn many": lambda torch, a: torch.randn(20),
    "randint": lambda torch, a: torch.randint(10, (3,)),
    "randperm": lambda torch, a: torch.randperm(3),
    "a generator": lambda torch, a: torch.randn(3, generator=torch.Generator()),
    "randn_like": lambda torch, a: torch.randn_like(a),
    "rand_like of another": lambda torch, a: torch.rand_like(torch.zeros(2)),
    "bernoulli": lambda torch, a: torch.bernoulli(a),
    "bernoulli of another": lambda torch, a: torch.bernoulli(torch.ones(2) * 0.5),
    "normal": lambda torch, a: torch.normal(a, torch.ones(3)),
    "normal of numbers": lambda torch, a: torch.normal(0.0, 1.0, (2,)),
    "normal with a number": lambda torch, a: torch.normal(a, 1.0),
    "poisson": lambda torch, a: torch.poisson(a),
    "binomial": lambda torch, a: torch.binomial(a.round() * 5, torch.ones(3) * 0.5),
    "gamma": lambda torch, a: torch._standard_gamma(a + 1),
    "dirichlet": lambda torch, a: torch._sample_dirichlet(a + 1),
    "multinomial": lambda torch, a: torch.multinomial(a + 1, 2),
    "multinomial of another": lambda torch, a: torch.multinomial(torch.ones(3), 2),
    "dropout": lambda torch, a: torch.nn.functional.dropout(a + 1),
    "dropout, not training": lambda torch, a: torch.nn.functional.dropout(a + 1, training=False),
    "dropout of another": lambda torch, a: torch.nn.functional.dropout(torch.ones(3)),
    "alpha_dropout": lambda torch, a: torch.nn.functional.alpha_dropout(a + 1, training=True),
    "dropout1d": lambda torch, a: torch.nn.functional.dropout1d(torch.ones(2, 3) * a),
    "dropout2d": lambda torch, a: torch.nn.functional.dropout2d(torch.ones(2, 2, 1, 1) * a[0]),
    "fractional_max_pool2d": lambda torch, a: torch.nn.functional.fractional_max_pool2d(
        torch.arange(50.0).reshape(1, 2, 5, 5) + a[0], 2, output_size=2
    ),
    "fractional_max_pool3d": lambda torch, a: torch.nn.functional.fractional_max_pool3d(
        torch.arange(125.0).reshape(1, 5, 5, 5) + a[0], 2, output_size=2, return_indices=True
    )[1],
    "gumbel_softmax": lambda torch, a: torch.nn.functional.gumbel_softmax(a),
    "normal_": lambda torch, a: a.clone().normal_(),
    "random_": lambda torch, a: a.clone().random_(5),
    "exponential_": lambda torch, a: a.clone().exponential_(),
    "uniform_ of another": lambda torch, a: torch.zeros(2).uniform_(),
    "bernoulli_": lambda torch, a: a.clone().bernoulli_(torch.ones(3) * 0.5),
    "bernoulli_ by another": lambda torch, a: torch.zeros(3).bernoulli_(a),
}


def random(torch, f, randomness):
    """The program with a mode of randomness."""
    torch.manual_seed(0)
    return torch.vmap(lambda a: f(torch, a), randomness=randomness)(torch.arange(6.0).reshape(2, 3) / 6)


def random_nested(torch, outer, inner):
    torch.manual_seed(0)
    mapped = torch.vmap(lambda a: torch.rand(2) + torch.nn.functional.dropout(a + 1), randomness=inner)
    return torch.vmap(mapped, randomness=outer)(torch.zeros(2, 2, 2))


MODES = ("error", "same", "different")
