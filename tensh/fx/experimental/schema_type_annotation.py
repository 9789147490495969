"""Types of nodes from the signatures of the functions and layers that they call."""

import inspect

from tensh import nn
from tensh.engine.core.tensor import Tensor
from tensh.fx.interpreter import Transformer

__all__ = ["AnnotateTypesWithSchema"]


class AnnotateTypesWithSchema(Transformer):
    """A transformer that sets the types of nodes: of functions of ``nn.functional``, layers of ``nn``, and attributes.

    >>> import tensh as torch
    >>> from tensh.fx.experimental.schema_type_annotation import AnnotateTypesWithSchema
    >>> gm = torch.fx.symbolic_trace(torch.nn.functional.relu)
    >>> [node.type for node in AnnotateTypesWithSchema(gm).transform().graph.find_nodes(op="call_function")]
    [<class 'torch.Tensor'>]
    """

    def __init__(self, module, annotate_functionals=True, annotate_modules=True, annotate_get_attrs=True):
        super().__init__(module)
        self.annotate_functionals, self.annotate_modules = annotate_functionals, annotate_modules
        self.annotate_get_attrs = annotate_get_attrs

    def call_function(self, target, args, kwargs):
        """Add a call to the new graph."""
        made = super().call_function(target, args, kwargs)
        if self.annotate_functionals and getattr(target, "__module__", None) == "torch.nn.functional":
            made.node.type = made.node.type or result_of(target) or Tensor
        return made

    def call_module(self, target, args, kwargs):
        """Add a call of a module to the new graph."""
        made, module = super().call_module(target, args, kwargs), self.fetch_attr(target)
        if self.annotate_modules and getattr(nn, type(module).__name__, None) is type(module):
            made.node.type = made.node.type or result_of(module.forward)
        return made

    def get_attr(self, target, args, kwargs):
        """Add a read of an attribute to the new graph."""
        made = super().get_attr(target, args, kwargs)
        if self.annotate_get_attrs and isinstance(self.fetch_attr(target), Tensor):
            made.node.type = made.node.type or Tensor
        return made


def result_of(function):
    """Return the annotated type of a function's result; None if there is none."""
    try:
        found = inspect.signature(function).return_annotation
    except (TypeError, ValueError):
        return None
    return None if found is inspect.Signature.empty else found
