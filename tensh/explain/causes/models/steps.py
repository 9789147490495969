"""Calls for a single step: a recurrent cell that is passed a sequence, an optimizer that computes the loss."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import operand_of
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

CELLS = ("RNNCell", "LSTMCell", "GRUCell")
STEPS = 3  # dimensions of a batch of sequences: steps, samples, features


def explain_step(situation):
    """Return the Explanation of the first kind that applies."""
    path = situation.place.path()
    node = path[-1] if path and isinstance(path[-1], ast.Call) else None
    kinds = (
        (explain_sequence_for_cell, explain_step_without_closure, explain_step_without_metric)
        if node is not None
        else ()
    )
    return next((found for kind in kinds if (found := kind(situation, node)) is not None), None)


def explain_sequence_for_cell(situation, node):
    """Explain `h = cell(x, h)` of an x with all steps."""
    cell = situation.look_up(node.func)
    if not is_module(cell) or type(cell).__name__ not in CELLS or not node.args:
        return None
    x, text = situation.tensor_of(node.args[0]), ast.unparse(node.args[0])
    if x is None or x.dim() != STEPS or x.shape[-1] != cell.input_size:
        return None
    rule = _("{cell} expects one step, [batch, {features}], but {text} has {count} of them").format(
        cell=ast.unparse(node.func), features=cell.input_size, text=text, count=len(x)
    )
    statement = situation.place.path()[0]
    is_simple = isinstance(statement, ast.Assign) and statement.value is node and isinstance(node.args[0], ast.Name)
    one = ast.Call(node.func, [ast.Name("step"), *node.args[1:]], node.keywords)
    loop = (
        ast.For(ast.Name("step"), node.args[0], [ast.Assign(statement.targets, one, lineno=1)], [])
        if is_simple
        else None
    )
    code = " ".join(ast.unparse(ast.fix_missing_locations(loop)).split("\n    ")) if loop else None
    fits = (Fit(code, "", node.lineno),) if code else ()
    advice = None if fits else _("loop over the steps: for step in {text}").format(text=text)
    return Explanation("cell", (operand_of(text, x),), rule, fits, advice)


def explain_step_without_closure(situation, node):
    """Explain `opt.step()` of LBFGS, which evaluates the loss several times."""
    if not situation.says("missing 1 required positional argument: 'closure'"):
        return None
    name = ast.unparse(node.func).rpartition(".")[0]
    rule = _("a step of LBFGS computes the loss several times, and needs the function that does")
    advice = _(
        "def closure(): {name}.zero_grad(); compute loss; loss.backward(); return loss, then {name}.step(closure)"
    )
    return Explanation("optimizer", (), rule, (), advice.format(name=name))


def explain_step_without_metric(situation, node):
    """Explain `scheduler.step()` of ReduceLROnPlateau."""
    if not situation.says("ReduceLROnPlateau.step() missing 1 required positional argument"):
        return None
    name = ast.unparse(node.func)
    losses = [each for each in situation.names if "loss" in each.lower() and is_number(situation.names[each])]
    rule = _("this scheduler watches a number, and lowers the learning rate when it stops falling")
    fits = (Fit(f"{name}({losses[-1]})"),) if len(losses) == 1 else ()
    return Explanation("scheduler", (), rule, fits, None if fits else f"{name}(loss)")


def is_number(value):
    """Return True for a number, or a tensor of one element."""
    return type(value) in (int, float) or isinstance(value, Tensor) and value.numel() == 1
