"""Layers that were given what they were not made for, and losses with the wrong kind of target."""

import itertools
import re

from tensh.explain.model import Explanation
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.trying import behind, each, fits


def channels(call, text):
    """A convolution has as many channels as its weight."""
    found = re.search(r"input\[.*\] to have (\d+) channels, but got (\d+) channels", text)
    a = input_of(call)
    if not found or a is None:
        return None
    wanted, got = map(int, found.groups())
    shape = list(a.value.shape)
    spatial = len(call.module.kernel_size) if hasattr(call.module, "kernel_size") else max(len(shape) - 2, 1)
    dim = max(len(shape) - spatial - 1, 0)
    moved = [*range(dim), len(shape) - 1, *range(dim, len(shape) - 1)]  # images with their channels last
    order = behind(a.text, f".permute({', '.join(map(str, moved))})") if a.text else None
    candidates = [call.rewritten({a: order})] if order and shape[-1:] == [wanted] else []
    if wanted == 1 and a.text and len(shape) == spatial + 1:  # images of one channel that lack its dimension
        candidates.append(call.rewritten({a: behind(a.text, ".unsqueeze(1)")}))
    found = fits(call, candidates)
    return Explanation(
        call.symbol, (operand(a, {dim}),), f"{call.symbol} takes {wanted} channels in dim {dim}, and got {got}", found,
        None if found else f"make the layer for {got} channels, or give it {wanted}",
    )  # fmt: skip


def features(call, text):
    """Statistics are kept of as many features as a layer was made for."""
    found = re.search(r"should contain (\d+) elements not (\d+)", text)
    a = input_of(call)
    if not found or a is None:
        return None
    got, wanted = map(int, found.groups())
    return Explanation(
        call.symbol, (operand(a, {1}),), f"{call.symbol} takes {wanted} features in dim 1, and got {got}", (),
        f"make the layer with num_features={got}, or give it {wanted} features",
    )  # fmt: skip


def recurrent_features(call, text):
    """A recurrent layer takes features of one size in the last dimension."""
    found = re.search(r"Expected (\d+), got (\d+)", text)
    a = input_of(call)
    if not found or a is None:
        return None
    return Explanation(
        call.symbol, (operand(a, {a.value.dim() - 1}),),
        f"{call.symbol} takes {found[1]} features in the last dimension, and got {found[2]}", (),
        f"make the layer with input_size={found[2]}, or give it {found[1]} features",
    )  # fmt: skip


def whole_indices(call, text):
    """What is looked up is told by whole numbers."""
    named = call.argument("index", "indices", "input")
    tensors = [named] if named in call.tensors else []
    wrong = next((t for t in [*tensors, *call.tensors] if t.value.is_floating_point()), None)
    if wrong is None:
        return None
    kind = str(wrong.value.dtype).removeprefix("torch.")
    return Explanation(
        call.symbol, (operand(wrong),), f"indices are whole numbers, and {name_or_phrase(wrong)} holds {kind}",
        fits(call, each(call, wrong, ".long()")),
    )  # fmt: skip


def rows(call, text):
    """Indices into a table of embeddings count its rows from 0."""
    named = call.argument("weight")
    count = getattr(call.module, "num_embeddings", None) or (named is not None and len(named.value))
    indices = next((t for t in call.tensors if not t.value.is_floating_point()), None)
    if not count or indices is None or not indices.value.numel():
        return None
    low, high = int(indices.value.min()), int(indices.value.max())
    if low >= 0 and high < count:
        return None
    outside = f"{low}" if low < 0 else f"{high}"
    return Explanation(
        call.symbol, (operand(indices),), f"a table of {count} rows has the indices 0 to {count - 1}, and {name_or_phrase(indices)} holds {outside}", (),
        f"make the table with {high + 1} rows, or give it indices below {count}" if low >= 0 else "indices from 0 on",
    )  # fmt: skip


def classes(call, text):
    """Targets of cross entropy are the numbers of classes, or probabilities in the shape of the input."""
    if len(call.tensors) < 2:
        return None
    a, target = call.tensors[:2]
    kind = str(target.value.dtype).removeprefix("torch.")
    return Explanation(
        call.symbol, (operand(a), operand(target)),
        f"a target of classes holds whole numbers, and {name_or_phrase(target, 'the target')} holds {kind}",
        fits(call, each(call, target, ".long()", ".argmax(1)")),
    )  # fmt: skip


def class_range(call, text):
    """Classes are counted from 0."""
    found = re.search(r"Target (-?\d+) is out of bounds", text)
    if not found or len(call.tensors) < 2:
        return None
    a, target = call.tensors[:2]
    dim = min(1, a.value.dim() - 1)
    count = a.value.shape[dim]
    from_one = int(target.value.min()) == 1 and int(target.value.max()) == count
    less = f"{behind(target.text, '')} - 1" if target.text else "one less"
    return Explanation(
        call.symbol, (operand(a, {dim}), operand(target)),
        f"{count} columns are the classes 0 to {count - 1}, and {name_or_phrase(target, 'the target')} holds {found[1]}", (),
        f"classes count from 0: {less}" if from_one else f"count classes from 0, or give {name_or_phrase(a, 'the input')} {int(found[1]) + 1} columns",
    )  # fmt: skip


def subscripts(call, text):
    """In einsum, a letter stands for one size."""
    found = re.search(
        r"subscript (\w) has size (\d+) for operand (\d+) which does not broadcast with previously seen size (\d+)",
        text,
    )
    equation = call.argument("equation") or next((a for a in call.arguments if isinstance(a.value, str)), None)
    if not found or equation is None or equation.text is None:
        return None
    letter, size, number, before = found[1], found[2], int(found[3]), found[4]
    inputs = equation.value.split("->")[0].split(",")
    tensors = call.tensors
    marked = [{p for p, each in enumerate(letters.strip()) if each == letter} for letters in inputs]
    operands = tuple(operand(t, m) for t, m in zip(tensors, marked, strict=False))
    candidates = []
    for place in {number, *range(len(inputs))} if number < len(inputs) else ():
        for order in itertools.islice(itertools.permutations(inputs[place]), 1, 6):
            other = (
                ",".join([*inputs[:place], "".join(order), *inputs[place + 1 :]])
                + equation.value[len(",".join(inputs)) :]
            )
            candidates.append(call.rewritten({equation: f'"{other}"'}))
    return Explanation(
        call.symbol, operands, f"{letter} stands for one size, and is {before} in one operand and {size} in another", fits(call, candidates, most=1)
    )  # fmt: skip


def input_of(call):
    """The first tensor that a layer or a function was given."""
    return call.tensors[0] if call.tensors else None
