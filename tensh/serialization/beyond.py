"""Objects that a file may ask for beyond tensors and plain containers, where ``weights_only=False`` was given.

PyTorch runs whatever the file says then.  Here, too, nothing of the file is run: modules are made without their
constructors and get their attributes, of classes that the program has already; NumPy's arrays, generators and a few of
Python's values are made by functions that look at what they are given.
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
from tensh.nn.utils.rnn import PackedSequence
from tensh.serialization import containers, plain_values
from tensh.serialization.allowed import Known
from tensh.serialization.containers import DamagedError
from tensh.serialization.numpy_values import KINDS, make_array, make_dtype, make_scalar, set_contents, set_order

FUNCTIONS = ("torch", "torch.nn.functional")  # modules whose functions can be attributes of modules
IN_C = {
    "torch._C._nn": "torch.nn.functional"
}  # where PyTorch's pickles look for those that it has in C -> where they are
NAMES_IN_C = {"log_sigmoid": "logsigmoid"}
IN_C |= {f"torch._C._{name}": f"torch.{name}" for name in ("fft", "linalg", "special")}


class Functions:
    """The module in which PyTorch's pickles look for functions of ``torch`` that it has in C."""


def member(space, name):
    """A function of torch, or a method of Tensor, by its name: PyTorch pickles them as attributes; nothing else is one."""
    if type(name) is str and not name.startswith("_"):
        found = find_public(name) if space is Functions and name in PUBLIC else None
        found = getattr(Tensor, name, None) if space is Tensor else found
        if isinstance(found, types.FunctionType):
            return found
    raise DamagedError("it asks for an attribute that is no function of torch")


def packed(*parts):
    """A packed sequence of tensors."""
    if len(parts) != 4 or not all(part is None or isinstance(part, Tensor) for part in parts):
        raise DamagedError("a packed sequence in it is none")
    return tuple.__new__(PackedSequence, parts)


def generator(*where):
    """A generator that gets its state afterwards."""
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
    "builtins.getattr": Known(member, member),
    "torch._C._VariableFunctionsClass": Known(Functions),
    "torch._C.TensorBase": Known(Tensor),
    "torch._C.Generator": Known(Generator, generator, 2**13),
    "torch.nn.utils.rnn.PackedSequence": Known(PackedSequence, packed),
}
VALUES["builtins.bytes"] = Known(bytes, containers.no_bytes)
VALUES |= {f"builtins.{cls.__name__}": Known(cls) for cls in (int, float, str, list, dict, tuple, bool, object)}
for core in ("numpy.core", "numpy._core"):
    VALUES |= {
        f"{core}.multiarray._reconstruct": Known(make_array, make_array),
        f"{core}.multiarray.scalar": Known(make_scalar, make_scalar),
    }


class Beyond:
    """The names, and the kinds of values that take a state."""

    def __init__(self):
        self.bare = {}  # id of a module that has no state yet -> the module

    def __call__(self, full):
        """Return the object that a name stands for; None where it must not be asked for."""
        module, _, name = full.rpartition(".")
        return VALUES.get(full) or self.class_of(module, name) or function(module, name)

    def class_of(self, module, name):
        """A class of modules or tensors that the program has; a module is made without its constructor."""
        cls = there(module, name)
        if isinstance(cls, type) and issubclass(cls, Tensor):
            return Known(cls)
        if not (isinstance(cls, type) and issubclass(cls, Module)):
            return None

        def make(*arguments):
            if arguments:
                raise DamagedError(f"a {name} in it is made with arguments")
            made = object.__new__(cls)
            self.bare[id(made)] = made
            return made

        return Known(cls, make)

    def finish(self):
        """Raise where a module has got no state."""
        if self.bare:
            raise DamagedError("a module in it lacks what modules have")

    def build(self, thing, state):
        """Give a value its state; False where it takes none."""
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
    """The attributes of a module, if they are those of one."""
    kinds = {"_parameters": Tensor, "_buffers": Tensor, "_modules": Module} | dict.fromkeys(HOOKS, object)
    for name, kind in kinds.items():
        members = state.get(name)
        if not isinstance(members, dict) or not all(isinstance(each, (kind, type(None))) for each in members.values()):
            raise DamagedError("a module in it lacks what modules have")
    if type(state.get("training")) is not bool or not all(type(name) is str for name in state):
        raise DamagedError("a module in it lacks what modules have")
    module.__setstate__(state)


def seed(generator, state):
    """The state of a generator."""
    if type(state) is not tuple or len(state) != 3 or not isinstance(state[2], Tensor):
        raise DamagedError("a generator in it has a state that is none")
    generator.set_state(state[2])


def function(module, name):
    """A function of torch that can be an attribute, and is not called."""
    if module in IN_C:
        module, name = IN_C[module], NAMES_IN_C.get(name, name.removeprefix(f"{module.rpartition('_')[2]}_"))
    found = there(module, name) if module in FUNCTIONS or module in IN_C.values() else None
    return Known(found) if isinstance(found, types.FunctionType) else None


def there(module, name):
    """Return the object of the program that a name stands for; a file imports nothing but modules of tensh."""
    if module.startswith("torch.nn.modules.") or module == "torch.nn":
        return layer(module, name)
    elif module == "torch.nn.functional":
        space = functional
    elif module in IN_C.values():
        space = importlib.import_module(module.replace("torch", "tensh", 1))
    elif module == "torch":
        return find_public(name) if name in PUBLIC else None
    else:
        return vars(sys.modules[module]).get(name) if module in sys.modules else None
    return None if name.startswith("_") else getattr(space, name, None)


def layer(module, name):
    """A class of modules of ours; those that are not public are known when the layers that use them are."""
    if name in dir(nn):
        return getattr(nn, name)
    waiting = [Module]
    while waiting:
        cls = waiting.pop()
        if (cls.__module__, cls.__name__) == (module, name):
            return cls
        waiting += type.__subclasses__(cls)
    return None
