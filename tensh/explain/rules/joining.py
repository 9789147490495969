"""Tensors that are to become one."""

from tensh.explain.model import Explanation, Operand


def joining(call, text):
    """All sizes but one must be equal."""
    given = call.arguments[0].value if call.arguments else ()
    if not isinstance(given, list | tuple) or not all(hasattr(t, "shape") for t in given):
        return None
    kind = call.name
    dim = next((a.value for a in call.arguments if a.name == "dim"), 0)
    operands = tuple(
        Operand(f"[{n}]", tuple(t.shape), str(t.dtype).removeprefix("torch.")) for n, t in enumerate(given)
    )
    if kind == "stack":
        rule = "stack makes a new dimension: all shapes must be equal"
    else:
        rule = f"{kind} joins along dim {dim}: the number of dimensions, and all sizes but that of dim {dim}, must be equal"
    advice = None
    shapes = [tuple(t.shape) for t in given]
    if kind == "stack":
        differing = [d for d in range(len(shapes[0])) if len({s[d] for s in shapes if len(s) == len(shapes[0])}) > 1]
        if len({len(s) for s in shapes}) == 1 and len(differing) == 1:
            advice = f"to join them along the dimension in which they differ: torch.cat(..., dim={differing[0]})"
    elif len({len(s) for s in shapes}) == 1:
        for other in range(len(shapes[0])):
            if other != dim and len({s[:other] + s[other + 1 :] for s in shapes}) == 1:
                advice = f"along dim {other} they fit: torch.cat(..., dim={other})"
    elif len({len(s) for s in shapes}) == 2:
        advice = "give the smaller one a dimension first: t[None] or t.unsqueeze(dim)"
    return Explanation(kind, operands, rule, (), advice)
