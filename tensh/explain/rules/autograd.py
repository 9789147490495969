"""What may be differentiated, and what becomes a number."""

import ast
import re

from tensh.explain.calls import Argument
from tensh.explain.model import Explanation, Fit
from tensh.explain.place import calls_of, loop_around, writes_into
from tensh.explain.rules.shared import name_or_phrase, operand
from tensh.explain.trying import behind, fits


def needs_scalar(call, text):
    t = call.arguments[0]
    shape = list(t.value.shape)
    root = t.text or "y"
    whole = (
        (Fit(f"{behind(root, '')}.sum().backward()", f"{shape} -> []"),) if call.segment.endswith(".backward()") else ()
    )
    return Explanation(
        "backward", (operand(t),), f"backward starts from one number, and {name_or_phrase(t)} has {t.value.numel()}: whose derivative is meant?", whole,
        f"{behind(root, '')}.backward(torch.ones({shape})), which is the same",
    )  # fmt: skip


def nothing_recorded(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "requires_grad"):
        return None
    return Explanation(
        "backward", (operand(t),), f"nothing that {name_or_phrase(t)} was computed from requires grad, or it was detached or computed under no_grad", (),
        "say of the tensors to differentiate by that they do, before computing: x.requires_grad_()",
    )  # fmt: skip


def second_pass(call, text):
    root = call.arguments[0].text if call.arguments else None
    first = first_pass(call)
    passed = f"this graph has been passed already{first and ', ' + first}"
    return Explanation(
        "backward", (), f"a backward pass gives back what it has saved, and {passed}", (),
        f"compute {root or 'the result'} again before each backward, or keep the graph: {root or 'y'}.backward(retain_graph=True)",
    )  # fmt: skip


def first_pass(call):
    """Where the pass before this one was, as far as the source tells."""
    scope, here = call.place.scope(), call.place.line
    if scope is None:
        return ""
    before = [line for line, code in calls_of(scope, "backward") if line < here and "retain_graph=True" not in code]
    if before:
        return f"on line {before[-1]}"
    loop = loop_around(scope, here)
    return f"in an earlier turn of the loop on line {loop.lineno}" if loop else ""


def explain_overwritten(call, text):
    """A value that a derivative needs was overwritten: which one, and by what."""
    found = re.search(r"\[\S+ \[([\d, ]*)\]\].* is at version (\d+)", text)
    scope = call.place.scope()
    if not found or scope is None:
        return None
    shape, version = [int(size) for size in found[1].split(",") if size.strip()], int(found[2])
    for name, value in call.names.items():
        if hasattr(value, "_version") and list(value.shape) == shape and value._version == version:
            writes = [(line, code) for line, code in writes_into(scope, name) if line <= call.place.line]
            if writes:
                line, code = writes[-1]
                return Explanation(
                    "backward", (operand(Argument(name, value, name, None)),),
                    f"a derivative needs {name} as it was, and `{code}` on line {line} has changed it", (),
                    f"on line {line}, {anew(code) or f'compute a new tensor instead of writing into {name}'}",
                )  # fmt: skip
    return None


def anew(code):
    """`a += b` as a new tensor: `a = a + b`; None for other code."""
    (tree,) = ast.parse(code).body
    if not isinstance(tree, ast.AugAssign) or not isinstance(tree.target, ast.Name):
        return None
    return ast.unparse(ast.Assign([tree.target], ast.BinOp(tree.target, tree.op, tree.value), lineno=1))


def leaf_in_place(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    name = t.text or "w"
    return Explanation(
        call.symbol, (operand(t),), f"{name_or_phrase(t)} is a leaf that requires grad: a write would change what its gradient is of",
        fits(call, [f"with torch.no_grad(): {call.segment}"]) if call.symbol != "[]" else (), f"{'write under torch.no_grad(), or ' * (call.symbol == '[]')}compute a new tensor instead of writing into {name}",
    )  # fmt: skip


def to_numpy(call, text):
    t = call.arguments[0]
    return Explanation(
        "numpy",
        (operand(t),),
        f"{name_or_phrase(t)} requires grad, and an array records nothing",
        fits(call, [t.text and call.rewritten({t: behind(t.text, ".detach()")})]),
    )


def one_number(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    return Explanation(
        call.symbol, (operand(t),), f"{name_or_phrase(t)} has {t.value.numel()} elements, and one number is wanted",
        fits(call, [t.text and behind(t.text, ".tolist()")]), "one of them, by an index; a sum or a mean of them first",
    )  # fmt: skip


def truth(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    between = elementwise(call.segment)
    candidates = [between] if between else [t.text and behind(t.text, way) for way in (".all()", ".any()")]
    return Explanation(
        "bool", (operand(t),), f"{name_or_phrase(t)} has {t.value.numel()} elements: true if all are, or if any is?",
        fits(call, candidates), None if between else "between tensors & and | instead of `and` and `or`",
    )  # fmt: skip


def elementwise(segment):
    """`a and b`, `a or b`, `not a` as they are written for tensors; None for other code."""
    try:
        tree = ast.parse(f"({segment}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not):
        return "~" + bracket(tree.operand)
    if not isinstance(tree, ast.BoolOp):
        return None
    return (" & " if isinstance(tree.op, ast.And) else " | ").join(bracket(each) for each in tree.values)


def bracket(node):
    """An expression that an operator may stand beside."""
    text = ast.unparse(node)
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant) else f"({text})"
