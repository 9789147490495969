"""Evaluating typed answers without running them.

An answer may be arithmetic: numbers, lists, tuples, `torch.tensor([...])`, `torch.Size([...])`, `sqrt(2)`. Its syntax
tree is interpreted and nothing else is called, so that untrusted answers can be judged.
"""

import ast
import math
import operator
import re
import unicodedata

import numpy as np

LONGEST = 2000  # characters
LARGEST = 2.0**1000  # the largest power that is computed
YES = frozenset("yes y true t yep yeah correct 是 对 真 会".split())
NO = frozenset("no n false f nope incorrect 否 不 假 不是 不对 不会".split())
ALIASES = {
    "float": "float32", "double": "float64", "half": "float16", "int": "int32", "long": "int64", "short": "int16",
    "char": "int8", "byte": "uint8", "boolean": "bool", "cfloat": "complex64", "cdouble": "complex128",
    "chalf": "complex32", "single": "float32",
}  # fmt: skip
DTYPES = frozenset(
    "float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex32 complex64 complex128".split()
)
SCALAR = frozenset(
    ("()", "[]", "scalar", "0-d", "0d", "a number", "a single number", "single number", "no dimensions", "标量", "零维")
)
WRAPPER = re.compile(r"^(?:torch\.)?(?:Size|size|shape)\s*(?=[(\[])")
SEPARATOR = re.compile(r"\s*(?:[,;xX×*]|by|and|rows?|columns?|elements?|乘|行|列)\s*|\s+")
WITH_NAME = re.compile(r"^(?:[^\W\d][\w.]*\s*)?=(?!=)\s*")  # `y = 9`
HISTORY = re.compile(r",\s*(?:grad_fn=<[^<>]*>|requires_grad=True)")  # as tensors print it
SIGNS = {"−": "-", "–": "-", "÷": "/", "∞": "inf", "√": "sqrt", "^": "**", "、": ",", "。": ""}
ROOT = re.compile(r"√\s*([\d.]+)")
SHORT_DTYPE = re.compile(r"(f|fp|i|u|b|bf)(8|16|32|64)")
SPELT = dict(zip("zero one two three four five six seven eight nine ten".split(), map(str, range(11)), strict=True))
SPELT_NUMBER = re.compile(rf"\b(?:{'|'.join(SPELT)})\b", re.IGNORECASE)
MINUS = re.compile(r"\bminus\s+", re.IGNORECASE)
KINDS = {"f": "float", "fp": "float", "i": "int", "u": "uint", "b": "bfloat", "bf": "bfloat"}
# separated by spaces: -1 -2 is not a difference
NUMBERS = re.compile(r"[-+]?[\d.]+(?:e[-+]?\d+)?(?:\s+[-+]?[\d.]+(?:e[-+]?\d+)?)+")
FUNCTIONS = {
    name: getattr(math, name)
    for name in "sqrt exp log log2 log10 sin cos tan asin acos atan sinh cosh tanh".split()
} | {"abs": abs}  # fmt: skip
WRAPPERS = frozenset("tensor Size float int array".split())
NAMES = {"pi": math.pi, "e": math.e, "inf": math.inf, "infinity": math.inf, "Infinity": math.inf, "nan": math.nan}


def power(base, exponent):
    """Compute a power bounded by the largest float, so that it ends soon."""
    if isinstance(base, int) and isinstance(exponent, int) and abs(exponent) > 64:
        return float(base) ** exponent
    return base**exponent


OPERATORS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Pow: power, ast.Mod: operator.mod, ast.USub: operator.neg, ast.UAdd: operator.pos,
}  # fmt: skip


class Unreadable(ValueError):
    """Raised for an answer of the wrong kind."""


def normalize(text):
    """Normalise an answer: one way to write each sign, without a name before it or a history after it."""
    text = ROOT.sub(r"sqrt(\1)", unicodedata.normalize("NFKC", text))
    for sign, plain in SIGNS.items():
        text = text.replace(sign, plain)
    text = MINUS.sub("-", SPELT_NUMBER.sub(lambda word: SPELT[word[0].lower()], text))
    text = HISTORY.sub("", WITH_NAME.sub("", text.strip())).strip()
    return text[:-1] if text[-2:] in ("].", ").") else text


def read_shape(text):
    """Read a shape: `(3, 2)`, `torch.Size([3, 2])`, `[3, 2]`, `3 x 2`, `3, 2`, `()`."""
    text = WRAPPER.sub("", normalize(text))
    while text not in SCALAR and text[:1] + text[-1:] in ("()", "[]", "{}"):
        text = text[1:-1].strip()
    if text.lower() in SCALAR or not text:
        return ()
    pieces = [piece for piece in SEPARATOR.split(text.rstrip(", ")) if piece]
    if not all(re.fullmatch(r"\d{1,18}", piece) for piece in pieces):
        raise Unreadable(text)
    return tuple(map(int, pieces))


def read_dtype(text):
    """Read a dtype: `torch.float32`, `float32`, `float`, `long`, `fp32`, `torch.LongTensor`."""
    name = normalize(text).strip("\"'").replace(" ", "").replace("-", "").lower()
    for prefix in ("torch.", "numpy.", "np."):
        name = name.removeprefix(prefix)
    name = name.removesuffix("tensor")
    short = SHORT_DTYPE.fullmatch(name)
    name = f"{KINDS[short[1]]}{short[2]}" if short else ALIASES.get(name, name)
    if name not in DTYPES:
        raise Unreadable(text)
    return name


def read_value(text):
    """Read an array of numbers or booleans, or a word: `None`, `AddBackward0`."""
    text = normalize(text)
    if not text:
        raise Unreadable(text)
    if text.lower() in YES:
        return np.asarray(True)
    if text.lower() in NO:
        return np.asarray(False)
    try:
        found = evaluate(parse(text))
        if isinstance(found, str):
            return found
        found = np.asarray(found)
        return found.astype(float) if found.dtype == object else found  # an integer beyond every dtype
    except Unreadable:
        raise
    except (SyntaxError, ValueError, TypeError, KeyError, ArithmeticError, RecursionError, MemoryError):
        raise Unreadable(text) from None


def parse(text):
    """Parse an answer; numbers separated by spaces form a list, and `;` ends a row."""
    try:
        if NUMBERS.fullmatch(text):
            text = f"[{', '.join(text.split())}]"
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        rows = [row.replace(",", " ").split() for row in text.strip("[]()<> ").split(";")]
        rows = [row for row in rows if row]
        listed = ["[" + ", ".join(row) + "]" for row in rows]
        return ast.parse(listed[0] if len(listed) == 1 else "[" + ", ".join(listed) + "]", mode="eval").body


def evaluate(node):
    """Evaluate the syntax tree of an answer; raise Unreadable for more than arithmetic."""
    match node:
        case ast.Constant(value) if isinstance(value, bool | int | float | complex | str):
            return value
        case ast.Constant(value=None):
            return "None"
        case ast.List(elements) | ast.Tuple(elements) | ast.Set(elements):
            return array([evaluate(each) for each in elements])
        case ast.UnaryOp(op, operand) if type(op) in OPERATORS:
            return OPERATORS[type(op)](number(operand))
        case ast.BinOp(left, op, right) if type(op) in OPERATORS:
            left, right = number(left), number(right)
            if math.prod(np.broadcast_shapes(np.shape(left), np.shape(right))) > LONGEST:
                raise Unreadable("an answer with more elements than characters")
            return OPERATORS[type(op)](left, right)
        case ast.Call(function, arguments):
            return call(last_name(function), arguments)
        case ast.Name() | ast.Attribute():
            name = last_name(node)
            return NAMES.get(name, ALIASES.get(name, name))
    raise Unreadable(ast.unparse(node))


def array(elements):
    """Evaluate a list; nested ones must have rows of equal length."""
    if any(isinstance(each, str) for each in elements):
        raise Unreadable(str(elements))
    found = np.asarray(elements) if elements else np.zeros(0)
    if found.dtype == object:
        raise Unreadable(str(elements))
    return found


def number(node):
    """Evaluate an operand of arithmetic."""
    found = evaluate(node)
    if isinstance(found, str):
        raise Unreadable(found)
    return float(found) if isinstance(found, int) and abs(found) > LARGEST else found


def call(name, arguments):
    """Evaluate a call allowed in an answer: a function of a number, or a tensor constructor."""
    values = [evaluate(each) for each in arguments]
    if name in FUNCTIONS and len(values) == 1 and not isinstance(values[0], str | np.ndarray):
        return FUNCTIONS[name](values[0])
    if name == "float" and values and isinstance(values[0], str):  # `float("inf")`
        return NAMES[values[0]]
    if name in WRAPPERS and values:
        return values[0]
    raise Unreadable(name)


def last_name(node):
    """Return the last name of `torch.nn.x`."""
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    raise Unreadable(ast.unparse(node))
