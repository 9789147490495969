"""torch.nn.Module: the base class of all layers and models."""

import importlib
from types import FunctionType

from tensh.engine.arguments.binding import bind
from tensh.engine.arguments.public_wrapper import is_c_in_pytorch
from tensh.engine.arrays.uninterrupted import Uninterrupted, without_interrupts
from tensh.engine.autograd.leaves import has_same_form
from tensh.engine.autograd.modes import no_grad
from tensh.engine.core import ports
from tensh.engine.dtypes.device import device, on_meta
from tensh.engine.dtypes.dtype import BY_NUMPY, FLOAT
from tensh.engine.errors.warnings import warn
from tensh.engine.methods.conversion import TO, convert_tensor
from tensh.nn.modules import conversion
from tensh.nn.modules.calls import (
    ALWAYS,
    EVERYWHERE,
    WITH_KWARGS,
    Calls,
    add_hook_dictionaries,
    note_hooks,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from tensh.nn.modules.members import REGISTERED, Members, add_dictionaries
from tensh.nn.modules.state import EXTRA as _EXTRA_STATE_KEY_SUFFIX  # noqa: F401
from tensh.nn.modules.state import Incompatible as _IncompatibleKeys  # noqa: F401
from tensh.nn.modules.state import State, add_state_hook_dictionaries
from tensh.nn.parameter import Parameter, describe_attempt, is_lazy
from tensh.support.naming import torch_is_tensh

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

_global_forward_hooks, _global_forward_pre_hooks = EVERYWHERE["forward"], EVERYWHERE["forward_pre"]
_global_backward_hooks, _global_backward_pre_hooks = EVERYWHERE["backward"], EVERYWHERE["backward_pre"]
_global_forward_hooks_with_kwargs, _global_forward_hooks_always_called = WITH_KWARGS, ALWAYS
_global_parameter_registration_hooks = REGISTERED["_parameters"]
_global_buffer_registration_hooks, _global_module_registration_hooks = REGISTERED["_buffers"], REGISTERED["_modules"]
"""PyTorch's names of global hooks, which libraries read."""


def _has_any_global_hook():
    return any([*EVERYWHERE.values(), WITH_KWARGS, ALWAYS])


MODULES = {
    "containers": "container",
    "parameter_containers": "container",
    "lazy_conv": "conv",
    "attention": "activation",
    "cells": "rnn",
    "crossmap": "normalization",
    "linear_loss": "loss",
    "syncbatchnorm": "batchnorm",
}
"""The files of layers whose names differ from PyTorch's."""


def claim_pytorchs_module(cls):
    """Give a class of tensh and its methods the ``__module__`` of PyTorch's; return its real one, None for other classes."""
    origin = cls.__module__
    package, _, file = origin.rpartition(".")
    if package != __package__:
        return None
    cls.__module__ = f"torch.nn.modules.{MODULES.get(file, file)}"
    claim_methods(cls, cls.__module__)
    return origin


def claim_methods(cls, module):
    """Give the methods of a class another ``__module__``."""
    for each in vars(cls).values():
        if isinstance(each, FunctionType):
            each.__module__ = module


def keep_unbound(cls):
    """Make functions static that are attributes of a class, as in ``conv = torch.conv2d``.

    In PyTorch, Python does not bind these, because they are written in C.
    """
    for name, value in list(vars(cls).items()):
        if isinstance(value, FunctionType) and is_c_in_pytorch(value):
            setattr(cls, name, staticmethod(value))


def rebuild_module(origin, name):
    """Make a module without its state, for unpickling."""
    cls = getattr(importlib.import_module(origin), name)
    return cls.__new__(cls)


again = rebuild_module  # the name in pickles of earlier versions


class Module(Members, Calls, State):
    """A part of a model: parameters, buffers and modules, and a ``forward`` that computes with them.

    Attributes become members by the type of their value: parameters, buffers, submodules.

    >>> import tensh as torch
    >>> class Line(torch.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.slope = torch.nn.Parameter(torch.tensor(2.))
    ...     def forward(self, x):
    ...         return self.slope * x
    >>> Line()(torch.tensor([1., 2.]))
    tensor([2., 4.], grad_fn=<MulBackward0>)
    """

    dump_patches = False
    call_super_init = False
    training: bool

    def __init__(self, *args, **kwargs):
        if not self.call_super_init and kwargs:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
            )
        if not self.call_super_init and args:
            raise TypeError(
                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        self.__dict__["training"] = True
        add_dictionaries(self)
        add_hook_dictionaries(self)
        add_state_hook_dictionaries(self)
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        cls.__pytorch_module__ = claim_pytorchs_module(cls)
        if cls.__pytorch_module__ is None:
            keep_unbound(cls)

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "_is_hooked"}  # as in PyTorch

    def __setstate__(self, state):
        self.__dict__.update(state)
        note_hooks(self)

    def __reduce_ex__(self, protocol):
        if not self.__pytorch_module__ or torch_is_tensh():
            return super().__reduce_ex__(protocol)
        return rebuild_module, (self.__pytorch_module__, type(self).__qualname__), self.__dict__

    # ── training ─────────────────────────────────────────────────────────────

    def train(self, mode=True):
        """Set the module and its submodules to training mode, or to evaluation mode; return the module."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Set the module and its submodules to evaluation mode; return the module."""
        return self.train(False)

    @without_interrupts
    def requires_grad_(self, requires_grad=True):
        """Set ``requires_grad`` of all parameters; return the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Remove the gradients of all parameters, or with ``set_to_none=False`` set them to zero."""
        for parameter in self.parameters():
            if parameter.grad is None:
                continue
            if set_to_none:
                parameter.grad = None
            else:
                if parameter.grad.grad_fn is not None:
                    parameter.grad.detach_()
                else:
                    parameter.grad.requires_grad_(False)
                parameter.grad.zero_()

    # ── all tensors at once ──────────────────────────────────────────────────

    def apply(self, fn):
        """Call ``fn(module)`` for every submodule, and last for the module itself; return the module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn, recurse=True):
        """Replace every parameter, gradient and buffer by ``fn`` of it; return the module."""
        with Uninterrupted():  # a decorator would halve the depth to which modules can be nested
            if recurse:
                for module in self.children():
                    module._apply(fn)
            for name, parameter in self._parameters.items():
                if parameter is not None:
                    with no_grad():
                        self._parameters[name] = apply_to_parameter(fn, parameter)
            for name, buffer in self._buffers.items():
                if is_lazy(buffer):
                    buffer.data = fn(buffer.data)
                elif buffer is not None:
                    self._buffers[name] = fn(buffer)
        return self

    def to(self, *args, **kwargs):
        """Convert floating point and complex parameters and buffers to a dtype; return the module.

        The arguments are those of ``Tensor.to``. Raise TypeError for an integer dtype.
        """
        given = bind("to", TO, args, kwargs)
        if given.get("copy"):
            raise RuntimeError(".to() does not accept copy argument")
        other = given.get("tensor")
        wanted = given.get("dtype") if other is None else BY_NUMPY[other.array.dtype]
        where = given.get("device") if other is None else other.device
        where = None if where is None else device(where)
        if wanted is not None and wanted.category < FLOAT:
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={wanted}"
            )
        if wanted is not None and wanted.is_complex:
            warn(
                "Complex modules are a new feature under active development whose design may change, and some modules might not "
                "work as expected when using complex tensors as parameters or buffers. Please file an issue at "
                "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not work as expected."
            )
        memory_format = given["memory_format"]

        def convert(t):
            is_number = t.is_floating_point() or t.is_complex()
            if where is not None and on_meta(where) is not t.is_meta:
                t = move_tensor(t, where)
            target = wanted if wanted is not None and is_number else BY_NUMPY[t.array.dtype]
            return convert_tensor(t, target, False, memory_format if t.dim() in (4, 5) else None)

        return self._apply(convert)

    def type(self, dst_type):
        """Convert all parameters and buffers, including those of integers; return the module."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self):
        """Convert floating point parameters and buffers to float32; return the module."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self):
        """Convert floating point parameters and buffers to float64; return the module."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self):
        """Convert floating point parameters and buffers to float16; return the module."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self):
        """Convert floating point parameters and buffers to bfloat16; return the module."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def cpu(self):
        """Return the module itself: it is on the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device=None):
        """Raise the error of a PyTorch built without CUDA."""
        return self._apply(lambda t: t.cuda(device))

    def xpu(self, device=None):
        """Raise the error of a missing device, as ``ipu`` and ``mtia`` do; return a module without tensors."""
        return self._apply(lambda t: t.xpu(device))

    def ipu(self, device=None):
        """Raise the error of a missing device."""
        return self._apply(lambda t: t.ipu(device))

    def mtia(self, device=None):
        """Raise the error of a missing device."""
        return self._apply(lambda t: t.mtia(device))

    def to_empty(self, *, device, recurse=True):
        """Give parameters and buffers new uninitialised memory; return the module."""
        import tensh

        for each in (*self.parameters(), *self.buffers()):
            if is_lazy(each):
                raise ValueError(describe_attempt("<built-in method empty_like>", each))
        return self._apply(lambda t: tensh.empty_like(t, device=device), recurse=recurse)

    def share_memory(self):
        """Move parameters and buffers to shared memory; return the module.  Raise RuntimeError for those without a shape."""
        for each in (*self.parameters(), *self.buffers()):
            if is_lazy(each):
                each.share_memory_()  # raises
        return self._apply(lambda t: t.share_memory_())

    def compile(self, **options):
        """Compile ``forward`` for further calls; ``options`` are those of ``torch.compile``."""
        self.__dict__["forward"] = ports.compile_forward(self, options)

    @property
    def _compiled_call_impl(self):
        """The function that ``compile`` made, for libraries that ask whether a module is compiled; None without it."""
        return (
            self.__dict__.get("forward") if type(self.__dict__.get("forward")).__name__ == "CompiledForward" else None
        )

    # ── printed form ─────────────────────────────────────────────────────────

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """Return the text that the printed form shows besides the submodules."""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = []
        for name, module in self._modules.items():  # a comprehension is a call more for each level of nested modules
            children.append(f"({name}): {indent(repr(module))}")
        name = self._get_name()
        if len(lines) == 1 and not children:
            return f"{name}({lines[0]})"
        if not lines and not children:
            return f"{name}()"
        return f"{name}(\n  " + "\n  ".join(lines + children) + "\n)"


def apply_to_parameter(fn, parameter):
    """Return a parameter with its value and its gradient replaced by ``fn`` of them: the same one if its form allows."""
    lazy = is_lazy(parameter)
    given = parameter.data if lazy else parameter
    new, result = fn(given), parameter
    if conversion.overwrite and not lazy or not has_same_form(given, new):
        result = Parameter(new, parameter.requires_grad)
    elif new is not parameter:
        parameter.data = new
    if not lazy and parameter.grad is not None:
        requires_grad, grad = parameter.grad.requires_grad, fn(parameter.grad)
        if result is parameter:
            parameter.grad = None
        result.grad = grad.requires_grad_(requires_grad)
    return result


def move_tensor(t, where):
    """Move a tensor of a module to another device."""
    if t.is_meta:
        raise NotImplementedError(
            "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when "
            "moving module from meta to a different device."
        )
    return t.to(where)


def indent(text):
    """Indent the text by two columns from the second line on."""
    return text.replace("\n", "\n  ")


def _addindent(s_, numSpaces):
    """Indent all lines but the first, and empty ones: PyTorch's function, by which modules of users print themselves."""
    first, *others = s_.split("\n")
    return "\n".join([first, *(" " * numSpaces + line if line.strip() else "" for line in others)])


Module.__pytorch_module__ = claim_pytorchs_module(Module)
for _part in (Members, Calls, State):
    claim_methods(_part, Module.__module__)
    for _name, _function in vars(_part).items():
        if isinstance(_function, FunctionType):
            _function.__qualname__ = f"Module.{_name}"
