"""Branches and loops of ONNX: graphs within a graph are modules, which get the values around them that they read as further inputs."""

import tensh as torch

__all__ = ["If", "Loop", "list_free_names"]

DEEPEST = 20  # graphs within graphs


def list_free_names(graph):
    """The names of values that a graph reads and does not compute, in the order of their first use."""
    known = {each.name for each in (*graph.input, *graph.initializer)} | {""}
    free = {}
    for node in graph.node:
        inner = [
            each for attribute in node.attribute if attribute.HasField("g") for each in list_free_names(attribute.g)
        ]
        free.update(dict.fromkeys(name for name in (*node.input, *inner) if name not in known))
        known.update(node.output)
    free.update(dict.fromkeys(each.name for each in graph.output if each.name not in known))
    return list(free)


def as_tuple(made):
    return made if isinstance(made, tuple) else (made,)


def If(cond, then_branch, else_branch, then_values, else_values):
    """The outputs of the branch that the condition chooses."""
    return as_tuple(then_branch(*then_values) if bool(cond) else else_branch(*else_values))


def Loop(most, cond, carried, body, values, scanned):
    """The values that are carried from step to step, and for each scanned output its values of all steps.

    ``scanned`` has the shapes and dtypes of the scanned outputs, for a loop without steps.
    """
    going, step, rows, count = cond is None or bool(cond), 0, [], len(carried)
    while going and (most is None or step < int(most)):
        going_on, *made = as_tuple(body(torch.tensor(step), torch.tensor(going), *carried, *values))
        going, carried, step = bool(going_on), made[:count], step + 1
        rows.append(made[count:])
    columns = zip(*rows) if rows else []
    empty = [torch.empty(0, *shape, dtype=dtype) for shape, dtype in scanned]
    return (*carried, *(map(torch.stack, map(list, columns)) if rows else empty))
