"""A builder of ONNX graphs: operators are called by name, and results are values with a dtype and a rank."""

import numpy as np

import tensh as torch
from tensh.engine.dtypes.dtype import dtype as dtype_type
from tensh.onnx.library import require_onnx

TYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10, "float64": 11, "complex64": 14,
    "complex128": 15, "bfloat16": 16, "uint16": 4, "uint32": 12, "uint64": 13, "float8_e4m3fn": 17, "float8_e4m3fnuz": 18,
    "float8_e5m2": 19, "float8_e5m2fnuz": 20, "float8_e8m0fnu": 24,
}  # fmt: skip
"""Name of a dtype -> its number in ONNX."""
BOOLEAN = frozenset("Equal Less Greater LessOrEqual GreaterOrEqual And Or Not Xor IsNaN IsInf".split())
WHOLE = frozenset("Shape ArgMax ArgMin NonZero Size".split())


class FixedSize(ValueError):
    """Raised where a form would make a constant of a size that stays free."""


class FreeSize(int):
    """The size of a dimension that stays free: the number is that of the example, and the graph reads it from a value."""

    def __new__(cls, number, value, dim):
        made = super().__new__(cls, number)
        made.value, made.dim = value, dim
        return made

    def refuse(self, *operands):
        """Raise FixedSize, because the result would be that of the example."""
        raise FixedSize("it would fix the size of a dynamic dimension")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __rmod__ = refuse
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __neg__ = __float__ = refuse


def broadcast_shapes(*shapes):
    """Return the shape of values that are expanded to each other, with their free sizes."""
    rank = max(map(len, shapes))
    columns = zip(*([1] * (rank - len(shape)) + list(shape) for shape in shapes))
    return [next((size for size in sizes if size != 1), 1) for sizes in columns]


class Value:
    """A value in the graph: its name, dtype, number of dimensions (None if unknown), and example.

    ``free`` are the dimensions whose size other inputs change.
    """

    __slots__ = ("name", "dtype", "rank", "example", "free")

    def __init__(self, name, dtype, rank=None, example=None):
        self.name, self.dtype, self.rank, self.example, self.free = name, dtype, rank, example, frozenset()

    @property
    def shape(self):
        """The shape of the example; ``FreeSize`` for dimensions that stay free."""
        return tuple(FreeSize(n, self, dim) if dim in self.free else n for dim, n in enumerate(self.example.shape))


class Builder:
    """Adds nodes and constants; ``builder.Add(x, y)`` adds a node and returns its result."""

    def __init__(self, opset):
        self.onnx = require_onnx("torch.onnx.export")
        self.opset = opset
        self.nodes, self.initializers, self.count, self.known = [], [], 0, {}
        self.prefix = ""
        self.caller, self.callers = None, {}  # the node of the program that is converted; name of a value -> that node

    def name(self, candidate):
        """Return an unused name."""
        self.count += 1
        return f"{candidate}_{self.count}"

    def array(self, array, dtype=None, name=None):
        """Make a constant from an array."""
        array = np.ascontiguousarray(array) if np.ndim(array) else np.asarray(array)
        key = (array.dtype.str, array.shape, array.tobytes()) if array.size <= 16 and name is None else None
        if key is not None and key in self.known:
            return self.known[key]
        made = Value(name or self.name("constant"), dtype or getattr(torch, array.dtype.name), array.ndim)
        self.initializers.append(self.onnx.numpy_helper.from_array(array, made.name))
        self.callers[made.name] = self.caller
        if key is not None:
            self.known[key] = made
        return made

    def number(self, value, dtype):
        """Make a constant from a number, in a dtype."""
        return self.array(np.asarray(value, dtype.numpy), dtype)

    def ints(self, values):
        """Make a vector of int64 from integers, some of which may be values."""
        values = list(values) if isinstance(values, (tuple, list)) else [values]
        values = [self.read_size(each) if isinstance(each, FreeSize) else each for each in values]
        if not any(isinstance(each, Value) for each in values):
            return self.array(np.asarray(values, np.int64))
        parts = [
            self.Unsqueeze(self.int_scalar(each), self.ints([0])) if isinstance(each, Value) else self.ints([each])
            for each in values
        ]
        return parts[0] if len(parts) == 1 else self.Concat(*parts, axis=0)

    def read_size(self, size):
        """Return a free size as a scalar that the graph reads."""
        return self.Gather(self.Shape(size.value), self.array(np.asarray(size.dim, np.int64)), axis=0)

    def int_scalar(self, value):
        """Make a scalar of int64 from an integer."""
        return value if isinstance(value, Value) else self.array(np.asarray(value, np.int64))

    def cast(self, value, dtype):
        """Convert a value to a dtype."""
        if value.dtype is dtype:
            return value
        made = self.Cast(value, to=TYPES[str(dtype)[6:]])
        made.dtype, made.rank, made.example = dtype, value.rank, value.example
        return made

    def operand(self, value, dtype):
        """Convert a value or a number to a value of a dtype."""
        return self.cast(value, dtype) if isinstance(value, Value) else self.number(value, dtype)

    def call(self, op, inputs, attributes, outputs=1, domain=""):
        """Add a node; its results have the dtype of its first input, unless the operator determines another."""
        first = next((each for each in inputs if isinstance(each, Value)), None)
        dtype = first.dtype if first is not None else torch.float32
        if op == "Where":
            dtype = next(each.dtype for each in inputs[1:] if isinstance(each, Value))
            converted = [inputs[0], *(self.convert(each, dtype) for each in inputs[1:])]
        else:
            converted = [self.convert(each, dtype) for each in inputs]
        names = ["" if each is None else each.name for each in converted]
        while names and not names[-1]:
            names.pop()
        results = [self.name(op.lower()) for _ in range(outputs)]
        self.callers |= dict.fromkeys(results, self.caller)
        attributes = {name: value for name, value in attributes.items() if value is not None}
        node = self.onnx.helper.make_node(
            op, names, results, name=self.prefix + results[0], domain=domain, **attributes
        )
        self.nodes.append(node)
        dtype = torch.bool if op in BOOLEAN else torch.int64 if op in WHOLE else dtype
        made = [Value(name, dtype) for name in results]
        return made[0] if outputs == 1 else made

    def convert(self, value, dtype):
        """Convert an input of a node: numbers get the dtype of the others, lists become integers."""
        if isinstance(value, (Value, type(None))):
            return value
        if isinstance(value, (list, tuple)):
            return self.ints(value)
        return self.number(value, dtype)

    def add_tensor(self, tensor, name):
        """Add a parameter, buffer or constant."""
        made = self.array(np.array(tensor.detach().array), tensor.dtype, name)
        made.rank, made.example = tensor.dim(), tensor
        return made

    def __getattr__(self, op):
        if not op[0].isupper():
            raise AttributeError(op)
        return lambda *inputs, outputs=1, **attributes: self.call(op, inputs, attributes, outputs)


def is_float(dtype):
    """Return True for a real floating point dtype."""
    return isinstance(dtype, dtype_type) and dtype.is_floating_point
