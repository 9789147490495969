"""Distributions: sizes and gradients of samples, parameters of another kind, values that are no tensors."""

import ast
import inspect

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.statements import find_assignment
from tensh.explain.trials.trusted import is_from
from tensh.support.language import _

SAMPLES = ("sample", "rsample")


def explain_distribution(situation):
    """Return the Explanation of the first kind that applies."""
    node = situation.place.node()
    return (
        (
            size_of_sample(situation, node)
            or explain_list_for_parameter(situation, node)
            or scores_for_probabilities(situation, node)
            or number_for_value(situation, node)
            or explain_drawn_integers(situation, node)
            or draw_without_gradient(situation, node)
            or variances_for_matrix(situation, node)
        )
        if isinstance(node, ast.Call)
        else None
    )


def size_of_sample(situation, node):
    """Explain `d.sample(5)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr=word), args=[size], keywords=[]) if word in SAMPLES:
            if situation.says("'int' object is not iterable") and type(situation.evaluate(size)) is int:
                text = ast.unparse(size)
                rule = _("{text} is a number, but a size must be a tuple").format(text=text)
                fit = replace_node(situation.place, size, f"({text},)")
                return Explanation(word, (), rule, (fit,)) if fit else None
    return None


def explain_list_for_parameter(situation, node):
    """Explain `Categorical([0.2, 0.8])`."""
    kind = situation.look_up(node.func)
    if not isinstance(kind, type) or not is_from(kind, "distributions") or not situation.says("'list' object has no"):
        return None
    for each in (*node.args, *(keyword.value for keyword in node.keywords)):
        value = situation.evaluate(each)
        if type(value) is list:
            text = ast.unparse(each)
            rule = _("{text} is a {kind}, not a tensor").format(text=text, kind="list")
            fit = replace_node(situation.place, each, f"torch.tensor({text})")
            return Explanation(kind.__name__, (), rule, (fit,)) if fit else None
    return None


def scores_for_probabilities(situation, node):
    """Explain `Categorical(net(x))`: outputs before a softmax are logits."""
    kind = situation.look_up(node.func)
    if (
        not isinstance(kind, type)
        or not is_from(kind, "distributions")
        or not situation.says("Expected parameter probs")
    ):
        return None
    names = [*inspect.signature(kind.__init__).parameters][1:]
    position = names.index("probs") if {"probs", "logits"} <= {*names} else len(node.args)
    given = node.args[position] if position < len(node.args) else None
    value = situation.look_up(given) if given is not None else None
    if given is None or isinstance(value, Tensor) and not bool(value.isfinite().all()):
        return None
    text, named = ast.unparse(given), [ast.unparse(each) for each in node.keywords]
    before, behind = [*map(ast.unparse, node.args[:position])], node.args[position + 1 :]
    rule = _("{text} holds numbers that are not probabilities: pass scores of any size as logits").format(text=text)
    code = f"{ast.unparse(node.func)}({', '.join([*before, f'logits={text}', *named])})"
    fit = replace_node(situation.place, node, code) if not behind else None
    return Explanation(kind.__name__, (), rule, (fit,) if fit else ())


def number_for_value(situation, node):
    """Explain `d.log_prob(1)`."""
    if not situation.says("The value argument to log_prob must be a Tensor") or len(node.args) != 1:
        return None
    text, value = ast.unparse(node.args[0]), situation.evaluate(node.args[0])
    if not isinstance(value, int | float):
        return None
    rule = _("{text} is an int, not a tensor") if isinstance(value, int) else _("{text} is a float, not a tensor")
    rule = rule.format(text=text)
    fit = replace_node(situation.place, node.args[0], f"torch.tensor({text})")
    return Explanation("log_prob", (), rule, (fit,) if fit else ())


def explain_drawn_integers(situation, node):
    """Explain `Normal(torch.tensor([0, 1]), torch.tensor([1, 1]))`, whose samples are no whole numbers."""
    match node:
        case ast.Call(func=ast.Attribute(attr=word, value=owner)) if word in SAMPLES:
            pass
        case _:
            return None
    if not situation.says("not implemented for 'Long'"):
        return None
    made = find_assignment(situation.place, owner.id) if isinstance(owner, ast.Name) else None
    call = made.value if isinstance(made, ast.Assign) else owner
    if not isinstance(call, ast.Call) or not is_from(type(situation.look_up(owner)), "distributions"):
        return None
    given = [each for each in call.args if getattr(situation.tensor_of(each), "is_floating_point", bool)() is False]
    if not given:
        return None
    texts = {id(each): f"{ast.unparse(each)}.float()" for each in given}
    arguments = [texts.get(id(each)) or ast.unparse(each) for each in call.args]
    arguments += [ast.unparse(each) for each in call.keywords]
    rule = _("{text} holds whole numbers, and so would the samples").format(text=ast.unparse(given[0]))
    fit = replace_node(situation.place, call, f"{ast.unparse(call.func)}({', '.join(arguments)})")
    return Explanation(word, (), rule, (fit,) if fit else ())


def draw_without_gradient(situation, node):
    """Explain `Categorical(probs).rsample()`: no gradient passes through a choice."""
    owner = node.func.value if isinstance(node.func, ast.Attribute) and node.func.attr == "rsample" else None
    value = situation.look_up(owner) if owner is not None else None
    if not isinstance(situation.error, NotImplementedError) or getattr(type(value), "has_rsample", True):
        return None
    rule = _("{kind} has no rsample: no gradient can pass through its samples").format(kind=type(value).__name__)
    text = ast.unparse(owner)
    return Explanation(
        "rsample", (), rule, (), _("{text}.sample(), and {text}.log_prob(sample) in the loss").format(text=text)
    )


def variances_for_matrix(situation, node):
    """Explain `MultivariateNormal(mean, variances)`."""
    if not situation.says("covariance_matrix must be at least two-dimensional"):
        return None
    named = next((each.value for each in node.keywords if each.arg == "covariance_matrix"), None)
    given = named or (node.args[1] if len(node.args) > 1 else None)
    t = situation.tensor_of(given) if given is not None else None
    if not isinstance(t, Tensor) or t.dim() != 1:
        return None
    text = ast.unparse(given)
    rule = _("a covariance is a matrix: independent variables have their variances on its diagonal")
    fit = replace_node(situation.place, given, f"torch.diag({text})")
    return Explanation("MultivariateNormal", (), rule, (fit,) if fit else ())
