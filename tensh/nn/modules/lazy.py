"""Modules that infer the sizes of their parameters from the first input."""

import itertools

from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.engine.autograd.modes import no_grad
from tensh.nn.parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """A module whose parameters have no shape until ``initialize_parameters(*inputs)`` is called, before the first call.

    After that call the class is ``cls_to_become``.
    """

    cls_to_become = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        kept = {name: each for name, each in self._buffers.items() if name not in self._non_persistent_buffers_set}
        for name, member in itertools.chain(self._parameters.items(), kept.items()):
            if member is not None:
                destination[prefix + name] = member if is_lazy(member) or keep_vars else member.detach()

    def _lazy_load_hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        """Take the shapes of the parameters from a state before it is loaded."""
        for name, member in itertools.chain(self._parameters.items(), self._buffers.items()):
            given = state_dict.get(prefix + name)
            if is_lazy(member) and given is not None and not is_lazy(given):
                with no_grad():
                    member.materialize(given.shape)

    def initialize_parameters(self, *args, **kwargs):
        """Give the parameters their shapes; every lazy module overrides this."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def _materialize(self, **shapes):
        """Give parameters and buffers their shapes, except those that got them before an earlier attempt failed."""
        for name, shape in shapes.items():
            if is_lazy(member := getattr(self, name)):
                member.materialize(shape)

    def has_uninitialized_params(self):
        """Return True if a parameter or buffer has no shape yet."""
        return any(map(is_lazy, itertools.chain(self._parameters.values(), self._buffers.values())))

    @without_interrupts
    def _infer_parameters(self, module, args, kwargs=None):
        """Initialise the parameters before the first call, and change the class."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become
