"""Wrong arguments of optimizers and schedulers: one tensor, computed tensors, the rate before the parameters, a model."""

import ast

from tensh import optim
from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import explain_replacement
from tensh.explain.source.history import names_before
from tensh.explain.source.statements import find_assignment
from tensh.explain.trials.fixes import append_to_expression
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _, list_names
from tensh.support.naming import is_of_torch
from tensh.support.spelling import close


def explain_tensor_for_list(situation, node):
    """Explain `SGD(w)` of one tensor."""
    if not situation.says("params argument given to the optimizer should be an iterable") or not node.args:
        return None
    text = ast.unparse(node.args[0])
    rule = _("{text} is a single tensor: an optimizer expects a list of tensors, or a model's parameters()").format(
        text=text
    )
    return explain_replacement(situation, "optimizer", rule, node.args[0], f"[{text}]")


def explain_computed_parameter(situation, node):
    """Explain `Adam([w])` of a tensor that was computed from one that requires grad."""
    if not situation.says("can't optimize a non-leaf Tensor"):
        return None
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    known = [(each.id, situation.names.get(each.id)) for each in names]
    name = next((name for name, value in known if isinstance(value, Tensor) and not value.is_leaf), None)
    made = find_assignment(situation.place, name) if name else None
    if not isinstance(made, ast.Assign) or made.lineno != made.end_lineno:
        return computed_from_leaves(situation, node)
    code = ast.parse(ast.unparse(made.value), mode="eval").body
    calls = [each for each in ast.walk(code) if isinstance(each, ast.Call)]
    for call in calls:
        call.keywords = [each for each in call.keywords if each.arg != "requires_grad"]
    inputs = {each.id for each in ast.walk(code) if isinstance(each, ast.Name)}
    if any(getattr(situation.names.get(each), "requires_grad", False) for each in inputs):
        return computed_from_leaves(situation, node)
    text = append_to_expression(ast.unparse(code), ".requires_grad_()")
    rule = _(
        "{name} was computed on line {line}, but an optimizer updates leaves only: compute it first, then require grad"
    ).format(name=name, line=made.lineno)
    return Explanation("optimizer", (), rule, (Fit(f"{ast.unparse(made.targets[0])} = {text}", "", made.lineno),))


def computed_from_leaves(situation, node):
    """Explain `Adam([x * 2])`: the optimizer takes the leaves from which it was computed."""
    given = node.args[0] if isinstance(node, ast.Call) and node.args else None
    for each in given.elts if isinstance(given, ast.List | ast.Tuple) else ():
        t = situation.tensor_of(each)
        leaves = [name for name in names_before(each, situation) if situation.names[name].requires_grad]
        if t is None or not leaves or ast.unparse(each) in leaves:
            continue
        rule = _("{text} was computed, but an optimizer updates leaves only").format(text=ast.unparse(each))
        return explain_replacement(situation, "optimizer", rule, each, ", ".join(leaves))
    return None


def explain_nested_parameters(situation, node):
    """Explain `SGD([net.parameters()])`."""
    given = node.args[0] if node.args else None
    if (
        not situation.says("optimizer can only optimize Tensors")
        or not isinstance(given, ast.List)
        or len(given.elts) != 1
    ):
        return None
    text = ast.unparse(given.elts[0])
    if not text.endswith(".parameters()"):
        return None
    rule = _("{text} is a generator of parameters: a list around it has the generator as its only element").format(
        text=text
    )
    return explain_replacement(situation, "optimizer", rule, given, text)


def explain_state_for_parameters(situation, node):
    """Explain `SGD(net.state_dict())`."""
    given = node.args[0] if node.args else None
    match given:
        case ast.Call(func=ast.Attribute(attr="state_dict", value=owner), args=[]):
            text = ast.unparse(given)
        case _:
            return None
    if not situation.says("optimizer can only optimize Tensors") or not is_module(situation.look_up(owner)):
        return None
    rule = _("{text} has the names of the parameters: an optimizer expects the parameters alone").format(text=text)
    return explain_replacement(situation, "optimizer", rule, given, f"{ast.unparse(owner)}.parameters()")


def explain_model_for_optimizer(situation, node):
    """Explain `StepLR(net)`."""
    if not situation.says("is not an Optimizer") or not node.args:
        return None
    found = [
        name
        for name, value in situation.names.items()
        if hasattr(type(value), "zero_grad") and hasattr(value, "param_groups")
    ]
    model, called, _brackets = ast.unparse(node.args[0]).partition(".parameters()")
    if not called and not is_module(situation.look_up(node.args[0])):
        return None
    text = ast.unparse(node.args[0])
    rule = _("{text} is a {kind}: a scheduler changes the learning rates of an optimizer").format(
        text=text, kind="generator" if called else type(situation.look_up(node.args[0])).__name__
    )
    advice = _("create an optimizer first: {code}").format(code=f"opt = torch.optim.SGD({model}.parameters(), lr=0.01)")
    return explain_replacement(
        situation, "scheduler", rule, node.args[0], found[0] if len(found) == 1 else None, advice if not found else None
    )


def explain_module_for_parameters(situation, node):
    """Explain `SGD(net)` of a module whose class is the program's; the search tries those of the library."""
    if not node.args or not is_optimizer(node) or not situation.says("object is not iterable"):
        return None
    model = situation.look_up(node.args[0])
    if not is_module(model) or is_of_torch(type(model).__module__):
        return None
    text = ast.unparse(node.args[0])
    rule = _("{text} is a module: its parameters are needed").format(text=text)
    return explain_replacement(situation, "optimizer", rule, node.args[0], f"{text}.parameters()")


def is_optimizer(node):
    """Return True if a call is that of an optimizer, by its name."""
    return ast.unparse(node.func).rpartition(".")[2] in optim.PLACES


def explain_rate_before_parameters(situation, node):
    """Explain `SGD(0.1, net.parameters())`."""
    if not situation.says("not supported between instances of", "'generator'") or len(node.args) != 2:
        return None
    first, second = node.args
    if not ast.unparse(second).endswith(".parameters()"):
        return None
    rule = _("an optimizer expects the parameters first, then the learning rate")
    new = f"{ast.unparse(node.func)}({ast.unparse(second)}, {ast.unparse(first)})"
    return explain_replacement(situation, "optimizer", rule, node, new)


def explain_rate_without_parameters(situation, node):
    """Explain `Adam(0.01)`."""
    is_number = (
        len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and type(node.args[0].value) in (int, float)
    )
    if not is_number or not situation.says("object is not iterable"):
        return None
    if not is_optimizer(node):
        return None
    models = [name for name, value in situation.names.items() if is_module(value) and [*value.parameters()]]
    rule = _("an optimizer expects the parameters first, then the learning rate")
    new = f"{models[0]}.parameters(), {ast.unparse(node.args[0])}" if len(models) == 1 else None
    return explain_replacement(
        situation, "optimizer", rule, node.args[0], new, _("put the parameters of a model before it")
    )


def explain_settings_of_groups(situation):
    """Explain `opt.param_groups["lr"]`."""
    match situation.place.node():
        case ast.Subscript(value=ast.Attribute(attr="param_groups") as groups, slice=ast.Constant(value=str(key))):
            pass
        case _:
            return None
    value, text = situation.look_up(groups), ast.unparse(groups)
    if type(value) is not list or not value or key not in value[0]:
        return None
    rule = _("{text} is a list of groups, each with its settings").format(text=text)
    return explain_replacement(situation, "index", rule, groups, f"{text}[0]")


def explain_key_of_group(situation):
    """Explain `SGD([{"param": net.parameters()}])`."""
    path = situation.place.path()
    if not path or not isinstance(path[-1], ast.Call) or situation.error.args != ("params",):
        return None
    groups = [each for each in ast.walk(path[-1]) if isinstance(each, ast.Dict)]
    keys = [{key.value: key for key in group.keys if isinstance(key, ast.Constant)} for group in groups]
    lacking = next((each for each in keys if "params" not in each), None)
    if not isinstance(situation.error, KeyError) or not lacking:
        return None
    meant = [word for word in lacking if close(str(word), ["params", "parameters", "param"])]
    rule = _('a group has its parameters under the key "params", but this one has {keys}').format(
        keys=list_names([f'"{each}"' for each in lacking])
    )
    if len(meant) != 1:
        return Explanation("optimizer", (), rule)
    return explain_replacement(situation, "optimizer", rule, lacking[meant[0]], '"params"')


KINDS = (
    explain_tensor_for_list,
    explain_module_for_parameters,
    explain_computed_parameter,
    explain_rate_before_parameters,
    explain_rate_without_parameters,
    explain_nested_parameters,
    explain_state_for_parameters,
    explain_model_for_optimizer,
)
