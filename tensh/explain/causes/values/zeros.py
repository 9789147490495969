"""Divisions by zero: what the zero was computed from, and why."""

import ast
import inspect

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.situation import operand_of
from tensh.explain.source.place import iterate_scope
from tensh.explain.source.statements import find_assignment
from tensh.explain.trials.trusted import is_layer
from tensh.support.language import _
from tensh.support.naming import is_of_torch

DIVIDES = ast.Div | ast.FloorDiv | ast.Mod


def explain_zero(situation):
    """Explain a division by a number that is 0, or a call of a function that divides by one of its arguments."""
    path = situation.place.path()
    is_told = isinstance(situation.error, ZeroDivisionError) or situation.says("ZeroDivisionError")
    if not is_told or not path:
        return None
    match path[-1]:
        case ast.BinOp(op=op, right=divisor) | ast.AugAssign(op=op, value=divisor) if isinstance(op, DIVIDES):
            return explain_divisor(situation, divisor)
        case ast.Call(func=ast.Name(id="divmod"), args=[_first, divisor]):
            return explain_divisor(situation, divisor)
        case ast.Call() as call:
            return explain_arguments(situation, call)
    return None


def explain_divisor(situation, node):
    """Explain a divisor that is 0."""
    if number_of(node, situation) not in (0, None):
        return None
    text, t = ast.unparse(node), situation.tensor_of(node)
    if t is not None and t.dim():
        rule = _("{text} holds zeros, and whole numbers cannot be divided by 0").format(text=text)
        return say(rule, _("divide floating point numbers, which gives inf or nan there"), (operand_of(text, t),))
    match node:
        case ast.Constant():
            if isinstance(situation.error, ZeroDivisionError):  # its message says it all
                return None
            return say(_("whole numbers cannot be divided by 0"), None)
        case ast.Name(id=name):
            return explain_name(situation, name)
        case ast.Call(func=ast.Name(id="len"), args=[inner]):
            return say(is_empty(ast.unparse(inner), situation.look_up(inner)), guard(text))
    return say(_("{text} is 0").format(text=text), guard(text))


def number_of(node, situation):
    """Return the number that an expression stands for; None if that is unknown."""
    value = situation.look_up(node)
    value = situation.evaluate(node) if value is None and not has_tensors(node, situation) else value
    return value if isinstance(value, int | float) else None


def has_tensors(node, situation):
    """Return True if an expression reads tensors, whose values stand-ins lack."""
    values = [situation.names.get(each.id) for each in ast.walk(node) if isinstance(each, ast.Name)]
    return any(isinstance(value, Tensor) or is_layer(value) for value in values)


def explain_name(situation, name):
    """Explain a name that is 0: since its assignment, or since a loop that counts made no iteration."""
    made = find_assignment(situation.place, name)
    if isinstance(made, ast.Assign | ast.AnnAssign) and made.value is not None:
        if isinstance(made.value, ast.Constant):
            rule = _("{name} has been 0 since line {line}").format(name=name, line=made.lineno)
            return say(rule, _("give {name} another value there").format(name=name))
        code = ast.get_source_segment(situation.place.source, made)
        rule = _("{name} is 0: `{code}` on line {line}").format(name=name, code=code, line=made.lineno)
        return say(rule, guard(name))
    scope = situation.place.scope()
    for loop in iterate_scope(scope) if scope is not None else ():
        if isinstance(loop, ast.For | ast.While) and counts(loop, name) and loop.end_lineno < situation.place.line:
            return explain_loop(situation, name, loop)
    return say(_("{text} is 0").format(text=name), guard(name))


def counts(loop, name):
    """Return True if a loop adds to a name."""
    return any(
        isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add) and ast.unparse(node.target) == name
        for node in iterate_scope(loop)
    )


def explain_loop(situation, name, loop):
    """Explain a counter that is still 0 after its loop."""
    items = situation.look_up(loop.iter) if isinstance(loop, ast.For) else None
    if length_of(items) == 0:
        rule = _("{name} is still 0 after the loop on line {line}: {reason}").format(
            name=name, line=loop.lineno, reason=is_empty(ast.unparse(loop.iter), items)
        )
    else:
        rule = _("{name} is still 0 after the loop on line {line}").format(name=name, line=loop.lineno)
    return say(rule, guard(name))


def is_empty(text, value):
    """Return the sentence that something has no elements; of a loader, why."""
    dataset = getattr(value, "dataset", None)
    if getattr(value, "drop_last", False) and length_of(dataset):
        return _("{text} has {count} samples, fewer than a batch of {size}, and drop_last leaves out the rest").format(
            text=text, count=len(dataset), size=value.batch_size
        )
    return _("{text} is empty").format(text=text)


def length_of(value):
    """Return the length of a list or of a loader of a plain dataset; None for others, whose code is the user's."""
    if type(value) in (list, tuple, dict, set, str, range):
        return len(value)
    if not is_of_torch(type(value).__module__):
        return None
    dataset = getattr(value, "dataset", None)
    if dataset is not None and length_of(dataset) is None:
        return None
    try:
        return len(value)
    except Exception:  # raised by a sampler of the user's own
        return None


def explain_arguments(situation, call):
    """Explain a function that divides by an argument, if only one is 0."""
    names = [f"{each.arg}={ast.unparse(each.value)}" for each in call.keywords if number_of(each.value, situation) == 0]
    names += [ast.unparse(each) for each in call.args if number_of(each, situation) == 0]
    if not names and isinstance(call.func, ast.Attribute):
        return explain_setting(situation, call.func.value)
    if len(names) != 1:
        return None
    function = ast.unparse(call.func)
    rule = _("{function} divides by {argument}").format(function=function, argument=names[0])
    return say(rule, _("pass a number above 0"))


def explain_setting(situation, owner):
    """Explain an object that divides by a setting: `StepLR(opt, step_size=0)`, followed by `scheduler.step()`."""
    value = situation.look_up(owner)
    made = find_assignment(situation.place, owner.id) if isinstance(owner, ast.Name) else None
    if not is_of_torch(type(value).__module__) or not isinstance(made, ast.Assign):
        return None
    call, text = made.value, ast.unparse(owner)
    if not isinstance(call, ast.Call):
        return None
    names = [*inspect.signature(type(value)).parameters]
    given = [*zip(names, call.args, strict=False), *((each.arg, each.value) for each in call.keywords)]
    zeros = [name for name, node in given if number_of(node, situation) == 0 and getattr(value, name or "", None) == 0]
    if len(zeros) != 1:
        return None
    rule = _("{text} divides by {argument}, which is 0 since line {line}").format(
        text=text, argument=zeros[0], line=made.lineno
    )
    return say(rule, _("pass a number above 0"))


def guard(text):
    return _("find out why, or divide only if {text} is not 0").format(text=text)


def say(rule, advice, operands=()):
    return Explanation("/", operands, rule, (), advice)
