"""Texts in the place of numbers, and formats that do not fit their values."""

import ast
import re
import string

from tensh.explain.model import Explanation
from tensh.explain.situation import explain_replacement, first_explanation, message_of
from tensh.support.language import _

NUMBER = re.compile(r"(?:invalid literal for int\(\) with base 10|could not convert string to float): (.*)", re.DOTALL)
CODE = re.compile(r"Unknown format code '(.)' for object of type 'str'")


def explain_text(situation):
    """Return the Explanation of the first kind that applies."""
    node = situation.place.node()
    return first_explanation(
        (
            explain_text_of_a_fraction,
            explain_text_for_seed,
            explain_braces_with_percent,
            explain_places_of_format,
            explain_format_of_text,
        ),
        situation,
        node,
    )


def explain_text_of_a_fraction(situation, node):
    """Explain `int("3.5")` and `float("abc")`."""
    found = NUMBER.fullmatch(message_of(situation.error))
    if not found or not isinstance(node, ast.Call) or ast.unparse(node.func) not in ("int", "float"):
        return None
    try:
        float(found[1].strip("'\""))
    except ValueError:
        rule = _("{text} is no number: only digits, a sign, a point and an exponent are read")
        return Explanation("call", (), rule.format(text=found[1]))
    rule = _("{text} is not a whole number: float reads it, and int cuts off what is behind the point")
    code = f"int(float({ast.unparse(node.args[0])}))"
    return explain_replacement(situation, "int", rule.format(text=found[1]), node, code)


def explain_text_for_seed(situation, node):
    """Explain `torch.manual_seed("a")`."""
    if not isinstance(node, ast.Call) or ast.unparse(node.func).rpartition(".")[2] != "manual_seed" or not node.args:
        return None
    if not isinstance(situation.error, TypeError | ValueError):
        return None
    given = ast.unparse(node.args[0])
    rule = _("a seed is a whole number, but this is {text}").format(text=given)
    return Explanation("seed", (), rule, (), _("any number will do, as long as it stays the same"))


def explain_braces_with_percent(situation, node):
    """Explain `"{:.2f}" % x`, whose places are those of format."""
    match node:
        case ast.BinOp(op=ast.Mod(), left=ast.Constant(value=str(text)), right=value) if "{" in text:
            pass
        case _:
            return None
    if not situation.says("not all arguments converted during string formatting"):
        return None
    given = ", ".join(map(ast.unparse, value.elts if isinstance(value, ast.Tuple) else [value]))
    rule = _("places in braces are filled by format, those with % by the sign %")
    return explain_replacement(situation, "%", rule, node, f"{ast.unparse(node.left)}.format({given})")


def explain_places_of_format(situation, node):
    """Explain `"{} {}".format(1)` and `"{loss}".format(0.5)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format"), args=given):
            pass
        case _:
            return None
    try:
        places = [name for _before, name, _format, _conversion in string.Formatter().parse(text) if name is not None]
    except ValueError:
        return None
    names = [name for name in dict.fromkeys(places) if name.isidentifier()]
    if isinstance(situation.error, KeyError) and len(names) == len(given) == len(places):
        code = ", ".join(f"{name}={ast.unparse(each)}" for name, each in zip(names, given, strict=True))
        rule = _("a place with a name is filled by the argument of that name")
        new = f"{ast.unparse(node.func)}({code})"
        return explain_replacement(situation, "format", rule, node, new)
    if isinstance(situation.error, IndexError) and len(places) > len(given):
        rule = _("the text has {places} places for values, but {given} was given")
        if len(given) != 1:
            rule = _("the text has {places} places for values, but {given} were given")
        return Explanation("format", (), rule.format(places=len(places), given=len(given)))
    return None


def explain_format_of_text(situation, node):
    """Explain `f"{name:.2f}"` and `"%.2f" % name` of a string."""
    is_code = CODE.fullmatch(message_of(situation.error))
    if not is_code and not situation.says("must be real number, not str"):
        return None
    rule = _("the format is that of a number, but the value is a string")
    return Explanation("format", (), rule, (), _("leave the format out, or convert the value with float"))
