"""A pass: a transformation of a graph module, with checks before and after."""

import abc
from typing import NamedTuple

from tensh.fx.graph_module import GraphModule

__all__ = ["PassBase", "PassResult"]


class PassResult(NamedTuple):
    """The result of a pass: the module, and whether it was changed."""

    graph_module: GraphModule
    modified: bool


class PassBase(abc.ABC):
    """A pass: a subclass defines the change in ``call``, and checks in ``requires`` and ``ensures``.

    >>> import tensh as torch
    >>> from tensh.fx.passes.infra.pass_base import PassBase, PassResult
    >>> class SigmoidForRelu(PassBase):
    ...     def call(self, graph_module):
    ...         found = graph_module.graph.find_nodes(op="call_function", target=torch.relu)
    ...         for node in found:
    ...             node.target = torch.sigmoid
    ...         graph_module.recompile()
    ...         return PassResult(graph_module, bool(found))
    >>> SigmoidForRelu()(torch.fx.symbolic_trace(lambda x: torch.relu(x))).modified
    True
    """

    def __call__(self, graph_module):
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module):
        """Change the module, and return a ``PassResult``, or None for no change."""

    def requires(self, graph_module):  # noqa: B027
        """Check the preconditions of the pass; by default there are none."""

    def ensures(self, graph_module):  # noqa: B027
        """Check the postconditions of the pass; by default there are none."""
