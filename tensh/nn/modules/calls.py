"""How a module is called: its ``forward``, and the hooks around it."""

import functools
from collections import OrderedDict

from tensh.engine.autograd.custom import Function
from tensh.engine.hooks import RemovableHandle
from tensh.engine.tensor import Tensor
from tensh.engine.warning import warn

EVERYWHERE = {  # hooks of all modules: register_module_forward_hook and its kin
    "forward_pre": OrderedDict(),
    "forward": OrderedDict(),
    "backward_pre": OrderedDict(),
    "backward": OrderedDict(),
}
BEFORE, AFTER, BACKWARD_BEFORE, BACKWARD_AFTER = EVERYWHERE.values()
HOOKS = ("_backward_pre_hooks", "_backward_hooks", "_forward_pre_hooks", "_forward_hooks")  # of one module
ALWAYS = set()  # ids of those that run even after an error
WITH_KWARGS = set()


class Calls:
    """``module(...)`` and the hooks of one module."""

    def __call__(self, *args, **kwargs):
        own = self.__dict__
        if own["_is_hooked"] or BEFORE or AFTER or BACKWARD_BEFORE or BACKWARD_AFTER:
            return hooked_call(self, args, kwargs)
        return self.forward(*args, **kwargs)

    def forward(self, *input):
        """What the module computes; every module has its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call ``hook(module, args)`` before ``forward``; a result that is not None takes the place of the arguments."""
        handle = self._add("_forward_pre_hooks", hook, prepend)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        return handle

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call ``hook(module, args, output)`` after ``forward``; a result that is not None takes the place of the output."""
        handle = self._add("_forward_hooks", hook, prepend)
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        return handle

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call ``hook(module, grad_output)`` before the gradients of the module's inputs are computed."""
        return self._add("_backward_pre_hooks", hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call ``hook(module, grad_input, grad_output)`` when they are; a result takes the place of ``grad_input``."""
        if self._is_full_backward_hook is False:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
            )
        self._is_full_backward_hook = True
        return self._add("_backward_hooks", hook, prepend)

    def register_backward_hook(self, hook):
        """Deprecated: the same for the last operation of ``forward`` only."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
            )
        self._is_full_backward_hook = False
        return self._add("_backward_hooks", hook, False)

    def _add(self, which, hook, prepend):
        hooks = self.__dict__[which]
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        self.__dict__["_is_hooked"] = True
        return handle


def no_hooks(module):
    """Give a module the dictionaries of its hooks."""
    own = module.__dict__
    own["_backward_pre_hooks"], own["_backward_hooks"] = OrderedDict(), OrderedDict()
    own["_is_full_backward_hook"], own["_is_hooked"] = None, False
    own["_forward_hooks"], own["_forward_hooks_with_kwargs"] = OrderedDict(), OrderedDict()
    own["_forward_hooks_always_called"] = OrderedDict()
    own["_forward_pre_hooks"], own["_forward_pre_hooks_with_kwargs"] = OrderedDict(), OrderedDict()


def know_hooks(module):
    """Note whether a module whose state came from elsewhere has hooks."""
    own = module.__dict__
    own["_is_hooked"] = any(own.get(name) for name in HOOKS)


# ── a call with hooks ────────────────────────────────────────────────────────
def hooked_call(module, args, kwargs):
    """``module(*args, **kwargs)`` with all hooks."""
    called = set()
    try:
        return _hooked(module, args, kwargs, called)
    except Exception:
        _after_failure(module, args, kwargs, called)
        raise


def _hooked(module, args, kwargs, called):
    args, kwargs = _before(module, args, kwargs)
    full = list(EVERYWHERE["backward"].values())
    if module._is_full_backward_hook is not False:
        full += module._backward_hooks.values()
    pre = [*EVERYWHERE["backward_pre"].values(), *module._backward_pre_hooks.values()]
    around = Around(module, full, pre) if full or pre else None
    if around:
        args = around.inputs(args)
    result = module.forward(*args, **kwargs)
    for key, hook in [*EVERYWHERE["forward"].items(), *module._forward_hooks.items()]:
        called.add(key)
        replaced = _call_forward_hook(module, key, hook, args, kwargs, result)
        if replaced is not None:
            result = replaced
    if around:
        result = around.outputs(result)
    if module._is_full_backward_hook is False and module._backward_hooks:
        _hook_last_operation(module, result)
    return result


def _before(module, args, kwargs):
    for key, hook in [*EVERYWHERE["forward_pre"].items(), *module._forward_pre_hooks.items()]:
        if key in module._forward_pre_hooks_with_kwargs:
            replaced = hook(module, args, kwargs)
            if replaced is not None:
                if not (isinstance(replaced, tuple) and len(replaced) == 2):
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {replaced}."
                    )
                args, kwargs = replaced
        else:
            replaced = hook(module, args)
            if replaced is not None:
                args = replaced if isinstance(replaced, tuple) else (replaced,)
    return args, kwargs


def _call_forward_hook(module, key, hook, args, kwargs, result):
    if key in module._forward_hooks_with_kwargs or key in WITH_KWARGS:
        return hook(module, args, kwargs, result)
    return hook(module, args, result)


def _after_failure(module, args, kwargs, called):
    """The hooks that are to run whatever happens, and have not yet."""
    for key, hook in [*EVERYWHERE["forward"].items(), *module._forward_hooks.items()]:
        if key in called or not (key in ALWAYS or key in module._forward_hooks_always_called):
            continue
        try:
            _call_forward_hook(module, key, hook, args, kwargs, None)
        except Exception as error:
            warn(
                f"module forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised in forward: {error}"
            )


# ── backward hooks ───────────────────────────────────────────────────────────
class BackwardHookFunction(Function):
    """Passes tensors on, as a node of the graph that hooks can be hung on."""

    @staticmethod
    def forward(ctx, *args):
        ctx.mark_non_differentiable(*[arg for arg in args if not arg.requires_grad])
        return args

    @staticmethod
    def backward(ctx, *grads):
        return grads


class Around:
    """The nodes before and behind a module's call, whose hooks call those of the module with both gradients."""

    def __init__(self, module, hooks, pre_hooks):
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs = None
        self.input_count = self.input_places = self.output_count = self.output_places = None

    def inputs(self, args):
        """The arguments, behind a node that calls the hooks when the gradients of all of them are there."""
        self.input_count = len(args)
        if not self.hooks:
            return args
        tensors, places, node = _passed(args)
        if node is None:
            return args
        self.input_places = places
        node.register_hook(self._at_inputs)
        return _put(args, places, tensors)

    def outputs(self, result):
        """The result, behind a node that is told the gradients that arrive."""
        is_single = isinstance(result, Tensor)
        results = (result,) if is_single else tuple(result) if isinstance(result, list | tuple) else None
        if results is None:
            return result
        tensors, places, node = _passed(results)
        if node is None:
            return result
        self.output_count, self.output_places = len(results), places
        node.register_prehook(self._at_outputs)
        made = _put(results, places, tensors)
        return made[0] if is_single else type(result)(made) if isinstance(result, list) else made

    def _at_outputs(self, grads):
        full = _spread(grads, self.output_places, self.output_count)
        self.grad_outputs = full
        for hook in self.pre_hooks:
            replaced = hook(self.module, self.grad_outputs)
            if replaced is not None:
                self.grad_outputs = replaced if isinstance(replaced, tuple) else (replaced,)
        if self.hooks and self.input_places is None:  # no input requires grad: the hooks are called now
            for hook in self.hooks:
                if hook(self.module, (None,) * self.input_count, self.grad_outputs) is not None:
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None for all gradients."
                    )
        return tuple(self.grad_outputs[place] for place in self.output_places) if self.pre_hooks else None

    def _at_inputs(self, grad_inputs, grad_outputs):
        if self.grad_outputs is None:
            return None
        full = _spread(grad_inputs, self.input_places, self.input_count)
        for hook in self.hooks:
            replaced = hook(self.module, full, self.grad_outputs)
            if replaced is not None:
                full = replaced if isinstance(replaced, tuple) else (replaced,)
                if len(full) != self.input_count:
                    raise RuntimeError(
                        f"Backward hook returned an invalid number of grad_input, got {len(full)}, but expected {self.input_count}"
                    )
        self.grad_outputs = None
        return tuple(full[place] for place in self.input_places)


def _passed(values):
    """(tensors behind a node, their places, the node); no node if none of them requires grad."""
    places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
    if not any(values[place].requires_grad for place in places):
        return (), (), None
    tensors = BackwardHookFunction.apply(*[values[place] for place in places])
    tensors = tensors if isinstance(tensors, tuple) else (tensors,)
    return tensors, places, next(t.grad_fn for t in tensors if t.grad_fn is not None)


def _put(values, places, tensors):
    made = list(values)
    for place, tensor in zip(places, tensors, strict=True):
        made[place] = tensor
    return tuple(made)


def _spread(grads, places, count):
    full = [None] * count
    for place, grad in zip(places, grads, strict=False):
        full[place] = grad
    return tuple(full)


def _hook_last_operation(module, result):
    """The deprecated hooks: on the node of the (first) result."""
    while not isinstance(result, Tensor):
        result = next(iter(result.values())) if isinstance(result, dict) else result[0]
    if result.grad_fn is not None:
        for hook in module._backward_hooks.values():
            result.grad_fn.register_hook(functools.update_wrapper(functools.partial(hook, module), hook))


# ── hooks of all modules ─────────────────────────────────────────────────────
def _everywhere(which, hook):
    hooks = EVERYWHERE[which]
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def register_module_forward_pre_hook(hook):
    """Call ``hook(module, args)`` before the ``forward`` of every module."""
    return _everywhere("forward_pre", hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Call ``hook(module, args, output)`` after the ``forward`` of every module."""
    handle = _everywhere("forward", hook)
    if with_kwargs:
        WITH_KWARGS.add(handle.id)
    if always_call:
        ALWAYS.add(handle.id)
    return handle


def register_module_full_backward_pre_hook(hook):
    """Call ``hook(module, grad_output)`` for every module in a backward pass."""
    return _everywhere("backward_pre", hook)


def register_module_full_backward_hook(hook):
    """Call ``hook(module, grad_input, grad_output)`` for every module in a backward pass."""
    return _everywhere("backward", hook)
