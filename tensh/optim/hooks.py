"""Hooks of optimizers: functions around ``step``, and around the state when it is read or loaded."""

import functools
from collections import OrderedDict

from tensh.engine.core.hooks import RemovableHandle

KINDS = {
    name: f"_optimizer_{name}_hooks"
    for name in (
        "step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post",
    )
}  # fmt: skip
BEFORE, AFTER = OrderedDict(), OrderedDict()  # around every step of every optimizer


def prepare_hooks(optimizer):
    """Make storage for the hooks of an optimizer, and its ``step`` call them, also in subclasses with their own ``step``."""
    for attribute in KINDS.values():
        optimizer.__dict__.setdefault(attribute, OrderedDict())
    optimizer._patch_step_function()


class OptimizerHooks:
    """The hooks of one optimizer; each ``register`` returns a handle whose ``remove()`` removes the hook."""

    def _patch_step_function(self):
        """Make the class's ``step`` call the hooks; wrappers of optimizers call this instead of the constructor."""
        cls = type(self)
        self._zero_grad_profile_name = f"Optimizer.zero_grad#{cls.__name__}.zero_grad"
        if not getattr(cls.step, "hooked", False):
            cls.step = self.profile_hook_step(cls.step)

    @staticmethod
    def profile_hook_step(func):
        """Wrap ``func``, a ``step``, to call the hooks before and after it."""
        return add_hooks(func)

    def __add(self, kind, hook, prepend=False):
        entries = getattr(self, KINDS[kind])
        handle = RemovableHandle(entries)
        entries[handle.id] = hook
        if prepend:
            entries.move_to_end(handle.id, last=False)
        return handle

    def register_step_pre_hook(self, hook):
        """Call ``hook(optimizer, args, kwargs)`` before each step; a pair it returns replaces the arguments."""
        return self.__add("step_pre", hook)

    def register_step_post_hook(self, hook):
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return self.__add("step_post", hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Call ``hook(optimizer)`` before ``state_dict`` reads the state."""
        return self.__add("state_dict_pre", hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """Call ``hook(optimizer, state_dict)`` after ``state_dict`` has read it; what it returns takes its place."""
        return self.__add("state_dict_post", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Call ``hook(optimizer, state_dict)`` before loading; what it returns is loaded instead."""
        return self.__add("load_state_dict_pre", hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """Call ``hook(optimizer)`` after loading."""
        return self.__add("load_state_dict_post", hook, prepend)


def add_hooks(step):
    """Call ``step`` with the hooks before and after it."""

    @functools.wraps(step)
    def hooked(*args, **kwargs):
        self = args[0]
        hooks = self._optimizer_step_pre_hooks
        for hook in (*BEFORE.values(), *hooks.values()) if BEFORE or hooks else ():
            given = hook(self, args, kwargs)
            if given is not None:
                if not (isinstance(given, tuple) and len(given) == 2):
                    function = f"<function {type(self).__qualname__}.step at {id(step):#x}>"
                    raise RuntimeError(
                        f"{function} must return None or a tuple of (new_args, new_kwargs), but got {given}."
                    )
                args, kwargs = given
        result = step(*args, **kwargs)
        hooks = self._optimizer_step_post_hooks
        for hook in (*hooks.values(), *AFTER.values()) if AFTER or hooks else ():
            hook(self, args, kwargs)
        return result

    hooked.hooked = True
    return hooked


def register_everywhere(entries, hook):
    """Add a hook to those around every step of every optimizer."""
    handle = RemovableHandle(entries)
    entries[handle.id] = hook
    return handle
