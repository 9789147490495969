"""ONNX's branches and loops: nested graphs are modules with outer values as additional inputs."""

import tensh as torch

__all__ = ["If", "Loop", "Scan", "list_free_names", "list_read_names"]

DEEPEST = 20  # maximum nesting depth of graphs


def list_free_names(graph):
    """Return the names of outer values that a graph reads, in the order of first use."""
    known = {each.name for each in (*graph.input, *graph.initializer)} | {""}
    free = {}
    for node in graph.node:
        free.update(dict.fromkeys(name for name in list_read_names(node) if name not in known))
        known.update(node.output)
    free.update(dict.fromkeys(each.name for each in graph.output if each.name not in known))
    return list(free)


def list_read_names(node):
    """Return the names of the values that a node reads, its nested graphs included."""
    inner = [each for attribute in node.attribute if attribute.HasField("g") for each in list_free_names(attribute.g)]
    return [*node.input, *inner]


def as_tuple(made):
    return made if isinstance(made, tuple) else (made,)


def If(cond, then_branch, else_branch, then_values, else_values):
    """Return the outputs of the branch that the condition selects."""
    return as_tuple(then_branch(*then_values) if bool(cond) else else_branch(*else_values))


def Loop(most, cond, carried, body, values, scanned):
    """Return the values carried from step to step, and for each scanned output its values in all steps.

    ``scanned`` has the shapes and dtypes of the scanned outputs, which a loop without steps needs.
    """
    going, step, rows, count = cond is None or bool(cond), 0, [], len(carried)
    while going and (most is None or step < int(most)):
        going_on, *made = as_tuple(body(torch.tensor(step), torch.tensor(going), *carried, *values))
        going, carried, step = bool(going_on), made[:count], step + 1
        rows.append(made[count:])
    columns = zip(*rows) if rows else []
    empty = [torch.empty(0, *shape, dtype=dtype) for shape, dtype in scanned]
    return (*carried, *(map(torch.stack, map(list, columns)) if rows else empty))


def Scan(states, scanned, body, values, axes, directions, out_axes, out_directions):
    """Return the states after all steps, and the outputs of all steps: a step takes a slice of each scanned input."""
    columns = [list(each.unbind(axis)) for each, axis in zip(scanned, axes)]
    columns = [rows[::-1] if backwards else rows for rows, backwards in zip(columns, directions)]
    count, made_rows = len(states), []
    for slices in zip(*columns):
        made = as_tuple(body(*states, *slices, *values))
        states = made[:count]
        made_rows.append(made[count:])
    outputs = []
    for rows, axis, backwards in zip(zip(*made_rows), out_axes, out_directions):
        outputs.append(torch.stack(list(rows[::-1] if backwards else rows), axis))
    return (*states, *outputs)
