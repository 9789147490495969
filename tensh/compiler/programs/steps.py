"""Captured lines as steps on arrays: kernels with operands of the right dtypes, views, and calls of tensor functions.

A step is one call of a function of arrays.  The decisions that the generated function of an operator makes in every
call (promotion, numbers, casts) are made here once, from the recorded arrays.
"""

import inspect
import operator as python

import numpy as np

from tensh.compiler.breaks import Break
from tensh.engine.arrays import owners
from tensh.engine.arrays.halves import HalfNumber, make_half_number
from tensh.engine.codegen.mixing import as_float, cast, mix, promote
from tensh.engine.codegen.vocabulary import ARRAYS, OPS
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.dispatch.capture.lines import ArrayOf, Value, map_parts, map_values
from tensh.engine.operators.precision import is_half

KERNEL, POINTWISE, VIEW, CALL, EFFECT = "kernel", "pointwise", "view", "call", "effect"
"""Kinds of steps.

They are a function of arrays, an elementwise one, one whose result shares memory, a function of tensors, and one that
writes into a tensor.
"""
CHECK, READ = "check", "read"
"""Checks of elements, which raise: of an assertion, and of an element that Python read during the capture.

Both kinds of lines become steps of the kind CHECK.
"""
HALF = "derive_halves"
"""A line whose function is one of arrays."""
DYNAMIC = frozenset(
    """nonzero argwhere masked_select unique unique_consecutive unique_elements unique_runs unique_slices repeat_interleave bincount
    histc histogram nonzero_static combinations""".split()
)
"""Functions whose results have shapes that depend on elements."""
SLOPES = ("_slope", "_slopes")
"""Endings of primitives of derivatives whose functions on arrays and tensors differ; the one on arrays is used."""
ALIASES = ("detach", "data", "alias")
"""Functions whose result is another name of the same array."""
INDEXING = frozenset("__getitem__ __setitem__ index index_put index_put_ masked_select".split())
NUMBERED = {"plus": "add", "minus": "sub", "times": "mul", "over": "div"}
"""Operators of a tensor and a number -> the equivalent operator of two tensors."""


class Var:
    """A variable of the generated function: an array with a shape and a dtype, which may be contiguous."""

    __slots__ = ("name", "label", "shape", "dtype", "contiguous", "array", "value")

    def __init__(self, array, value=None):
        self.name, self.label, self.array, self.value = None, None, array, value
        self.shape, self.dtype, self.contiguous = array.shape, array.dtype, array.flags.c_contiguous

    size = property(lambda self: int(np.prod(self.shape, dtype=np.int64)))
    nbytes = property(lambda self: self.size * self.dtype.itemsize)

    def __repr__(self):
        return f"<{self.name} {self.dtype}{list(self.shape)}>"


class Step:
    """``outs = function(*args, **options)``, of a kind; ``line`` is the captured line from which it comes."""

    __slots__ = ("kind", "name", "function", "args", "options", "outs", "line", "several")

    def __init__(self, kind, name, function, args, outs, line, options=None, several=False):
        self.kind, self.name, self.function, self.args, self.outs, self.line = kind, name, function, args, outs, line
        self.options, self.several = options or {}, several

    def copy(self):
        return Step(self.kind, self.name, self.function, self.args, self.outs, self.line, self.options, self.several)

    @property
    def inputs(self):
        """The variables that it reads, each once."""
        found = {}
        map_parts(lambda each: found.setdefault(each), Var, (self.args, self.options))
        return list(found)

    @property
    def out(self):
        return self.outs[0]

    def __repr__(self):
        return f"<{self.kind} {', '.join(str(o.name) for o in self.outs)} = {self.name}({', '.join(str(i.name) for i in self.inputs)})>"


class Lowering:
    """Makes steps from lines; ``variables`` maps values to variables."""

    def __init__(self):
        self.steps, self.variables = [], {}

    def variable(self, value):
        if value not in self.variables:
            self.variables[value] = Var(value.tensor.array, value)
        return self.variables[value]

    def arrays(self, structure):
        """Replace the values in ``structure`` by variables."""
        return map_values(self.variable, structure)

    def add(self, kind, name, function, args, outs, line, options=None, several=False):
        self.steps.append(Step(kind, name, function, args, outs, line, options, several))
        return self.steps[-1]

    def lower(self, line, shared):
        """Add the steps of a line; ``shared(value)`` returns True if other values share the memory of one."""
        if line.name in DYNAMIC or any(is_mask(value) for value in line.inputs) and line.name in INDEXING:
            raise Break(f"the result shape of {line.name} depends on the elements of a tensor", place(line))
        if line.name == READ:
            self.add(CHECK, READ, line.function, (self.variable(line.args[0]), line.result), [], line)
        elif line.name == CHECK:
            args, options = self.arrays((line.args, line.options))
            self.add(CHECK, line.function.__name__, line.function, args, [], line, options)
        elif line.writes:
            self.lower_write(line, shared)
        elif line.operator is None:
            self.lower_function(line)
        elif (
            line.operator.name == "cast"
            and is_half(line.outputs[0].tensor.array.dtype)
            and (is_number(line.args[0]) or type(line.outputs[0].tensor.array) is HalfNumber)
        ):
            self.lower_half_number(line)
        else:
            made = self.lower_operator(line.operator, line.args, line.options, line)
            if made is not None:
                self.variables.update(zip(line.outputs, made, strict=True))

    # ── functions that are not made of operators ─────────────────────────────
    def lower_function(self, line):
        """Add the step of a line whose function is not an operator on elements."""
        name = line.name
        if name in ALIASES and len(line.outputs) == 1:
            self.variables[line.outputs[0]] = self.variable(line.args[0])  # another name for the same array
        elif name == "__getitem__" and is_basic(line.args[1]):
            index = line.args[1] if type(line.args[1]) is tuple else (line.args[1],)
            index = index if Ellipsis in [each for each in index if each is Ellipsis] else (*index, ...)
            out = self.variable(line.outputs[0])
            self.add(VIEW, "getitem", python.getitem, (self.variable(line.args[0]), index), [out], line)
        elif name.endswith(SLOPES) or name == HALF:
            outs = [self.variable(value) for value in line.outputs]
            several = False if isinstance(line.result, Value) else line.result
            function = line.function if name == HALF else ARRAYS[name]
            self.add(KERNEL, name, function, self.arrays(line.args), outs, line, self.arrays(line.options), several)
        else:
            outs = [self.variable(value) for value in line.outputs]
            self.add(
                CALL,
                name,
                line.function,
                self.arrays(line.args),
                outs,
                line,
                self.arrays(line.options),
                several=line.result,
            )

    def lower_write(self, line, shared):
        """Turn a write into a whole unshared tensor of the graph into a new array; any other write is an effect."""
        if self.is_private(line, shared):
            (out,) = self.lower_operator(line.operator, line.args, line.options, line)
            self.variables[line.outputs[0]] = out
            return
        outs = [self.variable(value) for value in line.outputs]
        self.add(EFFECT, line.name, line.function, self.arrays(line.args), outs, line, self.arrays(line.options))

    def is_private(self, line, shared):
        """Return True if an in-place write can be a new value: nothing else sees the memory, and shape and dtype stay."""
        op, target = line.operator, line.args[0]
        if (
            op is None
            or not op.parallel
            or line.options.get("out") is not None
            or origin(target).line is None
            or origin(target).line.name in ALIASES
            or shared(target)
        ):
            return False
        dtype, shape = target.tensor.array.dtype, target.shape
        others = [each for each in (*line.args, *line.options.values()) if isinstance(each, Value)]
        if (
            op.returns_bool
            or op.floats
            and dtype.kind not in "fV"
            or any(v.tensor.array.dtype is not dtype for v in others)
        ):
            return False
        numbers = [each for each in line.args[1:] if isinstance(each, (bool, int, float, complex))]
        kinds = {"f": (bool, int, float), "i": (bool, int), "u": (bool, int)}.get(dtype.kind, ())
        return all(isinstance(n, kinds) for n in numbers) and np.broadcast_shapes(*(v.shape for v in others)) == shape

    def lower_half_number(self, line):
        """Keep the digits of a number, or of a 0-d tensor, beside 16 bit numbers: products and quotients need them."""
        array, dtype = line.args[0].tensor.array, line.outputs[0].tensor.array.dtype
        out = self.variables[line.outputs[0]] = Var(make_half_number(array, dtype))
        self.add(KERNEL, "half_number", make_half_number, (self.variable(line.args[0]), dtype), [out], line)

    # ── operators ────────────────────────────────────────────────────────────
    def lower_operator(self, op, args, options, line):
        """Add the kernel of an operator; return its variables, or None if they are those of the line's values."""
        given = bind(op, args, options, line)
        if op.name in NUMBERED:
            other, number = OPS[NUMBERED[op.name]], given["number"]
            op, given = other, dict(zip(other.parameters, (given["input"], number), strict=False))
        if op.name == "tie":
            return [self.variable(given[next(iter(op.inputs))])]
        operands = {}
        if op.pointwise and len(op.inputs) == 2:
            operands = dict(zip(op.inputs, self.pair(op, *(given[p] for p in op.inputs), line), strict=True))
        else:
            for p in op.inputs:
                operands[p] = self.operand(op, given[p], line)
        if op.pointwise and len(op.inputs) == 2 and op.floats:
            operands = {p: self.as_float(each, op, line) for p, each in operands.items()}
        arguments, keywords = [], {}
        for name, p in op.parameters.items():
            value = operands[name] if name in operands else self.lower_value(op, given.get(name, p.default), line)
            if p.kind is p.KEYWORD_ONLY:
                keywords[name] = value
            else:
                arguments.append(value)
        outs = (
            [Var(value.tensor.array) for value in line.outputs]
            if not op.outs
            else [self.variable(v) for v in line.outputs]
        )
        kind = VIEW if op.view else POINTWISE if op.parallel and not op.outs else KERNEL
        if kind is POINTWISE and any(isinstance(each, Var) and each.array.dtype.kind in "W" for each in arguments):
            kind = KERNEL
        kernel = getattr(op.kernel, "quick", op.kernel) if kind is KERNEL else op.kernel
        several = len(line.result) if op.outs else False
        if op.outs:
            results = list(line.result)
            if any(not isinstance(each, Value) for each in results):
                raise Break(f"{op.name} returns something other than tensors", place(line))
            outs = [self.variable(each) for each in results]
        self.add(kind, op.name, kernel, tuple(arguments), outs, line, keywords, several)
        return None if op.outs else outs

    def operand(self, op, given, line):
        if isinstance(given, ArrayOf):
            return self.variable(given.value)
        if isinstance(given, (tuple, list)):
            return type(given)([self.operand(op, each, line) for each in given])
        if not isinstance(given, Value):
            if isinstance(given, np.ndarray) and given.ndim:
                raise Break(f"an argument of {line.name} depends on the elements of a tensor", place(line))
            if isinstance(given, Tensor):
                raise Break(f"an argument of {line.name} is a tensor that was not recorded", place(line))
            return given
        found = self.variable(given)
        return self.as_float(found, op, line) if op.floats else found

    def lower_value(self, op, value, line):
        """Return an argument that is not an operand; arrays in it are known."""
        if isinstance(value, np.ndarray) and value.ndim:
            raise Break(f"an argument of {line.name} depends on the elements of a tensor", place(line))
        if isinstance(value, (ArrayOf, Value)):
            return self.operand(op, value, line)
        if type(value) in (tuple, list):
            return type(value)([self.lower_value(op, each, line) for each in value])
        return value

    def as_float(self, var, op, line):
        if isinstance(var, Var) and var.dtype.kind in "iub":
            return self.cast(var, as_float(var.array[:0] if var.array.ndim else var.array, op.name).dtype, line)
        return var

    def pair(self, op, first, second, line):
        """Return two operands in the dtype in which PyTorch computes."""
        if isinstance(first, Value) and isinstance(second, Value):
            a, b = self.variable(first), self.variable(second)
            if a.dtype is b.dtype:
                return a, b
            one, two = promote(make_empty(a), make_empty(b), op.name)
            return self.cast(a, one.dtype, line), self.cast(b, two.dtype, line)
        pair = [wrap(make_empty(self.variable(each))) if isinstance(each, Value) else each for each in (first, second)]
        made = mix(op.name, *pair)[:2]
        return tuple(
            self.cast(self.variable(given), array.dtype, line) if isinstance(given, Value) else array
            for given, array in zip((first, second), made, strict=True)
        )

    def cast(self, var, dtype, line):
        if var.dtype == dtype:
            return var
        out = Var(np.empty(var.shape, dtype) if var.array.ndim else np.empty((), dtype))
        self.add(POINTWISE, "cast", cast, (var, dtype), [out], line)
        return out


def origin(value):
    """Return the value of a tensor before all writes into it."""
    while value.line is not None and value.line.writes and isinstance(value.line.target, Value):
        value = value.line.target
    return value


def make_empty(var):
    """Return an array of the dtype and number of dimensions of a variable, without elements unless it is 0-d."""
    return np.empty((0,) * len(var.shape), var.dtype)


def bind(op, args, options, line):
    """Bind the arguments of a call to the parameters of an operator."""
    parameters = list(op.parameters.values())
    options = {name: value for name, value in options.items() if name not in op.keyword_variants and name != "out"}
    for numpy_name, name in (("axis", "dim"), ("keepdims", "keepdim")):
        if numpy_name in options and numpy_name not in op.parameters:
            given = options.pop(numpy_name)
            if given is not None:
                options[name] = given
    positional = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
    if len(args) > len(positional) or op.other_forms and len(args) == len(positional) == 2 and type(args[1]) is int:
        if len(positional) != 2:
            raise Break(f"the arguments of {op.name} do not fit its declaration", place(line))
        args = (args[0], tuple(args[1:]))
    given = dict(zip((p.name for p in positional), args, strict=False)) | options
    for p in parameters:
        if p.name not in given:
            if p.default is inspect.Parameter.empty:
                raise Break(f"the arguments of {op.name} do not fit its declaration", place(line))
            given[p.name] = p.default
    return given


def is_mask(value):
    return value.tensor.array.dtype.kind in "b" and value.tensor.array.ndim > 0


def is_basic(index):
    """Return True if an index contains only numbers and slices."""
    parts = index if type(index) is tuple else (index,)
    return all(
        type(each) is int or each is None or each is Ellipsis
        or type(each) is slice and all(type(n) is int or n is None for n in (each.start, each.stop, each.step))
        for each in parts
    )  # fmt: skip


def place(line):
    """Return the user's line from which a captured line comes."""
    return None if line is None else line.place


def is_number(value):
    """Return True for a number passed to an operator, which its node keeps as a read-only array."""
    array = value.tensor.array
    return not array.ndim and not array.flags.writeable


def memory_of(value):
    """Return the identity of a value's memory."""
    return id(owners.memory_of(value.tensor.array))
