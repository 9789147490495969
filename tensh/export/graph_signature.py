"""The signature of an exported program: the kinds of its inputs and outputs."""

import enum
from typing import NamedTuple

__all__ = [
    "ConstantArgument", "ExportGraphSignature", "InputKind", "InputSpec", "OutputKind", "OutputSpec", "TensorArgument",
]  # fmt: skip


class InputKind(enum.Enum):
    """The kinds of inputs; programs of tensh have no other objects than tensors."""

    USER_INPUT = enum.auto()
    PARAMETER = enum.auto()
    BUFFER = enum.auto()
    CONSTANT_TENSOR = enum.auto()
    CUSTOM_OBJ = enum.auto()
    TOKEN = enum.auto()


class OutputKind(enum.Enum):
    """The kinds of outputs; programs of tensh have results, and new values of buffers and arguments."""

    USER_OUTPUT = enum.auto()
    LOSS_OUTPUT = enum.auto()
    BUFFER_MUTATION = enum.auto()
    PARAMETER_MUTATION = enum.auto()
    GRADIENT_TO_PARAMETER = enum.auto()
    GRADIENT_TO_USER_INPUT = enum.auto()
    USER_INPUT_MUTATION = enum.auto()
    TOKEN = enum.auto()


class TensorArgument(NamedTuple):
    """A tensor, identified by the name of its node."""

    name: str


class ConstantArgument(NamedTuple):
    """A value that is not a tensor."""

    name: str
    value: object


def value_of(argument):
    """Return the name of a tensor argument, or the value of another one."""
    return argument.name if isinstance(argument, TensorArgument) else argument.value


class InputSpec(NamedTuple):
    """An input: its kind, its name, and the path if it is a member."""

    kind: InputKind
    arg: object
    target: str | None
    persistent: bool | None = None

    def __str__(self):
        target = f" target='{self.target}'" if self.target is not None else ""
        persistent = f" persistent={self.persistent}" if self.persistent is not None else ""
        return f"{self.arg.name}: {self.kind.name}{target}{persistent}"


class OutputSpec(NamedTuple):
    """An output: its kind and its name."""

    kind: OutputKind
    arg: object
    target: str | None = None

    def __str__(self):
        target = f" target='{self.target}'" if self.target is not None else ""
        return f"{self.arg.name}: {self.kind.name}{target}"


class ExportGraphSignature:
    """The kinds of a program's inputs and outputs, in order."""

    backward_signature = assertion_dep_token = None  # exported programs compute no gradients and order no effects
    input_tokens = output_tokens = lifted_custom_objs = ()

    def __init__(self, input_specs, output_specs):
        self.input_specs, self.output_specs = list(input_specs), list(output_specs)

    def _list_names(self, kind, field="target"):
        return tuple(
            spec.target if field == "target" else value_of(spec.arg) for spec in self.input_specs if spec.kind is kind
        )

    def __eq__(self, other):
        if type(other) is not ExportGraphSignature:
            return NotImplemented
        return (self.input_specs, self.output_specs) == (other.input_specs, other.output_specs)

    __hash__ = None

    @property
    def parameters(self):
        """The paths of the parameters."""
        return self._list_names(InputKind.PARAMETER)

    @property
    def buffers(self):
        """The paths of the buffers."""
        return self._list_names(InputKind.BUFFER)

    @property
    def non_persistent_buffers(self):
        """The paths of the buffers that are not in the state dict."""
        return tuple(
            spec.target for spec in self.input_specs if spec.kind is InputKind.BUFFER and spec.persistent is False
        )

    @property
    def lifted_tensor_constants(self):
        """The paths of other tensors in the program."""
        return self._list_names(InputKind.CONSTANT_TENSOR)

    @property
    def user_inputs(self):
        """The names of the inputs that a caller passes; values that are not tensors represent themselves."""
        return self._list_names(InputKind.USER_INPUT, "name")

    @property
    def user_outputs(self):
        """The names of the outputs; values that are not tensors represent themselves."""
        return tuple(value_of(spec.arg) for spec in self.output_specs if spec.kind is OutputKind.USER_OUTPUT)

    @property
    def inputs_to_parameters(self):
        """Input name -> path of the parameter."""
        return {spec.arg.name: spec.target for spec in self.input_specs if spec.kind is InputKind.PARAMETER}

    @property
    def inputs_to_buffers(self):
        """Input name -> path of the buffer."""
        return {spec.arg.name: spec.target for spec in self.input_specs if spec.kind is InputKind.BUFFER}

    @property
    def buffers_to_mutate(self):
        """Output name -> path of the buffer whose new value it is; empty while writes are part of the graph."""
        return self._list_mutations(OutputKind.BUFFER_MUTATION)

    @property
    def user_inputs_to_mutate(self):
        """Output name -> name of the input whose new value it is."""
        return self._list_mutations(OutputKind.USER_INPUT_MUTATION)

    def _list_mutations(self, kind):
        return {spec.arg.name: spec.target for spec in self.output_specs if spec.kind is kind}

    def __str__(self):
        inputs, outputs = ("\n".join(map(str, specs)) for specs in (self.input_specs, self.output_specs))
        return f"\n# inputs\n{inputs}\n\n# outputs\n{outputs}\n"

    def __repr__(self):
        return f"ExportGraphSignature(input_specs={self.input_specs}, output_specs={self.output_specs})"
