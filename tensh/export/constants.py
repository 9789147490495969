"""Constants that a program makes from numbers: copied where they are made, so that writes do not modify them."""

from tensh._aten.overloads import schemas

__all__ = ["copy_constants", "insert_call"]


def copy_constants(graph, made):
    """Copy constants in the order in which the run made them; ``made`` maps their ids to their origins."""
    order, last = list(made), {}
    found = [node for node in graph.nodes if node.op == "get_attr" and id(node.meta["val"]) in made]
    for node in sorted(found, key=lambda node: order.index(id(node.meta["val"]))):
        copy_constant(graph, node, made[id(node.meta["val"])], last)


def copy_constant(graph, node, origin, last):
    """Copy a constant; ``last`` maps nodes to what was inserted after them."""
    users = list(node.users)
    notes = {**origin.notes, **node.meta}
    with find_place(graph, users, origin.before, last):
        made = insert_call(graph, "lift_fresh_copy", "default", (node,), node)
    made.meta = dict(notes)
    if origin.detached:
        with graph.inserting_after(made):
            made = insert_call(graph, "detach_", "default", (made,), node)
            made.meta = dict(notes)
    last[origin.before] = made
    for user in users:
        user.replace_input_with(node, made)


def find_place(graph, users, before, last):
    """Return a context that inserts nodes where a constant was made, or before its first use if that is not in the graph."""
    if before is None or before._erased or before.graph is not graph:
        return graph.inserting_before(min(users, key=list(graph.nodes).index))
    if before in last:
        return graph.inserting_after(last[before])
    if before.op.startswith("call"):
        return graph.inserting_after(before)
    return graph.inserting_before(next(node for node in graph.nodes if node.op.startswith(("call", "output"))))


def insert_call(graph, name, overload, args, near, kwargs=None):
    """Insert a node of an operator that has the value and the line of ``near``."""
    target = schemas()[name][overload]
    label = f"{name}_default" if kwargs else name
    made = graph.create_node("call_function", target, args, kwargs or {}, name=label)
    made.meta = dict(near.meta) if not kwargs else {**near.meta, "val": None}
    return made
