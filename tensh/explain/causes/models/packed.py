"""Packed sequences: their steps, lengths in another order of dimensions, and the output of a layer beside its state."""

import ast
import re

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation, Fit
from tensh.explain.situation import first_explanation, message_of
from tensh.explain.source.replacing import replace_node
from tensh.explain.source.rewriting import set_keyword
from tensh.support.language import _

PACKED = "PackedSequence"
OF_TUPLES = "tuple indices must be integers", "'PackedSequence' object", "not PackedSequence", "to tuple"
COUNTS = re.compile(r"Expected `len\(lengths\)` to be equal to batch_size, but got (\d+) \(batch_size=(\d+)\)")


def explain_packed(situation):
    """Return the Explanation of the first kind that applies."""
    path = situation.place.path()
    return (
        first_explanation(
            (explain_result_of_layer, explain_lengths_of_steps, explain_packed_as_tensor), situation, path[-1]
        )
        if path
        else None
    )


def explain_result_of_layer(situation, node):
    """Explain `pad_packed_sequence(rnn(packed))` of a pair of output and state."""
    if not situation.says("'tuple' object has no attribute 'batch_sizes'") or not isinstance(node, ast.Call):
        return None
    if not ast.unparse(node.func).endswith("pad_packed_sequence") or not node.args:
        return None
    text = ast.unparse(node.args[0])
    rule = _("{text} is a pair: the output, which is packed, and the state").format(text=text)
    fit = replace_node(situation.place, node.args[0], f"{text}[0]")
    return Explanation("pad_packed_sequence", (), rule, (fit,) if fit else ())


def explain_lengths_of_steps(situation, node):
    """Explain `pack_padded_sequence(x, lengths)` of sequences whose first dimension is the batch."""
    found = COUNTS.fullmatch(message_of(situation.error))
    if not found or not isinstance(node, ast.Call) or not node.args:
        return None
    x, count = situation.tensor_of(node.args[0]), int(found[1])
    given = any(each.arg == "batch_first" for each in node.keywords) or len(node.args) > 2
    if not isinstance(x, Tensor) or x.dim() < 2 or given or x.shape[0] != count:
        return None
    text = ast.unparse(node.args[0])
    rule = _("{text} is read as [steps, batch, ...], but there is a length for each of its {count} rows")
    fit = replace_node(situation.place, node, set_keyword(ast.unparse(node), "batch_first", "True"))
    return Explanation("pack_padded_sequence", (), rule.format(text=text, count=count), (fit,) if fit else ())


def explain_packed_as_tensor(situation, node):
    """Explain `out[:, -1]`, `out.shape` and `head(out)` of a packed sequence."""
    names = [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]
    name = next((each for each in names if type(situation.names.get(each)).__name__ == PACKED), None)
    if name is None or not any(map(situation.says, OF_TUPLES)):
        return None
    rule = _("{name} is packed: its sequences follow one another, without padding")
    known = "pad_packed_sequence" in situation.names
    function = "pad_packed_sequence" if known else "nn.utils.rnn.pad_packed_sequence"
    first = ", batch_first=True" if is_batch_first(situation) else ""
    fit = Fit(f"{name}, lengths = {function}({name}{first})", "", situation.place.line, "before")
    return Explanation("PackedSequence", (), rule.format(name=name), (fit,))


def is_batch_first(situation):
    """Return True if the source packs with the batch first."""
    tree = situation.place.tree()
    calls = [each for each in ast.walk(tree) if isinstance(each, ast.Call)] if tree else []
    return any(
        ast.unparse(call.func).endswith("pack_padded_sequence") and any(each.arg == "batch_first" for each in call.keywords)
        for call in calls
    )  # fmt: skip
