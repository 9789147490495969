"""Functions that modules call: hooks with other parameters, and functions for `apply`, which visits every module."""

import ast
import re

from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import first_explanation, message_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

GIVEN = {
    "register_forward_hook": "module, inputs, output",
    "register_forward_pre_hook": "module, inputs",
    "register_full_backward_hook": "module, grad_input, grad_output",
    "register_hook": "grad",
}
"""Methods that register a hook, and what they pass to it."""
COUNTS = re.compile(
    r"(?:\w+\.)*(<lambda>|\w+)\(\) (?:takes \d+ positional arguments? but|missing \d+ required positional)"
)


def explain_hook(situation):
    """Return the Explanation of the first kind that applies."""
    return first_explanation((explain_hook_with_other_parameters, explain_attribute_of_every_module), situation)


def explain_hook_with_other_parameters(situation):
    """Explain `register_forward_hook(lambda m, x: ...)`, which is called with three arguments."""
    found = COUNTS.match(message_of(situation.error)) if isinstance(situation.error, TypeError) else None
    tree = situation.place.tree()
    for call in ast.walk(tree) if found and tree else ():
        match call:
            case ast.Call(func=ast.Attribute(attr=word), args=[hook]) if word in GIVEN:
                pass
            case _:
                continue
        is_lambda = isinstance(hook, ast.Lambda) and found[1] == "<lambda>"
        if not is_lambda and getattr(hook, "id", getattr(hook, "attr", None)) != found[1]:
            continue
        given = GIVEN[word].split(", ")
        own = [each.arg for each in hook.args.args] if is_lambda else None
        if own is not None and len(own) == len(given):
            continue
        rule = _("a function for {method} is called as {code}").format(method=word, code=f"hook({GIVEN[word]})")
        if own is None:
            return Explanation("hook", (), rule)
        names = ", ".join([*own, *given[len(own) :]][: len(given)])
        fit = replace_node(situation.place, hook, f"lambda {names}: {ast.unparse(hook.body)}")
        return Explanation("hook", (), rule, (fit,) if fit else ())
    return None


def explain_attribute_of_every_module(situation):
    """Explain `net.apply(init)` with a function that reads an attribute which only some of the modules have."""
    scope, error = situation.place.scope(), situation.error
    if not isinstance(error, AttributeError) or not is_module(error.obj) or not isinstance(scope, ast.FunctionDef):
        return None
    names = [each.arg for each in scope.args.args]
    model = model_applied(error)
    if model is None or len(names) != 1 or situation.names.get(names[0]) is not error.obj:
        return None
    rule = _("apply visits every module, the model itself included, and {kind} has no {attribute}").format(
        kind=type(error.obj).__name__, attribute=error.name
    )
    fit = Fit(f"if not isinstance({names[0]}, nn.Linear): return", "", scope.body[0].lineno, "before")
    return Explanation("apply", (), rule, (fit,))


def model_applied(error):
    """Return the model whose `apply` called the function that failed; None if none did."""
    step = error.__traceback__
    while step is not None:
        code, own = step.tb_frame.f_code, step.tb_frame.f_locals.get("self")
        if code.co_name == "apply" and is_module(own):
            return own
        step = step.tb_next
    return None
