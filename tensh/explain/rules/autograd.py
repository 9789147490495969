"""What may be differentiated, and what becomes a number."""

from tensh.explain.model import Explanation
from tensh.explain.rules.shared import grouped, operand, said


def needs_scalar(call, text):
    t = call.arguments[0]
    shape = list(t.value.shape)
    root = t.text or "y"
    return Explanation(
        "backward", (operand(t),), f"backward starts from one number, and {said(t)} has {t.value.numel()}: whose derivative is meant?", (),
        f"{grouped(root)}.sum().backward(), or {grouped(root)}.backward(torch.ones({shape})) for the same",
    )  # fmt: skip


def nothing_recorded(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "requires_grad"):
        return None
    return Explanation(
        "backward", (operand(t),), f"nothing that {said(t)} was computed from requires grad, or it was detached or computed under no_grad", (),
        "say of the tensors to differentiate by that they do, before computing: x.requires_grad_()",
    )  # fmt: skip


def second_pass(call, text):
    root = call.arguments[0].text if call.arguments else None
    return Explanation(
        "backward", (), "a backward pass gives back what it has saved, and this graph has been passed already", (),
        f"compute {root or 'the result'} again before each backward, or keep the graph: {root or 'y'}.backward(retain_graph=True)",
    )  # fmt: skip


def leaf_in_place(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    name = t.text or "w"
    return Explanation(
        call.symbol, (operand(t),), f"{said(t)} is a leaf that requires grad: a write would change what its gradient is of", (),
        f"with torch.no_grad(): {call.segment}   to update it; or compute a new tensor instead of writing into {name}",
    )  # fmt: skip


def to_numpy(call, text):
    t = call.arguments[0]
    return Explanation(
        "numpy",
        (operand(t),),
        f"{said(t)} requires grad, and an array records nothing",
        (),
        f"{t.text or 'x'}.detach().numpy()",
    )


def one_number(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    return Explanation(
        call.symbol, (operand(t),), f"{said(t)} has {t.value.numel()} elements, and one number is wanted", (),
        "all of them: .tolist(); one of them: an index; a sum or a mean of them first",
    )  # fmt: skip


def truth(call, text):
    t = call.arguments[0]
    if not hasattr(t.value, "shape"):
        return None
    return Explanation(
        "bool", (operand(t),), f"{said(t)} has {t.value.numel()} elements: true if all are, or if any is?", (),
        "say which: .all() or .any(); between tensors & and | instead of `and` and `or`",
    )  # fmt: skip
