"""Loops and counts: a range of a non-number, a loop without `enumerate` or `zip`, an iterator used as a list."""

import ast
import collections.abc
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import explain_replacement, first_explanation
from tensh.explain.source.statements import blocks_over
from tensh.support.language import _

ONE_BY_ONE = (
    "generator",
    "map",
    "filter",
    "zip",
    "enumerate",
    "dict_keys",
    "dict_values",
    "dict_items",
    "odict_values",
)
"""Types whose elements cannot be indexed, and usually not counted."""

NOT_TAKEN_APART = ("to unpack", "cannot unpack", "iteration over a 0-d tensor")
"""Words of messages about unpacking an element."""


def explain_ended_iterator(situation, node):
    """Explain `next(it)` after the last element."""
    match node:
        case ast.Call(func=ast.Name(id="next"), args=[ast.Name(id=name)]) if isinstance(situation.error, StopIteration):
            rule = _("{text} has no more elements: an iterator yields each of them once").format(text=name)
            return Explanation(
                "next", (), rule, (), _("next({text}, None) is None after the last one").format(text=name)
            )
    return None


def explain_iterating(situation):
    """Return the Explanation of the first kind that applies."""
    node = situation.place.node()
    return first_explanation(
        (
            explain_ended_iterator,
            explain_row_as_index,
            explain_loop_over_number,
            explain_range_of_collection,
            explain_elements_of_generator,
            explain_loop_over_parts,
            explain_next_as_method,
        ),
        situation,
        node,
    )


def explain_row_as_index(situation, node):
    """Explain `data[row]` in `for row in data`."""
    if not isinstance(node, ast.Subscript) or not isinstance(
        situation.error, IndexError | TypeError | ValueError | KeyError
    ):
        return None
    tree, text, name = situation.place.tree(), ast.unparse(node.value), ast.unparse(node.slice)
    loops = [each for each in blocks_over(tree, node) if isinstance(each, ast.For)] if tree else []
    if not any(ast.unparse(each.iter) == text and ast.unparse(each.target) == name for each in loops):
        return None
    if isinstance(situation.look_up(node.value), dict):
        return None
    rule = _("a loop over {text} yields its elements, not their numbers: {name} is {text}[0], then {text}[1], ...")
    return explain_replacement(situation, "loop", rule.format(text=text, name=name), node, name)


def explain_loop_over_number(situation, node):
    """Explain `for i in x.shape[0]`."""
    if not situation.says("'int' object is not iterable"):
        return None
    tree, line = situation.place.tree(), situation.place.line
    for loop in ast.walk(tree) if tree else ():
        if isinstance(loop, ast.For | ast.comprehension) and getattr(loop.iter, "lineno", 0) == line:
            value = situation.look_up(loop.iter)
            value = situation.evaluate(loop.iter) if value is None else value
            if type(value) is int and (colon := find_range(loop)):
                rule = _("Python writes a range as range(first, end), without the end")
                return Explanation("loop", (), rule, (Fit(colon, "", line),))
            if type(value) is int:
                text = ast.unparse(loop.iter)
                rule = _("{text} is the number {value}: range({text}) counts up to it").format(text=text, value=value)
                return explain_replacement(situation, "loop", rule, loop.iter, f"range({text})")
    return None


def find_range(loop):
    """Return the loop that `for i in 1:10` was meant to be, which Python reads as a loop on one line; or None."""
    match getattr(loop, "body", None):
        case [ast.Expr(value=ast.Constant(value=int(last)) as number)] if number.lineno == loop.lineno:
            return f"for {ast.unparse(loop.target)} in range({ast.unparse(loop.iter)}, {last + 1}): print({ast.unparse(loop.target)})"
    return None


def explain_range_of_collection(situation, node):
    """Explain `range(loader)`, and `range(epochs)` of a text."""
    if not situation.says("object cannot be interpreted as an integer") or not is_call_of(node, "range"):
        return None
    for each in node.args:
        value, text = situation.look_up(each), ast.unparse(each)
        value = each.value if isinstance(each, ast.Constant) else value
        if type(value) is str and value.strip().isdecimal():
            rule = _("{text} is a string; expected a whole number").format(text=text)
            return explain_replacement(situation, "loop", rule, each, f"int({text})")
        if not isinstance(value, str | Tensor) and hasattr(type(value), "__len__"):
            rule = _("range counts up to a number, but {text} is a {kind}: use its length").format(
                text=text, kind=type(value).__name__
            )
            return explain_replacement(situation, "loop", rule, each, f"len({text})")
    return None


def is_call_of(node, *names):
    """Return True if an expression calls a function of one of these names."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


def explain_elements_of_generator(situation, node):
    """Explain `len(net.parameters())`, and `net.parameters()[0]`."""
    kind = next((kind for kind in ONE_BY_ONE if situation.says(f"'{kind}'")), None)
    if kind is None or not isinstance(situation.error, TypeError):
        return None
    if situation.says("has no len()") and is_call_of(node, "len", "reversed") and len(node.args) == 1:
        given = node.args[0]
    elif (situation.says("is not subscriptable") or situation.says("is not reversible")) and isinstance(
        node, ast.Subscript | ast.Call
    ):
        given = node.value if isinstance(node, ast.Subscript) else node.args[0] if node.args else None
    else:
        return None
    if given is None:
        return None
    text = ast.unparse(given)
    rule = _("{text} yields its elements one by one; list(...) holds all of them").format(text=text)
    return explain_replacement(situation, "loop", rule, given, f"list({text})")


NAMED = ("parameters", "modules", "children", "buffers")  # methods of modules with a counterpart named_...


def is_call_of_method(node, *names):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names


def explain_loop_over_parts(situation, node):
    """Explain `for i, (x, y) in loader` without `enumerate`, and `for x, y in xs, ys` without `zip`."""
    if not any(situation.says(words) for words in NOT_TAKEN_APART):
        return None
    tree, line = situation.place.tree(), situation.place.line
    for loop in ast.walk(tree) if tree else ():
        if not isinstance(loop, ast.For | ast.comprehension) or not isinstance(loop.target, ast.Tuple):
            continue
        if loop.target.lineno != line or len(loop.target.elts) < 2:
            continue
        text, names = ast.unparse(loop.iter), [ast.unparse(each) for each in loop.target.elts]
        if is_call_of(loop.iter, "enumerate") and len(names) > 2:
            rule = _("enumerate yields pairs: a number and an element")
            return explain_replacement(situation, "loop", rule, loop.target, f"{names[0]}, ({', '.join(names[1:])})")
        if is_call_of_method(loop.iter, *NAMED) and len(names) == 2:
            method = loop.iter.func.attr
            rule = _("{method}() yields no names; named_{method}() yields both").format(method=method)
            return explain_replacement(
                situation, "loop", rule, loop.iter, re.sub(rf"\.{method}\b", f".named_{method}", text)
            )
        if type(situation.look_up(loop.iter)) is dict and len(names) == 2:
            rule = _("a loop over a dict yields its keys; {text}.items() yields keys and values").format(text=text)
            return explain_replacement(situation, "loop", rule, loop.iter, f"{text}.items()")
        if isinstance(loop.iter, ast.Tuple) and len(loop.iter.elts) == len(names):
            rule = _("a loop over {text} visits one after the other; zip takes an element of each at a time").format(
                text=text
            )
            return explain_replacement(situation, "loop", rule, loop.iter, f"zip({text.strip('()')})")
        if is_call_of(loop.iter, "zip") and len(loop.iter.args) == 1 and not isinstance(loop.iter.args[0], ast.Starred):
            rule = _("zip of a single iterable puts each element into a tuple")
            return explain_replacement(situation, "loop", rule, loop.iter, ast.unparse(loop.iter.args[0]))
        if is_call_of(loop.iter, "enumerate", "zip") or not counts(loop, situation):
            continue
        rule = _("{text} yields elements without their numbers; enumerate yields both").format(text=text)
        return explain_replacement(situation, "loop", rule, loop.iter, f"enumerate({text})")
    return None


def counts(loop, situation):
    """Return True if the first name of a loop must be a number, since the rest is unpacked itself or is all there is."""
    if not isinstance(loop.target.elts[0], ast.Name) or len(loop.target.elts) != 2:
        return False
    if isinstance(loop.target.elts[1], ast.Tuple):
        return True
    value = situation.look_up(loop.iter)
    value = situation.evaluate(loop.iter) if value is None else value
    if isinstance(value, Tensor):
        return value.dim() == 1
    return type(value) in (list, tuple, range) and not any(
        isinstance(each, collections.abc.Iterable) and not isinstance(each, Tensor | str) for each in value
    )


def explain_next_as_method(situation, node):
    """Explain `batches.next()`."""
    if not isinstance(node, ast.Attribute) or node.attr != "next" or not isinstance(situation.error, AttributeError):
        return None
    if not hasattr(type(situation.error.obj), "__next__"):
        return None
    path, text = situation.place.path(), ast.unparse(node.value)
    call = next((each for each in ast.walk(path[0]) if isinstance(each, ast.Call) and each.func is node), None)
    rule = _("next is a function, not a method: next({text})").format(text=text)
    return explain_replacement(situation, "loop", rule, call, f"next({text})") if call else None
