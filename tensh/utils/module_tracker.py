"""torch.utils.module_tracker: which modules are being computed."""

import weakref

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """A context in which ``parents`` holds the names of the modules whose ``forward`` runs, "Global" for none.

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
        self.parents = {"Global"}
        self._names, self._handles = weakref.WeakKeyDictionary(), ()

    @property
    def is_bw(self):
        """True during a backward pass."""
        return False

    def _name(self, module):
        if module not in self._names:
            own = type(module).__name__
            for path, part in module.named_modules():
                self._names[part] = f"{own}.{path}" if path else own
        return self._names[module]

    def __enter__(self):
        from tensh.nn.modules.calls import register_module_forward_hook, register_module_forward_pre_hook

        self._handles = (
            register_module_forward_pre_hook(lambda module, inputs: self.parents.add(self._name(module))),
            register_module_forward_hook(lambda module, inputs, output: self.parents.discard(self._name(module))),
        )
        return self

    def __exit__(self, *error):
        for handle in self._handles:
            handle.remove()
        self.parents = {"Global"}
