"""A program as an editor sees it: mypy reads it with the generated stubs (``python -m mypy``). It also runs."""

from typing import assert_type

import tensh as torch
from tensh import Tensor


def descend(parameter: Tensor, steps: int) -> Tensor:
    """Minimise (parameter - 4) ** 2 by gradient descent."""
    for _ in range(steps):
        loss = (parameter - 4) ** 2
        loss.backward()
        with torch.no_grad():
            slope = parameter.grad
            assert slope is not None
            parameter -= 0.1 * slope
        parameter.grad = None
    return parameter


p = torch.tensor(0.0, requires_grad=True)
assert_type(p, Tensor)
assert_type(p.exp() * 2 + 1, Tensor)
assert_type(2 / (p + 1), Tensor)
assert_type(p.requires_grad, bool)
assert_type(p.shape.numel(), int)
assert_type(torch.zeros(2, 3, dtype=torch.float64)[0], Tensor)
assert_type(torch.equal(p, p), bool)
assert_type(torch.cat([p.view(1), p.view(1)], dim=0), Tensor)
assert_type(p.item(), bool | int | float | complex)
assert_type(p > 3, Tensor)
assert abs(descend(p, 50).item() - 4) < 1e-3
