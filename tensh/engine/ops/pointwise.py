"""Pointwise operators: one line each - the kernel, its meaning, and the derivative of every input.

``conj`` costs nothing on real arrays; complex gradients follow PyTorch's convention (the conjugate Wirtinger derivative).
"""

import numpy as np

from tensh.engine.table import pointwise

# ── arithmetic ───────────────────────────────────────────────────────────────
pointwise(np.add, "Sum of input and other.", name="add", numbers="input other", input="g", other="g")
pointwise(np.subtract, "Difference of input and other.", name="sub", numbers="input other", input="g", other="-g")
pointwise(np.multiply, "Product of input and other.", name="mul", numbers="input other", input="g * conj(other)", other="g * conj(input)")
pointwise(np.true_divide, "Quotient of input and other.", name="div", numbers="input other", floats=True,
          input="g / conj(other)", other="-g * conj(input / other / other)")  # fmt: skip
pointwise(np.negative, "The negative of input.", name="neg", input="-g")

# ── exponentials ─────────────────────────────────────────────────────────────
pointwise(np.exp, "e to the power of input.", name="exp", floats=True, input="g * conj(out)")
pointwise(np.log, "Natural logarithm of input.", name="log", floats=True, input="g / conj(input)")
pointwise(np.sqrt, "Square root of input.", name="sqrt", floats=True, input="g / (2 * conj(out))")

# ── trigonometry ─────────────────────────────────────────────────────────────
pointwise(np.sin, "Sine of input.", name="sin", floats=True, input="g * conj(cos(input))")
pointwise(np.cos, "Cosine of input.", name="cos", floats=True, input="g * -conj(sin(input))")
pointwise(np.tanh, "Hyperbolic tangent of input.", name="tanh", floats=True, input="g * conj(1 - out * out)")
