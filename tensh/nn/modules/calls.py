"""The call of a module: its ``forward``, and the hooks around it."""

from collections import OrderedDict

from tensh.engine.core.hooks import RemovableHandle
from tensh.engine.errors.warnings import warn
from tensh.nn.modules.around import Around, hook_last_operation
from tensh.nn.modules.members import REGISTERED

EVERYWHERE = {  # hooks of all modules, set by register_module_forward_hook and others
    "forward_pre": OrderedDict(),
    "forward": OrderedDict(),
    "backward_pre": OrderedDict(),
    "backward": OrderedDict(),
}
BEFORE, AFTER, BACKWARD_BEFORE, BACKWARD_AFTER = EVERYWHERE.values()
HOOKS = ("_backward_pre_hooks", "_backward_hooks", "_forward_pre_hooks", "_forward_hooks")  # the hooks of one module
ALWAYS = {}  # ids of hooks that run even after an error
WITH_KWARGS = {}
IS_FULL = {}  # "backward": whether the first global backward hook was registered as a full one


class Calls:
    """``module(...)`` and the hooks of one module."""

    def __call__(self, *args, **kwargs):
        own = self.__dict__
        try:
            hooked = own["_is_hooked"]
        except KeyError:  # Module.__init__ has not been called
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '_backward_hooks'") from None
        if hooked or BEFORE or AFTER or BACKWARD_BEFORE or BACKWARD_AFTER:
            return call_with_hooks(self, args, kwargs)
        return self.forward(*args, **kwargs)

    __call__.__qualname__ = "Module._wrapped_call_impl"  # in errors about its arguments
    _call_impl = _wrapped_call_impl = __call__  # PyTorch's names, for classes that define __call__ themselves

    def forward(self, *input):
        """Compute the output; each module defines its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call ``hook(module, args)`` before ``forward``; a result that is not None replaces the arguments."""
        handle = self.__add("_forward_pre_hooks", hook, prepend, "_forward_pre_hooks_with_kwargs")
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        return handle

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call ``hook(module, args, output)`` after ``forward``; a result that is not None replaces the output."""
        options = "_forward_hooks_with_kwargs", "_forward_hooks_always_called"
        handle = self.__add("_forward_hooks", hook, prepend, *options)
        if with_kwargs:
            self._forward_hooks_with_kwargs[handle.id] = True
        if always_call:
            self._forward_hooks_always_called[handle.id] = True
        return handle

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call ``hook(module, grad_output)`` before the gradients of the module's inputs are computed."""
        return self.__add("_backward_pre_hooks", hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call ``hook(module, grad_input, grad_output)`` once the gradients of the inputs are known.

        A result that is not None replaces ``grad_input``.
        """
        if self._is_full_backward_hook is False:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
            )
        self._is_full_backward_hook = True
        return self.__add("_backward_hooks", hook, prepend)

    def register_backward_hook(self, hook):
        """Call the hook for the last operation of ``forward`` only (deprecated)."""
        if self._is_full_backward_hook is True:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
            )
        self._is_full_backward_hook = False
        return self.__add("_backward_hooks", hook, False)

    def __add(self, which, hook, prepend, *options):
        hooks = getattr(self, which)
        handle = RemovableHandle(hooks, extra_dict=[getattr(self, option) for option in options])
        hooks[handle.id] = hook
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        self.__dict__["_is_hooked"] = True
        return handle


def add_hook_dictionaries(module):
    """Give a module the empty dictionaries of its hooks."""
    own = module.__dict__
    own["_backward_pre_hooks"], own["_backward_hooks"] = OrderedDict(), OrderedDict()
    own["_is_full_backward_hook"], own["_is_hooked"] = None, False
    own["_forward_hooks"], own["_forward_hooks_with_kwargs"] = OrderedDict(), OrderedDict()
    own["_forward_hooks_always_called"] = OrderedDict()
    own["_forward_pre_hooks"], own["_forward_pre_hooks_with_kwargs"] = OrderedDict(), OrderedDict()


def note_hooks(module):
    """Record whether a module whose state was restored has hooks."""
    own = module.__dict__
    own["_is_hooked"] = any(own.get(name) for name in HOOKS)


# ── a call with hooks ────────────────────────────────────────────────────────
def call_with_hooks(module, args, kwargs):
    """Call ``module.forward`` with all hooks."""
    called = set()
    try:
        return _call_hooks(module, args, kwargs, called)
    except Exception:
        _call_hooks_after_failure(module, args, kwargs, called)
        raise


def _call_hooks(module, args, kwargs, called):
    args, kwargs = _call_pre_hooks(module, args, kwargs)
    full, last = _backward_hooks_of(module)
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
    if last:
        hook_last_operation(module, last, args, result)
    return result


def _backward_hooks_of(module):
    """Return the full backward hooks of a module, and the deprecated ones on its last operation."""
    full, last = [], []
    (last if IS_FULL.get("backward") is False else full).extend(BACKWARD_AFTER.values())
    (last if module._is_full_backward_hook is False else full).extend(module._backward_hooks.values())
    return full, last


def _call_pre_hooks(module, args, kwargs):
    for key, hook in [*EVERYWHERE["forward_pre"].items(), *module._forward_pre_hooks.items()]:
        takes_kwargs = key in module._forward_pre_hooks_with_kwargs
        replaced = hook(module, args, kwargs) if takes_kwargs else hook(module, args)
        if replaced is None:
            continue
        if not takes_kwargs:
            args = replaced if isinstance(replaced, tuple) else (replaced,)
        elif isinstance(replaced, tuple) and len(replaced) == 2:
            args, kwargs = replaced
        else:
            raise RuntimeError(
                f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {replaced}."
            )
    return args, kwargs


def _call_forward_hook(module, key, hook, args, kwargs, result):
    if key in module._forward_hooks_with_kwargs or key in WITH_KWARGS:
        return hook(module, args, kwargs, result)
    return hook(module, args, result)


def _call_hooks_after_failure(module, args, kwargs, called):
    """Call the hooks that run even after an error and have not run yet."""
    for key, hook in [*EVERYWHERE["forward"].items(), *module._forward_hooks.items()]:
        if key in called or not (key in ALWAYS or key in module._forward_hooks_always_called):
            continue
        try:
            _call_forward_hook(module, key, hook, args, kwargs, None)
        except Exception as error:
            warn(
                f"module forward hook with ``always_call=True`` raised an exception that was silenced as another error was raised in forward: {error}"
            )


# ── hooks of all modules ─────────────────────────────────────────────────────
def _everywhere(which, hook, *options):
    hooks = EVERYWHERE[which]
    handle = RemovableHandle(hooks, extra_dict=list(options))
    hooks[handle.id] = hook
    return handle


def register_module_forward_pre_hook(hook):
    """Call ``hook(module, args)`` before the ``forward`` of every module."""
    return _everywhere("forward_pre", hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Call ``hook(module, args, output)`` after the ``forward`` of every module."""
    handle = _everywhere("forward", hook, WITH_KWARGS, ALWAYS)
    if with_kwargs:
        WITH_KWARGS[handle.id] = True
    if always_call:
        ALWAYS[handle.id] = True
    return handle


def register_module_full_backward_pre_hook(hook):
    """Call ``hook(module, grad_output)`` for every module in a backward pass."""
    return _everywhere("backward_pre", hook)


def register_module_full_backward_hook(hook):
    """Call ``hook(module, grad_input, grad_output)`` for every module in a backward pass.

    Raise RuntimeError after ``register_module_backward_hook``.
    """
    return _everywhere_backward(hook, True)


def register_module_backward_hook(hook):
    """Call the hook for the last operation of every module's ``forward`` only (deprecated).

    Raise RuntimeError after ``register_module_full_backward_hook``.
    """
    return _everywhere_backward(hook, False)


def _everywhere_backward(hook, full):
    if IS_FULL.setdefault("backward", full) is not full:
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only one of them."
        )
    return _everywhere("backward", hook)


def _registration(kind, hook):
    handle = RemovableHandle(REGISTERED[kind])
    REGISTERED[kind][handle.id] = hook
    return handle


def register_module_parameter_registration_hook(hook):
    """Call ``hook(module, name, parameter)`` when any module gets a parameter; a result other than None replaces it."""
    return _registration("_parameters", hook)


def register_module_buffer_registration_hook(hook):
    """Call ``hook(module, name, buffer)`` when any module gets a buffer; a result other than None replaces it."""
    return _registration("_buffers", hook)


def register_module_module_registration_hook(hook):
    """Call ``hook(module, name, submodule)`` when any module gets a submodule; a result other than None replaces it."""
    return _registration("_modules", hook)
