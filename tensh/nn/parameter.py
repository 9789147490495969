"""torch.nn.Parameter and Buffer: tensors that become members of a module."""

import sys

import numpy

from tensh.engine.arguments.binding import make_array
from tensh.engine.arguments.checks import require_dtype
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays.absent import make_absent
from tensh.engine.arrays.memory import copy_memory
from tensh.engine.autograd.inference import REQUIRE, is_inference
from tensh.engine.codegen.registry import METHODS
from tensh.engine.core.clock import mode
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.ports import reduce_parameter
from tensh.engine.core.tensor import Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.override.points import arm_for, overrides
from tensh.engine.dispatch.override.state import call_disabled
from tensh.engine.dtypes.device import on_meta
from tensh.engine.dtypes.dtype import get_default_dtype
from tensh.engine.methods.printing.format import headed_text
from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.support.naming import torch_is_tensh

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


class ParameterType(type):
    """The type of Parameter: a tensor of a subclass can be a parameter and keep its class."""

    def __instancecheck__(cls, instance):
        own = type.__instancecheck__(cls, instance)
        return own or cls is Parameter and isinstance(instance, Tensor) and "_is_param" in instance.__dict__


class Parameter(Tensor, metaclass=ParameterType):
    """Make a leaf tensor that requires grad and prints as a parameter.

    Operations return plain tensors; the parameter shares memory with ``data``. Raise RuntimeError if integers or bools
    are to require grad.

    >>> import tensh as torch
    >>> torch.nn.Parameter(torch.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    __slots__ = ()
    __module__ = "torch.nn.parameter"
    _heading = "Parameter containing:\n"  # first line of the printed form

    __torch_function__ = call_disabled

    def __new__(cls, data=None, requires_grad=True):
        if (
            data is not None
            and type(data) is not Tensor
            and (
                overrides(type(data))
                or getattr(type(data), "__torch_dispatch__", None) is not None
                or hasattr(data, "hides_batches")
            )
        ):
            return _wrap_subclass(data, requires_grad)
        if cls is not Parameter:
            arm_for(cls)
        self = object.__new__(cls)
        self.array = (_make_empty() if data is None else data if isinstance(data, Tensor) else data.detach()).array
        self.node = self._base = self._kept = None
        if type(requires_grad) is not bool:
            kind = type_name(requires_grad)
            raise TypeError(f"_make_subclass(): argument 'require_grad' (position 3) must be bool, not {kind}")
        if requires_grad:
            if self.array.dtype.kind in "biu":
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            if data is not None and not mode.inference and is_inference(data):
                raise RuntimeError(REQUIRE)
            self.node = AccumulateGrad(self)
        return self

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = type(self)(wrap(copy_memory(self.array)), refresh_node(self) is not None)
        return memo[id(self)]

    __repr__ = headed_text

    def __reduce_ex__(self, protocol):
        if torch_is_tensh():
            return reduce_parameter(self)
        return _rebuild_parameter, (self.data, type(self.node) is AccumulateGrad), self.__dict__ or None


def _wrap_subclass(data, requires_grad):
    """Return a tensor of a subclass as a parameter of that class; samples of a batch never require grad themselves."""
    made = data.detach()
    if not hasattr(data, "hides_batches"):
        made.requires_grad_(requires_grad)
    if type(made) is not type(data):
        raise RuntimeError(
            f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an instance "
            f"of the same type, but return type {type(made).__name__} was found instead. To use the type as a Parameter, "
            "please correct the detach() semantics defined by its __torch_dispatch__() implementation."
        )
    made._is_param = True
    return made


class BufferType(type):
    """The type of Buffer: a buffer is a plain tensor with a mark."""

    def __instancecheck__(cls, instance):
        return cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=BufferType):
    """A tensor that becomes part of a module's state when it is assigned to an attribute: a plain tensor with a mark.

    It shares memory with ``data``; ``persistent=False`` keeps it out of ``state_dict()``.

    >>> import tensh as torch
    >>> module = torch.nn.Module()
    >>> module.count = torch.nn.Buffer(torch.zeros(()))
    >>> list(module.state_dict())
    ['count']
    """

    __slots__ = ()
    __module__ = "torch.nn.parameter"
    __torch_function__ = call_disabled

    def __new__(cls, data=None, *, persistent=True):
        source = _make_empty() if data is None else data
        buffer = source.detach().requires_grad_(source.requires_grad)
        buffer.persistent, buffer._is_buffer = persistent, True
        return buffer


# ── uninitialized ────────────────────────────────────────────────────────────
class UninitializedTensorMixin:
    """A tensor whose shape is not known yet: it has a dtype, and only ``materialize`` can be called.

    >>> import tensh as torch
    >>> kind = torch.nn.parameter.UninitializedTensorMixin
    >>> isinstance(torch.nn.UninitializedParameter(), kind)
    True
    """

    __slots__ = ()
    is_uninitialized = True
    cls_to_become = None

    def materialize(self, shape, device=None, dtype=None):
        """Give the tensor a shape and uninitialised memory; it becomes an ordinary parameter or tensor."""
        away = on_meta(self.device if device is None else device)
        if away is not on_meta(self.device):
            raise RuntimeError(
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."
            )
        shape, requires_grad = (shape,) if isinstance(shape, int) else tuple(shape), self.requires_grad
        make = make_absent if away else numpy.empty
        array = make_array(lambda numbers: make(shape, numbers), (dtype or self.dtype).numpy, shape)
        self.__class__ = self.cls_to_become
        self.array, self.node = array, None
        self.requires_grad = requires_grad

    @property
    def data(self):
        """An empty tensor of the same dtype."""
        return wrap(Tensor.array.__get__(self))

    @data.setter
    def data(self, tensor):
        Tensor.array.__set__(self, tensor.array)

    @property
    def array(self):
        """Raise a ValueError that names the operation about to start."""
        raise ValueError(describe_attempt(name_method(sys._getframe(2).f_code.co_name), self))

    @array.setter
    def array(self, value):
        Tensor.array.__set__(self, value)

    dtype = property(lambda self: self.data.dtype)
    device = property(lambda self: self.data.device)

    @property
    def shape(self):
        """Raise RuntimeError: an uninitialized parameter has no shape."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` when "
            "trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the parameters "
            "before accessing their attributes."
        )

    def share_memory_(self):
        """Raise RuntimeError: an uninitialized parameter has no memory."""
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters before "
            "calling `module.share_memory()`."
        )

    def copy_(self, other):
        """Return the tensor if ``other`` has no shape either; otherwise copy into the empty ``data``."""
        return self if is_lazy(other) else self.data.copy_(other)

    def __repr__(self):
        return f"<{type(self).__name__}>"

    def __deepcopy__(self, memo):
        return memo.setdefault(id(self), type(self)(self.requires_grad, self.device, self.dtype))

    def __reduce_ex__(self, protocol):
        return type(self), (self.requires_grad,)

    def __getattribute__(self, name):
        if name in METHODS and name not in ALLOWED:
            raise ValueError(describe_attempt(f"<method '{name}' of 'torch._C.TensorBase' objects>", self))
        return object.__getattribute__(self, name)


CONVERSIONS = (
    "size is_complex is_floating_point half float double char short int long bfloat16 cuda cpu to get_device type"
)
ALLOWED = {"copy_", "share_memory_", "requires_grad_", *CONVERSIONS.split()}


def _read_from_data(name):
    def method(self, *args, **options):
        data = self.data
        result = getattr(data, name)(*args, **options)
        if result is data:
            return self
        if isinstance(self, UninitializedBuffer) and isinstance(result, Tensor):
            return UninitializedBuffer(self.requires_grad, dtype=result.dtype, persistent=self.persistent)
        return result

    return method


for _name in CONVERSIONS.split():  # conversions need no shape
    setattr(UninitializedTensorMixin, _name, _read_from_data(_name))


def name_method(called):
    """Return PyTorch's printed form of the method ``name``: that of the named method for Python's operators."""
    name = {"mm_operator": "matmul", "select": "__getitem__"}.get(called, called.removesuffix("_operator"))
    if name in COMPARISONS:
        name = f"__{name}__"
    kind = "slot wrapper" if name == "__getitem__" else "method"
    return f"<{kind} '{name}' of 'torch._C.TensorBase' objects>"


COMPARISONS = frozenset("eq ne lt le gt ge".split())


def describe_attempt(function, tensor):
    """Return the message for a function that needs the elements of a parameter without a shape."""
    return (
        f"Attempted to use an uninitialized parameter in {function}. This error happens when you are using a `LazyModule` or "
        f"explicitly manipulating `torch.nn.parameter.{type(tensor).__name__}` objects. When using LazyModules Call `forward` with "
        "a dummy batch to initialize the parameters before calling torch functions"
    )


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape is not known yet; ``materialize(shape)`` makes it a Parameter.

    >>> import tensh as torch
    >>> weight = torch.nn.UninitializedParameter()
    >>> weight
    <UninitializedParameter>
    >>> weight.materialize((2, 3))
    >>> weight.shape
    torch.Size([2, 3])
    """

    __slots__ = ()
    __module__ = "torch.nn.parameter"
    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        self = Parameter(_make_empty(dtype, device), requires_grad)
        self.__class__ = cls
        return self


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose shape is not known yet; ``materialize(shape)`` makes it a tensor.

    >>> import tensh as torch
    >>> torch.nn.UninitializedBuffer()
    <UninitializedBuffer>
    """

    __slots__ = ()
    __module__ = "torch.nn.parameter"
    cls_to_become = Tensor
    __torch_function__ = call_disabled

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        self = _make_empty(dtype, device).requires_grad_(requires_grad)
        self.__class__ = cls
        self.persistent, self._is_buffer = persistent, True
        return self


def is_lazy(param):
    """Return True for a parameter or buffer whose shape is not known yet.

    >>> import tensh as torch
    >>> torch.nn.parameter.is_lazy(torch.nn.Parameter(torch.ones(2)))
    False
    """
    return isinstance(param, UninitializedTensorMixin)


def is_parameter(value):
    """Return True for a parameter, initialized or not.

    >>> import tensh as torch
    >>> torch.nn.parameter.is_parameter(torch.ones(2))
    False
    """
    return isinstance(value, Parameter)


def _make_empty(dtype=None, device=None):
    make = make_absent if on_meta(device) else numpy.empty
    return wrap(make((0,), (require_dtype(dtype, "empty") or get_default_dtype()).numpy))


def _rebuild_parameter(data, requires_grad):
    return Parameter(data, requires_grad)


_ParameterMeta = type(Parameter)
_rebuild = _rebuild_parameter  # the name in pickles of earlier versions


__getattr__ = unsupported_lookup("torch.nn.parameter")
