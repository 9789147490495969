"""The description of a cut, and what the searches for cuts share."""

import ast
from typing import NamedTuple

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.situation import blocks_over
from tensh.explain.model import Fit
from tensh.explain.place import FUNCTIONS, iterate_scope
from tensh.explain.shadow import Unknown
from tensh.language import _

SWITCHES = ("no_grad", "inference_mode", "set_grad_enabled")


class Cut(NamedTuple):
    """The cut as a sentence that goes on after the tensor's name, what mends it, and what else to do."""

    sentence: str
    fits: tuple[Fit, ...] = ()
    advice: str | None = None


def switches(block):
    """The texts of the managers of a `with`, or of the decorators of a function, that switch gradients off."""
    if isinstance(block, FUNCTIONS):
        texts = [ast.unparse(each) for each in getattr(block, "decorator_list", ())]
    else:
        texts = [ast.unparse(item.context_expr) for item in getattr(block, "items", ())]
    return [text for text in texts if any(word in text for word in SWITCHES) and not text.endswith("(True)")]


def cut_by_block(tree, node):
    """The Cut by a block around a node that switches gradients off; None if there is none."""
    for block in blocks_over(tree, node):
        for text in switches(block):
            return Cut(
                _("was computed under {text} (line {line})").format(text=text, line=block.lineno),
                (),
                _("compute it outside of {text}").format(text=text),
            )
    switched = [each for each in iterate_scope(tree) if is_switch(each) and each.lineno < node.lineno]
    last = max(switched, key=lambda each: each.lineno, default=None)
    if last is not None and last.value.args[0].value is False:
        text = ast.unparse(last)
        sentence = _("was computed while gradients were off: {text} (line {line})").format(text=text, line=last.lineno)
        return Cut(sentence, (), _("{code} before it").format(code=text.replace("False", "True")))
    return None


def is_switch(node):
    """True for a statement `torch.set_grad_enabled(...)`, which lasts until the next one."""
    match node:
        case ast.Expr(value=ast.Call(func=function, args=[ast.Constant(value=bool())])):
            return ast.unparse(function).endswith("set_grad_enabled")
    return False


def inner_first(node):
    """The expressions in an expression, each after those that it is made of."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.expr | ast.keyword | ast.comprehension):
            yield from inner_first(inner)
    if isinstance(node, ast.expr):
        yield node


def evaluate(node, shadow):
    """The value of an expression on stand-ins; None where that is not known."""
    try:
        return shadow.evaluate(node)
    except (Unknown, Exception):
        return None


def requires_grad(node, shadow):
    """True if an expression surely requires grad; None where that is not known."""
    try:
        value = shadow.evaluate(node)
    except (Unknown, Exception):
        return None
    return any(
        isinstance(t, Tensor) and t.requires_grad for t in (value if isinstance(value, list | tuple) else [value])
    )
