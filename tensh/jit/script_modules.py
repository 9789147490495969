"""Modules of ``torch.jit``: what ``script``, ``trace`` and ``load`` return."""

import copy
import inspect
import io

from tensh.engine.core.tensor import Tensor
from tensh.jit.language.classes import describe_class_of, is_interface
from tensh.jit.language.interfaces import explain_misfit
from tensh.jit.language.marks import Attribute
from tensh.jit.language.types import class_path, fits_type
from tensh.jit.scripting.sugar import class_of
from tensh.jit.written_code import write_code
from tensh.nn.modules.module import Module
from tensh.support.naming import is_of_torch

__all__ = ["RecursiveScriptModule", "ScriptModule"]

PLAIN = (int, float, bool, str)
"""Types of attributes that keep their type."""
DETAILS = "(#define PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"
UNSUPPORTED = (
    """bfloat16 compile get_buffer get_parameter get_submodule ipu mtia register_backward_hook register_forward_hook
    register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook register_load_state_dict_post_hook
    register_load_state_dict_pre_hook register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_submodule to_empty
    xpu"""
).split()
"""Methods of modules that scripted modules lack."""


class ScriptModule(Module):
    """A module of torch.jit: what ``script``, ``trace`` and ``load`` return."""

    __module__ = "torch.jit._script"

    @property
    def original_name(self):
        """The name of the class from which the module was made."""
        return type(self).__name__

    __repr__ = Module.__repr__

    def __setattr__(self, name, value):
        if isinstance(value, Attribute):
            self.__dict__.setdefault("_script_types", {})[name] = value.type
            value = value.value
        super().__setattr__(name, value)

    @property
    def code(self):
        """``forward`` as TorchScript code; the Python source, if scripts cannot contain it."""
        return write_code(class_of(self).forward, self)

    @property
    def graph(self):
        """The graph of ``forward``.  Raise RuntimeError for Python that scripts cannot contain."""
        from tensh.jit.scripting.compiling import compile_script

        return compile_script(class_of(self).forward, self).graph

    @property
    def inlined_graph(self):
        """The graph of ``forward``, in which the graphs of called functions replace the calls."""
        from tensh.jit.scripting.compiling import compile_script

        return compile_script(class_of(self).forward, self, inlined=True).graph

    def save(self, f, _extra_files=None):
        """Write a TorchScript file, which PyTorch can also load: see ``torch.jit.save``."""
        from tensh.jit.scripting.files.saving import write_module

        write_module(self, f, _extra_files)

    def save_to_buffer(self, _extra_files=None):
        """Return a TorchScript file as bytes."""
        file = io.BytesIO()
        self.save(file, _extra_files)
        return file.getvalue()

    def graph_for(self, *args, **kwargs):
        """Run ``forward``, and return its graph with calls inlined.

        A script has one program for all inputs, so that the values of these do not matter.
        """
        self(*args, **kwargs)
        return self.inlined_graph

    def extra_repr(self):
        """Return the name of the original class."""
        own = not is_of_torch(type(self).__module__)  # a class that the user wrote
        return "" if own else f"original_name={self.original_name}"

    def get_debug_state(self, *args, **kwargs):
        """Raise RuntimeError: there is no compiler with a state."""
        raise RuntimeError("tensh's torch.jit has no graph executor")


class RecursiveScriptModule(ScriptModule):
    """A scripted module: the original class, with checks in ``forward`` and exported methods, and shared parameters."""

    _original = Module

    @property
    def original_name(self):
        """The name of the class that was scripted."""
        return self._original.__name__

    def _get_name(self):
        return "RecursiveScriptModule"

    def __setattr__(self, name, value):
        if isinstance(value, Module):
            self._require_script(name, value)
        old = self.__dict__.get(name)
        if isinstance(old, Tensor) and not isinstance(value, Tensor):
            raise RuntimeError(f"Could not cast attribute '{name}' to type Tensor: Unable to cast {value} to Tensor")
        if type(old) in PLAIN and not fits_type(value, type(old)):
            kind = (
                f"{type(old).__name__}: Unable to cast Python instance of type {type(value)} to C++ type '?' {DETAILS}"
            )
            raise RuntimeError(f"Could not cast attribute '{name}' to type {kind}")
        super().__setattr__(name, value)

    def _require_script(self, name, value):
        """Raise RuntimeError unless a module can be set: scripted, and of the class or interface of the one in its place."""
        if not isinstance(value, ScriptModule):
            raise RuntimeError(
                "Cannot re-assign modules in a ScriptModule with non-scripted module, tried to replace existing module "
                f"'{name}': {value}"
            )
        old, kind = self._modules.get(name), find_interface(class_of(self), name)
        if old is None:
            return
        wanted, found = (describe_class_of(each, class_path(each)) for each in (class_of(old), class_of(value)))
        if kind is not None:
            if text := explain_misfit(class_of(value), kind):
                raise RuntimeError(
                    f"Object of type {found} is not compatible with interface {class_path(kind)}\n{text}"
                )
        elif class_of(old) is not class_of(value):
            raise RuntimeError(f"Expected a value of type '{wanted}' for field '{name}', but found '{found}'")

    def __reduce_ex__(self, protocol):
        name = class_path(self._original or type(self))
        raise RuntimeError(f"Tried to serialize object {name} which does not have a __getstate__ method defined!")

    def __deepcopy__(self, memo):
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return made


def find_interface(cls, name):
    """Return the interface that a class of modules declares for a member; None if there is none."""
    kind = inspect.get_annotations(cls).get(name)
    return kind if is_interface(kind) else None


def refuse_method(name):
    """Return a method that raises RuntimeError: scripted modules lack it."""

    def method(self, *args, **kwargs):
        raise RuntimeError(f"{name} is not supported on ScriptModules")

    return method


for each in UNSUPPORTED:
    setattr(RecursiveScriptModule, each, refuse_method(each))
