"""Functions that a model defines, in place of their calls: first counted, because each may call others."""

from tensh.onnx.errors import OnnxError
from tensh.onnx.library import require_onnx

__all__ = ["inline_functions"]


def inline_functions(model, most):
    """Return a model without functions of its own.

    Raise OnnxError for functions that call themselves, and where the graph would have more than ``most`` nodes.
    """
    if not model.functions:
        return model
    require_onnx("a file of ONNX")
    from onnx.inliner import inline_local_functions

    bodies = {(each.domain, each.name): each.node for each in model.functions}
    if count_nodes(model.graph.node, bodies, {}) > most:
        raise OnnxError(f"its functions make a graph of more than {most} nodes")
    return inline_local_functions(model)


def count_nodes(nodes, bodies, counts):
    """Return how many nodes a list of nodes stands for.

    ``counts`` maps functions to their number of nodes, which is None while it is counted.
    """
    total = 0
    for node in nodes:
        key = node.domain, node.op_type
        if key in bodies:
            if key not in counts:
                counts[key] = None
                counts[key] = count_nodes(bodies[key], bodies, counts)
            if counts[key] is None:
                raise OnnxError(f"its function {node.op_type!r} calls itself")
            total += counts[key]
        total += 1 + sum(count_nodes(each.g.node, bodies, counts) for each in node.attribute if each.HasField("g"))
    return total
