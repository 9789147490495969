"""Parameters and values outside the sets that a distribution allows, in words instead of the name of the constraint."""

import ast
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.situation import message_of
from tensh.support.language import _

NUMBER = r"-?[\d.]+(?:e[+-]?\d+)?|-?inf"
PARAMETER = re.compile(
    r"Expected parameter (?P<name>\w+) \(.*?\) of distribution (?P<kind>\w+)\(.*\) to satisfy the constraint "
    r"(?P<set>\w+)\((?P<bounds>.*?)\), but found invalid values:\n",
    re.DOTALL,
)
VALUE = re.compile(
    r"Expected value argument \(.*?\) to be within the support \((?P<set>\w+)\((?P<bounds>.*?)\)\) of the distribution "
    r"(?P<kind>\w+)\(",
    re.DOTALL,
)


def explain_constraint(situation):
    """Explain `Normal(0.0, -1.0)` and `d.log_prob(value)` of a value that cannot occur."""
    message = message_of(situation.error) if isinstance(situation.error, ValueError) else ""
    found = PARAMETER.match(message) or VALUE.match(message)
    if not found:
        return None
    numbers = [float(each) for each in re.findall(NUMBER, found["bounds"])]
    words = describe_set(found["set"], *(f"{each:g}" for each in numbers))
    if words is None:
        return None
    is_parameter = found.re is PARAMETER
    name = found["name"] if is_parameter else _("a value")
    rule = _("{name} of {kind} must be {words}").format(name=name, kind=found["kind"], words=words)
    advice = suggest_positive(situation, numbers) if is_parameter and found["set"].startswith("GreaterThan") else None
    if found["set"] == "PositiveDefinite":
        advice = _("add a small multiple of torch.eye(n) to a matrix that is nearly so")
    return Explanation(found["kind"], (), rule, (), advice)


def describe_set(name, low="", high=""):
    """Describe the elements of a constraint with these bounds; None for one without words here."""
    words = {
        "GreaterThan": _("greater than {low}"),
        "GreaterThanEq": _("at least {low}"),
        "LessThan": _("less than {low}"),
        "Interval": _("between {low} and {high}"),
        "HalfOpenInterval": _("at least {low} and less than {high}"),
        "IntegerInterval": _("a whole number from {low} to {high}"),
        "IntegerGreaterThan": _("a whole number of at least {low}"),
        "Boolean": _("0 or 1"),
        "OneHot": _("one-hot: a single 1 and zeros"),
        "Simplex": _("numbers of at least 0 that add up to 1"),
        "PositiveDefinite": _("symmetric, with positive eigenvalues"),
        "LowerCholesky": _("lower triangular, with a positive diagonal"),
        "LowerTriangular": _("lower triangular"),
        "Square": _("square"),
        "Symmetric": _("symmetric"),
    }
    text = words.get(name)
    return None if text is None else text.format(low=low, high=high)


def suggest_positive(situation, numbers):
    """Suggest a positive function of what was computed; None for numbers that were written down."""
    path = situation.place.path()
    given = path[-1].args if path and isinstance(path[-1], ast.Call) else ()
    is_computed = any(isinstance(each, ast.Name) and isinstance(situation.names.get(each.id), Tensor) for each in given)
    return _("exp or softplus makes any number positive") if is_computed and numbers == [0.0] else None
