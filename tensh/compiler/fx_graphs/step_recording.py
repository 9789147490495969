"""Calls of torch.func in a graph for a back end, as their steps: see Note [Transforms in steps] in tensh/func/stepping.py."""

import operator
import sys
from types import FunctionType

from tensh.compiler.syntax.instructions import instruction_at
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.capture.places import find_place
from tensh.engine.dispatch.override.state import Disabled
from tensh.fx.node import map_aggregate
from tensh.tracing.sizes.numbers import plain_number

METHODS = {"__getitem__": operator.getitem}
"""Methods that are operators of Python in a graph."""


class StepRecorder:
    """The part of a ``FunctionRecorder`` that records steps of transforms."""

    def run_transform(self, method, args):
        """Return the result of a transform, which is named after the variable to which the program assigns it."""
        result = method(*args)
        place = find_place()[0] if isinstance(result, Tensor) else None
        stored = place and instruction_at(place.code, place.instruction)[1]
        if stored:
            self.name_value(result, stored)
        return result

    def record_step(self, function, args, kwargs):
        """Call a function, or a method by its name, and add its node; return the result."""
        if self.reason is not None:
            return call_step(function, args, kwargs)
        given, named = map_aggregate((self.fold_sizes(args), dict(kwargs)), self.to_argument)
        result = call_step(function, *map_aggregate((tuple(args), dict(kwargs)), plain_number))
        self.follow_grad()
        self.name_locals(sys._getframe(1))
        target = METHODS.get(function, function)
        node = self.graph.create_node("call_method" if type(target) is str else "call_function", target, given, named)
        node.meta["example_value"] = result
        self.keep_results(node, result)
        return result

    def require_input(self, tensor):
        """Make a tensor from outside an input, before the first call that uses it."""
        if self.reason is None and not getattr(tensor, "hides_batches", False):
            self.node_of(tensor)

    def require_captured(self, function, seen=()):
        """Make tensors that a function has captured inputs of the graph, also those of functions that it has captured."""
        for cell in getattr(function, "__closure__", None) or ():
            value = getattr(cell, "cell_contents", None)  # an empty cell has none
            if isinstance(value, Tensor):
                self.require_input(value)
            elif type(value) is FunctionType and value not in seen:
                self.require_captured(value, (*seen, value))

    def name_value(self, tensor, name):
        """Name the node of a tensor, unless it is an input or has a name."""
        node = self.find(tensor)
        if node is not None and node.op != "placeholder":
            self.rename(node, name)


def call_step(function, args, kwargs):
    """Call a function, or a method by its name, without recording what it calls."""
    with Disabled():
        return getattr(args[0], function)(*args[1:], **kwargs) if type(function) is str else function(*args, **kwargs)
