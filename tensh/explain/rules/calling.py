"""Arguments of the wrong number or kind, and devices that are not available."""

import ast
import re

from tensh.explain.model import Explanation, Fit
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.search.edits import JOINING
from tensh.explain.source.pieces import piece
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.rewriting import call_in, replace_positional, set_keyword
from tensh.explain.source.statements import find_assignment
from tensh.explain.trials.fixes import append_to_expression, fits
from tensh.support.language import _

CHOICE = 'device = "cuda" if torch.cuda.is_available() else "cpu"'


def explain_no_such_device(call, text):
    """Explain that the CPU is the only device."""
    tensors = tuple(operand(t) for t in call.tensors[:1])
    asked = find_unasked(call)
    if asked is not None:
        return asked
    tree = call_in(call.segment)
    named = find_device(call, tree)
    candidates, moved = [], ""
    if tree is not None and isinstance(tree.func, ast.Attribute) and tree.func.attr == "cuda":
        moved = ast.unparse(tree.func.value)
        candidates = [f'{moved}.to("cpu")']
    elif tree is not None and named is None:
        candidates = [
            set_keyword(call.segment, "device", '"cpu"')
            if any(each.arg == "device" for each in tree.keywords)
            else None,
            replace_positional(call.segment, '"cpu"') if call.name == "to" and len(tree.args) == 1 else None,
        ]
    found = (named,) if named else fits(call, candidates, most=1)
    if not found and is_moved(tree):  # a module, which is moved whatever it is
        found = (Fit(f'{ast.unparse(tree.func.value)}.to("cpu")'),)
    return Explanation(
        call.name,
        tensors,
        _("tensh computes on the CPU only"),
        found,
        _("{code}, and {moved}.to(device)").format(code=CHOICE, moved=moved),
    )


def find_device(call, tree):
    """Return the Fit of `device = torch.device("cuda")`, the only such line, where its name is passed; None for others."""
    values = [*tree.args, *(each.value for each in tree.keywords)] if tree is not None else []
    names = [each.id for each in values if isinstance(each, ast.Name) and is_device(call.names.get(each.id))]
    statement = find_assignment(call.place, names[0]) if len(names) == 1 else None
    match statement:
        case ast.Assign(value=ast.Constant(value=str()) as text):
            return replace_node(call.place, text, '"cpu"')
        case ast.Assign(value=ast.Call(args=[ast.Constant(value=str()), *_rest]) as made):
            return replace_node(call.place, made, f'{ast.unparse(made.func)}("cpu")')
    return None


def is_device(value):
    return type(value).__name__ == "device" or isinstance(value, str)


def is_moved(tree):
    """Return True for `net.cuda()` and `net.to("cuda")`."""
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Attribute):
        return False
    match tree.args:
        case [ast.Constant(value=str())]:
            return tree.func.attr == "to"
    return tree.func.attr == "cuda"


def find_unasked(call):
    """Explain `torch.cuda.is_available` without parentheses, which is always true; None if it is called."""
    tree = call.place.tree()
    nodes = [*ast.walk(tree)] if tree else []
    called = [node.func for node in nodes if isinstance(node, ast.Call)]
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr == "is_available" and node not in called:
            text = ast.unparse(node)
            fit = replace_node(call.place, node, f"{text}()")
            rule = _("{text} is a function that was not called, and functions are always true").format(text=text)
            return Explanation(call.name, (), rule, (fit,)) if fit else None
    return None


def explain_list_of_tensors(call, text):
    """Tensors to be joined are passed in a list."""
    tree = call_in(call.segment)
    if tree is None or call.name not in JOINING or any(isinstance(each, ast.Starred) for each in tree.args):
        return None
    texts = [piece(call.segment, each)[0] for each in tree.args]
    together = replace_positional(call.segment, f"[{', '.join(texts)}]") if not tree.keywords else None
    return Explanation(
        call.name, tuple(operand(t) for t in call.tensors), _("{name} expects the tensors in one list, followed by the dim").format(name=call.name),
        fits(call, [together]), None if together else f"torch.{call.name}([a, b], dim=0)",
    )  # fmt: skip


def explain_start_of_backward(call, text):
    """A backward pass starts from a gradient with the shape of its root."""
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    name = t.text or "y"
    return Explanation(
        "backward", (operand(t),), _("the gradient that backward starts from must have the shape of {tensor}, {shape}").format(tensor=name_or_phrase(t), shape=list(t.value.shape)), (),
        f"{append_to_expression(name, '')}.backward(torch.ones_like({name}))",
    )  # fmt: skip


def explain_unused(call, text):
    """Explain an input of `grad` that was not used."""
    found = re.search(r"at index (\d+)", text)
    inputs = call.argument("inputs")
    given = inputs.value if inputs is not None else None
    given = given if isinstance(given, list | tuple) else [given]
    number = int(found[1]) if found else 0
    if number >= len(given) or not hasattr(given[number], "shape"):
        return None
    names = [name for name, value in call.names.items() if value is given[number] and not name.startswith("_")]
    which = names[0] if names else _("input {number}").format(number=number)
    return Explanation(
        "grad", (), _("the result was not computed from {which}: no path in the graph connects them").format(which=which), (),
        _("look at what it was computed from (%graph), or pass allow_unused=True to get None"),
    )  # fmt: skip


def explain_mask_shape(call, text):
    """A mask has the shape of the dimensions that it indexes."""
    told = re.search(r"mask \[([\d, ]*)\] at index (\d+) does not match .* at index (\d+)", text)
    t, index = call.arguments[0], call.arguments[1] if len(call.arguments) > 1 else None
    if not told or not hasattr(t.value, "shape"):
        return None
    mask = [int(size) for size in told[1].split(",") if size.strip()]
    shape = list(t.value.shape)
    # the dim at which the mask begins, and the one that differs
    begin, wrong = int(told[3]) - int(told[2]), int(told[3])
    places = [dim for dim in range(1, len(shape)) if not begin and shape[dim : dim + len(mask)] == mask]
    found = ()
    if (
        places
        and index is not None
        and index.text
        and call.symbol == "[]"
        and getattr(index.value, "shape", None) is not None
    ):
        code = call.rewrite({index: ":, " * places[0] + index.text})
        kept = [*shape[: places[0]], "n", *shape[places[0] + len(mask) :]]  # the number depends on the values
        found = (Fit(code, f"{shape}, {mask} -> [{', '.join(map(str, kept))}]"),) if code else ()
    return Explanation(
        "[]", (operand(t, {wrong}),), _("a mask must have the shape of the dimensions it indexes, here {shape}, but this one is {mask}").format(shape=shape[begin : begin + len(mask)], mask=mask),
        found,
    )  # fmt: skip


def explain_repeats(call, text):
    """One count for each dimension."""
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    count = t.value.dim()
    tree = call_in(call.segment)
    texts = [piece(call.segment, each)[0] for each in tree.args] if tree is not None else []
    ones = ["1"] * (count - len(texts))
    candidates = (
        [replace_positional(call.segment, *ones, *texts), replace_positional(call.segment, *texts, *ones)]
        if texts and ones
        else []
    )
    return Explanation(
        call.name,
        (operand(t),),
        _("repeat expects a count for each dimension, and {tensor} has {count}").format(
            tensor=name_or_phrase(t), count=count
        ),
        fits(call, candidates),
    )


def explain_permutation(call, text):
    """Every dimension exactly once."""
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    count = t.value.dim()
    names = ", ".join(map(str, range(count)))
    return Explanation(
        call.name,
        (operand(t),),
        _("permute expects every dimension once, and {tensor} has {count}: {names} in some order").format(
            tensor=name_or_phrase(t), count=count, names=names
        ),
    )
