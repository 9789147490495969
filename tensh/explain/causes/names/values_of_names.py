"""Names with a value that was not meant: a tuple by a comma, the number of a loop, a tuple that is written into."""

import ast
import re

from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import first_explanation, message_of
from tensh.explain.source.place import bindings
from tensh.explain.source.replacing import replace_node
from tensh.support.language import _

OF_TUPLES = re.compile(r"'tuple' object does not support item (?:assignment|deletion)")


def explain_value_of_name(situation):
    """Return the Explanation of the first kind that applies."""
    node = situation.place.node()
    if node is None:
        return None
    return first_explanation(
        (explain_trailing_comma, explain_written_tuple, explain_variable_of_loop, explain_number_of_no_tensor),
        situation,
        node,
    )


def explain_trailing_comma(situation, node):
    """Explain `lr = 0.1,`, which makes a tuple of one element."""
    if not isinstance(situation.error, TypeError | AttributeError | ValueError):
        return None
    for each in ast.walk(node):
        if not isinstance(each, ast.Name | ast.Attribute):
            continue
        value = situation.look_up(each)
        if type(value) is not tuple or len(value) != 1:
            continue
        made = assignment_of(situation, each)
        if isinstance(made, ast.Assign) and ends_with_comma(made.value, situation.place.source):
            text = ast.unparse(each)
            rule = _("the comma at the end of line {line} makes {text} a tuple of one element")
            targets = " = ".join(map(ast.unparse, made.targets))
            fits = (Fit(f"{targets} = {ast.unparse(made.value.elts[0])}", "", made.lineno),)
            fits = fits if made.lineno == made.end_lineno else ()
            return Explanation("tuple", (), rule.format(line=made.end_lineno, text=text), fits)
    return None


def assignment_of(situation, node):
    """Return the statement that assigned a name, or the only one that assigned an attribute; None if that is unclear."""
    if isinstance(node, ast.Name):
        return situation.find_assignment(node.id)
    text, tree = ast.unparse(node), situation.place.tree()
    found = [
        each
        for each in (ast.walk(tree) if tree else ())
        if isinstance(each, ast.Assign) and text in map(ast.unparse, each.targets)
    ]
    return found[0] if len(found) == 1 else None


def ends_with_comma(value, source):
    """Return True for a tuple of one element that is written without parentheses."""
    if not isinstance(value, ast.Tuple) or len(value.elts) != 1:
        return False
    return (ast.get_source_segment(source, value) or "(")[:1] != "(" or (
        value.col_offset == value.elts[0].col_offset and value.lineno == value.elts[0].lineno
    )


def explain_written_tuple(situation, node):
    """Explain `pair[0] = x` of a tuple."""
    if not isinstance(node, ast.Subscript) or not OF_TUPLES.fullmatch(message_of(situation.error)):
        return None
    text, made = ast.unparse(node.value), assignment_of(situation, node.value)
    rule = _("{text} is a tuple, whose elements cannot be replaced; use a list").format(text=text)
    if isinstance(made, ast.Assign) and isinstance(made.value, ast.Tuple):
        fit = replace_node(situation.place, made.value, f"[{', '.join(map(ast.unparse, made.value.elts))}]")
    else:
        fit = Fit(f"{text} = list({text})", "", node.lineno, "before")
    return Explanation("tuple", (), rule, (fit,) if fit else ())


def explain_variable_of_loop(situation, node):
    """Explain `for model in range(3): model(x)`, of a model with the same name."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    if not situation.says("object is not callable"):
        return None
    name, tree = node.func.id, situation.place.tree()
    loop = next((each for each in ast.walk(tree) if is_loop_around(each, node) and is_target(each, name)), None)
    before = [line for line in bindings(situation.place.scope() or tree, name) if loop and line < loop.lineno]
    if not before:
        return None
    rule = _("{name} is also the loop variable on line {line}, which replaces the value from line {made}").format(
        name=name, line=loop.lineno, made=before[-1]
    )
    called = {id(each.func) for each in ast.walk(loop) if isinstance(each, ast.Call)}
    uses = [each for inner in loop.body for each in ast.walk(inner) if getattr(each, "id", None) == name]
    is_unused = isinstance(loop.target, ast.Name) and all(id(each) in called for each in uses)
    fit = replace_node(situation.place, loop.target, "_") if is_unused else None
    return Explanation(
        "loop", (), rule, (fit,) if fit else (), None if fit else _("choose another name for the loop variable")
    )


def explain_number_of_no_tensor(situation, node):
    """Explain `loss = 0`, followed by `loss.backward()`."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr="backward") if isinstance(situation.error, AttributeError):
            made, value = situation.find_assignment(name), situation.names.get(name)
        case _:
            return None
    if type(value) not in (int, float) or not isinstance(getattr(made, "value", None), ast.Constant):
        return None
    rule = _("{name} is the number {value} from line {line}, to which nothing was added")
    advice = _("backward starts from a tensor that was computed from others, such as a loss")
    return Explanation("backward", (), rule.format(name=name, value=value, line=made.lineno), (), advice)


def is_loop_around(loop, node):
    return isinstance(loop, ast.For) and loop.lineno < node.lineno <= loop.end_lineno


def is_target(loop, name):
    return any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(loop.target))
