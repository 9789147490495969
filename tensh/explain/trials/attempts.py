"""Code of a program, tried on stand-ins: its value, and whether it works.

Whatever a try raises is an answer: code raises there what it would raise in the program. So all exceptions are caught.
"""

import ast

from tensh.explain.trials.shadow import Shadow
from tensh.explain.trials.trusted import Unknown

UNKNOWN = object()
"""A value that cannot be known from shapes alone."""


def make_shadow(names, *nodes, others=None, grad=False):
    """Return the Shadow of the names that some code uses; ``others`` has values in place of theirs."""
    used = {each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)}
    return Shadow({}, {name: names[name] for name in used if name in names} | (others or {}), grad=grad)


def try_value(node, shadow, otherwise=None):
    """Return the value of an expression; ``otherwise`` if it fails or is unknown."""
    try:
        return shadow.evaluate(node)
    except Exception:
        return otherwise


def works(node, shadow):
    """Return True if code works, False if it fails; None if that is unknown."""
    try:
        shadow.evaluate(node)
    except Unknown:
        return None
    except Exception:
        return False
    return True
