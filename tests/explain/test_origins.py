"""The origin of nan: in random programs it is the first result that holds nan, as a listener hears them all."""

import random

import numpy as np
import pytest

import tensh as torch
from tensh.engine.core.clock import listen, unlisten
from tensh.explain.nans.origins import find_origins, plain
from tensh.explain.nans.texts import advise, describe_origins
from tensh.graph.walk import Graph
from tensh.nn import functional as F

NUMBERS = (-3.0, -1.0, 0.0, 1.0, 2.0, 100.0, 1e30, float("inf"))
STEPS = [
    torch.log, torch.sqrt, torch.exp, torch.acos, torch.rsqrt, torch.relu, torch.log1p, torch.sigmoid,
    lambda x: 2 - x, lambda x: x - x.max(), lambda x: x.T.T, lambda x: x.cumsum(0), lambda x: x.reshape(3, 2).reshape(2, 3),
    lambda x: torch.softmax(x, 1), lambda x: x.clamp(min=0), lambda x: x.masked_fill(x > 1, float("-inf")),
    lambda x: F.layer_norm(x, (3,)), lambda x: x.std(1, keepdim=True).expand(2, 3), lambda x: x @ torch.ones(3, 3, dtype=x.dtype),
    lambda x: torch.stack([x, x]).sum(0), lambda x: x.logsumexp(1, keepdim=True) + x,
]  # fmt: skip
PAIRS = [torch.add, torch.sub, torch.mul, torch.div, lambda x, y: x.abs() ** y, lambda x, y: torch.where(x > 0, x, y)]


def draw(generator):
    """Return (the loss of a random program, the values with names in it)."""
    dtype = generator.choice([torch.float32, torch.float64, torch.bfloat16])
    numbers = [generator.choice(NUMBERS) for _ in range(6)]
    values = [torch.tensor(numbers, dtype=dtype).reshape(2, 3).requires_grad_()]
    for _ in range(generator.randint(1, 6)):
        x, y = generator.choices(values, k=2)
        values.append(generator.choice(STEPS)(x) if generator.random() < 0.6 else generator.choice(PAIRS)(x, y))
    return generator.choice([torch.sum, torch.mean])(values[-1]), values


def is_nan(tensor):
    return bool(np.isnan(plain(tensor.array)).any())


@pytest.mark.parametrize("seed", range(8))
def test_the_first_nan_of_a_random_program(seed):
    generator, heard, told = random.Random(seed), [], 0

    def hear(node, tensors):
        heard.append((node, any(map(is_nan, tensors))))

    for _ in range(40):
        heard.clear()
        listen(hear)
        loss, values = draw(generator)
        unlisten(hear)
        if not is_nan(loss):
            continue
        graph = Graph(loss, {f"v{number}": value for number, value in enumerate(values[: generator.randint(0, 3)])})
        origins = find_origins(graph)
        assert origins and describe_origins("loss", origins) and advise(origins[-1])
        if origins[0].index is not None:  # otherwise the value of an operand is unknown
            told += 1
            assert origins[0].node is next(node for node, is_bad in heard if is_bad and node in graph.numbers)
    assert told > 5


def test_a_tensor_without_nan_has_no_origin_of_it():
    x = torch.ones(2, requires_grad=True)
    assert find_origins(Graph((x / 0).sum(), {})) == []
    loss = torch.sqrt(x - 2).sum()  # keeps its result only
    with torch.no_grad():
        x += 5  # what is computed again would differ
    assert find_origins(Graph(loss, {"x": x})) == []
