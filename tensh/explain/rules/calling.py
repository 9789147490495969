"""Arguments of another number or kind than an operation takes, and devices that are not there."""

import ast
import re

from tensh.explain.model import Explanation, Fit
from tensh.explain.rewriting import call_in, piece, with_arguments, with_keyword
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.trying import behind, fits

CHOICE = 'device = "cuda" if torch.cuda.is_available() else "cpu", and .to(device)'


def no_such_device(call, text):
    """There is the CPU, and nothing else."""
    tensors = tuple(operand(t) for t in call.tensors[:1])
    tree = call_in(call.segment)
    candidates = []
    if tree is not None and isinstance(tree.func, ast.Attribute) and tree.func.attr == "cuda":
        candidates = [piece(call.segment, tree.func.value)[0]]
    elif tree is not None:
        candidates = [
            with_keyword(call.segment, "device", '"cpu"')
            if any(each.arg == "device" for each in tree.keywords)
            else None,
            with_arguments(call.segment, '"cpu"') if call.name == "to" and len(tree.args) == 1 else None,
        ]
    return Explanation(call.name, tensors, "tensh computes on the CPU alone", fits(call, candidates, most=1), CHOICE)


def a_list_of_tensors(call, text):
    """Tensors that are to become one are given in a list."""
    tree = call_in(call.segment)
    if tree is None or any(isinstance(each, ast.Starred) for each in tree.args):
        return None
    texts = [piece(call.segment, each)[0] for each in tree.args]
    together = with_arguments(call.segment, f"[{', '.join(texts)}]") if not tree.keywords else None
    return Explanation(
        call.name, tuple(operand(t) for t in call.tensors), f"{call.name} takes the tensors as one list, and the dim after it",
        fits(call, [together]), None if together else f"torch.{call.name}([a, b], dim=0)",
    )  # fmt: skip


def start_of_backward(call, text):
    """A backward pass starts from a gradient of the shape of its root."""
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    name = t.text or "y"
    return Explanation(
        "backward", (operand(t),), f"the gradient that backward starts from has the shape of {name_or_phrase(t)}, {list(t.value.shape)}", (),
        f"{behind(name, '')}.backward(torch.ones_like({name}))",
    )  # fmt: skip


def not_used(call, text):
    """What is differentiated by must have been used."""
    found = re.search(r"at index (\d+)", text)
    inputs = call.argument("inputs")
    given = inputs.value if inputs is not None else None
    given = given if isinstance(given, list | tuple) else [given]
    number = int(found[1]) if found else 0
    if number >= len(given) or not hasattr(given[number], "shape"):
        return None
    names = [name for name, value in call.names.items() if value is given[number] and not name.startswith("_")]
    which = names[0] if names else f"input {number}"
    return Explanation(
        "grad", (), f"the result was not computed from {which}: nothing leads from the one to the other", (),
        "look at what it was computed from (%graph), or allow_unused=True, which gives None",
    )  # fmt: skip


def mask_shape(call, text):
    """A mask has the shape of the dimensions that it stands for."""
    told = re.search(r"mask \[([\d, ]*)\] at index (\d+) does not match .* at index (\d+)", text)
    t, index = call.arguments[0], call.arguments[1] if len(call.arguments) > 1 else None
    if not told or not hasattr(t.value, "shape"):
        return None
    mask = [int(size) for size in told[1].split(",") if size.strip()]
    shape = list(t.value.shape)
    begin, wrong = (
        int(told[3]) - int(told[2]),
        int(told[3]),
    )  # the dim that the mask begins at, and the one that differs
    places = [dim for dim in range(1, len(shape)) if not begin and shape[dim : dim + len(mask)] == mask]
    found = ()
    if (
        places
        and index is not None
        and index.text
        and call.symbol == "[]"
        and getattr(index.value, "shape", None) is not None
    ):
        code = call.rewritten({index: ":, " * places[0] + index.text})
        kept = [*shape[: places[0]], "n", *shape[places[0] + len(mask) :]]  # how many is known to the values alone
        found = (Fit(code, f"{shape}, {mask} -> [{', '.join(map(str, kept))}]"),) if code else ()
    return Explanation(
        "[]", (operand(t, {wrong}),), f"a mask has the shape of the dimensions it stands for, here {shape[begin : begin + len(mask)]}, and this one is {mask}",
        found,
    )  # fmt: skip


def repeats(call, text):
    """A count for each dimension."""
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    count = t.value.dim()
    tree = call_in(call.segment)
    texts = [piece(call.segment, each)[0] for each in tree.args] if tree is not None else []
    ones = ["1"] * (count - len(texts))
    candidates = (
        [with_arguments(call.segment, *ones, *texts), with_arguments(call.segment, *texts, *ones)]
        if texts and ones
        else []
    )
    return Explanation(
        call.name,
        (operand(t),),
        f"repeat takes a count for each dimension, and {name_or_phrase(t)} has {count}",
        fits(call, candidates),
    )


def orders(call, text):
    """Every dimension once."""
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    count = t.value.dim()
    names = ", ".join(map(str, range(count)))
    return Explanation(
        call.name,
        (operand(t),),
        f"permute names every dimension once, and {name_or_phrase(t)} has {count}: {names} in some order",
    )
