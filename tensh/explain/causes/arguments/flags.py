"""True and False as text: `keepdim="True"`, `net.train("False")`, `x.requires_grad = "True"`."""

import ast
import re

from tensh.explain.situation import explain_replacement, message_of
from tensh.explain.source.statements import statement_on
from tensh.support.language import _

FLAGS = ("True", "False")
TOLD = re.compile(r"must be (?:a )?bool|of type bool|expected to be boolean|cannot be interpreted as an integer")


def explain_text_for_flag(situation):
    """Explain the only text of a statement that spells True or False, where a flag was expected."""
    tree = situation.place.tree()
    if tree is None or not TOLD.search(message_of(situation.error)):
        return None
    statement = statement_on(tree, situation.place.line)
    found = [each for each in (ast.walk(statement) if statement else ()) if is_spelt_flag(each)]
    if len(found) != 1:
        return None
    rule = _("{text} is a string; expected True or False").format(text=ast.unparse(found[0]).replace("'", '"'))
    return explain_replacement(situation, "call", rule, found[0], found[0].value.strip().title())


def is_spelt_flag(node):
    return isinstance(node, ast.Constant) and type(node.value) is str and node.value.strip().title() in FLAGS
