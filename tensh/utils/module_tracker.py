"""torch.utils.module_tracker: which modules are being computed."""

import weakref

from tensh.autograd.multihook import register_multi_grad_hook
from tensh.engine.core.clock import mode
from tensh.engine.core.tensor import Tensor
from tensh.func.trees import leaves_of

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """A context in which ``parents`` holds the names of the modules that are being computed, with "Global".

    In a backward pass these are the modules whose outputs have got their gradients, and whose inputs have not.

    >>> import tensh as torch
    >>> from tensh.utils.module_tracker import ModuleTracker
    >>> class Layer(torch.nn.Module):
    ...     def forward(self, x):
    ...         return sorted(tracker.parents)
    >>> with ModuleTracker() as tracker:
    ...     torch.nn.Sequential(Layer())(torch.ones(1))
    ['Global', 'Sequential', 'Sequential.0']
    """

    def __init__(self):
        self._parents, self._backward = {"Global"}, False
        self._names, self._handles = weakref.WeakKeyDictionary(), ()

    @property
    def is_bw(self):
        """True during a backward pass."""
        return mode.running is not None

    @property
    def parents(self):
        """The names of the modules that are being computed."""
        if self._backward and not self.is_bw:  # modules whose inputs need no gradients do not end
            self._parents, self._backward = {"Global"}, False
        return self._parents

    def _name(self, module):
        if module not in self._names:
            own = type(module).__name__
            for path, part in module.named_modules():
                self._names[part] = f"{own}.{path}" if path else own
        return self._names[module]

    def __enter__(self):
        from tensh.nn.modules.calls import register_module_forward_hook, register_module_forward_pre_hook

        self._handles = register_module_forward_pre_hook(self._begin), register_module_forward_hook(self._end)
        return self

    def __exit__(self, *error):
        for handle in self._handles:
            handle.remove()
        self._parents = {"Global"}

    def _begin(self, module, inputs):
        name = self._name(module)
        self.parents.add(name)
        self._at_gradients(inputs, lambda: self.parents.discard(name))

    def _end(self, module, inputs, output):
        name = self._name(module)
        self.parents.discard(name)
        self._at_gradients(output, lambda: self._enter_backward(name))

    def _enter_backward(self, name):
        parents = self.parents
        self._backward = True
        parents.add(name)

    def _at_gradients(self, values, function):
        """Call a function when the gradients of the tensors among some values are complete."""
        tensors = [t for t in leaves_of(values) if isinstance(t, Tensor) and t.requires_grad]
        if tensors and mode.grad:
            register_multi_grad_hook(tensors, lambda gradients: function())
