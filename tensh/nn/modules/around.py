"""The backward hooks of a module, called by graph nodes before and after its ``forward``."""

import functools

from tensh.engine.autograd.custom import Function
from tensh.engine.autograd.modes import is_grad_enabled
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn


class BackwardHookFunction(Function):
    """The identity as a graph node, to which hooks are attached."""

    @staticmethod
    def forward(ctx, *args):
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx, *grads):
        return grads


class Around:
    """The nodes before and after a module's call, whose hooks call the hooks of the module with both gradients."""

    def __init__(self, module, hooks, pre_hooks):
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs = None
        self.input_count = self.input_places = self.output_count = self.output_places = None

    def inputs(self, args):
        """Return the arguments, passed through a node that calls the hooks once all their gradients are known."""
        self.input_count = len(args)
        tensors, places, node = _pass_through(args)
        if node is None:
            return args
        self.input_places = places
        node.register_hook(self._hook_inputs)
        return _put(args, places, tensors)

    def outputs(self, result):
        """Return the result, passed through a node that receives its gradients.

        A hook after that node gives back None for an output without a gradient, for which the node computes zeros.
        """
        is_single = isinstance(result, Tensor)
        results = (result,) if is_single else tuple(result) if isinstance(result, list | tuple) else None
        if results is None:
            return result
        tensors, places, node = _pass_through(results)
        if node is None:
            return result
        self.output_count, self.output_places = len(results), places
        node.register_hook(self._hook_outputs)
        made = _put(results, places, tensors)
        if hasattr(result, "_fields"):
            return type(result)(*made)
        return made[0] if is_single else type(result)(made) if isinstance(result, list) else made

    def _hook_outputs(self, computed, grads):
        arrived = _spread_gradients(grads, self.output_places, self.output_count)
        for hook in self.pre_hooks:
            replaced = hook(self.module, arrived)
            if replaced is not None:
                if len(replaced) != self.output_count:
                    raise RuntimeError(
                        f"Backward pre hook returned an invalid number of grad_output, got {len(replaced)}, but expected "
                        f"{self.output_count}"
                    )
                arrived = replaced
        if self.input_places is None:
            self._call_without_inputs(arrived)
        else:
            self.grad_outputs = arrived
        return tuple(
            None if g is None else arrived[place] for g, place in zip(computed, self.output_places, strict=True)
        )

    def _call_without_inputs(self, grad_outputs):
        """Call the hooks now, because no input requires grad."""
        warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
            "gradients. See "
            "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook "
            "for more details."
        )
        for hook in self.hooks:
            result = hook(self.module, (None,) * self.input_count, grad_outputs)
            if result is not None and not (isinstance(result, tuple) and all(each is None for each in result)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for all gradients."
                )

    def _hook_inputs(self, grad_inputs, grad_outputs):
        if self.grad_outputs is None:
            return None
        full = _spread_gradients(grad_inputs, self.input_places, self.input_count)
        for hook in self.hooks:
            replaced = hook(self.module, full, self.grad_outputs)
            if replaced is not None:
                full = replaced
                if len(full) != self.input_count:
                    raise RuntimeError(
                        f"Backward hook returned an invalid number of grad_input, got {len(full)}, but expected {self.input_count}"
                    )
        self.grad_outputs = None
        return tuple(full[place] for place in self.input_places)


def _pass_through(values):
    """Return (tensors passed through a node, their places, the node); the node is None if none requires grad."""
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    if not is_grad_enabled() or not any(values[place].requires_grad for place in places):
        return (), (), None
    tensors = BackwardHookFunction.apply(*[values[place] for place in places])
    tensors = tensors if isinstance(tensors, tuple) else (tensors,)
    return tensors, places, next(t.grad_fn for t in tensors if t.grad_fn is not None)


def _put(values, places, tensors):
    made = list(values)
    for place, tensor in zip(places, tensors, strict=True):
        made[place] = tensor
    return tuple(made)


def _spread_gradients(grads, places, count):
    full = [None] * count
    for place, grad in zip(places, grads, strict=False):
        full[place] = grad
    return tuple(full)


def hook_last_operation(module, hooks, args, result):
    """Register the deprecated hooks on the node of the (first) result; warn if they miss gradients."""
    whole = result
    while not isinstance(result, Tensor):
        result = next(iter(result.values())) if isinstance(result, dict) else result[0]
    if result.grad_fn is not None:
        for hook in hooks:
            result.grad_fn.register_hook(functools.update_wrapper(functools.partial(hook, module), hook))
        if (missing := describe_missed(args, whole, result.grad_fn)) is not None:
            warn(missing, FutureWarning)


def describe_missed(args, result, node):
    """Describe the gradients that deprecated hooks on ``node`` miss; return None if they see all of them."""
    start = "Using a non-full backward hook when "
    end = " Please use register_full_backward_hook to get the documented behavior."
    removed = "is deprecated and will be removed in future versions. This hook will be missing some"
    results = (result,) if isinstance(result, Tensor) else result
    for given, verb, grads in ((results, "return", "grad_output"), (args, "take as input", "grad_input")):
        if not (isinstance(given, tuple) and all(isinstance(each, Tensor) for each in given)):
            return (
                f"Using non-full backward hooks on a Module that does not {verb} a single Tensor or a tuple of Tensors "
                f"{removed} of the {grads}.{end}"
            )
    nodes = {each.grad_fn for each in results} - {None}
    if node not in nodes:
        return f"{start}outputs are nested in python data structure {removed} grad_output."
    if len(nodes) > 1:
        return f"{start}outputs are generated by different autograd Nodes {removed} grad_output.{end}"
    if {each.grad_fn for each in args} - {None} != {each for each, _ in node.next_functions}:
        return f"{start}the forward contains multiple autograd Nodes {removed} grad_input.{end}"
    return None
