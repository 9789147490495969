"""Certain faults in the graph behind a loss, found before a backward pass.

Loss functions are recognised by their nodes. Only a few nodes near the root are examined.
"""

from typing import NamedTuple

from tensh.engine.core.tensor import Tensor

MOST_NODES = 100  # nodes examined
MOST_ELEMENTS = 10  # elements examined of a list
FEWEST_KEPT = 2  # losses that are worth a note
RESHAPING = frozenset(
    "ViewBackward0 UnsafeViewBackward0 ReshapeAliasBackward0 SqueezeBackward0 SqueezeBackward1 UnsqueezeBackward0 "
    "TransposeBackward0 PermuteBackward0 TBackward0 IndexBackward0 SelectBackward0 SliceBackward0 CloneBackward0".split()
)
"""Nodes that rearrange values without changing them."""

LINEAR = frozenset("AddmmBackward0 MmBackward0 BmmBackward0 ConvolutionBackward0".split())
"""Nodes whose results are unbounded scores, not probabilities or logarithms."""

ELEMENTWISE = frozenset(
    "PowBackward0 AbsBackward0 SquareBackward0 MulBackward0 DivBackward0 HuberLossBackward0".split()
)
"""Operations on differences in a hand-written loss, before its mean is taken."""

COMPARING = {
    "MseLossBackward0": "mse_loss", "SmoothL1LossBackward0": "smooth_l1_loss", "HuberLossBackward0": "huber_loss",
}  # fmt: skip
"""Nodes of loss functions that compare two tensors element by element, after expanding them to one shape."""

REDUCING = frozenset("MeanBackward0 SumBackward0".split())


class Finding(NamedTuple):
    """A fault of a loss: the name of the note, the loss function, its argument, and the node.

    ``place`` is where the node was recorded, if that is in another source than the backward pass.
    """

    about: str
    loss: str
    given: str
    node: object
    place: object = None


def findings(roots):
    """Yield the Findings in the graphs behind some nodes, nearest first."""
    waiting, seen = [*roots], set()
    for node in waiting:
        if node in seen or len(seen) == MOST_NODES:
            continue
        seen.add(node)
        yield from judge(node)
        waiting += (each for each in node.inputs if each is not None and hasattr(each, "inputs"))


def judge(node):
    """Yield the Findings at one node."""
    name = type(node).__name__
    if name in ("NllLossBackward0", "NllLoss2DBackward0"):
        given = skip_reshaping(node.inputs[0])
        kind = type(given).__name__
        if kind == "LogSoftmaxBackward0":
            yield from judge_entropy(given)
        elif kind in ("SoftmaxBackward0", "SigmoidBackward0"):
            yield Finding("probabilities", "nll_loss", short(kind), given)
        elif kind in LINEAR:
            yield Finding("scores", "nll_loss", "scores", given)
    elif name == "BinaryCrossEntropyWithLogitsBackward0":
        kind = type(skip_reshaping(node.inputs[0])).__name__
        if kind in ("SigmoidBackward0", "SoftmaxBackward0"):
            yield Finding("twice", "binary_cross_entropy_with_logits", short(kind), node)
    elif name in COMPARING:
        yield from judge_expanded(node, COMPARING[name])
    elif name in REDUCING:
        if type(node.inputs[0]).__name__ == "AbsBackward0":
            yield from judge_expanded(only_operand(node.inputs[0]), "l1_loss")
        difference = difference_behind(node)
        if difference is not None:
            yield Finding("broadcast", "loss", "difference", difference)
        yield from judge_divergence(node)


def judge_entropy(logs):
    """Yield the Findings at the log_softmax within cross_entropy."""
    kind = type(skip_reshaping(logs.inputs[0])).__name__
    if kind in ("SoftmaxBackward0", "SigmoidBackward0"):
        yield Finding("twice", "cross_entropy", short(kind), logs)
    elif kind == "LogSoftmaxBackward0":
        yield Finding("logarithms", "cross_entropy", "log_softmax", logs)
    elif len(logs.shape) == 2 and logs.shape[1] == 1 and logs.shape[0] > 1:
        yield Finding("one class", "cross_entropy", "scores", logs)


def judge_expanded(node, loss):
    """Yield the Finding at the [N, N] to which a loss function expanded [N] or [N, 1]."""
    given = only_operand(node)
    if type(given).__name__ == "ExpandBackward0" and is_column_or_row(given.inputs[0].shape, given.shape):
        yield Finding("expanded", loss, "expanded", given)


def is_column_or_row(shape, expanded):
    """Return True for the shapes [N] and [N, 1] of what was expanded to [N, N], for more than one element."""
    if len(expanded) != 2 or expanded[0] != expanded[1] or expanded[0] < 2:
        return False
    return shape in ((expanded[0], 1), (expanded[0],))


def judge_divergence(node):
    """Yield the Findings at the argument of kl_div, recognised by a product and a difference under a sum or a mean."""
    inner = only_operand(node)
    given = only_operand(inner)
    if {type(inner).__name__, type(given).__name__} != {"SubBackward0", "MulBackward0"}:
        return
    given = skip_reshaping(only_operand(given))
    kind = type(given).__name__
    if kind in ("SoftmaxBackward0", "SigmoidBackward0"):
        yield Finding("no logarithms", "kl_div", short(kind), given)
    elif kind in LINEAR:
        yield Finding("no logarithms", "kl_div", "scores", given)


def only_operand(node):
    """Return the only operand of a node that requires grad; None if there are several, or none."""
    given = [each for each in getattr(node, "inputs", ()) if each is not None]
    return given[0] if len(given) == 1 else None


def skip_reshaping(node):
    """Skip nodes that rearrange values: return the node that computed them."""
    while type(node).__name__ in RESHAPING and node.inputs and node.inputs[0] is not None:
        below = node.inputs[0]
        if not hasattr(below, "inputs"):
            break
        node = below
    return node


def difference_behind(node):
    """Return the difference of [N] and [N, 1] whose mean a loss takes, as far as nodes tell; None if there is none."""
    node = node.inputs[0]
    while type(node).__name__ in ELEMENTWISE:
        given = [each for each in node.inputs if each is not None]
        if len({*given}) != 1:
            return None
        node = given[0]
    if type(node).__name__ not in ("SubBackward0", "RsubBackward1"):
        return None
    given = only_operand(node)
    return node if given is not None and is_column_or_row(given.shape, node.shape) else None


def short(kind):
    """Return the function of a node: `softmax` for SoftmaxBackward0."""
    return kind.removesuffix("Backward0").lower()


# ── losses after their backward passes ───────────────────────────────────────
def find_keeper(frame, passed):
    """Return (name, number of losses, whether it is a list) of a frame's name that keeps graphs after their passes."""
    for name, value in list_named_values(frame):
        if issubclass(type(value), Tensor) and value.requires_grad and value.node is not None and not value.shape:
            losses = list(addends(value.node, passed))
            number = len(losses) if any(is_later for _, is_later in losses) else 0
        elif type(value) is list and value:
            number = sum(isinstance(each, Tensor) and each.node in passed for each in value[:MOST_ELEMENTS])
        else:
            continue
        if number >= FEWEST_KEPT:
            return name, number, type(value) is list
    return None


def list_named_values(frame):
    """Yield (words, value) for the names of a frame, the attributes of self, and the entries of named dicts."""
    names = [each for each in frame.f_locals.items() if not each[0].startswith("_")]
    own = vars(frame.f_locals["self"]) if hasattr(frame.f_locals.get("self"), "__dict__") else {}
    names += [(f"self.{name}", value) for name, value in own.items() if not name.startswith("_")]
    for name, value in names:
        if type(value) is dict and len(value) <= MOST_ELEMENTS:
            yield from ((f"{name}[{key!r}]", each) for key, each in value.items())
        else:
            yield name, value


def addends(node, passed):
    """Yield the losses that a tensor is the sum of, or multiples of them, whose passes are over.

    With each: whether it was computed after another part of the sum, as in a later iteration of a loop; the terms of
    one expression are computed before the sum.
    """
    while type(node).__name__ == "AddBackward0":
        given = [each for each in node.inputs if each is not None]
        own = [each for each in given if find_factor(each) in passed]
        rest = [each for each in given if each not in own]
        is_sum = len(rest) == 1 and type(rest[0]).__name__ == "AddBackward0"
        yield from ((each, is_sum and each.time > rest[0].time) for each in own)
        if len(rest) != 1:
            return
        (node,) = rest


def find_factor(node):
    """Return the operand of which a node computes a multiple."""
    while (
        type(node).__name__ in ("MulBackward0", "DivBackward0") and sum(each is not None for each in node.inputs) == 1
    ):
        (node,) = (each for each in node.inputs if each is not None)
    return node
