"""Random programs under two nested calls of vmap: values and gradients, also by batches of weights, are a loop's."""

import random

import pytest

import tensh as torch

PROGRAMS = 120
SHAPES = [(3,), (2, 3), (3, 3), (), (2, 3, 3)]
SIZES = {"outer": 3, "inner": 2}
FUNCTIONS = ["sin", "exp", "tanh", "relu", "sigmoid", "neg", "abs", "square"]
STEPS = [
    lambda a, b, d, n: getattr(a, FUNCTIONS[n])(),
    lambda a, b, d, n: a + b,
    lambda a, b, d, n: a * b - 1.5,
    lambda a, b, d, n: a @ b,
    lambda a, b, d, n: a.sum(d),
    lambda a, b, d, n: a.softmax(d),
    lambda a, b, d, n: a.transpose(0, d),
    lambda a, b, d, n: a.unsqueeze(d),
    lambda a, b, d, n: a[n % 3],
    lambda a, b, d, n: torch.cat([a, b], d),
    lambda a, b, d, n: torch.stack([a, b], d),
    lambda a, b, d, n: a.reshape(-1),
    lambda a, b, d, n: torch.where(a > b, a, b),
    lambda a, b, d, n: a.max(d)[0],
    lambda a, b, d, n: a.cumsum(d),
    lambda a, b, d, n: a.sort(d)[0],
    lambda a, b, d, n: a.flip(0),
    lambda a, b, d, n: a.mean(),
    lambda a, b, d, n: a[torch.tensor([0, n % 3, 0])],
    lambda a, b, d, n: a[(b.flatten()[:2] * 3).long().abs() % a.shape[0]],
    lambda a, b, d, n: a[..., None] * b,
    lambda a, b, d, n: a.expand(2, *a.shape),
    lambda a, b, d, n: torch.einsum("...i,...i->...", a, b),
    lambda a, b, d, n: changed(a, lambda c: c.__setitem__(0, a.sum())),
    lambda a, b, d, n: changed(a, lambda c: c.mul_(a.tanh())),
]
"""What a program is made of: functions of two tensors, a dimension and a number."""


def changed(a, write):
    copy = a.clone()
    write(copy)
    return copy


def run(program, values):
    """The last value of a program, each step of which takes two of the values so far."""
    values = list(values)
    for step, one, two, d, n in program:
        values.append(STEPS[step](values[one], values[two], d, n))
    return values[-1]


def drawn(seed):
    """Return (a program that works for one sample, the tensors, which calls each varies with)."""
    draw = random.Random(seed)
    generator = torch.Generator().manual_seed(seed)
    kinds = [("outer",), ("inner",), ("outer", "inner"), ()]
    varied = [draw.choice(kinds[::2]), draw.choice(kinds[1:3]), draw.choice(kinds)]
    tensors = [
        torch.randn((*[SIZES[name] for name in each], *draw.choice(SHAPES)), dtype=torch.float64, generator=generator)
        for each in varied
    ]
    values, program = [sample(t, each, {"outer": 0, "inner": 0}) for t, each in zip(tensors, varied, strict=True)], []
    for _ in range(draw.randrange(1, 7)):
        step = (draw.randrange(len(STEPS)), draw.randrange(len(values)), draw.randrange(len(values)),
                draw.choice([0, -1, 1]), draw.randrange(8))  # fmt: skip
        try:
            values.append(run([step], values))
            program.append(step)
        except (RuntimeError, IndexError, ZeroDivisionError):
            pass  # it does not fit
    return program, tensors, varied


def sample(t, varied, at):
    for name in varied:
        t = t[at[name]]
    return t


def looped(program, tensors, varied):
    rows = [
        torch.stack([
            run(program, [sample(t, each, {"outer": i, "inner": j}) for t, each in zip(tensors, varied, strict=True)])
            for j in range(SIZES["inner"])
        ])
        for i in range(SIZES["outer"])
    ]  # fmt: skip
    return torch.stack(rows)


def mapped(program, tensors, varied):
    inner, outer = (tuple(0 if name in each else None for each in varied) for name in ("inner", "outer"))
    return torch.vmap(torch.vmap(lambda *values: run(program, values), inner), outer)(*tensors)


def leaves(tensors):
    return [t.detach().clone().requires_grad_() for t in tensors]


def gradients(out, tensors, weight, **options):
    return torch.autograd.grad(
        out, tensors, weight, allow_unused=True, materialize_grads=True, retain_graph=True, **options
    )


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_programs_are_pytorchs(seed):
    program, tensors, varied = drawn(seed)
    try:
        one = leaves(tensors)
        expected = looped(program, one, varied)
    except (RuntimeError, IndexError):
        return  # it does not fit all samples
    two = leaves(tensors)
    actual = mapped(program, two, varied)
    assert torch.allclose(expected, actual), program
    if expected.requires_grad:
        weights = torch.randn(2, *expected.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
        once = gradients(expected, one, weights[0])
        for g, h in zip(once, gradients(actual, two, weights[0]), strict=True):
            assert torch.allclose(g, h), program
        for g, h in zip(once, gradients(actual, two, weights, is_grads_batched=True), strict=True):
            assert torch.allclose(g, h if h.shape == g.shape else h[0]), program


def test_a_hook_that_prints_a_batch_of_gradients_fails_as_in_pytorch():
    x = torch.ones(3, requires_grad=True)
    x.register_hook(lambda g: repr(g))
    with pytest.raises(RuntimeError, match="Batching rule not implemented for aten::is_nonzero"):
        torch.autograd.grad(x * 2, x, torch.eye(3), is_grads_batched=True)


@pytest.mark.parametrize("randomness", ["error", "same", "different"])
def test_leaky_relus_with_random_slopes_draw_in_training_only(randomness):
    x = torch.tensor([[-1.0, 2.0], [3.0, -4.0]])
    layer = torch.nn.RReLU(0.25, 0.75)
    assert torch.func.vmap(torch.func.vmap(layer.eval(), randomness=randomness), 1, 1)(x).equal(layer(x))
    slopes = torch.func.vmap(torch.func.grad(lambda x: layer(x).sum()), randomness=randomness)(x)
    assert slopes.tolist() == [[0.5, 1.0], [1.0, 0.5]]
    if randomness == "error":
        with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
            torch.func.vmap(layer.train())(x)
