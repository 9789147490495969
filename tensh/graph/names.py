"""The user's names of things: variables, parameters of modules, elements of lists and dictionaries."""

import re

from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.language import _

DEEPEST = 2  # containers within containers that are looked into
LONGEST = 1000  # elements of a container that are looked at


def list_named_tensors(namespace):
    """(name, tensor) of every tensor that a namespace leads to: variables first, then parts of modules, then of containers."""
    within = []
    for name, value in list(namespace.items()):
        if type(name) is not str or name.startswith("_"):
            continue
        if issubclass(type(value), Tensor):  # isinstance would ask the value, too
            yield name, value
        else:
            within.append((name, value))
    seen = set()
    for name, value in sorted(within, key=lambda each: not hasattr(type(each[1]), "named_parameters")):
        yield from _list_inside(name, value, seen, DEEPEST)


def _list_inside(name, value, seen, depth):
    """The tensors in a container or a module, by the words that lead to them: ``net.0.weight``, ``params[0]``."""
    if id(value) in seen or depth == 0:
        return
    kind = type(value)
    if issubclass(kind, list | tuple):
        items = [(f"{name}[{index}]", item) for index, item in enumerate(value[:LONGEST])]
    elif issubclass(kind, dict):
        items = [(f"{name}[{key!r}]", item) for key, item in list(value.items())[:LONGEST]]
    elif not issubclass(kind, type) and hasattr(kind, "named_parameters"):
        items = [(f"{name}.{path}", each) for path, each in ask_module(value, "named_parameters")]
    else:
        return
    seen.add(id(value))
    for path, item in items:
        if issubclass(type(item), Tensor):
            yield path, item
        else:
            yield from _list_inside(path, item, seen, depth - 1)


def ask_module(value, method):
    """Return the result of a module's method as a list; nothing where it fails, as in a module loaded without its
    attributes."""
    try:
        return [*getattr(value, method)()]
    except KeyboardInterrupt:
        raise
    except BaseException:
        return []


def write_in_python(name):
    """A name as code: `net[0].weight` for `net.0.weight`.

    >>> from tensh.graph.names import write_in_python
    >>> write_in_python("net.0.weight")
    'net[0].weight'
    """
    return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", name)


def names_of_layers(namespace):
    """id of a module -> the words that lead to it: ``net.0``."""
    found = {}
    for name, value in list(namespace.items()):
        if (
            type(name) is not str
            or name.startswith("_")
            or issubclass(type(value), type)
            or not hasattr(type(value), "named_modules")
        ):
            continue
        for path, module in ask_module(value, "named_modules"):
            found.setdefault(id(module), f"{name}.{path}" if path else name)
    return found


def names_of_nodes(namespace):
    """node -> (name, tensor): the first name that leads to each node."""
    found = {}
    for name, tensor in list_named_tensors(namespace):
        try:
            node = refresh_node(tensor)
        except RuntimeError:  # a view of memory written since, whose history is ambiguous
            continue
        if node is not None:
            found.setdefault(node, (name, tensor))
    return found


def newest(namespace):
    """The named tensor whose operation was recorded last; ValueError where none has a history."""
    made = [
        (node.time, t) for node, (_name, t) in names_of_nodes(namespace).items() if type(node) is not AccumulateGrad
    ]
    if not made:
        raise ValueError(_("no tensor here was computed from one that requires grad"))
    return max(made, key=lambda pair: pair[0])[1]
