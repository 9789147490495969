"""A statement that lacks a step which its neighbours have: `k` and `v` are transposed, and `q` is not."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.attempts import make_shadow, works
from tensh.explain.trials.trusted import Unknown
from tensh.support.language import _, list_names

LEAST = 2  # neighbours that do the same
SELF = "_it_"  # stands for the name of each statement


def explain_odd_one_out(situation):
    """Explain shapes that do not fit, if one of several similar statements lacks a step of the others."""
    path, scope = situation.place.path(), situation.place.scope()
    if not path or scope is None or not isinstance(situation.error, RuntimeError | ValueError):
        return None
    used = {each.id for each in ast.walk(path[-1]) if isinstance(each, ast.Name)}
    for block in blocks_in(scope):
        made = [each for each in block if is_simple(each) and each.end_lineno < situation.place.line]
        forms = {each: form_of(each) for each in made}
        for odd in made:
            name = odd.targets[0].id
            if name not in used or not isinstance(situation.names.get(name), Tensor):
                continue
            found = lacking_step(odd, forms)
            if found is not None and works_with_step(situation, name, found, path[-1]) is not False:
                return say(situation, odd, *found)
    return None


def blocks_in(scope):
    """Yield the lists of statements of a function or module."""
    for node in ast.walk(scope):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            yield body


def is_simple(statement):
    """Return True for `x = ...` of a name."""
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
        and statement.lineno == statement.end_lineno
    )


def form_of(statement):
    """Return the value of a statement, as text, with a common word for its own name."""
    name = statement.targets[0].id
    value = ast.parse(ast.unparse(statement.value), mode="eval").body
    for node in ast.walk(value):
        if isinstance(node, ast.Name) and node.id == name:
            node.id = SELF
    return ast.unparse(value)


def lacking_step(odd, forms):
    """Return (the form of the neighbours, their names, the step, whether it is the last); None if there are none."""
    for form in dict.fromkeys(forms.values()):
        others = [each.targets[0].id for each, own in forms.items() if own == form]
        if len({*others}) < LEAST or SELF not in form or odd.targets[0].id in others:
            continue
        whole = ast.parse(form, mode="eval").body
        for node in ast.walk(whole):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                shorter = form.replace(ast.unparse(node), ast.unparse(node.func.value), 1)
                if shorter == forms[odd]:
                    step = ast.unparse(node).removeprefix(ast.unparse(node.func.value))
                    return form, others, step, node is whole
    return None


def works_with_step(situation, name, found, failed):
    """Return True if the failing code works with the step, False if it fails then, too; None if that is unknown."""
    _form, _others, step, is_last = found
    if not is_last:
        return None
    shadow = make_shadow(situation.names, failed)
    try:
        changed = shadow.bind_name(name, shadow.value(f"{name}{step}"))
    except Unknown:
        return None
    except Exception:  # the step itself fails
        return False
    return works(failed, changed)


def say(situation, odd, form, others, step, is_last):
    name = odd.targets[0].id
    rule = _("{name} on line {line} lacks {step}, which {others} have").format(
        name=name, line=odd.lineno, step=step, others=list_names(others)
    )
    fit = replace_node(situation.place, odd.value, form.replace(SELF, name))
    return Explanation("shape", (), rule, (fit,)) if fit else None
