"""States of recurrent layers made for other layers or another batch."""

import ast
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.causes.models.layers import construction
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import message_of, operand_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

SIZES = re.compile(r"Expected hidden(?:\[\d\])? size \(([\d, ]+)\), got [\[(]([\d, ]+)[\])]")
MAKERS = ("torch.zeros", "torch.randn", "torch.rand", "torch.ones", "torch.empty")


def explain_state(situation):
    """Explain `rnn(x, h0)` with a state for another number of layers, or another batch."""
    found = SIZES.search(message_of(situation.error))
    path = situation.place.path()
    call = path[-1] if path and isinstance(path[-1], ast.Call) else None
    layer = situation.call.module if situation.call is not None else None
    if found is None or call is None or not is_module(layer) or not situation.call.tensors:
        return None
    wanted, got = ([int(size) for size in group.split(",") if size.strip()] for group in found.groups())
    given = [each for each in states_in(call) if isinstance(situation.look_up(each), Tensor)]
    operands = tuple(operand_of(ast.unparse(each), situation.look_up(each)) for each in given)
    count, batch = wanted[0], wanted[-2] if len(wanted) > 2 else None
    rule = _("a state has the shape (layers, batch, features), here {wanted}, but this one is {got}").format(
        wanted=wanted, got=got
    )
    fits = [fit for each in given if (fit := fit_state(situation, each, wanted)) is not None]
    several = [*dict.fromkeys(fits)]  # the same state may be passed twice
    whole = (several[0]._replace(more=tuple(several[1:])),) if fits and len(fits) == len(given) else ()
    x = situation.call.tensors[0].value
    if len(got) == 3 and got[0] == count and got[1] != batch and x.dim() == 3 and got[1] == x.shape[layer.batch_first]:
        fit = other_order(situation, layer)
        if fit is not None:
            if layer.batch_first:  # was chosen, so the state is likelier to be wrong
                text = _("with batch_first=True, the batch is dim 0 of the input, but the state has the size of dim 1")
            else:
                text = _(
                    "the batch is dim 1 of the input, but the state has the size of dim 0, as with batch_first=True"
                )
            return Explanation("RNN", operands, text, (*whole, fit) if layer.batch_first else (fit,))
    return Explanation("RNN", operands, rule, whole)


def states_in(call):
    """Yield the expressions of the states passed to a recurrent layer."""
    for each in (*call.args[1:], *(keyword.value for keyword in call.keywords if keyword.arg == "hx")):
        yield from each.elts if isinstance(each, ast.Tuple) else [each]


def fit_state(situation, node, wanted):
    """Return the Fit of the line that made a state, with the right sizes; None if it is not made from sizes."""
    made = situation.find_assignment(node.id) if isinstance(node, ast.Name) else None
    value = made.value if isinstance(made, ast.Assign) else None
    if not isinstance(value, ast.Call) or ast.unparse(value.func) not in MAKERS or len(value.args) != len(wanted):
        return None
    sizes = [situation.evaluate(each) for each in value.args]
    texts = [
        ast.unparse(each) if size == new else str(new)
        for each, size, new in zip(value.args, sizes, wanted, strict=True)
    ]
    options = [f"{each.arg}={ast.unparse(each.value)}" for each in value.keywords]
    return Fit(f"{node.id} = {ast.unparse(value.func)}({', '.join([*texts, *options])})", "", made.lineno)


def other_order(situation, layer):
    """Return the Fit that makes the layer with the other `batch_first`; None if it is not found."""
    made = construction(situation)
    if made is None:
        return None
    others = [each for each in made.keywords if each.arg == "batch_first"]
    if layer.batch_first:
        return replace_node(situation.place, others[0].value, "False") if others else None
    code = ast.unparse(made)
    return None if others else replace_node(situation.place, made, f"{code[:-1]}, batch_first=True)")
