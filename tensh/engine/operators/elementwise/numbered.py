"""Arithmetic of a tensor and a number, with the node names that PyTorch's own functions record.

``x + 1`` in Python records AddBackward0, but a function of PyTorch that adds a number records AddBackward1; layers and
losses of several nodes are composed of these.
"""

import numpy as np

from tensh.engine.codegen.mixing import promote_number
from tensh.engine.codegen.table import op


def declare_numbered(name, ufunc, node, input, floats=False, exact=False):
    """Declare ``name(input, number)``; a number that is ``exact`` is not rounded to 16 bits."""

    def kernel(input, number):
        try:
            return ufunc(*promote_number(input, number, floats, exact))
        except OverflowError:  # inside PyTorch the number is a C++ double, which an integer of any size becomes
            return ufunc(*promote_number(input, float(number), floats, exact))

    return op(
        kernel,
        name=name,
        doc=f"The input and a number: {ufunc.__name__}.",
        node=node,
        public=False,
        out=False,
        input=input,
    )


plus = declare_numbered("plus", np.add, "AddBackward1", "g")
minus = declare_numbered("minus", np.subtract, "SubBackward1", "g")
times = declare_numbered("times", np.multiply, "MulBackward1", "g * number", exact=True)
over = declare_numbered("over", np.true_divide, "DivBackward1", "g / number", floats=True, exact=True)
