"""The gradients of a function's operands in textbook notation."""

import ast

from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.operators.layers.composites.registry import LAYERS
from tensh.graph.calls import bind_call, call_of_layer
from tensh.graph.textbook.facts import WORDS
from tensh.graph.textbook.printing import names_in, print_condition, print_formula
from tensh.graph.textbook.table import entries
from tensh.support.language import _

SPACES = ("torch", "torch.Tensor", "torch.linalg", "torch.nn.functional", "torch.special", "torch.fft")


def formulas(name, parameters):
    """Return the formulas of a Name, each entry as {"if": condition, operand: formula, "with": {letter: expression}}."""
    if name.space == "torch.nn" and isinstance(name.entry, type):
        return _find_layer_formulas(name.entry)
    if name.space not in SPACES:
        return []
    path = name.path.removeprefix("torch.")
    return [found for entry in entries(path) if (found := _print_formulas(entry, parameters))]


def _find_layer_formulas(kind):
    """Return the formulas of the function that a layer class computes, in terms of its attributes."""
    text = call_of_layer(kind)
    tree = ast.parse(text, mode="eval").body if text else None
    if not isinstance(tree, ast.Call) or not isinstance(tree.func, ast.Name):
        return []
    bound = bind_call(tree, LAYERS if tree.func.id in LAYERS else PUBLIC, tree.func.id)
    if bound is None:
        return []
    parameters, arguments = bound
    texts = {parameter: ast.unparse(argument) for parameter, argument in arguments.items()}
    return [found for entry in entries(tree.func.id) if (found := _print_formulas(entry, parameters, texts))]


def _print_formulas(entry, parameters, texts=None):
    texts = texts or {}
    words = {letter: texts.get(p, p) for letter, p in entry.bind(parameters).items() if texts.get(p, p) != letter}
    words |= {
        letter: default for letter, default in entry.letters.items() if default and letter not in entry.bind(parameters)
    }
    operands = {letter: texts.get(p, p) for letter, p in entry.bind(parameters).items() if not texts or p in texts}
    shown = {
        operands[letter]: print_formula(formula.text, words)
        for letter, formula in entry.formulas.items()
        if letter in operands
    }
    used = find_names(entry, [letter for letter in entry.formulas if letter in operands])
    parts = {
        target: print_formula(text, words) for target, text in entry.parts.items() if set(target.split(", ")) & used
    }
    condition = "" if entry.when == "True" else print_condition(entry.when, words)
    return shown and {
        "outputs": entry.outputs, "if": condition, "gradients": shown, "with": parts, "words": sorted(used & WORDS.keys()),
        "is_broadcast": len(shown) > 1 and may_broadcast(entry),
    }  # fmt: skip


def may_broadcast(entry):
    """Return True if an operand of a function may be broadcast: pointwise, or where it is added, as a bias, or scales."""
    if entry.family in ("products", "layers"):
        own = {"g", *entry.parts, *(letter for letter, default in entry.letters.items() if default)}
        return any(is_pointwise(formula.text, own) for formula in entry.formulas.values())
    return entry.family == "elementwise"


def is_pointwise(formula, names):
    """Return True if a formula only adds and multiplies what some names stand for."""
    nodes = [*ast.walk(ast.parse(formula, mode="eval"))]
    if any(isinstance(each, ast.Call | ast.MatMult | ast.Subscript) for each in nodes):
        return False
    used = {each.id for each in nodes if isinstance(each, ast.Name)}
    return bool(used) and used <= names


def find_names(entry, letters):
    """Return the names used in the formulas of some operands, and in the parts that these need."""
    used = set().union(*(names_in(entry.formulas[letter].text) for letter in letters))
    for target, text in reversed(entry.parts.items()):
        if set(target.split(", ")) & used:
            used |= names_in(text)
    return used


def section(found):
    """Yield the section of a help page as (kind, text) pairs."""
    if not found:
        return
    yield "title", _("gradient")
    yield (
        "condition",
        "  "
        + (
            _("g_NAME is the gradient of the result NAME")
            if found[0]["outputs"]
            else _("g is the gradient of the result y")
        )
        + "\n",
    )
    for each in found:
        if each["if"]:
            yield "condition", "  " + _("if {condition}").format(condition=each["if"]) + "\n"
        for operand, formula in each["gradients"].items():
            yield "name", f"  {operand}"
            yield "formula", f": {formula}\n"
        for target, text in each["with"].items():
            yield "condition", "    " + _("with {part}").format(part=f"{target} = {text}") + "\n"
    if any(each["is_broadcast"] for each in found):
        yield "condition", "  " + _("summed to the shape of an operand that was broadcast") + "\n"
    for word in dict.fromkeys(word for each in found for word in each["words"]):
        yield "condition", f"  {_(WORDS[word])}\n"
