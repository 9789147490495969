"""Words of the derivatives of powers and quotients."""

import numpy as np

from tensh.engine.arrays.halves import HalfNumber, make_half_number
from tensh.engine.codegen.mixing import SCALARS
from tensh.engine.codegen.vocabulary import ARRAYS, TENSORS, on_tensors, word
from tensh.engine.core.tensor import Tensor
from tensh.engine.operators.basic import conj
from tensh.engine.operators.elementwise import exponents


@word
def power_by_number(g, input, exponent):
    """The derivative of a power by its base, where the exponent is not a tensor."""
    number = getattr(exponent, "exact", exponent).item()
    if not number:
        return ARRAYS["nothing"](g)
    if isinstance(g, Tensor):
        return g * conj(TENSORS["mul_number"](input ** (number - 1), number))
    if number == 2 and type(exponent) is not HalfNumber:
        return g * conj(exponent * input)
    less = SCALARS[number - 1, exponent.dtype] if type(exponent) is HalfNumber else exponent - 1
    return g * conj(exponent * exponents.power(input, less))


@word
def less_one(exponent):
    """A tensor of exponents for the derivative, kept from NumPy's rules for plain numbers."""
    return TENSORS["sub_number"](exponent, 1) if isinstance(exponent, Tensor) else np.asarray(exponent - 1)


@word
def twice(input):
    """2 x, with the nodes that PyTorch records for the derivative of a square."""
    return TENSORS["mul_number"](input**1, 2.0) if isinstance(input, Tensor) else input + input


@word
def power_exponent(out, input, exponent):
    """The derivative of a power by its exponent; undefined at a base of zero."""
    if isinstance(out, Tensor):
        if not input.ndim and input.node is None and input:
            exact = getattr(input.array, "exact", None)
            logarithm = input.log().item() if exact is None else np.log(exact, dtype=np.float64).item()
            return conj(TENSORS["mul_number"](out, logarithm))
        words = {name: on_tensors(name) for name in ("log", "none_where")}
    elif type(input) is HalfNumber and input.exact:
        return out * make_half_number(np.log(input.exact, dtype=np.float64), out.dtype)
    else:
        words = ARRAYS
    return words["none_where"](conj(out * words["log"](input)), (input == 0) & (exponent.real >= 0))


@word
def quotient(number, input):
    """A number over the input; beside 16 bit numbers it is rounded first, as in ``torch.div``."""
    return TENSORS["div"](number, input) if isinstance(input, Tensor) else number / input
