"""A captured graph: lines in single assignment form, and the values that they read and produce."""

from typing import NamedTuple

from tensh.engine.core.tensor import Tensor


class Value:
    """The value of one name in a captured graph.

    ``tensor`` is the tensor that the recorder saw, ``line`` the line that produced it (None for inputs and for other
    existing tensors, such as parameters), ``shape`` and ``dtype`` its metadata at that time.  ``name`` is None until a
    consumer sets it.
    """

    __slots__ = ("tensor", "line", "shape", "dtype", "requires_grad", "name", "time", "array")

    def __init__(self, tensor, line=None):
        self.tensor, self.array, self.line, self.name, self.time = tensor, tensor.array, line, None, 0
        self.shape, self.dtype, self.requires_grad = tensor.shape, tensor.dtype, tensor.node is not None

    def __repr__(self):
        return f"<{self.name or 'value'}: {self.dtype} {list(self.shape)}>"


class ArrayOf(NamedTuple):
    """Marks the array of a value, passed to an operator in place of the tensor, such as the index of ``x[i]``."""

    value: Value


class Line:
    """One call: ``outputs = function(*args, **options)``, with a ``Value`` in place of each tensor.

    ``operator`` is the declared operator, or None for a function that is not made of operators: one that creates
    tensors, draws random numbers or writes.  ``name`` is its name, which ends in ``_`` if it writes into its first
    argument. ``result`` is its result, with values in place of tensors.  ``place`` is a ``Place`` or None, ``modules``
    are the modules being called, the outermost first; ``grad`` is True if gradients were recorded.
    """

    __slots__ = ("function", "name", "operator", "args", "options", "result", "outputs", "place", "modules", "grad", "random", "writes")  # fmt: skip

    def __init__(self, function, name, operator, args, options):
        self.function, self.name, self.operator, self.args, self.options = function, name, operator, args, options
        self.result, self.outputs, self.place, self.modules, self.grad = None, (), None, (), False
        self.random = self.writes = False

    @property
    def inputs(self):
        """The values that the line reads, in order, including repetitions."""
        return list_values((self.args, self.options))

    @property
    def target(self):
        """The value that a write modifies: its first argument, or ``out``."""
        return self.options["out"] if self.options.get("out") is not None else self.args[0]

    def __repr__(self):
        made = ", ".join(value.name or "_" for value in self.outputs)
        return f"<{made} = {self.name}({', '.join(str(value.name) for value in self.inputs)})>"


def map_parts(function, kind, structure):
    """Apply ``function`` to the parts of a ``kind`` in a structure of tuples, lists, dictionaries and slices."""
    if isinstance(structure, kind):
        return function(structure)
    cls = type(structure)
    if cls is slice:
        parts = structure.start, structure.stop, structure.step
        return slice(*map_parts(function, kind, parts))
    if isinstance(structure, (tuple, list)):
        parts = [map_parts(function, kind, each) for each in structure]
        return rebuild(cls, parts)
    if cls is dict:
        return {key: map_parts(function, kind, each) for key, each in structure.items()}
    return structure


def rebuild(cls, parts):
    """Make a sequence of a class from its parts; named tuples of ``torch.return_types`` take them as one argument."""
    if hasattr(cls, "_fields"):
        return cls(*parts)
    return cls(parts) if cls in (tuple, list) or cls.__new__ is not tuple.__new__ else tuple.__new__(cls, parts)


def map_tensors(function, structure):
    """Apply ``function`` to the tensors in ``structure``."""
    return map_parts(function, Tensor, structure)


def map_values(function, structure):
    """Apply ``function`` to the values in ``structure``; an ``ArrayOf`` becomes the array of the result."""

    def apply(part):
        if type(part) is Value:
            return function(part)
        made = function(part.value)
        return made.array if isinstance(made, Tensor) else made

    return map_parts(apply, (Value, ArrayOf), structure)


def list_values(structure):
    """Return the values in a structure, in order."""
    found = []
    map_values(found.append, structure)
    return found
