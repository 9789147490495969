"""What a file may ask for beyond tensors and plain containers, where ``weights_only=False`` was said.

PyTorch runs whatever the file says then.  Here, too, nothing of the file is run: modules are made without their
constructors and get their attributes, of classes that the program has already; NumPy's arrays, generators and a few of
Python's values are made by functions that look at what they are given.
"""

import collections
import sys
import types
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np

from tensh import nn
from tensh.engine import find_public
from tensh.engine.codegen.table import PUBLIC
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


def packed(*parts):
    """A packed sequence of tensors."""
    if len(parts) != 4 or not all(part is None or isinstance(part, Tensor) for part in parts):
        raise DamagedError("a packed sequence in it is none")
    return tuple.__new__(PackedSequence, parts)


def generator(*where):
    """A generator that gets its state afterwards."""
    return Generator()


VALUES = {
    "builtins.frozenset": Known(frozenset, containers.a_frozenset),
    "builtins.slice": Known(slice, containers.a_slice),
    "builtins.range": Known(range, containers.a_range),
    "builtins.Ellipsis": Known(...),
    "fractions.Fraction": Known(Fraction, plain_values.a_fraction),
    "decimal.Decimal": Known(Decimal, plain_values.a_decimal),
    "datetime.timedelta": Known(timedelta, plain_values.a_timedelta),
    "collections.defaultdict": Known(collections.defaultdict, containers.a_defaultdict),
    "numpy.dtype": Known(np.dtype, make_dtype),
    "numpy.ndarray": Known(np.ndarray),
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

    def __call__(self, full):
        """What a name stands for; None where it must not be asked for."""
        module, _, name = full.rpartition(".")
        return VALUES.get(full) or class_of(module, name) or function(module, name)

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


def class_of(module, name):
    """A class of modules or tensors that the program has; a module is made without its constructor."""
    cls = there(module, name)
    if isinstance(cls, type) and issubclass(cls, Tensor):
        return Known(cls)
    if not (isinstance(cls, type) and issubclass(cls, Module)):
        return None

    def make(*arguments):
        if arguments:
            raise DamagedError(f"a {name} in it is made with arguments")
        return object.__new__(cls)

    return Known(cls, make)


def function(module, name):
    """A function of torch that can be an attribute, and is not called."""
    found = there(module, name) if module in FUNCTIONS else None
    return Known(found) if isinstance(found, types.FunctionType) else None


def there(module, name):
    """What a name stands for in the program; nothing is imported for a file but what tensh itself consists of."""
    if module.startswith("torch.nn.modules.") or module == "torch.nn":
        return layer(module, name)
    elif module == "torch.nn.functional":
        space = functional
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
