"""Functions of two operands in every pair of dtypes, and the dtypes of what they give."""

from pathlib import Path

FILE = Path(__file__).with_name("promotion.json")
DTYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
LETTERS = dict(zip(DTYPES, "?uchilHBfdFD", strict=True)) | {"complex32": "E"}
LETTERS |= {"NotImplementedError": "!", "RuntimeError": "*", "TypeError": "-"}
"""Format a result's dtype, or the type of an error, for the record."""
NUMBERS = {"True": True, "2": 2, "2.5": 2.5, "1j": 1j}
FUNCTIONS = "add sub mul div pow floor_divide maximum eq bitwise_and atan2 where".split()
DEFAULTS = ("float32", "float64")


def call(m, name, one, two):
    """The letter of the result's dtype, or of the type of the error."""
    try:
        result = m.where(m.tensor(True), one, two) if name == "where" else getattr(m, name)(one, two)
        return LETTERS[str(result.dtype).rpartition(".")[2]]
    except (RuntimeError, TypeError) as error:
        return LETTERS[type(error).__name__]


def answers(m, name):
    """form -> dtype -> the result's dtype for every dtype, or number, on the right."""

    def tensor(dtype, *shape):
        return m.ones(shape, dtype=getattr(m, dtype))

    right = {
        "tensor": [lambda d=d: tensor(d, 2) for d in DTYPES],
        "0-d tensor": [lambda d=d: tensor(d) for d in DTYPES],
        "number": [lambda n=n: n for n in NUMBERS.values()],
    }
    forms = {form: {d: "".join(call(m, name, tensor(d, 2), each()) for each in made) for d in DTYPES}
             for form, made in right.items()}  # fmt: skip
    forms["0-d tensor and tensor"] = {
        d: "".join(call(m, name, tensor(d), tensor(e, 2)) for e in DTYPES) for d in DTYPES
    }
    return forms
