"""The arguments and results of submodules whose signature an exported program keeps."""

from typing import NamedTuple

from tensh.func.trees import flatten
from tensh.fx.node import Node
from tensh.tracing.sizes.numbers import TracedFloat, TracedInt

__all__ = ["CallSignature", "note_call"]


class CallSignature(NamedTuple):
    """Arguments and results of a call, nodes or other values, and their structures."""

    inputs: list
    outputs: list
    in_spec: object
    out_spec: object

    def replace_nodes(self, find):
        """Return the signature with ``find(node)`` for each node."""
        inputs, outputs = (
            [find(each) if isinstance(each, Node) else each for each in part] for part in (self.inputs, self.outputs)
        )
        return CallSignature(inputs, outputs, self.in_spec, self.out_spec)


def note_call(recorder, key, call, module, args, kwargs):
    """Call a module, note its signature under a key, and return its result."""
    given, in_spec = flatten((args, kwargs))
    if any(isinstance(each, (TracedInt, TracedFloat)) for each in given):
        raise AssertionError(
            "Only Tensors or scalars are supported as pytree flattened inputs, got: a number of the program, for "
            f"{key}, whose signature is preserved"
        )
    inputs = [recorder.to_argument(each) for each in given]
    result = call(module, *args, **kwargs)
    made, out_spec = flatten(result)
    recorder.signatures[key] = CallSignature(inputs, [recorder.to_argument(each) for each in made], in_spec, out_spec)
    return result
