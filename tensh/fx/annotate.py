"""Types of values in traces."""

from tensh.fx.proxy import Proxy

__all__ = ["annotate"]


def annotate(val, type):
    """Return a value; in a trace, its node gets a type.  Raise RuntimeError if it has one.

    >>> import tensh as torch
    >>> from tensh.fx.annotate import annotate
    >>> gm = torch.fx.symbolic_trace(lambda x: annotate(x, torch.Tensor) + 1)
    >>> [node.type for node in gm.graph.find_nodes(op="placeholder")]
    [<class 'torch.Tensor'>]
    """
    if isinstance(val, Proxy):
        if val.node.type:
            raise RuntimeError(
                f"Tried to annotate a value that already had a type on it! Existing type is {val.node.type} and new type is {type}. "
                "This could happen if you tried to annotate a function parameter value (in which case you should use the type slot on "
                "the function signature) or you called annotate on the same value twice"
            )
        val.node.type = type
    return val
