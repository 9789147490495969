"""Lists of tensors, and values that may be absent."""

import tensh as torch
from tensh.onnx.operators.table import ints, operator


@operator
def SequenceEmpty(dtype=1):
    return []


@operator
def SequenceConstruct(*inputs):
    return list(inputs)


@operator
def SequenceAt(sequence, position):
    return sequence[int(position)]


@operator
def SequenceLength(sequence):
    return torch.tensor(len(sequence))


@operator
def SequenceInsert(sequence, tensor, position=None):
    place = len(sequence) if position is None else int(position)
    place += len(sequence) if place < 0 else 0
    return [*sequence[:place], tensor, *sequence[place:]]


@operator
def SequenceErase(sequence, position=None):
    place = (-1 if position is None else int(position)) % len(sequence)
    return [*sequence[:place], *sequence[place + 1 :]]


@operator
def ConcatFromSequence(sequence, axis, new_axis=0):
    return (torch.stack if new_axis else torch.cat)(list(sequence), axis)


@operator
def SplitToSequence(a, sizes=None, axis=0, keepdims=1):
    if sizes is None:
        parts = list(a.split(1, axis))
        return parts if keepdims else [each.squeeze(axis) for each in parts]
    return list(a.split(ints(sizes) if sizes.dim() else int(sizes), axis))


@operator
def Optional(a=None, type=None):
    return a


@operator
def OptionalHasElement(a=None):
    return torch.tensor(a is not None)


@operator
def OptionalGetElement(a):
    return a
