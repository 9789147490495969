"""Frozen modules, whose parameters are constants."""

import copy

from tensh.engine.errors.warnings import warn_quietly
from tensh.jit._script import ScriptModule
from tensh.jit.graphs.code_text import write_code
from tensh.jit.graphs.ir import Graph
from tensh.jit.graphs.python_print import result_type
from tensh.jit.language.type_names import name_type
from tensh.jit.scripting.calls.traces import is_trace
from tensh.jit.scripting.files.fixed_members import fix_program, freeze_method
from tensh.jit.scripting.files.printing import write_script
from tensh.jit.scripting.files.saving import write_fixed_module, write_fixed_trace
from tensh.jit.scripting.sources import NotScriptable
from tensh.nn.modules.module import Module

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
    """A module without parameters, which computes with copies of the original's parameters."""

    __module__, __qualname__ = "torch.jit._script", "RecursiveScriptModule"

    def __init__(self, module, preserved):
        super().__init__()
        made = copy.deepcopy(module)
        for each in made.parameters():
            each.requires_grad_(False)
        self.__dict__.update({"_frozen": made, "_kept": tuple(preserved)})
        self.training = False

    def __getattr__(self, name):
        if name in self.__dict__.get("_kept", ()):
            found = getattr(self._frozen, name)
            return FrozenMethod(self, found) if callable(found) and not isinstance(found, Module) else found
        return super().__getattr__(name)

    @property
    def original_name(self):
        """The name of the frozen class."""
        return self._frozen.original_name

    @property
    def code(self):
        """The code of the frozen module, with members as constants and calls inlined."""
        return self._code_of("forward")

    @property
    def graph(self):
        """The graph of the frozen module."""
        return self._graph_of("forward")

    inlined_graph = graph

    def _graph_of(self, name):
        if is_trace(self._frozen):
            return Graph(fix_program(self._frozen._programs[name]), name_type(self._frozen))
        return freeze_method(self._frozen, name, self._kept).graph

    def _code_of(self, name):
        if not is_trace(self._frozen):
            try:
                return write_script(freeze_method(self._frozen, name, self._kept))
            except NotScriptable:
                return self._frozen.code if name == "forward" else getattr(self._frozen, name).code
        lines = self._graph_of(name)._lines
        return write_code(lines, name, result_type(lines.result), owned=True)

    def forward(self, *args, **kwargs):
        """Run the frozen program."""
        return self._frozen(*args, **kwargs)

    def save(self, f, _extra_files=None):
        """Write a TorchScript file, which PyTorch can also load: see ``torch.jit.save``."""
        if is_trace(self._frozen):
            write_fixed_trace(self._frozen, f, _extra_files)
        else:
            write_fixed_module(self._frozen, self._kept, f, _extra_files)


class FrozenMethod:
    """A method of a frozen module other than ``forward``."""

    def __init__(self, owner, method):
        self.owner, self.method, self.name = owner, method, method.name

    def __call__(self, *args, **kwargs):
        return self.method(*args, **kwargs)

    @property
    def code(self):
        """The method as TorchScript code."""
        return self.owner._code_of(self.name)

    @property
    def graph(self):
        """The graph of the method."""
        return self.owner._graph_of(self.name)

    def __repr__(self):
        return f"<torch.ScriptMethod {self.name}>"


Frozen.__name__ = Frozen.__qualname__


def optimize_for_inference(mod, other_methods=None):
    """Return the frozen module: there is no machine code to optimise."""
    warn_quietly("`torch.jit.optimize_for_inference` is deprecated. Please use `torch.compile` instead.")
    return mod if isinstance(mod, Frozen) else freeze(mod.eval())


def run_frozen_optimizations(mod, optimize_numerics=True, preserved_methods=None):
    """Do nothing: a frozen module cannot be optimised further."""
