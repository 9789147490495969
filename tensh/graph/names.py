"""The user's names: variables, parameters of modules, elements of lists and dictionaries."""

import re

from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.support.language import _

DEEPEST = 2  # depth to which nested containers are searched
LONGEST = 1000  # number of elements of a container that are examined


def list_named_tensors(namespace):
    """Yield (name, tensor) in a namespace: variables first, then members of modules, then of containers."""
    within = []
    for name, value in list(namespace.items()):
        if type(name) is not str or name.startswith("_"):
            continue
        if issubclass(type(value), Tensor):  # isinstance would also query the value
            yield name, value
        else:
            within.append((name, value))
    seen = set()
    for name, value in sorted(within, key=lambda each: not hasattr(type(each[1]), "named_parameters")):
        yield from _list_inside(name, value, seen, DEEPEST)


def _list_inside(name, value, seen, depth):
    """Yield the tensors in a container or module, by path: ``net.0.weight``, ``params[0]``."""
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
    """Return the result of a module's method as a list; [] if it fails, as without its attributes."""
    try:
        return [*getattr(value, method)()]
    except KeyboardInterrupt:
        raise
    except BaseException:  # raised by the user's class
        return []


def write_in_python(name):
    """Return a path as code: `net[0].weight` for `net.0.weight`.

    >>> from tensh.graph.names import write_in_python
    >>> write_in_python("net.0.weight")
    'net[0].weight'
    """
    return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", name)


def names_of_layers(namespace):
    """Return id of a module -> its path: ``net.0``."""
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
    """Return node -> (name, tensor), with the first name for each node."""
    found = {}
    for name, tensor in list_named_tensors(namespace):
        try:
            node = refresh_node(tensor)
        except RuntimeError:  # a view whose memory was written since, with an ambiguous history
            continue
        if node is not None:
            found.setdefault(node, (name, tensor))
    return found


def newest(namespace):
    """Return the named tensor whose operation was recorded last; raise ValueError if none has a history."""
    made = [
        (node.time, t) for node, (_name, t) in names_of_nodes(namespace).items() if type(node) is not AccumulateGrad
    ]
    if not made:
        raise ValueError(_("no tensor here was computed from one that requires grad"))
    return max(made, key=lambda pair: pair[0])[1]
