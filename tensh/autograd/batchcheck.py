"""The batched check of gradcheck: gradients of a batch of weights compared with those computed one by one."""

import numpy as np

from tensh.autograd.checking import GradcheckError, select_differentiable
from tensh.autograd.forwardcheck import draw_two
from tensh.engine import find_public
from tensh.engine.autograd.gradients import grad


def check_batched(func, inputs, checked):
    """Raise GradcheckError unless a batch of weights gives the same gradients as each weight alone."""
    for number, output in enumerate(select_differentiable(func(*inputs))):
        batch = draw_two(output)
        options = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
        alone = [grad(output, checked, weight, **options) for weight in batch]
        try:
            together = grad(output, checked, batch, is_grads_batched=True, **options)
        except RuntimeError as error:
            raise GradcheckError(f"While computing batched gradients, got: {error}") from None
        for place, (got, expected) in enumerate(zip(together, zip(*alone, strict=True), strict=True)):
            expected = find_public("stack")(list(expected))
            if not np.allclose(np.broadcast_to(got.array, expected.array.shape), expected.array):
                raise GradcheckError(f"For output {number} and input {place}:\n\nGot:\n{got}\n\nExpected:\n{expected}")
