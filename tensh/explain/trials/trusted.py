"""Values that may be read or called without running the user's code."""

import ast
import types

from tensh.engine.core.tensor import Tensor

FEW = 100_000  # total elements up to which stand-ins have elements
OPERATIONS = ("<tensh ",)  # where an operator's code is from: generated, or in one of these modules
FUNCTIONS = ("tensh.engine.operators.", "tensh.engine.methods.creation.", "torch", "tensh.nn.functional", "tensh.nn.utils.rnn")  # fmt: skip
OUTWARD = ("torch.distributed", "torch.multiprocessing", "torch.onnx", "torch.hub", "torch.utils.tensorboard")
"""Namespaces whose functions reach beyond the process, and may not be called again."""
OF_STATE = ("torch.autograd", "torch.random")  # modules whose functions need graphs, or change the generator
PACKAGES = ("tensh", "torch")
PURE = ("math",)  # modules of Python whose functions may be called
CLASSES = ("nn", "optim")  # subpackages whose classes may be called
EXCHANGING = ("DistributedDataParallel", "SyncBatchNorm")  # classes of torch.nn that wait for other processes
MEMBERS = ("parameters", "modules", "children", "buffers", "state_dict")  # methods of modules without side effects
NEVER = ("manual_seed", "seed", "set_", "use_", "initial_seed", "save", "load", "backward", "from_file", "share_memory")


class Unknown(Exception):
    """Raised for an expression that cannot be evaluated without running the user's code."""


def is_small_dict(value):
    """Return True for a dict with names as keys, such as a batch with named parts."""
    return type(value) is dict and len(value) <= FEW and all(type(key) is str for key in value)


def is_tensh_value(value):
    """Return True for namespaces of tensh, operations of its engine, and classes of its layers and optimizers."""
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] in PACKAGES or value.__name__ in PURE
    if isinstance(value, type):
        return is_from(value, *CLASSES)
    if isinstance(value, types.MethodType):
        own = is_module(value.__self__) and value.__name__ in MEMBERS and is_from(value, "nn")
        return own and (value.__name__ != "state_dict" or not any(map(has_hooks, value.__self__.modules())))
    if isinstance(value, types.BuiltinFunctionType):
        return value.__module__ in PURE
    code, name = getattr(value, "__code__", None), getattr(value, "__name__", "")
    if code is None or name.startswith(NEVER):
        return False
    space = getattr(value, "__module__", None) or ""
    is_apart = space.startswith(OUTWARD) or space in OF_STATE
    return not is_apart and (code.co_filename.startswith(OPERATIONS) or space.startswith(FUNCTIONS))


def is_from(value, *parts):
    """Return True if a class or function is defined in some subpackages of tensh."""
    package, _, rest = (getattr(value, "__module__", None) or "").partition(".")
    is_there = package in PACKAGES and rest.partition(".")[0] in parts
    return is_there and getattr(value, "__name__", "") not in EXCHANGING


def is_named_result(value):
    """Return True for the named tuples that torch functions return, such as that of `x.max(1)`."""
    return isinstance(value, tuple) and type(value).__module__ == "torch.return_types"


def is_module(value):
    return hasattr(type(value), "named_modules")


def is_layer(value):
    """Return True if a value is a layer or model consisting of torch.nn's own layers, without hooks."""
    if not is_module(value) or not isinstance(vars(value).get("_modules"), dict):
        return False
    return all(is_from(type(module), "nn") and not has_hooks(module) for module in value.modules())


def get_member(module, name):
    """Return a layer, parameter, buffer or plain attribute of a module, without running its code."""
    for own in (vars(module), *(vars(module).get(kind, {}) for kind in ("_modules", "_parameters", "_buffers"))):
        if name in own:
            return own[name]
    if name in MEMBERS and is_from(getattr(type(module), name), "nn"):
        return getattr(module, name)
    raise Unknown


def kept_in(node, names):
    """Return what an object of the user's keeps as an attribute, without running its code; None for other expressions."""
    owner = names.get(node.value.id) if isinstance(node.value, ast.Name) else None
    kind = type(owner)
    if kind.__module__ != "__main__" or isinstance(owner, Tensor | type) or is_module(owner):
        return None
    try:
        own = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return None
    return own.get(node.attr) if type(own) is dict else None


def has_hooks(module):
    return any(value for name, value in vars(module).items() if name.endswith("_hooks"))
