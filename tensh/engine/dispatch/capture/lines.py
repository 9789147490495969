"""A captured graph: lines in single assignment form, and the values that they read and make."""

from typing import NamedTuple

from tensh.engine.core.tensor import Tensor


class Value:
    """The value of one name in a captured graph.

    ``tensor`` is the tensor that the recorder saw, ``line`` the line that made it (None for inputs, and for tensors that
    came from elsewhere, such as parameters), ``shape`` and ``dtype`` its facts then.  ``name`` is None until a consumer
    gives one.
    """

    __slots__ = ("tensor", "line", "shape", "dtype", "requires_grad", "name", "time", "array")

    def __init__(self, tensor, line=None):
        self.tensor, self.array, self.line, self.name, self.time = tensor, tensor.array, line, None, 0
        self.shape, self.dtype, self.requires_grad = tensor.shape, tensor.dtype, tensor.node is not None

    def __repr__(self):
        return f"<{self.name or 'value'}: {self.dtype} {list(self.shape)}>"


class ArrayOf(NamedTuple):
    """Stands where an operator was given the array of a value, not the tensor: the index of ``x[i]``."""

    value: Value


class Line:
    """One call: ``outputs = function(*args, **options)``, with a ``Value`` wherever a tensor stood.

    ``operator`` is the declared operator, or None for a function that operators do not make up: one that makes tensors,
    draws random numbers or writes.  ``name`` is its name, with a last ``_`` if it writes into its first argument.
    ``result`` is what it gave, with values for tensors.  ``place`` is a ``Place`` or None, ``modules`` are the modules
    that were being called, the outermost first; ``grad`` says whether gradients were recorded.
    """

    __slots__ = ("function", "name", "operator", "args", "options", "result", "outputs", "place", "modules", "grad", "random", "writes")  # fmt: skip

    def __init__(self, function, name, operator, args, options):
        self.function, self.name, self.operator, self.args, self.options = function, name, operator, args, options
        self.result, self.outputs, self.place, self.modules, self.grad = None, (), None, (), False
        self.random = self.writes = False

    @property
    def inputs(self):
        """The values that the line reads, in order, each as often as it is read."""
        return list_values((self.args, self.options))

    @property
    def target(self):
        """The value that a writing line writes into: its first argument, or ``out``."""
        return self.options["out"] if self.options.get("out") is not None else self.args[0]

    def __repr__(self):
        made = ", ".join(value.name or "_" for value in self.outputs)
        return f"<{made} = {self.name}({', '.join(str(value.name) for value in self.inputs)})>"


def map_parts(function, kind, structure):
    """``structure`` with ``function`` applied to every part of a ``kind``, in tuples, lists, dictionaries and slices, too."""
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
    """A sequence of a class; named tuples of ``torch.return_types`` take their parts as one."""
    if hasattr(cls, "_fields"):
        return cls(*parts)
    return cls(parts) if cls in (tuple, list) or cls.__new__ is not tuple.__new__ else tuple.__new__(cls, parts)


def map_tensors(function, structure):
    """``structure`` with ``function`` applied to its tensors."""
    return map_parts(function, Tensor, structure)


def map_values(function, structure):
    """``structure`` with ``function`` applied to its values; what ``ArrayOf`` stands for becomes an array again."""

    def apply(part):
        if type(part) is Value:
            return function(part)
        made = function(part.value)
        return made.array if isinstance(made, Tensor) else made

    return map_parts(apply, (Value, ArrayOf), structure)


def list_values(structure):
    """The values in a structure, in order."""
    found = []
    map_values(found.append, structure)
    return found
