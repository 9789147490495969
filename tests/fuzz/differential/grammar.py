"""The grammar of the random programs, as data: sections of lines in grammar.txt, and lines of names here.

A line is a step of a program with holes in braces. ``{a}`` is a tensor of the program, ``{a:float 2d}`` one with these
properties (KINDS in programs.py); the other holes are filled to match it (HOLES there). The number of a section says how
often its lines are chosen.

Differences listed in section 8 of ARCHITECTURE.md are left out: lazy conjugates (``conj``, ``mH``, ``adjoint``, ``H``;
the grammar has ``conj_physical``), and ``kron`` of tensors that are strided or written later. So are results that
PyTorch leaves undefined: uninitialised memory, numbers outside the range of their new dtype, shifts by more bits than
there are, the order of equal elements, signs and phases of factors, arithmetic of infinite complex numbers, gradients
of running products with infinity (PyTorch divides by the factor again), gradients of singular values of singular
matrices, and writes that read elements they have written: of tensors that overlap in part, unless both are dense.

So are results that depend on the build of PyTorch and on the processor: the bits of a nan (numbers viewed as another dtype);
gradients at nan of piecewise functions, which differ between the vectors of a large tensor and the remaining elements
(``calm``; second gradients of those with exponentials always: ``definite``); gelu of infinity, which is nan
for more than one element, and the mean beside a variance, which subtracts infinity (``bounded``);
strides of dimensions of one element (``stepped``); the storage after the elements of a result (``strided``); and
medians of a line whose elements share memory: PyTorch reads beyond it (``unexpanded``). Norms of infinite order of
complex numbers depend on rounding (``exact``), and the gradient of ``logcumsumexp`` drops nan (``kept``).
"""

from pathlib import Path

UNARY = """
    abs neg positive square sign sgn exp expm1 sin cos tanh sigmoid sqrt rsqrt log log1p reciprocal relu floor ceil trunc
    round frac erf atan asinh sinh cosh tan exp2 log2 log10 deg2rad isnan isfinite isinf signbit logical_not
    conj_physical angle nan_to_num square lgamma sinc acos asin atanh acosh erfc i0
"""
UNARY_IN_PLACE = """
    abs neg square sign sgn exp expm1 sin cos tanh sigmoid sqrt log reciprocal relu floor trunc round frac erf
    logical_not conj_physical nan_to_num log1p exp2 sinh rsqrt zero
"""
ACTIVATIONS = "relu relu6 leaky_relu elu selu celu gelu silu mish softplus hardtanh hardswish hardsigmoid softsign logsigmoid tanhshrink softshrink hardshrink sigmoid tanh"
KIND_FOR = {"gelu": ":bounded", "elu": ":definite", "selu": ":definite", "celu": ":definite"} | dict.fromkeys(
    "relu6 hardtanh hardswish softshrink hardshrink".split(), ":calm"
)
"""Activations whose answer to nan or infinity depends on where the tensor lies in memory."""
KIND_ALONG = {
    "median": "some unexpanded",
    "nanmedian": "some unexpanded",
    "cumprod": "some bounded",
}
"""Reductions that read memory beyond their input, or divide infinity by infinity in their derivative."""
BINARY = """
    add sub mul div true_divide floor_divide remainder fmod pow maximum minimum fmax fmin atan2 hypot logaddexp
    copysign eq ne lt le gt ge logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor xlogy
    float_power gcd heaviside nextafter
"""
BINARY_IN_PLACE = """
    add sub mul div floor_divide remainder fmod pow copysign eq ne lt ge logical_and logical_or bitwise_and bitwise_xor
    atan2 hypot xlogy float_power true_divide
"""
NO_DERIVATIVE = "floor_divide heaviside bitwise_and bitwise_or bitwise_xor gcd"
"""Functions without a derivative: whether ``out=`` may require grad then depends on how PyTorch was built."""
OPERATORS = "+ - * / // % ** == != < <= > >= & | ^"
OPERATORS_IN_PLACE = "+= -= *= /= //= %= **= &= |= ^="
REDUCTIONS = "sum mean prod amax amin all any var std nansum nanmean logsumexp count_nonzero argmax argmin max min median nanmedian norm"
ALONG_ONE = "argsort cumsum cumprod softmax log_softmax cummax cummin sort flip"


def read_sections():
    """Return section of grammar.txt -> (how often its lines are taken, its lines)."""
    found = {}
    for section in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").strip().split("\n\n"):
        head, *lines = section.splitlines()
        _, name, weight = head.split()
        found[name] = int(weight), lines
    return found


SECTIONS = read_sections() | {
    "UNARY": (4, [f"{{a}}.{name}()" for name in UNARY.split()]),
    "UNARY_IN_PLACE": (3, [f"{{a}}.{name}_()" for name in UNARY_IN_PLACE.split()]),
    "ACTIVATIONS": (2, [f"torch.nn.functional.{name}({{a{KIND_FOR.get(name, '')}}})" for name in ACTIVATIONS.split()]),
    "BINARY": (4, [f"torch.{name}({{a:tame}}, {{other}})" for name in BINARY.split()]),
    "BINARY_IN_PLACE": (3, [f"{{a}}.{name}_({{other}})" for name in BINARY_IN_PLACE.split()]),
    "OPERATORS": (3, [f"{{a:tame}} {sign} {{other}}" for sign in OPERATORS.split()]),
    "OPERATORS_IN_PLACE": (2, [f"{{a}} {sign} {{other}}" for sign in OPERATORS_IN_PLACE.split()]),
    "OUT": (1, [f"torch.{name}({{a}}, {{other}}, out={{target}})" for name in BINARY.split() if name not in NO_DERIVATIVE]),
    "REDUCTIONS": (2, [f"{{a}}.{name}()" for name in REDUCTIONS.split()]),
    "ALONG": (2, [f"{{a:{KIND_ALONG.get(name, 'some')}}}.{name}({{dim}})" for name in (REDUCTIONS + " " + ALONG_ONE).split() if name != "norm"]),
}  # fmt: skip

DTYPES = {
    "float32": 10, "float64": 7, "int64": 3, "bool": 2, "complex64": 2, "int32": 1, "uint8": 2, "int16": 1, "int8": 1,
    "float16": 2, "bfloat16": 2, "complex128": 2,
}  # fmt: skip
SHAPES = {
    (3,): 4, (2, 3): 6, (): 3, (2, 2): 3, (2,): 2, (1,): 2, (3, 1): 2, (1, 3): 2, (2, 3, 2): 3, (3, 3): 2, (4,): 1,
    (2, 1, 3): 2, (0,): 1, (2, 0): 1, (0, 3): 1, (2, 2, 1, 3): 2, (1, 2, 3, 2): 1, (1, 1): 1, (2, 0, 3): 1, (4, 2): 1,
}  # fmt: skip
NUMBERS = ["2", "-1", "0.5", "-1.5", "0", "3", "1.0", "True", "1j", "2 - 1j", "False", "7", "float('nan')"]
