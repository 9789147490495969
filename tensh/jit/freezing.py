"""Frozen modules, whose parameters are constants."""

from tensh.engine.errors.warnings import warn_quietly
from tensh.jit._script import ScriptModule

__all__ = ["freeze", "optimize_for_inference", "run_frozen_optimizations"]


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    """Return a module in evaluation that computes the same, but whose parameters are constants without gradients.

    Of the other attributes, ``preserved_attrs`` stay.  Raise RuntimeError for a module that is not from torch.jit, or
    is in training.

    >>> import tensh as torch
    >>> model = torch.nn.Linear(2, 1).eval()
    >>> frozen = torch.jit.freeze(torch.jit.trace(model, torch.ones(1, 2)))
    >>> list(frozen.parameters())
    []
    """
    warn_quietly("`torch.jit.freeze` is deprecated. Please use `torch.compile` instead.")
    if not isinstance(mod, ScriptModule):
        raise RuntimeError(
            "Freezing expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace to script your 'nn.Module'."
        )
    if mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your module before freezing."
        )
    return Frozen(mod, preserved_attrs or ())


class Frozen(ScriptModule):
    """A module without parameters that computes what another computed when it was frozen."""

    __module__, __qualname__ = "torch.jit._script", "RecursiveScriptModule"

    def __init__(self, module, preserved):
        import copy

        super().__init__()
        made = copy.deepcopy(module)
        for each in made.parameters():
            each.requires_grad_(False)
        self.__dict__.update({"_frozen": made}, **{name: getattr(made, name) for name in preserved})
        self.training = False

    @property
    def original_name(self):
        """The name of the frozen class."""
        return self._frozen.original_name

    @property
    def code(self):
        """The code of the frozen module."""
        return self._frozen.code

    @property
    def graph(self):
        """The graph of the frozen module."""
        return self._frozen.graph

    def forward(self, *args, **kwargs):
        """Run the frozen program."""
        return self._frozen(*args, **kwargs)


Frozen.__name__ = Frozen.__qualname__


def optimize_for_inference(mod, other_methods=None):
    """Return the frozen module: there is no machine code to optimise."""
    warn_quietly("`torch.jit.optimize_for_inference` is deprecated. Please use `torch.compile` instead.")
    return mod if isinstance(mod, Frozen) else freeze(mod.eval())


def run_frozen_optimizations(mod, optimize_numerics=True, preserved_methods=None):
    """Do nothing: a frozen module cannot be optimised further."""
