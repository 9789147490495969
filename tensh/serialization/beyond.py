"""What a file may ask for beyond tensors and plain containers, where ``weights_only=False`` was said.

PyTorch runs whatever the file says then.  Here, too, nothing of the file is run: modules are made without their
constructors and get their attributes, of classes that the program has already; NumPy's arrays, generators and a few of
Python's values are made by functions that look at what they are given.
"""

import collections
import math
import re
import sys
import types

import numpy as np

from tensh import nn
from tensh.engine import PUBLIC, named
from tensh.engine.random.generator import Generator
from tensh.engine.tensor import Tensor
from tensh.nn import functional
from tensh.nn.modules.calls import HOOKS
from tensh.nn.modules.module import Module
from tensh.nn.utils.rnn import PackedSequence
from tensh.serialization import containers
from tensh.serialization.allowed import Known
from tensh.serialization.containers import DamagedError
from tensh.serialization.rebuilding import MOST_DIMENSIONS

PLAIN = re.compile(r"[?bBhHiIlLqQefdgFDG]|[biufcSU]\d{1,9}")  # NumPy's names of types that hold no objects
FUNCTIONS = ("torch", "torch.nn.functional")  # modules whose functions can be attributes of modules


def array(cls, shape, code):
    """An array that gets its contents as its state."""
    return np.ndarray((0,), np.int8)


def numpy_dtype(code, align=False, copy=False):
    """A dtype of NumPy of its own, so that its state is nobody else's."""
    if type(code) is not str or not PLAIN.fullmatch(code):
        raise DamagedError("an array in it is of a type that could hold anything")
    return np.dtype(code, copy=True)


def scalar(dtype, content):
    """A number of NumPy."""
    if type(dtype) not in plain_dtypes() or type(content) is not bytes or len(content) != dtype.itemsize or not content:
        raise DamagedError("a number of NumPy in it is none")
    return np.frombuffer(content, dtype)[0]


def plain_dtypes():
    return {type(np.dtype(code)) for code in "?bBhHiIlLqQefdgFDGSU"}


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
    "collections.defaultdict": Known(collections.defaultdict, containers.a_defaultdict),
    "numpy.dtype": Known(np.dtype, numpy_dtype),
    "numpy.ndarray": Known(np.ndarray),
    "torch._C.Generator": Known(Generator, generator),
    "torch.nn.utils.rnn.PackedSequence": Known(PackedSequence, packed),
}
VALUES |= {f"builtins.{cls.__name__}": Known(cls) for cls in (int, float, str, list, dict, tuple, bool, bytes, object)}
for core in ("numpy.core", "numpy._core"):
    VALUES |= {
        f"{core}.multiarray._reconstruct": Known(array, array),
        f"{core}.multiarray.scalar": Known(scalar, scalar),
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
            fill(thing, state)
        elif type(thing) in plain_dtypes():
            turn(thing, state)
        elif type(thing) is Generator:
            seed(thing, state)
        elif isinstance(thing, Module) and type(state) is dict:
            restore(thing, state)
        else:
            return False
        return True


def fill(array, state):
    """The contents of an array."""
    known = type(state) is tuple and len(state) == 5 and type(state[2]) in plain_dtypes() and type(state[4]) is bytes
    shape = state[1] if known else None
    if type(shape) is not tuple or len(shape) > MOST_DIMENSIONS or not all(type(n) is int and n >= 0 for n in shape):
        raise DamagedError("an array of NumPy in it has contents that are none")
    if math.prod(shape) * state[2].itemsize != len(state[4]):
        raise DamagedError("an array of NumPy in it is not as long as its shape says")
    array.__setstate__(state)


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


def turn(dtype, state):
    """The order of the bytes of a dtype."""
    if type(state) is not tuple or len(state) < 8 or state[1] not in ("<", ">", "|", "=") or any(state[2:5]):
        raise DamagedError("a type of NumPy in it is none")
    dtype.__setstate__((3, state[1], None, None, None, -1, -1, 0) if dtype.kind not in "SU" else state[:8])


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
        return named(name) if name in PUBLIC else None
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
