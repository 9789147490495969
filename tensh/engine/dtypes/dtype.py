"""dtypes: PyTorch's names and rules over NumPy's storage.

A ``dtype`` is one object per element type, so ``is`` compares.  NumPy lacks ``bfloat16`` and ``complex32``:
``ml_dtypes`` provides them and is imported at their first use.
"""

from functools import cached_property

import numpy as np

from tensh.engine.errors.warnings import warn
from tensh.support.naming import OfTorch, final, torch_is_tensh

BOOL, INTEGER, FLOAT, COMPLEX = range(4)  # the categories of type promotion, in order
SPOKEN = {
    "int64": "long int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char",
    "uint16": "short unsigned int", "uint32": "unsigned int", "uint64": "long unsigned int",
}  # fmt: skip
OLDEST = frozenset("Byte Char Double Float Half Int Long Short".split())  # for the names of their tensor classes


@final
class dtype(metaclass=OfTorch):
    """The type of a tensor's elements, such as ``torch.float32``.

    >>> import tensh as torch
    >>> torch.float32.is_floating_point, torch.int16.itemsize
    (True, 2)
    """

    __slots__ = ("__dict__", "name", "category", "itemsize", "is_signed", "title", "legacy", "ctype")
    __module__ = "torch"

    def __init__(self, name, category, itemsize, title, legacy, ctype, signed=True):
        self.name, self.category, self.itemsize, self.is_signed = name, category, itemsize, signed
        self.title = title  # name in error messages: "Float"
        self.legacy = legacy  # name of the legacy constructor: "FloatTensor"
        self.ctype = ctype  # name in conversion errors: "float"

    @property
    def class_of_tensors(self):
        """The name of tensors of this dtype in error messages."""
        return f"torch.{self.legacy}" if self.title in OLDEST else f"CPU{self.title}Type"

    @property
    def spoken(self):
        """The type's C++ name in error messages."""
        return SPOKEN.get(self.name, self.ctype)

    is_floating_point = property(lambda self: self.category == FLOAT)
    is_complex = property(lambda self: self.category == COMPLEX)

    @cached_property
    def numpy(self):
        """Return the equivalent NumPy dtype."""
        if self.name.startswith(("qint", "quint")):
            raise NotImplementedError(f"tensh has no quantized tensors: torch.{self.name} is only a name")
        if self.name in ("bfloat16", "complex32") or self.name in EIGHT_BITS:
            import ml_dtypes

            if self.name == "complex32":
                warn("ComplexHalf support is experimental and many operators don't support it yet.")
            numpy = np.dtype(getattr(ml_dtypes, self.name))
        else:
            numpy = np.dtype(self.name)
        BY_NUMPY[numpy] = self
        return numpy

    def to_real(self):
        """Return the dtype of the real part for a complex dtype, otherwise the dtype itself."""
        return REAL_OF.get(self, self)

    def to_complex(self):
        """Return the complex dtype whose parts are of this dtype.  Raise RuntimeError if there is none."""
        if self not in COMPLEX_OF:
            raise RuntimeError(f"Unknown Complex ScalarType for {self.title}")
        return COMPLEX_OF[self]

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name if torch_is_tensh() else (find_dtype, (self.name,))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def find_dtype(name):
    """Return the dtype called ``name``, to rebuild a pickled one."""
    return ALL[name]


class ByNumpy(dict):
    """NumPy dtype -> dtype; those of ml_dtypes (or of the other byte order) enter when first met."""

    def __missing__(self, numpy):
        numpy = np.dtype(numpy)
        named = ALL.get(numpy.name) or EIGHT_BITS.get(numpy.name)
        if named and named.numpy == numpy:
            return named
        raise TypeError(
            f"can't convert np.ndarray of type {numpy.type.__module__}.{numpy.type.__name__}. The only supported types"
            " are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16,"
            " uint8, and bool."
        )


BY_NUMPY: dict = ByNumpy()

_ROWS = """
    bool       0  1 Bool          BoolTensor     bool
    uint8      1  1 Byte          ByteTensor     uint8_t
    int8       1  1 Char          CharTensor     int8_t
    int16      1  2 Short         ShortTensor    int16_t
    int32      1  4 Int           IntTensor      int
    int64      1  8 Long          LongTensor     int64_t
    uint16     1  2 UInt16        UInt16Tensor   uint16_t
    uint32     1  4 UInt32        UInt32Tensor   uint32_t
    uint64     1  8 UInt64        UInt64Tensor   uint64_t
    float16    2  2 Half          HalfTensor     c10::Half
    bfloat16   2  2 BFloat16      BFloat16Tensor c10::BFloat16
    float32    2  4 Float         FloatTensor    float
    float64    2  8 Double        DoubleTensor   double
    complex32  3  4 ComplexHalf   ComplexHalfTensor c10::complex<c10::Half>
    complex64  3  8 ComplexFloat  ComplexFloatTensor c10::complex<float>
    complex128 3 16 ComplexDouble ComplexDoubleTensor c10::complex<double>"""

ALL = {
    name: dtype(
        name, int(category), int(size), title, legacy, ctype, not name.startswith(("u", "b")) or name == "bfloat16"
    )
    for name, category, size, title, legacy, ctype in map(str.split, _ROWS.split("\n")[1:])
}
EIGHT_BITS = {
    f"float8_{kind}": dtype(
        f"float8_{kind}", FLOAT, 1, f"Float8_{kind}", f"Float8_{kind}Tensor", f"c10::Float8_{kind}", kind != "e8m0fnu"
    )
    for kind in ("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0fnu")
}
"""Dtypes to store numbers in: PyTorch converts, moves and compares them, and computes in others."""

bool_, uint8, int8, int16, int32, int64, uint16, uint32, uint64 = list(ALL.values())[:9]
float16, bfloat16, float32, float64, complex32, complex64, complex128 = list(ALL.values())[9:]
for _each in ALL.values():
    if _each not in (bfloat16, complex32):
        BY_NUMPY[_each.numpy] = _each

ALIASES = {
    "half": float16, "float": float32, "double": float64, "chalf": complex32, "cfloat": complex64, "cdouble": complex128,
    "short": int16, "int": int32, "long": int64,
}  # fmt: skip

DIFFERENTIABLE = "fcVW"  # kinds of NumPy's dtypes: "V" is that of bfloat16, "W" that of complex32 in ml_dtypes 0.6
LETTERS = {"b": "?", "i": "bhilq", "u": "BHILQ", "f": "efdE", "c": "FD", "W": "OJ", "8": "45GC"}
"""Kind of dtypes as operators declare it -> the letters (``char``) of NumPy's dtypes.

"8" are the signed floats of eight bits. NumPy's own kinds cannot tell: bfloat16 shares "V" with most floats of eight
bits, and complex32 is of the kind "W" with ml_dtypes 0.6 and "c" since 0.7, where its letter "O" became "J".
"""
HALF_COMPLEX = LETTERS["W"]
FEW_BITS = HALF_COMPLEX + LETTERS["8"]
"""The letters of the dtypes that are stored, but that few functions compute with."""
REAL_OF = {complex32: float16, complex64: float32, complex128: float64}
COMPLEX_OF = {float16: complex32, bfloat16: complex64, float32: complex64, float64: complex128,
              complex32: complex32, complex64: complex64, complex128: complex128}  # fmt: skip

BUILTIN = {bool: bool_, int: int64, float: float64, complex: complex128}
"""The dtype that a Python type stands for as an argument."""
of_scalar = {bool: bool_, int: int64}  # Python type -> dtype; float and complex follow the default dtype


def letters_of(kinds):
    """Return the letters of NumPy's dtypes of some kinds."""
    return "".join(LETTERS[kind] for kind in kinds)


def get_default_dtype():
    """Return the floating point dtype of new tensors made from Python floats.

    >>> import tensh as torch
    >>> torch.get_default_dtype()
    torch.float32
    """
    return of_scalar[float]


def set_default_dtype(d):
    """Make ``d`` the dtype of new tensors made from Python floats (and, as a pair of them, from complex numbers)."""
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if d.name in EIGHT_BITS:
        raise TypeError(f"couldn't find storage object {d.title}Storage")
    if d not in (float16, bfloat16, float32, float64):
        raise TypeError("only floating-point types are supported as the default type")
    of_scalar[float], of_scalar[complex] = d, d.to_complex()


set_default_dtype(float32)


# ── promotion ────────────────────────────────────────────────────────────────
_WIDE_UNSIGNED = (uint16, uint32, uint64)


def promote_types(type1, type2):
    """Return the smallest dtype that holds both: bool < integers < floats < complex numbers, then by size.

    Raise RuntimeError for uint16, uint32 and uint64 with another integer dtype.

    >>> import tensh as torch
    >>> torch.promote_types(torch.int32, torch.float16)
    torch.float16
    """
    try:
        low, high = (type1, type2) if type1.category <= type2.category else (type2, type1)
    except AttributeError:
        return promote_types(**replace_python_types("promote_types", type1=type1, type2=type2))
    if low is high:
        return high
    if low.name in EIGHT_BITS or high.name in EIGHT_BITS:
        raise RuntimeError(
            f"Promotion for Float8 Types is not supported, attempted to promote {type1.title} and {type2.title}"
        )
    if low.category == BOOL:
        return high
    if low.category != high.category:
        if low.category == FLOAT and high.itemsize < COMPLEX_OF[low].itemsize:
            return COMPLEX_OF[low]
        return high
    if low.category == INTEGER:
        return _promote_integers(type1, type2)
    if {low, high} == {float16, bfloat16}:
        return float32
    return low if low.itemsize > high.itemsize else high


def _promote_integers(type1, type2):
    if type1 in _WIDE_UNSIGNED or type2 in _WIDE_UNSIGNED:
        raise RuntimeError(
            "Promotion for uint16, uint32, uint64 types is not supported, "
            f"attempted to promote {type1.title} and {type2.title}"
        )
    if uint8 in (type1, type2) and int8 in (type1, type2):
        return int16
    return type1 if type1.itemsize > type2.itemsize else type2


def combine_categories(higher, lower):
    """Promotion between operands of different rank: tensors, 0-d tensors, Python numbers.

    A lower rank decides only when its category is higher.  ``None`` stands for a rank without operands.
    """
    if higher is None or lower is None:
        return higher or lower
    if lower.category <= higher.category and higher.category != BOOL:
        return higher
    if higher.category == FLOAT:
        return COMPLEX_OF.get(higher, complex64)
    return promote_types(higher, lower)


def can_cast(from_, to):
    """Return True if a result of dtype ``from_`` may be written into a tensor of dtype ``to``.

    Only a step down in category is refused: complex to float, float to integer, anything to bool.

    >>> import tensh as torch
    >>> torch.can_cast(torch.double, torch.float), torch.can_cast(torch.float, torch.int)
    (True, False)
    """
    try:
        return from_.category <= to.category
    except AttributeError:
        return can_cast(**replace_python_types("can_cast", from_=from_, to=to))


def replace_python_types(name, **given):
    """Replace Python's types by the dtypes that they stand for; PyTorch's error for anything else."""
    for position, (parameter, value) in enumerate(given.items(), 1):
        if isinstance(value, type) and value in BUILTIN:
            given[parameter] = BUILTIN[value]
        elif not isinstance(value, dtype):
            kind = type(value).__name__
            raise TypeError(f"{name}(): argument '{parameter}' (position {position}) must be torch.dtype, not {kind}")
    return given


def scalar_dtype(number):
    """Return the dtype that a Python or NumPy number stands for in promotion: NumPy's truth values count as floats."""
    if isinstance(number, bool):
        return bool_
    if isinstance(number, (int, np.integer)):
        return int64
    return of_scalar[complex if isinstance(number, (complex, np.complexfloating)) else float]
