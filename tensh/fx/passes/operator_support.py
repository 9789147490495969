"""torch.fx.passes.operator_support: which nodes of a graph a backend can take."""

import abc

from tensh.engine.core.tensor import Tensor
from tensh.engine.methods.attributes import typename
from tensh.fx.names import qualified_name
from tensh.fx.node import Node

__all__ = ["OpSupports", "OperatorSupport", "OperatorSupportBase", "any_chain", "chain", "create_op_support"]

CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}


class OperatorSupportBase(abc.ABC):
    """The nodes that a backend supports: ``is_node_supported(submodules, node)`` answers for one."""

    @abc.abstractmethod
    def is_node_supported(self, submodules, node):
        """Return True if the backend takes the node; ``submodules`` maps paths to the modules of the graph's owner."""
        raise NotImplementedError


class OperatorSupport(OperatorSupportBase):
    """Support by a table: name of a node's target -> None for any arguments, or the dtypes of each.

    The dtypes are a pair: a tuple for the arguments by position, each a list of dtypes, and a dictionary for those by name.

    >>> import tensh as torch
    >>> from tensh.fx.passes.operator_support import OperatorSupport
    >>> x, relu, output = torch.fx.symbolic_trace(lambda x: torch.relu(x)).graph.nodes
    >>> OperatorSupport({"torch.relu": None}).is_node_supported({}, relu)
    True
    """

    def __init__(self, support_dict=None):
        self._support_dict = support_dict or {}

    def is_node_supported(self, submodules, node):
        """Return True if the table has the node's target and the dtypes of its arguments."""
        if node.op not in CALLABLE_NODE_OPS:
            return True
        name = get_node_target(submodules, node)
        if name not in self._support_dict:
            return False
        if self._support_dict[name] is None:
            return True
        by_position, by_name = self._support_dict[name]
        pairs = [*zip(by_position, node.args), *((kinds, node.kwargs.get(key)) for key, kinds in by_name.items())]
        return all(not isinstance(value, Node) or dtype_of(value) in kinds for kinds, value in pairs)


def get_node_target(submodules, node):
    """Return the name of what a node calls: of a function, of a module's class, or of a method."""
    if node.op not in CALLABLE_NODE_OPS:
        raise AssertionError(f"Expect op types of {', '.join(CALLABLE_NODE_OPS)}, but found {node.op}")
    if node.op == "call_module":
        return typename(submodules[node.target])
    return qualified_name(node.target) if node.op == "call_function" else node.target


def dtype_of(node):
    """Return the dtype of a node's value, as its shapes were propagated, or None."""
    known = node.meta.get("tensor_meta", node.meta.get("val"))
    return getattr(known, "dtype", None) if not isinstance(known, Tensor) else known.dtype


class Answer(OperatorSupportBase):
    """Support as a function says."""

    def __init__(self, answer):
        self.is_node_supported = answer

    is_node_supported = None


def create_op_support(is_node_supported):
    """Return the support that a function ``(submodules, node) -> bool`` describes."""
    return Answer(is_node_supported)


def chain(*op_support):
    """Return the support of nodes that all of these support."""
    return Answer(lambda submodules, node: all(each.is_node_supported(submodules, node) for each in op_support))


def any_chain(*op_support):
    """Return the support of nodes that at least one of these supports."""
    return Answer(lambda submodules, node: any(each.is_node_supported(submodules, node) for each in op_support))


class OpSupports:
    """Common kinds of support, to be combined by ``chain``."""

    @classmethod
    def decline_if_input_dtype(cls, dtype):
        """Return the support of nodes without an input of this dtype."""
        return Answer(lambda submodules, node: all(dtype_of(each) is not dtype for each in node.all_input_nodes))

    @classmethod
    def decline_if_node_in_names(cls, disallow_set):
        """Return the support of nodes with other names."""
        return Answer(lambda submodules, node: node.name not in disallow_set)
