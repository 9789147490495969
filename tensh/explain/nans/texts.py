"""Sentences about the origin of nan, and what keeps it away."""

import numpy as np

from tensh.explain.trials.fixes import append_to_expression
from tensh.graph.provenance import place
from tensh.graph.tokens import number, shorten
from tensh.support.language import _

LONGEST = 40  # characters of a piece of code
SMALL = "1e-8"


def describe_origins(name, origins):
    """Write `loss is nan: y * log(p) is nan at [2], where y is 0 and log(p) is -inf, because p is 0`."""
    first, last = origins[0], origins[-1]
    if first.kind != "operation":
        message = (
            _("{name} is nan because {cause} is, first at {index}")
            if first.index
            else _("{name} is nan because {cause} is")
        )
        return message.format(name=name, cause=shorten(first.text, LONGEST), index=[*first.index])
    told = _("{name} is nan: {told}").format(name=name, told=describe_origin(first))
    reason = last is not first and _(" and ").join(list_facts(last))
    return _("{told}, because {reason}").format(told=told, reason=reason) if reason else told


def describe_origin(origin):
    """Write `log(p) is -inf at [2], where p is 0`."""
    code = shorten(origin.text, LONGEST)
    if origin.index is None:
        return _("it first appears in {code}").format(code=code)
    value = _("{code} is {value} at {index}") if origin.index else _("{code} is {value}")
    said = value.format(code=code, value=number(origin.element), index=[*origin.index])
    facts = list_facts(origin)
    return _("{said}, where {facts}").format(said=said, facts=_(" and ").join(facts)) if facts else said


def list_facts(origin):
    """Return sentences about the operands of an operation: none where the code itself divides by 0."""
    if is_division_by_zero(origin) and is_number(origin.operands[1].text):
        return []
    return [*dict.fromkeys(fact for each in origin.operands if (fact := describe_operand(origin, each)))]


def is_division_by_zero(origin):
    name = getattr(getattr(origin.node, "op", None), "name", "")
    return name == "div" and len(origin.operands) == 2 and origin.read(origin.operands[1]) == 0


def describe_operand(origin, operand):
    """Write `p is 0` for an operand; "" for a number in the code, and for one of whose elements many count."""
    value = origin.read(operand)
    text = shorten(operand.text, LONGEST)
    if value is not None:
        return "" if is_number(operand.text) else _("{code} is {value}").format(code=text, value=number(value))
    array = operand.array
    if array.dtype.kind == "f" and np.isinf(array).any():
        return _("{code} holds {value}").format(code=text, value=number(array[np.isinf(array)].flat[0]))
    return ""


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def advise(origin):
    """Return advice that keeps an operation away from infinity and nan, or on how to find its cause."""
    if origin.kind == "leaf":
        return _("give {name} other values").format(name=origin.text)
    if origin.kind == "constant":
        return _("look at {code}: leave these elements out, or replace them with torch.nan_to_num").format(
            code=f"torch.isnan({shorten(origin.text, LONGEST)})"
        )
    name = getattr(origin.node.op, "name", "") if origin.index is not None else ""
    read = {each.text: origin.read(each) for each in origin.operands}
    if name.startswith("log") and len(read) == 1 and [*read.values()] == [0]:
        (text,) = read
        clamped = f".clamp(min={SMALL})"
        is_written = place(origin.node) is not None or "(" not in text  # else it is composed of operations
        code = append_to_expression(text, clamped) if is_written else clamped.removeprefix(".")
        return _("keep it away from 0: {code}").format(code=code)
    if is_division_by_zero(origin):
        divided, divisor = (each.text for each in origin.operands)
        if is_number(divisor):
            return _("divide {code} by a number that is not 0").format(code=shorten(divided, LONGEST))
        return _("add a small number to the divisor: {code}").format(code=f"{divisor} + {SMALL}")
    if name == "exp":
        return _("subtract the largest exponent first, as torch.softmax and torch.logsumexp do")
    text = next((text for text in read if not is_number(text)), None)
    if text is None:
        return _("show the values before and after {code}").format(code=shorten(origin.text, LONGEST))
    return _("find out why {code} has this value").format(code=shorten(text, LONGEST))
