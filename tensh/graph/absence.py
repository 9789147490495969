"""Why a tensor has no gradient: the one reason that holds."""

from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.views import refresh_node
from tensh.graph import tokens
from tensh.graph.assignments import last
from tensh.graph.provenance import place
from tensh.graph.source import piece

CUTS = (".detach()", ".data", ".item()", ".numpy()", ".tolist()")


def reason(tensor, name, found):
    """Why ``name.grad`` is None although somebody asks, as a sentence; None if all that lacks is a backward pass."""
    if not (tensor.is_floating_point() or tensor.is_complex()):
        kind = str(tensor.dtype).removeprefix("torch.")
        return f"{name} holds {kind}: only floating point and complex tensors have gradients"
    if not tensor.requires_grad:
        return explain_unrecorded(name, last(found, name))
    if type(refresh_node(tensor)) is not AccumulateGrad and not tensor.retains_grad:
        return f"{name} is not a leaf{describe_origin(refresh_node(tensor))}, and gradients are kept for leaves only"
    return None


def describe_origin(node):
    """`` (made by x + w on line 3)``, as far as that is known."""
    made = place(node)
    found = made and piece(*made)
    return f" (made by {tokens.shorten(found.text, 40)}{on_line(found)})" if found else ""


def on_line(found):
    return f" on line {found.line}" if not found.filename.startswith("<input") else ""


def explain_unrecorded(name, assignment):
    """Why nothing is recorded about a tensor."""
    if assignment is None:
        return f"{name} does not require grad"
    made = f"{name} = {tokens.shorten(assignment.text, 50)}{on_line(assignment)}"
    cut = next((each for each in CUTS if each in assignment.text), None)
    if cut:
        return f"{name} was cut off from its history by {cut}: {made}"
    for block in assignment.within:
        texts = [ast_text(item.context_expr) for item in getattr(block, "items", ())]
        if any("no_grad" in text or "inference_mode" in text for text in texts):
            return f"{name} was computed under {texts[0]}: {made}"
    return f"{name} does not require grad: {made}"


def ast_text(node):
    import ast

    return ast.unparse(node)
