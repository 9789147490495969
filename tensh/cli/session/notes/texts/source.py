"""The notes on code that runs without doing what it seems to: compared pairs and methods, discarded results."""

import ast
import inspect
import re
from functools import partial

from tensh.cli.session.failures.failure import place_of_node
from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.silent.lost import find_lost
from tensh.explain.causes.silent.pairs import find_compared_method, find_compared_pair, say_method, say_pair
from tensh.explain.situation import look_up
from tensh.explain.source.place import parse_source
from tensh.support.language import _
from tensh.support.spelling import distance

MEASURED = re.compile(r"\b(time|timeit|perf_counter|profile|profiler|raises)\b")
"""Statements that matter for their effect, not their value."""
FLAG = "requires_grad"
MOST_SLIPS = 2  # letters of a misspelt flag


def find_in_source(find, statement, namespace):
    """Apply ``find`` to the lines of a statement that has run, in their source; None if it finds nothing."""
    tree = parse_source(statement.source.text)
    return tree and find(tree, (statement.first, statement.last), namespace)


def find_compared(find, say, statement, namespace):
    """Return (place, message, advice) for a comparison found by ``find``, put into words by ``say``."""
    found = find_in_source(find, statement, namespace)
    if not found:
        return None
    node, name, meant = found
    return place_of_node(statement.source, node), say(name), meant


find_pair = partial(find_compared, find_compared_pair, say_pair)  # comparison of a pair with a tensor
find_method = partial(find_compared, find_compared_method, say_method)  # comparison of a method with a value


def find_lost_result(statement, namespace):
    """Return (place, message, advice) for a line whose result is lost."""
    if MEASURED.search(statement.source.text):
        return None
    found = find_in_source(find_lost, statement, namespace)
    if not found:
        return None
    if found.is_layer:
        message = _("this creates a layer, but computes nothing: {name} is unchanged")
    else:
        message = _("this returns a new tensor, which is not kept: {name} is unchanged")
    return place_of_node(statement.source, found.node), message.format(name=found.name), found.code


def find_uncalled_method(statement, namespace):
    """Return (place, message, advice) for a method of a tensor, module or optimizer that is named but not called."""
    tree = parse_source(statement.source.text)
    for node in tree.body if tree else ():
        if statement.first <= node.lineno <= statement.last and is_method(getattr(node, "value", None), namespace):
            code = ast.unparse(node.value)
            message = _("{code} is a method that was not called: nothing happened").format(code=code)
            return place_of_node(statement.source, node.value), message, f"{code}()"
    return None


def is_method(node, namespace):
    """Return True if an expression is a method of a tensor, a module or an optimizer."""
    if not isinstance(node, ast.Attribute):
        return False
    owner = look_up(node.value, namespace)
    if not isinstance(owner, Tensor) and not hasattr(type(owner), "zero_grad") and not hasattr(owner, "optimizer"):
        return False
    return inspect.isfunction(inspect.getattr_static(type(owner), node.attr, None))


def find_ineffective_flag(statement, namespace):
    """Return (place, message, advice) for a flag or a setting that does not exist.

    These are `p.require_grad = False`, `net.requires_grad = False` of a model, and `opt.lr = 0.01`.
    """
    tree = parse_source(statement.source.text)
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Assign(targets=[ast.Attribute(value=owner, attr=word) as target], value=given):
                flag = given.value if isinstance(given, ast.Constant) and type(given.value) is bool else None
            case _:
                continue
        if not statement.first <= node.lineno <= statement.last:
            continue
        value, text = look_up(owner, namespace), ast.unparse(owner)
        if flag is not None and isinstance(value, Tensor) and 0 < distance(word, FLAG) <= MOST_SLIPS:
            message = _("{text} has no setting {word}: this only gives it an attribute of that name")
            advice = f"{text}.{FLAG} = {flag}"
        elif flag is not None and word == FLAG and hasattr(type(value), "named_parameters"):
            message = _("{text} is a model, and has no setting {word}: its parameters are unchanged")
            advice = f"{text}.{FLAG}_({flag})"
        elif word in getattr(value, "defaults", ()) and hasattr(value, "param_groups") and word not in dir(type(value)):
            message = _("{text} has no setting {word}: each of its groups of parameters has one")
            advice = f'{text}.param_groups[0]["{word}"] = {ast.unparse(given)}'
        else:
            continue
        return place_of_node(statement.source, target), message.format(text=text, word=word), advice
    return None
