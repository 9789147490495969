"""Nodes, values and types of a traced graph, as libraries walk them: what an operator takes and gives, and in which scope."""

from tensh.engine.core.tensor import Tensor

KINDS = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16", "int64": "Long", "int32": "Int", "int16": "Short",
    "int8": "Char", "uint8": "Byte", "bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip
TYPES = {"int": "IntType", "float": "FloatType", "bool": "BoolType", "str": "StringType", "NoneType": "NoneType"}
LETTERS = {bool: "i", int: "i", float: "f", str: "s", Tensor: "t"}
"""Class of a constant -> the letter by which PyTorch names its kind."""


def type_of(value):
    """Return the type of an example value."""
    if isinstance(value, Tensor):
        name = KINDS.get(str(value.dtype).partition(".")[2], "Tensor")
        sizes = [*map(str, value.shape)]
        strides = [f"strides=[{', '.join(map(str, value.stride()))}]"] if sizes else []
        return f"{name}({', '.join([*sizes, *strides, f'requires_grad={int(value.requires_grad)}', f'device={value.device}'])})"
    if isinstance(value, list):
        return f"{type_of(value[0]) if value and isinstance(value[0], list) else 'Tensor'}[]"
    if isinstance(value, tuple):
        return f"({', '.join(map(type_of, value))})"
    if isinstance(value, dict):
        return "Dict(str, Tensor)"
    return "NoneType" if value is None else type(value).__name__


class Type:
    """The type of a value; for a tensor, its known properties."""

    def __init__(self, text, example):
        self.text, self.example = text or "Tensor", example

    @property
    def is_tensor(self):
        """True for the type of a tensor of known shape."""
        return isinstance(self.example, Tensor)

    def kind(self):
        """Return the name of PyTorch's class of types."""
        if self.is_tensor or self.text == "Tensor":
            return "TensorType"
        if self.text.endswith("[]"):
            return "ListType"
        if self.text.startswith("__torch__"):
            return "ClassType"
        return TYPES.get(self.text, "TupleType" if self.text.startswith("(") else "DictType")

    def sizes(self):
        """Return the shape as a list; None for other types."""
        return list(self.example.shape) if self.is_tensor else None

    def strides(self):
        """Return the strides as a list; None for other types."""
        return list(self.example.stride()) if self.is_tensor else None

    def dim(self):
        """Return the number of dimensions; None for other types."""
        return self.example.dim() if self.is_tensor else None

    def dtype(self):
        """Return the dtype; None for other types."""
        return self.example.dtype if self.is_tensor else None

    def scalarType(self):
        """Return the name of the dtype as graphs show it; None for other types."""
        return KINDS.get(str(self.example.dtype)[6:]) if self.is_tensor else None

    def device(self):
        """Return the device; None for other types."""
        return self.example.device if self.is_tensor else None

    def requires_grad(self):
        """Return True for a tensor that requires gradients."""
        return self.is_tensor and self.example.requires_grad

    @property
    def annotation_str(self):
        """The type as an annotation of Python."""
        if self.is_tensor:
            return "Tensor"
        if isinstance(self.example, tuple):
            return f"Tuple[{', '.join(Type(None, each).annotation_str for each in self.example)}]"
        if isinstance(self.example, dict) and self.text == "Dict(str, Tensor)":
            return "Dict[str, Tensor]"
        return f"List[{Type(self.text[:-2], None).annotation_str}]" if self.text.endswith("[]") else self.text

    def __str__(self):
        return self.annotation_str

    __repr__ = str = __str__


class Value:
    """A value of a graph: an input, or what a node gives."""

    def __init__(self, name, text, example, node):
        self.name, self.text, self.example, self._node = name, text, example, node
        self.users = []

    @property
    def named(self):
        """True unless the name is a number."""
        return not self.name[1:].isdigit()

    @property
    def base(self):
        """The name without the number that distinguishes equal names."""
        name, _, number = self.debugName().rpartition(".")
        return name if name and number.isdigit() else self.debugName()

    def debugName(self):
        """Return the name, without its percent sign."""
        return self.name.removeprefix("%")

    def type(self):
        """Return the type."""
        return Type(self.text, self.example)

    def node(self):
        """Return the node that gives the value."""
        return self._node

    def isCompleteTensor(self):
        """Return True for a tensor of known shape."""
        return isinstance(self.example, Tensor)

    def toIValue(self):
        """Return the value of a constant; None for any other."""
        return self._node.constant if self._node.kind() == "prim::Constant" else None

    def requires_grad(self):
        """Return True for a tensor that requires gradients."""
        return self.type().requires_grad()

    requiresGrad = requires_grad

    def unique(self):
        """Return a number of the value, its own in the graph."""
        return self._node.owner.values.index(self)

    def uses(self):
        """Return the places where the value is taken, each with its ``user`` and ``offset``."""
        return list(self.users)

    def __repr__(self):
        return f"{self.name[1:]} defined in ({str(self._node).strip()})"


class Use:
    """A place where a value is taken: the argument ``offset`` of the node ``user``."""

    def __init__(self, user, offset):
        self.user, self.offset = user, offset


class Node:
    """A line of a graph: an operator with its arguments and results."""

    def __init__(self, owner, kind, inputs, scope="", suffix="", attribute=None):
        self.owner, self.name, self.scope, self.suffix = owner, kind, scope, suffix
        self.parameters = None  # those of the operator, in the order of ``inputs``
        self.attribute = attribute  # (name, value, the text of both)
        self.taken, self.given = inputs, []
        for offset, each in enumerate(inputs):
            each.users.append(Use(self, offset))

    def kind(self):
        """Return the name of the operator, such as ``aten::add``."""
        return self.name

    def scopeName(self):
        """Return the scope, such as ``block/conv``."""
        return self.scope

    def inputs(self):
        """Return the values that the node takes."""
        return iter(self.taken)

    def outputs(self):
        """Return the values that the node gives."""
        return iter(self.given)

    def input(self):
        """Return the only value that the node takes."""
        (only,) = self.taken
        return only

    def output(self):
        """Return the only value that the node gives."""
        (only,) = self.given
        return only

    def inputsAt(self, place):
        """Return one of the values that the node takes."""
        return self.taken[place]

    def outputsAt(self, place):
        """Return one of the values that the node gives."""
        return self.given[place]

    def inputsSize(self):
        """Return how many values the node takes."""
        return len(self.taken)

    def outputsSize(self):
        """Return how many values the node gives."""
        return len(self.given)

    def hasMultipleOutputs(self):
        """Return True if the node gives several values."""
        return len(self.given) > 1

    @property
    def constant(self):
        """The value of a constant."""
        return self.attribute[1] if self.attribute else None

    def attributeNames(self):
        """Return the names of attributes: ``value`` of a constant, ``name`` of a member."""
        return [self.attribute[0]] if self.attribute else []

    def hasAttribute(self, name):
        """Return True if there is such an attribute."""
        return name in self.attributeNames()

    def kindOf(self, name):
        """Return the letter of an attribute's kind: i, f, s or t."""
        return LETTERS.get(type(self._find(name)), "ival")

    def _find(self, name):
        if not self.hasAttribute(name):
            raise RuntimeError(f"required keyword attribute '{name}' is undefined")
        return self.attribute[1]

    def i(self, name):
        """Return an attribute that is an integer."""
        return int(self._find(name))

    f = s = t = ival = _find

    def sourceRange(self):
        """Return the place in the program, as text."""
        return self.suffix.partition(" # ")[2]

    def __str__(self):
        given = ", ".join(f"{each.name} : {each.text}" if each.text else each.name for each in self.given)
        taken = ", ".join(each.name for each in self.taken)
        if self.name == "prim::Return":
            return f"return ({taken})\n"
        return f"{given} = {self.name}{self.attribute[2] if self.attribute else ''}({taken}){self.suffix}\n"

    __repr__ = __str__
