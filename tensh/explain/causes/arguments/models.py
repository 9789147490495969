"""Models, their states and their files, passed in place of one another."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.situation import explain_replacement
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _


def explain_path_for_state(situation, node):
    """Explain `load_state_dict("model.pt")`."""
    if not situation.says("Expected state_dict to be dict-like", "'str'") or not node.args:
        return None
    text = ast.unparse(node.args[0])
    rule = _("{text} is a path: torch.load reads the file").format(text=text)
    model = situation.look_up(node.func.value) if isinstance(node.func, ast.Attribute) else None
    return (
        explain_replacement(situation, "load_state_dict", rule, node.args[0], f"torch.load({text})")
        if is_module(model)
        else None
    )


def explain_model_for_weight(situation, node):
    """Explain `nn.init.zeros_(net)` of a layer."""
    if not isinstance(situation.error, AttributeError) or "init." not in ast.unparse(node.func) or not node.args:
        return None
    layer, text = situation.look_up(node.args[0]), ast.unparse(node.args[0])
    if not is_module(layer):
        return None
    if not isinstance(vars(layer).get("_parameters", {}).get("weight"), Tensor):
        rule = _("{text} is a model: pass one of its tensors").format(text=text)
        call = ", ".join(["p", *map(ast.unparse, [*node.args[1:], *node.keywords])])
        return Explanation("init", (), rule, (), f"for p in {text}.parameters(): {ast.unparse(node.func)}({call})")
    rule = _("{text} is a layer: pass one of its tensors").format(text=text)
    return explain_replacement(situation, "init", rule, node.args[0], f"{text}.weight")


def explain_model_for_state(situation, node):
    """Explain `net.load_state_dict(other)` of a model."""
    if not situation.says("Expected state_dict to be dict-like") or len(node.args) != 1:
        return None
    text = ast.unparse(node.args[0])
    if not is_module(situation.look_up(node.args[0]) or situation.evaluate(node.args[0])):
        return None
    rule = _("{text} is a model: state_dict() gives its state").format(text=text)
    return explain_replacement(situation, "load_state_dict", rule, node.args[0], f"{text}.state_dict()")


KINDS = (
    explain_path_for_state,
    explain_model_for_state,
    explain_model_for_weight,
)
