"""torch.nn.utils.parametrize: parameters that modules compute from others.

Each parametrized module gets a class for itself, with a property in place of the parameter; the original values are in
``module.parametrizations``, a ModuleDict of ParametrizationLists.
"""

import contextlib
import copy
from collections.abc import Sequence

from tensh.engine.arrays.uninterrupted import without_interrupts
from tensh.engine.autograd.modes import no_grad
from tensh.engine.core.tensor import Tensor
from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.nn.modules.containers import ModuleDict, ModuleList
from tensh.nn.parameter import Parameter

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
    "transfer_parametrizations_and_params", "type_before_parametrizations",
]  # fmt: skip

CACHE = {"users": 0, "values": {}}


@contextlib.contextmanager
def cached():
    """Compute each parametrized tensor only once within a ``with`` block.

    >>> import tensh as torch
    >>> from tensh.nn.utils import parametrize
    >>> layer = torch.nn.Linear(2, 2)
    >>> layer = parametrize.register_parametrization(layer, "weight", torch.nn.Tanh())
    >>> with parametrize.cached():
    ...     print(layer.weight is layer.weight)
    True
    """
    CACHE["users"] += 1
    try:
        yield
    finally:
        CACHE["users"] -= 1
        if not CACHE["users"]:
            CACHE["values"] = {}


def _register(module, name, tensor):
    (module.register_parameter if isinstance(tensor, Parameter) else module.register_buffer)(name, tensor)


class ParametrizationList(ModuleList):
    """Modules that compute a tensor, one after the other, and the original values that the first of them gets.

    These are ``original``, or ``original0``, ``original1``, ... if ``right_inverse`` returns several tensors. Raise
    ValueError without modules, and for inverses that are not tensors or change the dtype.

    >>> import tensh as torch
    >>> from tensh.nn.utils import parametrize
    >>> layer = torch.nn.Linear(2, 2)
    >>> layer = parametrize.register_parametrization(layer, "weight", torch.nn.Tanh())
    >>> layer.parametrizations.weight.original.shape
    torch.Size([2, 2])
    """

    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        new = self._invert(original)
        if not isinstance(new, Tensor | Sequence):
            raise ValueError(
                f"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got {type(new).__name__}"
            )
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            if dtype != new.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {dtype}\nright_inverse(original).dtype: {new.dtype}"
                )
            with no_grad():
                original.set_(new)
            _register(self, "original", original)
        else:
            for number, each in enumerate(new):
                self._register_one(number, each, original)
        if not unsafe:
            self._require_alike(shape, dtype)

    def _invert(self, original):
        with no_grad():
            new = original
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with contextlib.suppress(NotImplementedError):
                        new = module.right_inverse(new)
        return new

    def _register_one(self, number, tensor, original):
        if not isinstance(tensor, Tensor):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element "
                f"{number} of the sequence with type {type(tensor).__name__}."
            )
        if isinstance(original, Parameter):
            tensor = Parameter(tensor, original.requires_grad)
        tensor.requires_grad_(original.requires_grad)
        _register(self, f"original{number}", tensor)

    def _require_alike(self, shape, dtype):
        made = self()
        if not isinstance(made, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
        for what, before, after in (("dtype", dtype, made.dtype), ("shape", shape, made.shape)):
            if before != after:
                raise ValueError(
                    f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is enabled.\n"
                    f"unparametrized {what}: {before}\nparametrized {what}: {after}"
                )

    def _originals(self):
        names = ["original"] if self.is_tensor else [f"original{number}" for number in range(self.ntensors)]
        return [getattr(self, name) for name in names]

    def right_inverse(self, value):
        """Assign ``value`` to the tensor: the right inverses of the modules compute the new original values."""
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                self._set_one(value)
            else:
                self._set_several(value)

    def _set_one(self, value):
        if not isinstance(value, Tensor):
            raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
        if value.dtype != self.original.dtype:
            raise ValueError(
                f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype {self.original.dtype}"
            )
        self.original.set_(value)

    def _set_several(self, values):
        if not isinstance(values, Sequence):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(values).__name__}.")
        if len(values) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of length "
                f"{len(values)}."
            )
        for number, (original, value) in enumerate(zip(self._originals(), values, strict=True)):
            if not isinstance(value, Tensor):
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors or reference-type opaques. Got element "
                    f"{number} of type {type(value).__name__}."
                )
            if original.dtype != value.dtype:
                raise ValueError(
                    f"Tensor {number} returned by `right_inverse` has dtype {value.dtype} while `original{number}` has dtype "
                    f"{original.dtype}"
                )
            original.set_(value)

    def forward(self):
        """Return the tensor."""
        first, *rest = self
        value = first(*self._originals())
        for module in rest:
            value = module(value)
        return value


# ── the class of a parametrized module ───────────────────────────────────────
def _get_state(self):
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def _deep_copy(self, memo):
    if id(self) not in memo:
        memo[id(self)] = replica = object.__new__(type(self))
        replica.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return memo[id(self)]


def _inject_class(module):
    """Replace the class of the module by a subclass for it alone."""
    cls = type(module)
    members = {"__getstate__": _get_state, "__module__": "torch.nn.utils.parametrize"}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = _deep_copy
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), members)


def _inject_property(module, name):
    """Replace an attribute by a property that computes the tensor."""

    def get(self):
        parametrization = self.parametrizations[name]
        if not CACHE["users"]:
            return parametrization()
        key = id(module), name
        if key not in CACHE["values"]:
            CACHE["values"][key] = parametrization()
        return CACHE["values"][key]

    def set(self, value):
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, set))


# ── public functions ─────────────────────────────────────────────────────────
@without_interrupts
def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Compute a parameter or buffer of a module by ``parametrization(original)``, and return the module.

    ``right_inverse(tensor)`` of the parametrization computes the initial original. ``tensor_name`` is the name of the
    parameter or buffer. Raise ValueError for a name that the module does not have, and if the shape or the dtype would
    change, unless ``unsafe``.

    >>> import tensh as torch
    >>> class Symmetric(torch.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).mT
    >>> from tensh.nn.utils import parametrize
    >>> layer = torch.nn.Linear(3, 3)
    >>> layer = parametrize.register_parametrization(layer, "weight", Symmetric())
    >>> torch.equal(layer.weight, layer.weight.T), list(layer.state_dict())
    (True, ['bias', 'parametrizations.weight.original'])
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _require_fitting(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        parametrizations = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'"
        )
    return module


def _require_fitting(module, name, parametrization):
    """Raise ValueError unless a further parametrization and its inverse keep shape and dtype."""
    before = getattr(module, name)
    after = parametrization(before)
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(after, what) != getattr(before, what):
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is enabled.\n"
                f"module.{name}.{what}: {getattr(before, what)}\nparametrization(module.{name}).{what}: {getattr(after, what)}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for what in ("dtype", "shape"):
        if getattr(back, what) != getattr(before, what):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, unless the "
                f"`unsafe` flag is enabled.\nmodule.{name}.{what}: {getattr(before, what)}\nreturned {what}: {getattr(back, what)}"
            )


def is_parametrized(module, tensor_name=None):
    """Return True if the module has parametrized tensors, or if the one of a given name is parametrized.

    >>> import tensh as torch
    >>> from tensh.nn.utils import parametrize
    >>> layer = torch.nn.Linear(2, 2)
    >>> layer = parametrize.register_parametrization(layer, "weight", torch.nn.Tanh())
    >>> parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "bias")
    (True, False)
    """
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


@without_interrupts
def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Turn a parametrized tensor into an ordinary one, with its last computed or original value; return the module.

    ``tensor_name`` is the name of the tensor; ``leave_parametrized=False`` restores the original. Raise ValueError if
    it is not parametrized, and if several originals would be restored.

    >>> import tensh as torch
    >>> from tensh.nn.utils import parametrize
    >>> layer = torch.nn.Linear(2, 2)
    >>> layer = parametrize.register_parametrization(layer, "weight", torch.nn.Tanh())
    >>> list(parametrize.remove_parametrizations(layer, "weight").state_dict())
    ['bias', 'weight']
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with no_grad():
                original.set_(getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of "
            "tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module):
    """Return the class that a module had before its tensors were parametrized.

    >>> import tensh as torch
    >>> from tensh.nn.utils import parametrize
    >>> layer = torch.nn.Linear(2, 2)
    >>> layer = parametrize.register_parametrization(layer, "weight", torch.nn.Tanh())
    >>> type(layer).__name__, parametrize.type_before_parametrizations(layer).__name__
    ('ParametrizedLinear', 'Linear')
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


@without_interrupts
def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Give a module the parametrizations of another and their original values; return the module.

    Raise ValueError where the shape or the dtype of a tensor would change.

    >>> import tensh as torch
    >>> from tensh.nn.utils import parametrize
    >>> layer = torch.nn.Linear(2, 2)
    >>> layer = parametrize.register_parametrization(layer, "weight", torch.nn.Tanh())
    >>> other = torch.nn.Linear(2, 2)
    >>> other = parametrize.transfer_parametrizations_and_params(layer, other)
    >>> torch.equal(layer.weight, other.weight)
    True
    """
    if not is_parametrized(from_module):
        return to_module
    for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
        source = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for each in source:
            register_parametrization(to_module, name, each)
        for member in ("original", *(f"original{number}" for number in range(source.ntensors))):
            if hasattr(source, member):
                setattr(to_module.parametrizations[name], member, getattr(source, member))
    return to_module


__getattr__ = unsupported_lookup("torch.nn.utils.parametrize")
