"""The operators of gradients by the names that they have in the code of a graph."""

from tensh._aten.overloads import Derivative, schemas

__all__ = ["derivative_by_name"]


def derivative_by_name(name):
    """Return the operator that ``Derivative.in_graph`` names so; None for another name."""
    if not name.startswith(Derivative.prefix):
        return None
    call, overload, places = name.removeprefix(Derivative.prefix).rsplit("__", 2)
    return Derivative(
        derivative_by_name(call) or schemas()[call][overload], [int(each) for each in places.split("_")], name
    )
