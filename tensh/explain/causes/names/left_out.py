"""Small things that were left out or written otherwise: a comma between numbers, entries of a list, letters of einsum."""

import ast
import unicodedata

from tensh.explain.model import Explanation
from tensh.explain.situation import explain_replacement, first_explanation, message_of
from tensh.support.language import _

CASTS = frozenset("float double half bfloat16 cpu cuda to detach clone".split())
"""Methods that each tensor of a tuple has."""

WHOLE = frozenset("long int short bool byte".split())
"""Casts after which nothing can be differentiated: they are not offered."""


def explain_left_out(situation):
    """Return the Explanation of the first kind that applies."""
    node = situation.place.node()
    if node is None:
        return None
    return first_explanation(
        (
            explain_missing_comma,
            explain_empty_list,
            explain_wide_subscripts,
            explain_cast_of_tuple,
            explain_class_with_keywords,
            explain_name_behind_its_tensor,
        ),
        situation,
        node,
    )


def explain_missing_comma(situation, node):
    """Explain `x.transpose(-2 -1)`, which subtracts."""
    if not situation.says("missing", "required positional argument") or not isinstance(node, ast.Call):
        return None
    for each in node.args:
        match each:
            case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=int(number)) as right):
                code = f"{ast.unparse(left)}, -{number}"
                text = ast.get_source_segment(situation.place.source, each) or ""
                if (
                    text.endswith(f"-{ast.unparse(right)}")
                    and situation.evaluate(parse_with(node, each, code)) is not None
                ):
                    rule = _("`{text}` is a difference: a comma is missing between two numbers").format(text=text)
                    return explain_replacement(situation, "call", rule, each, code)
    return None


def parse_with(call, argument, code):
    """Return the syntax tree of a call with other code in place of one of its arguments."""
    given = [code if each is argument else ast.unparse(each) for each in (*call.args, *call.keywords)]
    return ast.parse(f"{ast.unparse(call.func)}({', '.join(given)})", mode="eval").body


def explain_empty_list(situation, node):
    """Explain `torch.stack(states)` of a list to which nothing was appended."""
    if not situation.says("expects a non-empty TensorList") and not situation.says(
        "expected a non-empty list of Tensors"
    ):
        return None
    for each in node.args[:1] if isinstance(node, ast.Call) else ():
        if situation.look_up(each) in ([], ()):
            rule = _("{text} is empty: nothing was added to it").format(text=ast.unparse(each))
            return Explanation(
                "list", (), rule, (), _("{text}.append(...) in the loop before").format(text=ast.unparse(each))
            )
    return None


def explain_wide_subscripts(situation, node):
    """Explain `einsum("ij，jk->ik", a, b)`, with a comma of another keyboard."""
    if not situation.says("einsum(): invalid subscript") or not isinstance(node, ast.Call) or not node.args:
        return None
    match node.args[0]:
        case ast.Constant(value=str(equation)):
            plain = unicodedata.normalize("NFKC", equation).replace("→", "->").replace("、", ",")
            if plain == equation or not plain.isascii():
                return None
            wrong = next(each for each in equation if not each.isascii())
            rule = _("{character} is no subscript: use ASCII characters").format(character=wrong)
            return explain_replacement(situation, "einsum", rule, node.args[0], f'"{plain}"')
    return None


def explain_cast_of_tuple(situation, node):
    """Explain `params.double()` of a tuple of tensors."""
    error, tree = situation.error, situation.place.tree()
    if not isinstance(error, AttributeError) or type(error.obj) not in (tuple, list) or error.name not in CASTS | WHOLE:
        return None
    calls = [each for each in (ast.walk(tree) if tree else ()) if isinstance(each, ast.Call) and each.func is node]
    if len(calls) != 1 or not all(hasattr(each, "requires_grad") for each in error.obj):
        return None
    if len({each.shape for each in error.obj}) < 2:  # the search stacks them
        return None
    text, kind = ast.unparse(node.value), type(error.obj).__name__
    given = ", ".join(map(ast.unparse, [*calls[0].args, *calls[0].keywords]))
    rule = _("{text} is a {kind} of tensors: call {name} on each of them").format(text=text, kind=kind, name=error.name)
    if error.name in WHOLE:
        return Explanation(
            "attribute", (), rule, (), _("[each.{name}() for each in {text}]").format(name=error.name, text=text)
        )
    code = f"[each.{error.name}({given}) for each in {text}]"
    code = code if kind == "list" else f"tuple({code[1:-1]})"
    return explain_replacement(situation, "attribute", rule, calls[0], code)


def explain_class_with_keywords(situation, node):
    """Explain `torch.Tensor(2.0, requires_grad=True)`."""
    if not isinstance(node, ast.Call) or not message_of(situation.error).startswith(
        "new() received an invalid combination"
    ):
        return None
    name = ast.unparse(node.func)
    if name != "torch.Tensor" or len(node.args) != 1 or not node.keywords:
        return None
    rule = _("torch.Tensor is a class that takes values or sizes alone; torch.tensor takes options")
    return explain_replacement(situation, "tensor", rule, node.func, "torch.tensor")


def explain_name_behind_its_tensor(situation, node):
    """Explain `self.register_buffer(torch.zeros(2), "shift")`."""
    if not isinstance(node, ast.Call) or len(node.args) != 2 or not situation.says("name should be a string"):
        return None
    if not isinstance(node.args[1], ast.Constant) or not isinstance(node.args[1].value, str):
        return None
    rule = _("{function} takes the name first").format(function=ast.unparse(node.func))
    rest = ", ".join(map(ast.unparse, [node.args[1], node.args[0], *node.keywords]))
    return explain_replacement(situation, "call", rule, node, f"{ast.unparse(node.func)}({rest})")
