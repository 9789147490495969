"""Equations of einsum: letters that stand for several sizes, that no operand has, or that are too few; other signs."""

import ast
import itertools
import re

from tensh.explain.model import Explanation, Fit
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.source.pieces import piece
from tensh.explain.source.rewriting import call_in, replace_positional
from tensh.explain.trials.fixes import fits
from tensh.support.language import _


def explain_count_of_subscripts(call, text):
    """Explain an equation of einsum with another number of letters than an operand has dimensions."""
    found = re.search(r"equation \((\d+)\) does not match the number of dimensions \((\d+)\) for operand (\d+)", text)
    equation = next((a for a in call.arguments if isinstance(a.value, str)), None)
    if found is None or equation is None:
        return None
    letters = equation.value.partition("->")[0].split(",")
    count, dims, place = map(int, found.groups())
    if place >= min(len(letters), len(call.tensors)):
        return None
    t = call.tensors[place]
    rule = _("{letters} names {count} dimensions, but {tensor} has {dims}").format(
        letters=letters[place].strip(), count=count, tensor=name_or_phrase(t), dims=dims
    )
    return Explanation(call.symbol, (operand(t),), rule, (), _("a letter for each dimension, or ... for the others"))


def explain_sizes_of_subscript(call, text):
    """A letter in einsum stands for one size."""
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
            candidates.append(call.rewrite({equation: f'"{other}"'}))
    return Explanation(
        call.symbol, operands, _("{letter} stands for one size, but is {before} in one operand and {size} in another").format(letter=letter, before=before, size=size), fits(call, candidates)
    )  # fmt: skip


def explain_unknown_subscript(call, text):
    """Each letter of an einsum's result occurs in its operands."""
    found = re.search(r"output subscript (\w) does not", text)
    equation = next((a for a in call.arguments if isinstance(a.value, str) and a.span), None)
    if not found or equation is None:
        return None
    given, _arrow, wanted = equation.value.partition("->")
    others = [letter for letter in dict.fromkeys(given) if letter.isalpha() and letter not in wanted]
    others = [letter for letter in others if given.count(letter) == 1] or others  # sum over the others
    rule = _("{letter} occurs only in the result: the letters of the operands are {letters}").format(
        letter=found[1], letters=", ".join(dict.fromkeys(each for each in given if each.isalpha()))
    )
    codes = [call.rewrite({equation: f'"{given}->{wanted.replace(found[1], letter)}"'}) for letter in others]
    return Explanation(call.symbol, tuple(map(operand, call.tensors)), rule, fits(call, codes))


def explain_place_of_equation(call, text):
    """Explain an equation after the tensors, as `einsum(a, b, "ij,jk->ik")`."""
    tree = call_in(call.segment)
    given = tree.args if tree is not None and ast.unparse(tree.func).endswith("einsum") else ()
    equations = [each for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    if len(equations) != 1 or given[0] is equations[0]:
        return None
    rest = [piece(call.segment, each)[0] for each in given if each is not equations[0]]
    code = replace_positional(call.segment, piece(call.segment, equations[0])[0], *rest)
    rule = _("the equation is the first argument of einsum, before the tensors")
    return Explanation("einsum", (), rule, fits(call, [code]) or (Fit(code),))


def explain_count_of_operands(call, text):
    """Explain an equation with another number of operands than there are tensors."""
    equation = find_equation(call)
    if equation is None:
        return None
    named, count = equation.value.partition("->")[0].count(",") + 1, len(call.tensors)
    rule = _("the equation has {named} operands, separated by commas, but the number of tensors is {count}")
    advice = _("pass a tensor for each operand of the equation")
    return Explanation("einsum", tuple(map(operand, call.tensors)), rule.format(named=named, count=count), (), advice)


def explain_signs_of_equation(call, text):
    """Explain an equation with signs that it does not have: another arrow, digits for dimensions, two dots."""
    equation = find_equation(call)
    if equation is None:
        return None
    written = re.sub(r"\s*(?:=+>|-+>+|→)\s*", "->", equation.value)
    written = re.sub(r"(?<!\.)\.{2}(?!\.)", "...", written)
    free = (letter for letter in "ijklmnopqr" if letter not in written)
    letters = {digit: next(free) for digit in dict.fromkeys(re.findall(r"\d", written))}
    written = re.sub(r"\d", lambda found: letters[found[0]], written)
    rule = _("an equation consists of a letter for each dimension, of commas, of ... and of one ->")
    return Explanation(
        "einsum", tuple(map(operand, call.tensors)), rule, fits(call, [call.rewrite({equation: f'"{written}"'})])
    )


def find_equation(call):
    """Return the equation of a call as it was written; None if it was computed."""
    return next((each for each in call.arguments if isinstance(each.value, str) and each.span), None)
