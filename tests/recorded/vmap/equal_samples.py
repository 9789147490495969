"""Derivatives under vmap by an argument that does not vary: what depends on it alone may be read, or drawn for."""


def each_direction(function):
    """Return programs that differentiate a function of ``torch``, a tensor and another that varies, by the tensor."""

    def given(torch):
        torch.manual_seed(0)
        x = torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.2, -1.0]])
        return x, torch.arange(24.0).reshape(4, 2, 3) / 9, torch.func

    def forward(torch):
        x, y, func = given(torch)
        return torch.vmap(
            lambda y, v: func.jvp(lambda x: function(torch, x, y), (x,), (v,)), (0, 0), randomness="same"
        )(y, y + 1)

    def backward(torch):
        x, y, func = given(torch)
        return torch.vmap(lambda y: func.grad(lambda x: function(torch, x, y))(x), randomness="same")(y)

    def both(torch):
        x, y, func = given(torch)
        slope = func.grad(lambda x: function(torch, x, y[0]))
        return torch.vmap(lambda v: func.jvp(slope, (x,), (v,))[1], randomness="same")(y)

    def one_after_another(torch):
        x, y, func = given(torch)

        def push(v):
            value, tangent = func.jvp(torch.sin, (x,), (v,))
            return func.jvp(lambda x: function(torch, x, y[0]), (value,), (tangent,))[1]

        return torch.vmap(push, randomness="same")(y)

    return {"forward": forward, "backward": backward, "both": both, "one after another": one_after_another}


def write_by_mask(torch, x, y):
    z = x * y
    z[x > 0] = 0.0
    return z.sum()


FUNCTIONS = {
    "condition": lambda torch, x, y: (x * y).sum() if x.sum() > 0 else x.sum(),
    "condition by a tensor that varies": lambda torch, x, y: (x * y).sum() if (x * y).sum() > 1 else x.sum(),
    "item": lambda torch, x, y: (x * y * x[0, 0].item()).sum(),
    "list": lambda torch, x, y: (x * y * sum(x[0].tolist())).sum(),
    "format": lambda torch, x, y: (x * y).sum() * len(f"{x.sum():.2f}"),
    "in": lambda torch, x, y: (x * y).sum() * (3.0 in x),
    "place": lambda torch, x, y: x[0][int(x[0].argmax())] ** 2 * y.sum(),
    "mask": lambda torch, x, y: (x[x > 0] ** 2).sum() * y.sum(),
    "mask of another": lambda torch, x, y: (y[x > 0] ** 2).sum() * x.sum(),
    "mask that varies": lambda torch, x, y: (x[y > 1] ** 2).sum(),
    "write by mask": write_by_mask,
    "masked_select": lambda torch, x, y: torch.masked_select(x * y, x > 0).sum(),
    "nonzero": lambda torch, x, y: (y[torch.nonzero(x > 0, as_tuple=True)] * x.sum()).sum(),
    "unique": lambda torch, x, y: torch.unique(x.detach().round()).sum() * x.sum(),
    "unique with a derivative": lambda torch, x, y: torch.unique(x.round()).sum(),
    "equal": lambda torch, x, y: x.sum() * torch.equal(x, x.clone()),
    "equal to what varies": lambda torch, x, y: x.sum() * torch.equal(x, y),
    "multinomial": lambda torch, x, y: (x.gather(1, torch.multinomial(x.exp(), 2)) ** 2).sum() * y.sum(),
    "multinomial by a generator": lambda torch, x, y: (
        x * y * torch.multinomial(x.exp(), 3, generator=torch.Generator().manual_seed(3))
    ).sum(),
    "multinomial of what varies": lambda torch, x, y: torch.multinomial((x * y).exp(), 2).sum() * x.sum(),
    "normal": lambda torch, x, y: (torch.normal(x, 1.0) * x * y).sum(),
    "poisson": lambda torch, x, y: (torch.poisson(x.exp()) * x).sum(),
    "bernoulli_": lambda torch, x, y: (torch.empty(2, 3).bernoulli_(torch.sigmoid(x)) * x * y).sum(),
}
EQUAL_SAMPLES = {
    f"{name}, {how}": program
    for name, function in FUNCTIONS.items()
    for how, program in each_direction(function).items()
}
