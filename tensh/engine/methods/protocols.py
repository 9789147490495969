"""Python's protocols for tensors: len, bool, float, iter, in, copy, pickle and NumPy's."""

import importlib
import operator
from numbers import Number

import numpy as np

from tensh.engine.arguments.binding import make_leaf
from tensh.engine.arrays import memory
from tensh.engine.arrays.owners import first_owner
from tensh.engine.arrays.whole import copy_once
from tensh.engine.autograd.modes import no_grad
from tensh.engine.codegen.public_forms import function
from tensh.engine.codegen.registry import METHODS
from tensh.engine.codegen.scalars import overflow
from tensh.engine.core import ports
from tensh.engine.core.clock import Stamp, mode, owner, stamps, version
from tensh.engine.core.lift import Lift
from tensh.engine.core.nodes import AccumulateGrad, uses_gradient
from tensh.engine.core.ports import reduce_tensor
from tensh.engine.core.tensor import SPARSE, Tensor, wrap
from tensh.engine.core.views import refresh_node
from tensh.engine.dispatch.override.points import arm_for, overrides
from tensh.engine.dispatch.override.state import is_wrapper
from tensh.engine.errors.warnings import warn_once
from tensh.support.naming import torch_is_tensh


def method(name):
    """Return the function of a method."""
    return function(METHODS[name])


# ── as a sequence ────────────────────────────────────────────────────────────
def __len__(self):
    """Return the size of the first dimension; raise TypeError for a tensor without dimensions."""
    shape = self.array.shape
    if not shape:
        raise TypeError("len() of a 0-d tensor")
    return shape[0]


def __iter__(self):
    if not self.array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


def __reversed__(self):
    return method("flip")(self, (0,)) if self.array.ndim else self


def __contains__(self, element):
    if not isinstance(element, (Tensor, Number)):
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")
    return bool((element == self).any())


# ── as a number ──────────────────────────────────────────────────────────────
def __bool__(self):
    """Return the truth value of a tensor of one element; raise RuntimeError for any other."""
    try:
        return bool(self.array.item())
    except Lift:
        return ports.batched_function("is_nonzero", bool, (self,), {})
    except ValueError:
        many = "no values" if not self.array.size else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous") from None


def number(t):
    """Return the only element, for conversion to a Python number."""
    try:
        return t.array.item()
    except Lift:
        return ports.batched_function("item", number, (t,), {})
    except ValueError:
        raise ValueError("only one element tensors can be converted to Python scalars") from None


def warn_recorded(t):
    """Warn once that a number has no gradient, if the number's tensor has one."""
    if not uses_gradient(t.node) or mode.grad is not True:
        return
    warn_once(
        "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
        "Consider using tensor.detach() first.",
    )


def __float__(self):
    warn_recorded(self)
    value = number(self)
    try:
        return float(value)
    except TypeError:
        return float(require_real(value, "double"))


def __int__(self):
    value = number(self)
    try:
        return int(value)
    except TypeError:
        return int(require_real(value, "int64_t"))


def require_real(value, name):
    """Return the real part of a complex number; raise if it has an imaginary part."""
    if value.imag:
        raise overflow(name)
    return value.real


def __complex__(self):
    warn_recorded(self)
    return complex(number(self))


def __index__(self):
    if self.array.size != 1 or self.array.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self.array.item())


def __long__(self):  # Python 2's names of two conversions, which overrides tell apart
    return __int__(self)


def __nonzero__(self):
    return __bool__(self)


Tensor.__long__, Tensor.__nonzero__ = __long__, __nonzero__


# ── as an array ──────────────────────────────────────────────────────────────
def __array__(self, dtype=None, copy=None):
    """Return the tensor as a NumPy array, on the same memory if the dtype allows it."""
    array = method("numpy")(self)
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return array.astype(dtype)
    return array.copy() if copy else array


def __array_wrap__(self, array, context=None, return_scalar=False):
    """Return NumPy's result for a tensor as a tensor; bools become bytes, as in PyTorch."""
    array = np.asarray(array)
    return wrap(array.view(np.uint8) if array.dtype == bool else array)


# ── copies ───────────────────────────────────────────────────────────────────
COPY_OF_SUBCLASS = (
    "The default implementation of __deepcopy__() for non-wrapper subclasses only works for subclass types that implement "
    "new_empty() and for which that function returns another instance of the same subclass. You should either properly "
    "implement new_empty() for your subclass or override __deepcopy__() if it is intended behavior for new_empty() to return "
    "an instance of a different type."
)


COPY_OF_WRAPPER = (
    "The default implementation of __deepcopy__() for wrapper subclasses only works for subclass types that implement clone() "
    "and for which cloning returns another instance of the same subclass. You should either properly implement clone() for "
    "your subclass or override __deepcopy__() if it is intended behavior for clone() to return an instance of a different type."
)


def __deepcopy__(self, memo):
    if id(self) in memo:
        return memo[id(self)]
    node = refresh_node(self) if uses_gradient(refresh_node(self)) else None
    if node is not None and type(node) is not AccumulateGrad:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
            "see https://github.com/pytorch/pytorch/pull/103001"
        )
    if type(self) is not Tensor and overrides(type(self)) and type(self.new_empty([])) is not type(self):
        raise RuntimeError(COPY_OF_SUBCLASS)
    if type(self.array) in SPARSE:
        memo[id(self)] = twin = wrap(self.array.copy())
        twin.requires_grad_(node is not None)
        return copy_attributes(self, twin, node, memo)
    if is_wrapper(self):
        with no_grad():
            memo[id(self)] = twin = self.clone()
        if type(twin) is not type(self):
            raise RuntimeError(COPY_OF_WRAPPER)
        twin.requires_grad_(node is not None)
        return copy_attributes(self, twin, node, memo)
    block = memory_of(self.array)
    twin = rebuild_tensor(
        None if type(self) is Tensor else type(self),
        copy_once(block, memo),
        *place_of(self.array, block),
        node is not None,
    )
    memo[id(self)] = twin
    return copy_attributes(self, twin, node, memo)


def copy_attributes(self, twin, node, memo):
    """Give a copy of a tensor copies of its gradient and of its attributes; return the copy."""
    import copy

    if self._kept is not None or node is not None and node.grad is not None:
        twin.grad = copy.deepcopy(self.grad, memo)
    twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return twin


def memory_of(array):
    """Return the whole memory of an array, or the array itself if that memory cannot be copied as it is."""
    block = first_owner(array)
    return block if memory.is_dense(block) and block.dtype == array.dtype else array


def place_of(array, block):
    """Return (shape, strides, offset) of an array in its memory; only the shape if it is the whole memory."""
    if block is array:
        return array.shape, None, 0
    return array.shape, memory.strides(array), memory.offset(array)


def count_setting(array):
    """Count the setting of a new tensor to its memory as a write, as PyTorch does; tensors that share memory count one.

    No element changes, and what a graph saved of the memory remains valid.
    """
    if not version(array):
        block = owner(array)
        stamps[id(block)] = stamp = Stamp(block)
        stamp.count = 1


def rebuild_tensor(name, block, shape, strides, offset, requires_grad):
    """Rebuild a copied or pickled tensor at its place in a memory; ``name`` is the name of its class."""
    block = memory.canonical(block)
    array = block if strides is None else memory.view_strided(block, shape, strides, offset)
    count_setting(array)
    t = make_leaf(array, requires_grad)
    if name is None:
        return t
    cls = find_class(name) if isinstance(name, str) else name
    arm_for(cls)
    self = object.__new__(cls)
    self.array, self.node, self._base, self._kept = array, None, None, None
    if requires_grad:
        self.node = AccumulateGrad(self)
    return self


def name_of(cls):
    """Return the name of a class for a pickle: text if the class claims to be PyTorch's."""
    if cls is Tensor:
        return None
    root, _, rest = cls.__module__.partition(".")
    return f"tensh.{rest}:{cls.__qualname__}".replace(".:", ":") if root == "torch" else cls


def find_class(name):
    module, _, path = name.partition(":")
    return operator.attrgetter(path)(importlib.import_module(module))


def rebuild_sparse_tensor(array, requires_grad):
    """Rebuild a pickled sparse tensor."""
    return wrap(array).requires_grad_(requires_grad)


rebuilt, sparse_again = rebuild_tensor, rebuild_sparse_tensor  # the names in pickles of earlier versions


def __reduce_ex__(self, protocol):
    """Pickle the whole memory and the tensor's place in it, so that shared memory remains shared."""
    if torch_is_tensh() or is_wrapper(self):
        return reduce_tensor(self)
    if type(self.array) in SPARSE:
        return rebuild_sparse_tensor, (self.array, uses_gradient(refresh_node(self)))
    block = memory_of(self.array)
    facts = (name_of(type(self)), block, *place_of(self.array, block), uses_gradient(refresh_node(self)))
    return rebuild_tensor, facts, self.__dict__ or None


def module_load(self, other, assign=False):
    """Return what a module keeps of ``other`` when it loads a state: by default this tensor, which gets a copy.

    >>> import tensh as torch
    >>> torch.zeros(2).module_load(torch.ones(2))
    tensor([1., 1.])
    """
    return (other if assign else self.copy_(other)).detach()


for _each in (
    __len__, __iter__, __reversed__, __contains__, __bool__, __float__, __int__, __complex__, __index__, __array__,
    __array_wrap__, __deepcopy__, __reduce_ex__, module_load,
):  # fmt: skip
    _each.__module__ = "torch"
    setattr(Tensor, _each.__name__, _each)
