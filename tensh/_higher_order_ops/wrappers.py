"""Operators on a part of a program that runs in another mode: without gradients, or under autocast."""

from tensh._higher_order_ops.operators import HigherOrderOperator
from tensh.amp.regions import autocast
from tensh.engine.autograd.modes import set_grad_enabled

__all__ = ["Wrapper", "wrap_with_autocast", "wrap_with_set_grad_enabled"]


class Wrapper(HigherOrderOperator):
    """An operator that calls a function within a context, with operands side by side; recorders see the function's own calls.

    ``make_context`` gets the arguments before the function, of which there are ``first``.
    """

    __module__ = "torch.ops.higher_order"

    def __init__(self, name, make_context, first):
        super().__init__(name, self.run, (), first)
        self.make_context = make_context

    def __call__(self, *args):
        return self.run(*args)

    def run(self, *args):
        """Call the function among the arguments within the context."""
        with self.make_context(*args[: self.first]):
            return args[self.first](*args[self.first + 1 :])


wrap_with_set_grad_enabled = Wrapper("wrap_with_set_grad_enabled", set_grad_enabled, 1)
wrap_with_autocast = Wrapper("wrap_with_autocast", autocast, 4)
