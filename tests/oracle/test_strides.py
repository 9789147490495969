"""Random chains of views of four and more dimensions, many of one element: strides, offsets and gradients are PyTorch's."""

import math
import random

import pytest

import tensh

DIMENSIONS = range(4, 8)
CHAINS = 400


def draw_size(draw, number):
    """A size of at least four dimensions for a number of elements."""
    size = []
    while number > 1:
        factor = draw.choice([n for n in range(2, number + 1) if number % n == 0])
        size.append(factor)
        number //= factor
    draw.shuffle(size)
    for _ in range(max(4 - len(size), draw.randint(0, 2))):
        size.insert(draw.randint(0, len(size)), 1)
    return tuple(size)


def draw_index(draw, size):
    """An index of new dimensions, numbers and slices."""
    parts = []
    for n in size:
        if draw.random() < 0.3:
            parts.append("None")
        start = draw.randrange(n)
        parts.append(draw.choice([":", ":", f"{start}:", f":{start + 1}", str(start)]))
    return f"x[{', '.join(parts)}]"


def draw_view(draw, x):
    """The text of a view of the tensor ``x`` of PyTorch."""
    size, ndim = tuple(x.shape), x.dim()
    one, two = draw.sample(range(ndim), 2)
    order = draw.sample(range(ndim), ndim)
    start = draw.randrange(size[one])
    reshaped = draw_size(draw, x.numel())
    return draw.choice(
        [
            f"x.permute({order})",
            f"x.transpose({one}, {two - ndim})",
            f"x.movedim({one}, {two})",
            f"x.unsqueeze({draw.randint(-ndim - 1, ndim)})",
            f"x.squeeze({one})",
            f"x.narrow({one}, {start}, {draw.randint(1, size[one] - start)})",
            f"x.select({one}, {start})",
            f"x.diagonal(0, {one}, {two})",
            f"x.flatten({min(one, two)}, {max(one, two)})",
            f"x.unfold({one}, {draw.randint(1, size[one])}, 1)",
            f"x.split(1, {one})[0]",
            "x.mT",
            "x.detach()",
            draw_index(draw, size),
            draw_index(draw, size),
            f"x.reshape({reshaped})" if reshaped != size else "x[...]",
        ]
    )


def facts(m, x):
    forms = [m.contiguous_format, *([m.channels_last] * (x.dim() == 4)), *([m.channels_last_3d] * (x.dim() == 5))]
    return tuple(x.shape), x.stride(), x.storage_offset(), [x.is_contiguous(memory_format=each) for each in forms]


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(5))
def test_views_have_pytorchs_strides(oracle, seed):
    draw = random.Random(seed)
    for _ in range(CHAINS):
        size = draw_size(draw, draw.choice([1, 2, 3, 4, 6, 8, 12, 16, 24, 36]))
        texts = [f"torch.arange({math.prod(size)}.).view({size})"]
        one, other = (eval(texts[0], {"torch": m}) for m in (oracle, tensh))
        while one.dim() in DIMENSIONS and one.numel() and len(texts) < 7:
            texts.append(draw_view(draw, one))
            one, other = (eval(texts[-1], {"x": x}) for x in (one, other))
            if one.dim() < 4:
                break
            assert facts(tensh, other) == facts(oracle, one), texts


REDUCTIONS = {
    "sum": lambda x, **_: x.sum(),
    "mean": lambda x, **_: x.mean(),
    "mean of rows": lambda x, **_: x.mean(1).sum(),
    "mean that is kept": lambda x, **_: x.mean((0, 1), keepdim=True).sum(),
    "sum of columns, and their mean": lambda x, **_: x.sum(0).mean(),
    "mean as a factor": lambda x, y, **_: (x.mean() * y).sum(),
    "mean without nan": lambda x, **_: x.nanmean(),
    "variance": lambda x, **_: x.var(),
    "variance and mean": lambda x, torch, **_: sum(torch.var_mean(x)),
    "mean square": lambda x, y, torch, **_: torch.nn.functional.mse_loss(x, y),
    "largest": lambda x, **_: x.amax(),
    "mean of a transpose": lambda x, **_: x.t().mean(0).sum(),
}


@pytest.mark.oracle
@pytest.mark.parametrize("name", REDUCTIONS)
def test_gradients_of_reductions_lie_and_can_be_written_as_in_pytorch(oracle, name):
    found = []
    for torch in (oracle, tensh):
        x, y = (torch.arange(15.0).reshape(5, 3).requires_grad_() for _ in range(2))
        (g,) = torch.autograd.grad(REDUCTIONS[name](x=x, y=y, torch=torch), x)
        try:
            g.mul_(2)
        except RuntimeError as error:
            found.append((g.stride(), str(error)))
        else:
            found.append((g.stride(), g.flatten().tolist()))
    assert found[0][0] == found[1][0] and found[0][1] == pytest.approx(found[1][1])
