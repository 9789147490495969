"""A graph as JSON, written piece by piece.

The schema, version 1: an object with ``tensh_graph`` (1), ``root`` (a number), ``node_count``, ``edge_count`` and
``nodes``, a list in the order of recording.  A node has ``number``, ``kind`` ("leaf" or "operation"), ``name``
(PyTorch's), ``variable``, ``label`` (the user's source text), ``part_of``, ``place`` ("file:line"), ``shape``,
``dtype``, ``uses`` and ``edges``; an edge has ``number`` (null for what needs no gradient), ``output``, ``parameter``
and ``formula``.  What is not known is null.  With values or gradients asked for a node also has ``value`` or ``grad``:
numbers in nested lists, complex ones as [real, imaginary], and null where there is none or it has more than 1,000
elements.
"""

import numpy as np

from tensh.support.escaping import dumps

VERSION = 1
MOST = 1000  # maximum number of elements


def lines(graph, shown=None):
    """Yield the lines of the document, one for each node."""
    head = {"tensh_graph": VERSION, "root": graph.root, "node_count": len(graph), "edge_count": graph.edge_count}
    yield dumps(head)[:-1] + ', "nodes": ['
    for node in graph:
        yield dumps(entry(node, shown), allow_nan=False) + ("," if node.number < len(graph) else "")
    yield "]}"


FIELDS = ("number", "kind", "name", "variable", "label", "part_of", "place", "shape", "dtype", "uses")


def entry(node, shown=None):
    """Return a node as data for JSON."""
    made = {name: getattr(node, name) for name in FIELDS}
    made["edges"] = [
        {"number": e.number, "output": e.output, "parameter": e.parameter, "formula": e.formula} for e in node.edges
    ]
    if shown and shown.values:
        made["value"] = numbers(node.value)
    if shown and shown.grads:
        made["grad"] = numbers(node.grad)
    return made


def numbers(array):
    """Return an array as nested lists, with "nan", "inf" and "-inf" as texts, since JSON lacks them."""
    if array is None or array.size > MOST:
        return None
    if array.dtype.kind == "V":
        array = array.astype(np.float32)
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], -1)
    return _to_plain(array.tolist())


def _to_plain(value):
    if isinstance(value, list):
        return [_to_plain(each) for each in value]
    return value if not isinstance(value, float) or value - value == 0 else str(value)
