"""One-hot vectors as indices of an embedding, which takes every 0 and 1 for an index: what follows has a dimension more."""

import ast

from tensh.engine.core.tensor import Tensor
from tensh.explain.model import Explanation
from tensh.explain.rules.one_hot import given_to_one_hot, is_one_hot
from tensh.explain.situation import operand_of
from tensh.explain.source.history import follow
from tensh.explain.source.replacing import replace_node
from tensh.explain.trials.fixes import append_to_expression
from tensh.explain.trials.replaying import works_after
from tensh.explain.trials.trusted import is_module
from tensh.support.language import _

TABLES = ("Embedding", "EmbeddingBag")
FUNCTIONS = ("F.embedding", "nn.functional.embedding", "torch.nn.functional.embedding", "torch.embedding")
ABOUT_SHAPES = ("size", "shape", "dimension", "2D")
STEPS = frozenset("unsqueeze squeeze long int to clone contiguous view reshape transpose permute expand".split())
"""Methods after which rows with a single 1 are still such rows, where the last size is the same."""
LEAST_ROWS = 3
MOST_NODES = 1000  # nodes visited of a graph


def explain_one_hot_indices(situation):
    """Explain a failure over shapes after an embedding was given one-hot vectors for indices."""
    path = situation.place.path()
    if not path or not isinstance(situation.error, RuntimeError | ValueError | IndexError | AssertionError):
        return None
    is_other = False  # a failure that indices do not mend
    for step in follow(path[-1], situation):
        for call in ast.walk(step.node):
            given = indices_of_table(call, situation)
            if given is None or call is path[-1] or not holds_one_hot(given[0], given[1], situation):
                continue
            indices, count = given
            fit, is_other = replace_node(step.place, indices, code_of_places(indices)), True
            if works_after(situation, step, indices, code_of_places(indices), path[-1]) is not False:
                return say(situation, ast.unparse(indices), situation.tensor_of(indices), count, fit)
    return None if is_other or situation.says("cannot be multiplied") else explain_by_graph(situation)


def say(situation, text, indices, count, fit):
    rule = _("{indices} is one-hot, but an embedding expects the index of each 1: a number from 0 to {last}").format(
        indices=text, last=count - 1
    )
    operands = (operand_of(text, indices),)
    return Explanation("embedding", operands, rule, (fit,) if fit else (), None if fit else pass_indices())


def pass_indices():
    return _("pass the indices themselves, or one_hot.argmax(-1)")


def indices_of_table(call, situation):
    """Return (expression of the indices, number of rows) of a call of an embedding; None for other nodes."""
    if not isinstance(call, ast.Call) or not call.args or isinstance(call.args[0], ast.Starred):
        return None
    layer = situation.look_up(call.func)
    if is_module(layer):
        return (call.args[0], layer.num_embeddings) if type(layer).__name__ in TABLES else None
    if ast.unparse(call.func) in FUNCTIONS and len(call.args) > 1:
        table = situation.tensor_of(call.args[1])
        return (call.args[0], table.shape[0]) if table is not None and table.dim() == 2 else None
    return None


def holds_one_hot(node, count, situation):
    """Return True if whole numbers are one-hot among a number of classes; of 2 rows, 0 and 1 are indices."""
    t = situation.tensor_of(node)
    if t is None or t.shape[-1:] != (count,) or count < LEAST_ROWS:
        return False
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in STEPS:
        node = node.func.value
    made = situation.look_up(node)
    return is_one_hot(made) if isinstance(made, Tensor) else given_to_one_hot(ast.unparse(node)) is not None


def code_of_places(node):
    text = ast.unparse(node)
    return given_to_one_hot(text) or append_to_expression(text, ".argmax(-1)")


# ── embeddings within other functions ────────────────────────────────────────
def explain_by_graph(situation):
    """Explain shapes after an embedding that ran elsewhere, by the indices that the graph of an operand keeps."""
    given = [each for each in ast.walk(situation.place.path()[-1]) if isinstance(each, ast.Name | ast.Attribute)]
    values = {ast.unparse(each): situation.look_up(each) for each in given}
    tensors = {text: value for text, value in values.items() if isinstance(value, Tensor)}
    if not any(situation.says(word) for word in ABOUT_SHAPES):
        return None
    for node in nodes_behind(tensors.values()):
        if node.name() != "EmbeddingBackward0":
            continue
        indices, count = node._saved_indices, node.saved[node.reads.index("weight.shape")][0]
        if indices.shape[-1:] != (count,) or count < LEAST_ROWS or not is_one_hot(indices):
            continue
        rule = _(
            "{code} was given one-hot vectors, {shape}, where it expects the index of each 1: a number from 0 to {last}"
        ).format(code=code_of(node) or _("an embedding"), shape=[*indices.shape], last=count - 1)
        operands = tuple(operand_of(text, t) for text, t in tensors.items())
        return Explanation("embedding", operands, rule, (), pass_indices())
    return None


def code_of(node):
    """Return the code that recorded a node; None if it is unknown."""
    from tensh.graph.provenance import place  # imported late: most explanations do not need it
    from tensh.graph.source import piece

    found = place(node)
    written = piece(*found) if found else None
    return written.text if written else None


def nodes_behind(tensors):
    """Yield the nodes of the graphs of some tensors, each once, the nearest first."""
    waiting = [each.grad_fn for each in tensors if each.grad_fn is not None]
    seen = {*waiting}
    for node in waiting:
        yield node
        for inner, _number in node.next_functions:
            if inner is not None and inner not in seen and len(waiting) < MOST_NODES:
                seen.add(inner)
                waiting.append(inner)
