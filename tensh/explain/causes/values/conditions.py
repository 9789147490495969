"""Conditions on tensors with several elements, whose truth is ambiguous: choices, limits and membership."""

import ast

from tensh.engine import find_public
from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.situation import explain_replacement, first_explanation, operand_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.fixes import append_to_expression
from tensh.support.language import _

LIMITS = {"max": "min", "min": "max"}  # Python's functions -> the equivalent bound of clamp

SEARCHES = {
    "in": "any({equal} for each in {values})",
    "index": "next(n for n, each in enumerate({values}) if {equal})",
    "count": "sum({equal} for each in {values})",
    "remove": "{values}.pop(next(n for n, each in enumerate({values}) if {equal}))",
}
"""Ways to find a whole tensor in a list."""


def explain_condition(situation):
    """Return the Explanation of the first kind that applies."""
    path = situation.place.path()
    if path and situation.says("must match the size of tensor"):  # `x in tensors` of several shapes
        return explain_search_in_list(situation, path)
    if not path or not situation.says("Boolean value of Tensor"):
        return None
    return first_explanation(
        (
            explain_choice_by_condition,
            explain_limit_by_extreme,
            explain_search_in_list,
            explain_membership,
            explain_joined_masks,
            explain_tested_tensor,
        ),
        situation,
        path,
    )


def explanation(situation, rule, tensor, node, *codes):
    """Return the Explanation with a node replaced by each piece of code that works."""
    fits = tuple(
        fit
        for code in codes
        if situation.evaluate(ast.parse(code, mode="eval").body) is not None
        and (fit := replace_node(situation.place, node, code))
    )
    t = situation.tensor_of(tensor)
    return Explanation("bool", (operand_of(ast.unparse(tensor), t),), rule, fits) if fits else None


def explain_choice_by_condition(situation, path):
    """Explain `x if x > 0 else 0`, meant for each element."""
    test = path[-1]
    for node in path[:-1]:
        if isinstance(node, ast.IfExp) and node.test is test and situation.tensor_of(test) is not None:
            code = ", ".join(map(ast.unparse, (test, node.body, node.orelse)))
            rule = _("`if` tests once, but {text} has a value for each element: where chooses element by element")
            return explanation(situation, rule.format(text=ast.unparse(test)), test, node, f"torch.where({code})")
    return None


def explain_limit_by_extreme(situation, path):
    """Explain `max(x, 0)` of a tensor and a number."""
    call = path[-1]
    if not isinstance(call, ast.Call) or len(call.args) != 2 or ast.unparse(call.func) not in LIMITS:
        return None
    tensors = [each for each in call.args if situation.tensor_of(each) is not None]
    if len(tensors) != 1:
        return None
    (tensor,) = tensors
    (number,) = (each for each in call.args if each is not tensor)
    name = ast.unparse(call.func)
    code = f"torch.clamp({ast.unparse(tensor)}, {LIMITS[name]}={ast.unparse(number)})"
    rule = _("Python's {name} compares the two once; to compare element by element, use torch.clamp").format(name=name)
    return explanation(situation, rule, tensor, call, code)


def explain_search_in_list(situation, path):
    """Explain `x in tensors`, and `tensors.index(x)`, `count` and `remove`, which compare in the same way."""
    match path[-1]:
        case ast.Compare(left=tensor, ops=[ast.In() | ast.NotIn()], comparators=[values]):
            word = "in"
        case ast.Call(func=ast.Attribute(value=values, attr=word), args=[tensor], keywords=[]) if word in SEARCHES:
            pass
        case _:
            return None
    if not are_tensors(situation, values):
        return None
    code = SEARCHES[word].format(equal=f"torch.equal({ast.unparse(tensor)}, each)", values=ast.unparse(values))
    code = f"not {code}" if isinstance(getattr(path[-1], "ops", [None])[0], ast.NotIn) else code
    rule = _("`{word}` compares by ==, which gives a value for each element; torch.equal compares whole tensors")
    return explain_replacement(situation, "in", rule.format(word=word), path[-1], code)


def explain_membership(situation, path):
    """Explain `x in [1, 2]`."""
    match path[-1]:
        case ast.Compare(left=tensor, ops=[ast.In()], comparators=[values]) if situation.tensor_of(tensor) is not None:
            given = ast.unparse(values)
            given = given if situation.tensor_of(values) is not None else f"torch.tensor({given})"
            code = f"torch.isin({ast.unparse(tensor)}, {given})"
            rule = _("`in` tests one value, but {text} has several: isin tests each").format(text=ast.unparse(tensor))
            return explanation(situation, rule, tensor, path[-1], f"{code}.all()", f"{code}.any()")
    return None


def explain_joined_masks(situation, path):
    """Explain `if x > 0 and x < 3:` of masks with several elements each."""
    tests = [test for node in path if isinstance(test := getattr(node, "test", None), ast.BoolOp)]
    for test in tests:
        masks = [situation.tensor_of(each) for each in test.values]
        if any(mask is None or mask.numel() < 2 or mask.dtype != find_public("bool") for mask in masks):
            continue
        symbol = " & " if isinstance(test.op, ast.And) else " | "
        code = symbol.join(f"({ast.unparse(each)})" for each in test.values)
        rule = _("`and` and `or` test once, but each side has a value for each element: & and | join them")
        return explanation(situation, rule, test.values[0], test, f"({code}).all()", f"({code}).any()")
    return None


def explain_tested_tensor(situation, path):
    """Explain `if x:`, `while not x:`, `assert x` and `[... if x]` of a tensor that is not a single number."""
    conditions = tests_of(find_tester(path))
    tests = [(test, t) for test in conditions if (t := situation.tensor_of(test)) is not None and t.numel() != 1]
    if len(tests) == 1:  # each of several, joined by `and` or `or`, may be meant element by element
        ((test, t),) = tests
        text = ast.unparse(test)
        if not t.numel():
            rule = _("{tensor} has no elements, so it is neither true nor false").format(tensor=text)
            return explanation(situation, rule, test, test, append_to_expression(text, ".numel() > 0"))
        rule = _("{tensor} has {count} elements: should all of them be true, or any?").format(
            tensor=text, count=t.numel()
        )
        return explanation(
            situation, rule, test, test, *(append_to_expression(text, way) for way in (".all()", ".any()"))
        )
    return None


def find_tester(path):
    """Return the node that tests the last one of a path; that one itself for a comparison that a statement tests.

    From Python 3.12 on, a failure has the place of the condition, before that of the whole statement or expression.
    """
    for node in reversed(path[:-1]):
        if any(test is path[-1] for test in tests_of(node)):
            alone = isinstance(path[-1], ast.Compare) and isinstance(path[-2], ast.stmt)
            return path[-1] if alone else node
    return path[-1]


def tests_of(node):
    """Yield the conditions that a statement or expression tests, without `not`, and one by one if they are joined."""
    tests = [node.test] if isinstance(node, ast.If | ast.While | ast.Assert | ast.IfExp) else []
    for each in getattr(node, "generators", ()):
        tests += each.ifs
    while tests:
        test = tests.pop()
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            tests.append(test.operand)
        elif isinstance(test, ast.BoolOp):
            tests += test.values
        else:
            yield test


def are_tensors(situation, node):
    """Return True for a list or tuple of tensors, also one that is written out."""
    if isinstance(node, ast.List | ast.Tuple):
        return bool(node.elts) and all(situation.tensor_of(each) is not None for each in node.elts)
    values = situation.look_up(node)
    return type(values) in (list, tuple) and bool(values) and all(isinstance(each, Tensor) for each in values)
