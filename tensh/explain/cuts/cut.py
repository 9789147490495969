"""The description of a cut, and helpers shared by the searches."""

import ast
from typing import NamedTuple

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Fit
from tensh.explain.source.place import FUNCTIONS, iterate_scope
from tensh.explain.source.statements import blocks_over
from tensh.explain.trials.attempts import UNKNOWN, try_value
from tensh.support.language import _

SWITCHES = ("no_grad", "inference_mode", "set_grad_enabled")


class Cut(NamedTuple):
    """A cut as a sentence that continues the tensor's name, the fixes, and other advice."""

    sentence: str
    fits: tuple[Fit, ...] = ()
    advice: str | None = None


def switches(block):
    """Return the context managers of a `with`, or the decorators of a function, that disable gradients."""
    if isinstance(block, FUNCTIONS):
        texts = [ast.unparse(each) for each in getattr(block, "decorator_list", ())]
    else:
        texts = [ast.unparse(item.context_expr) for item in getattr(block, "items", ())]
    return [text for text in texts if any(word in text for word in SWITCHES) and not text.endswith("(True)")]


def cut_by_block(tree, node):
    """Return the Cut by a block around a node that disables gradients; None if there is none."""
    for block in blocks_over(tree, node):
        for text in switches(block):
            return Cut(
                _("was computed within {text} (line {line})").format(text=text, line=block.lineno),
                (),
                _("compute it outside {text}").format(text=text),
            )
    switched = [each for each in iterate_scope(tree) if is_switch(each) and each.lineno < node.lineno]
    last = max(switched, key=lambda each: each.lineno, default=None)
    if last is not None and last.value.args[0].value is False:
        text = ast.unparse(last)
        sentence = _("was computed while gradients were off: {text} (line {line})").format(text=text, line=last.lineno)
        return Cut(sentence, (), _("{code} before it").format(code=text.replace("False", "True")))
    return None


def is_switch(node):
    """Return True for a statement `torch.set_grad_enabled(...)`, which holds until the next one."""
    match node:
        case ast.Expr(value=ast.Call(func=function, args=[ast.Constant(value=bool())])):
            return ast.unparse(function).endswith("set_grad_enabled")
    return False


def inner_first(node):
    """Yield the subexpressions of an expression, inner ones first."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.expr | ast.keyword | ast.comprehension):
            yield from inner_first(inner)
    if isinstance(node, ast.expr):
        yield node


def requires_grad(node, shadow):
    """Return True if an expression certainly requires grad; None if unknown."""
    value = try_value(node, shadow, UNKNOWN)
    if value is UNKNOWN:
        return None
    return any(
        isinstance(t, Tensor) and t.requires_grad for t in (value if isinstance(value, list | tuple) else [value])
    )
