"""The words of the notes that teach: (message, advice) of each."""

import ast

from tensh.explain.making import line_that_made
from tensh.explain.place import Place
from tensh.graph.names import names_of_nodes


def piece(place):
    """A place as the explanations know it."""
    known = place.column is not None
    where = (place.line, place.column, place.end_line, place.end_column) if known else (place.line, 0, place.line, 0)
    return Place(place.source.text, *where)


def remark_on_sums(leaves, lines, place, names):
    """Gradients are the sums of several passes."""
    first, *more = [f"{name}.grad" for node, (name, _) in names_of_nodes(names).items() if node in leaves] or ["w.grad"]
    where = [str(line) for line in dict.fromkeys(lines)]
    others = f" (and {len(more)} more)" if more else ""
    places = f", on lines {', '.join(where[:-1])} and {where[-1]}" if where[1:] else ""
    message = f"{first}{others} is the sum of {len(lines)} backward passes{places}: each adds to it, and nothing has set it back"
    optimizer = next((each for each, value in names.items() if is_optimizer(value) and holds(value, leaves)), None)
    back = f"{optimizer}.zero_grad()" if optimizer else f"{first} = None"
    return message, not_called(place) or f"{back} before each backward"


def not_called(place):
    """Where `zero_grad` stands without parentheses; None where it does not."""
    for node in ast.walk(piece(place).tree() or ast.Module([], [])):
        match node:
            case ast.Expr(value=ast.Attribute(attr="zero_grad")):
                return f"line {node.lineno}: {ast.unparse(node)}(), which is not called there"
    return None


def is_optimizer(value):
    return hasattr(type(value), "zero_grad") and hasattr(value, "param_groups")


def holds(optimizer, leaves):
    """Whether one of the leaves, which are nodes, is among the parameters of an optimizer."""
    ids = {id(leaf.variable) for leaf in leaves}
    return any(id(p) in ids for group in optimizer.param_groups for p in group["params"])


def not_a_leaf(place, names):
    """A gradient was asked for that is not kept."""
    from tensh.explain.causes import Situation
    from tensh.explain.causes.gradients import not_kept, rebinding

    name = (place.segment or "").removesuffix(".grad") if (place.segment or "").endswith(".grad") else None
    situation = Situation(None, names, piece(place), None)
    if name and rebinding(situation, name):
        message, (fit, *_), _ = not_kept(situation, name)
        return message, f"line {fit.line}: {fit.text}"
    line = line_that_made(piece(place), name) if name and name.isidentifier() else None
    made = f"{name or 'this tensor'} was computed" + f" on line {line}" * bool(line)
    return f"{made}: backward keeps gradients of leaves only", f"{name or 'y'}.retain_grad() before backward()"
