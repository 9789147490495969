"""Objects beyond tensors and plain containers, for files loaded with ``weights_only=False``.

PyTorch executes any code in such a file. Here nothing in the file is executed: modules are made without their
constructors and get their attributes, for classes that the program already has; NumPy arrays, generators and a few
Python values are made by functions that check their arguments.
"""

import collections
import importlib
import sys
import types
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np

from tensh import nn
from tensh.engine import find_public
from tensh.engine.codegen.registry import PUBLIC
from tensh.engine.core.tensor import Tensor
from tensh.engine.random.generator import Generator
from tensh.nn import functional
from tensh.nn.modules.calls import HOOKS
from tensh.nn.modules.module import Module
from tensh.nn.parameter import UninitializedBuffer, UninitializedParameter
from tensh.nn.utils.rnn import PackedSequence
from tensh.serialization import containers, plain_values
from tensh.serialization.allowed import Known
from tensh.serialization.containers import DamagedError, LackingError
from tensh.serialization.numpy_values import KINDS, make_array, make_dtype, make_scalar, set_contents, set_order

FUNCTIONS = ("torch", "torch.nn.functional")  # modules whose functions may be attributes of modules
# module of a function written in C, in PyTorch's pickles -> its public module
IN_C = {"torch._C._nn": "torch.nn.functional"}
NAMES_IN_C = {"log_sigmoid": "logsigmoid"}
IN_C |= {f"torch._C._{name}": f"torch.{name}" for name in ("fft", "linalg", "special")}


class Functions:
    """The module in which PyTorch's pickles look up functions of ``torch`` written in C."""


def find_attribute(space, name):
    """Return a function of torch or a method of Tensor by name: only these are pickled as attributes by PyTorch."""
    if type(name) is str and not name.startswith("_"):
        found = find_public(name) if space is Functions and name in PUBLIC else None
        found = getattr(Tensor, name, None) if space is Tensor else found
        if isinstance(found, types.FunctionType):
            return found
    raise DamagedError("it asks for an attribute that is not a function of torch")


def make_packed_sequence(*parts):
    """Make a packed sequence from tensors."""
    if len(parts) != 4 or not all(part is None or isinstance(part, Tensor) for part in parts):
        raise DamagedError("it contains an invalid packed sequence")
    return tuple.__new__(PackedSequence, parts)


def maker_of(lazy):
    """Return the function that makes a parameter or a buffer without a shape."""

    def make(requires_grad=True):
        if type(requires_grad) is not bool:
            raise DamagedError(f"it contains an invalid {lazy.__name__}")
        return lazy(requires_grad)

    return make


def make_generator(*where):
    """Make a generator, whose state follows."""
    return Generator()


VALUES = {
    "builtins.frozenset": Known(frozenset, containers.make_frozenset),
    "builtins.slice": Known(slice, containers.make_slice),
    "builtins.range": Known(range, containers.make_range),
    "builtins.Ellipsis": Known(...),
    "fractions.Fraction": Known(Fraction, plain_values.make_fraction),
    "decimal.Decimal": Known(Decimal, plain_values.make_decimal),
    "datetime.timedelta": Known(timedelta, plain_values.make_timedelta),
    "collections.defaultdict": Known(collections.defaultdict, containers.make_defaultdict),
    "numpy.dtype": Known(np.dtype, make_dtype),
    "numpy.ndarray": Known(np.ndarray),
    "builtins.getattr": Known(find_attribute, find_attribute),
    "torch._C._VariableFunctionsClass": Known(Functions),
    "torch._C.TensorBase": Known(Tensor),
    "torch._C.Generator": Known(Generator, make_generator, 2**13),
    "torch.nn.utils.rnn.PackedSequence": Known(PackedSequence, make_packed_sequence),
}
VALUES |= {
    f"torch.nn.parameter.{cls.__name__}": Known(cls, maker_of(cls))
    for cls in (UninitializedParameter, UninitializedBuffer)
}
VALUES["builtins.bytes"] = Known(bytes, containers.no_bytes)
VALUES |= {f"builtins.{cls.__name__}": Known(cls) for cls in (int, float, str, list, dict, tuple, bool, object)}
for core in ("numpy.core", "numpy._core"):
    VALUES |= {
        f"{core}.multiarray._reconstruct": Known(make_array, make_array),
        f"{core}.multiarray.scalar": Known(make_scalar, make_scalar),
    }


class ProgramObjects:
    """The names that a file may use beside those of ``allowed``, and the kinds of values that accept a state."""

    def __init__(self):
        self.bare = {}  # id of a module without state yet -> the module

    def __call__(self, full):
        """Return the object that a name stands for; None if the name is not allowed."""
        module, _, name = full.rpartition(".")
        return VALUES.get(full) or self.class_of(module, name) or find_function(module, name)

    def class_of(self, module, name):
        """Return a class of modules or tensors of the program; a module is made without its constructor."""
        cls = find_object(module, name)
        if isinstance(cls, type) and issubclass(cls, Tensor):
            return Known(cls)
        if not (isinstance(cls, type) and issubclass(cls, Module)):
            return None

        def make(*arguments):
            if arguments:
                raise DamagedError(f"it constructs a {name} with arguments")
            made = object.__new__(cls)
            self.bare[id(made)] = made
            return made

        return Known(cls, make)

    def finish(self):
        """Raise DamagedError if a module has received no state."""
        if self.bare:
            raise DamagedError("it contains a module without its state")

    def build(self, thing, state):
        """Set the state of a value; return False if it accepts none."""
        if type(thing) is np.ndarray:
            set_contents(thing, state)
        elif type(thing) in KINDS:
            set_order(thing, state)
        elif type(thing) is Generator:
            seed(thing, state)
        elif isinstance(thing, Module) and type(state) is dict:
            restore(thing, state)
            self.bare.pop(id(thing), None)
        else:
            return False
        return True


def restore(module, state):
    """Set the attributes of a module if they are complete."""
    kinds = {"_parameters": Tensor, "_buffers": Tensor, "_modules": Module} | dict.fromkeys(HOOKS, object)
    for name, kind in kinds.items():
        members = state.get(name)
        if not isinstance(members, dict) or not all(isinstance(each, (kind, type(None))) for each in members.values()):
            raise DamagedError("it contains a module without its state")
    if type(state.get("training")) is not bool or not all(type(name) is str for name in state):
        raise DamagedError("it contains a module without its state")
    module.__setstate__(state)


def seed(generator, state):
    """Set the state of a generator."""
    if type(state) is not tuple or len(state) != 3 or not isinstance(state[2], Tensor):
        raise DamagedError("it contains a generator with an invalid state")
    if state[2].is_meta:
        raise LackingError("a generator on the device 'meta'")
    generator.set_state(state[2])


def find_function(module, name):
    """Return a function of torch that may be an attribute, but is not called."""
    if module in IN_C:
        module, name = IN_C[module], NAMES_IN_C.get(name, name.removeprefix(f"{module.rpartition('_')[2]}_"))
    found = find_object(module, name) if module in FUNCTIONS or module in IN_C.values() else None
    return Known(found) if isinstance(found, types.FunctionType) else None


def find_object(module, name):
    """Return the object of the program that a name stands for; only modules of tensh are imported."""
    if module.startswith("torch.nn.modules.") or module == "torch.nn":
        return find_module_class(module, name)
    elif module == "torch.nn.functional":
        space = functional
    elif module in IN_C.values():
        space = importlib.import_module(module.replace("torch", "tensh", 1))
    elif module == "torch":
        return find_public(name) if name in PUBLIC else None
    else:
        return vars(sys.modules[module]).get(name) if module in sys.modules else None
    return None if name.startswith("_") else getattr(space, name, None)


def find_module_class(module, name):
    """Return a module class of tensh; private ones are known once the layers that use them are loaded."""
    if name in dir(nn):
        return getattr(nn, name)
    waiting = [Module]
    while waiting:
        cls = waiting.pop()
        if (cls.__module__, cls.__name__) == (module, name):
            return cls
        waiting += type.__subclasses__(cls)
    return None
