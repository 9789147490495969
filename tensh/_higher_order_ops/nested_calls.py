"""Operators on graphs of functions within a compiled function: of a custom function, and of a checkpoint."""

from tensh._higher_order_ops.operators import HigherOrderOperator
from tensh.engine.autograd.custom import Function
from tensh.engine.autograd.modes import _set_grad_enabled
from tensh.engine.core.clock import mode
from tensh.fx.interpreter import Interpreter

__all__ = ["autograd_function_apply", "tag_activation_checkpoint"]


class NestedCall(HigherOrderOperator):
    """An operator that calls graph modules; recorders see the modules' own calls."""

    __module__ = "torch.ops.higher_order"

    def __init__(self, name, compute):
        super().__init__(name, compute, ())

    def __call__(self, *args, **kwargs):
        return self.compute(*args, **kwargs)


class ApplyTemplate(Function):
    """The custom function whose forward and backward are graphs.

    That of the forward returns the outputs, and the tensors that the other one takes behind the gradients.
    """

    @staticmethod
    def forward(ctx, forward, backward, constant, places, written, *args):
        """Run the graph of the forward; ``places`` are those of saved tensors that must not be written."""
        outputs, saved = forward(*args)
        ctx.save_for_backward(*(saved[place] for place in places))
        ctx.rest = {place: each for place, each in enumerate(saved) if place not in places}
        ctx.places, ctx.derivative = places, backward
        ctx.mark_non_differentiable(*(outputs[place] for place in constant))
        ctx.mark_dirty(*(args[place] for place in written))
        return outputs

    @staticmethod
    def backward(ctx, *grads):
        """Run the graph of the backward; its derivative is recorded as that of a custom function is."""
        recording, values = mode.grad, ctx.rest | dict(zip(ctx.places, ctx.saved_tensors))
        try:
            run = Differentiable(ctx.derivative).run if recording else ctx.derivative
            return *[None] * 5, *run(*grads, *(values[place] for place in sorted(values)))
        finally:
            mode.grad = recording


class Differentiable(Interpreter):
    """An interpretation of a graph that switches no recording of gradients off."""

    def call_function(self, target, args, kwargs):
        """Call a function, unless it is the switch."""
        return None if target is _set_grad_enabled else super().call_function(target, args, kwargs)


def apply_graphs(forward, backward, *args, non_differentiable_idx, saved_for_backward_idx, dirty_idx=()):
    """Return the outputs of a custom function's graph."""
    return ApplyTemplate.apply(forward, backward, non_differentiable_idx, saved_for_backward_idx, dirty_idx, *args)


def call_graph(graph, *args, **options):
    """Return what the graph of a checkpoint returns; a compiler may compute its values again, which nothing requires."""
    return graph(*args)


autograd_function_apply = NestedCall("autograd_function_apply", apply_graphs)
tag_activation_checkpoint = NestedCall("tag_activation_checkpoint", call_graph)
