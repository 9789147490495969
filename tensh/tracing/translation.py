"""Translation of public functions to the ``aten`` operators that PyTorch records, one to one, before decomposition."""

import inspect

from tensh._aten.kernels.table import kernel_of
from tensh._aten.orders import order_arguments
from tensh._aten.overloads import REQUIRED, schemas
from tensh._aten.resizing import find_operator
from tensh._aten.steps.conversions import choose_conversion
from tensh._aten.synonyms import SPECIAL, SYNONYMS
from tensh._aten.translation import OPERATORS
from tensh.engine.codegen.public_forms import name_in_space
from tensh.engine.core.tensor import Tensor
from tensh.engine.methods.conversion import CASTS

SILENT = frozenset(
    "requires_grad_ retain_grad grad_fn grad _base share_memory_ pin_memory __iter__ __deepcopy__ register_hook".split()
)
"""Functions that return no new values."""
CONSTANTS = frozenset(
    """
        tensor as_tensor asarray from_numpy frombuffer Tensor generator as_strided_ complex_ from_dlpack __new__ new
        new_tensor
    """.split()
)
"""Functions whose results are constants, unless they receive traced values."""
DATA = frozenset("new new_tensor".split())
"""Functions that use only the shape and dtype of their first argument."""
DETACHED = frozenset("tensor new_tensor".split())
"""Functions whose results PyTorch detaches once more."""
ACCESSORS = {"T": "numpy_T", "mT": "mT", "H": "matrix_H", "mH": "mH", "data": "detach", "real": "real", "imag": "imag"}
"""Properties that are computed by an operator."""
NAMES = OPERATORS | {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__rsub__": "rsub", "__mul__": "mul", "__rmul__": "mul",
    "__truediv__": "div", "__rtruediv__": "div", "__rdiv__": "div", "__matmul__": "matmul", "__rmatmul__": "matmul",
    "__rpow__": "pow", "__rfloordiv__": "floor_divide", "__rmod__": "remainder", "__ne__": "ne", "__lt__": "lt",
    "__le__": "le", "__gt__": "gt", "__ge__": "ge", "__and__": "__and__", "__or__": "__or__", "__xor__": "__xor__",
    "__ixor__": "bitwise_xor_", "__iand__": "bitwise_and_", "__ior__": "bitwise_or_",
    "__ifloordiv__": "floor_divide_", "__imod__": "remainder_", "rsub_operator": "rsub", "eq_operator": "eq",
    "logsigmoid": "log_sigmoid", "cross_entropy": "cross_entropy_loss", "nll_loss": "nll_loss_nd",
    "unfold_layer": "im2col", "special_round": "round", **SPECIAL,
}  # fmt: skip
"""Functions whose operator has another name."""
SWAPPED = {"__rpow__", "__rtruediv__", "__rdiv__", "__rfloordiv__", "__rmod__", "__rmatmul__"}
"""Reflected operators, whose operands are exchanged."""
ALIASES = {"self": ("input", "condition"), "train": ("training",), "indices": ("input",)}
"""Parameter of an operator -> its names in ``torch.nn.functional``."""
VARIANCES = {"var", "std", "var_mean", "std_mean"}
"""Operators that have a correction only where a call names it."""
CONVERSIONS = frozenset((*CASTS, "cpu", "to", "type"))
"""Methods that convert a tensor, all of them by ``aten.to``."""
FAMILY = {f"torch.{name}": name for name in ("linalg", "fft", "special")}
"""Module -> prefix of its operators' names."""
IGNORED = frozenset("input inplace _stacklevel requires_grad pin_memory non_blocking copy out".split())
"""Keywords that no operator has, and that do not affect the value."""


def name_of(func):
    """Return the name of a public function, or of the property behind an accessor."""
    owner = getattr(func, "__self__", None)
    if isinstance(owner, property):
        return next((name for name, value in vars(Tensor).items() if value is owner), "")
    return name_in_space(func)


def choose(name, args, kwargs):
    """Return (overload, args, kwargs) for the first overload that accepts the arguments and can be run, or None."""
    for overload in schemas().get(name, {}).values():
        if any(
            key not in IGNORED and value is not None and all(key != p.name for p in overload.parameters)
            for key, value in kwargs.items()
        ):
            continue
        if found := bind_runnable(overload, args, kwargs):
            return found
    return None


def bind_runnable(overload, args, kwargs):
    """Return (overload, args, kwargs) if an overload accepts these arguments and can be run, or None."""
    try:
        positional, named = overload.bind(tuple(args), kwargs)
        kernel_of(overload)
    except (TypeError, KeyError, IndexError, NotImplementedError):
        return None
    return overload, positional, named


def translate(name, func, args, kwargs, as_called=False):
    """Return (overload, args, kwargs) for a call of a public function; None if no single operator computes it.

    With ``as_called``, an operator keeps the name under which it is called, also if that is its second one.
    """
    args, kwargs = order_arguments(func, args, kwargs)
    if as_called and name in SYNONYMS and (found := choose(name, args, kwargs)) is not None:
        return found
    if name in ACCESSORS:
        return choose(ACCESSORS[name], args, {})
    if name in CONVERSIONS:
        return choose_conversion(name, args, kwargs)
    if (
        name == "embedding"
        and kwargs.get("max_norm") is None
        and "weight" not in kwargs
        and getattr(func, "__module__", None) == "torch.nn.functional"
    ):
        place = kwargs.get("padding_idx")
        more = kwargs.get("scale_grad_by_freq", False), kwargs.get("sparse", False)
        return choose("embedding", (args[1], args[0], -1 if place is None else place, *more), {})
    functional = getattr(func, "__module__", None) == "torch.nn.functional"
    if name == "interpolate" and functional and (found := find_operator(*args, **kwargs)):
        overloads = schemas()[found[0]]
        return bind_runnable(overloads.get("vec") or overloads["default"], found[1], {})
    if name in SWAPPED:
        args = args[::-1]
    if kwargs.get("inplace") is True:
        name = f"{name}_"
    own = NAMES.get(name, name)
    if own in VARIANCES and "correction" not in kwargs and (len(args) > 1 or "dim" in kwargs or "unbiased" in kwargs):
        overloads = [schemas()[own][each] for each in ("default", "dim")]
        return next(filter(None, (bind_runnable(each, args, kwargs) for each in overloads)), None)
    family = FAMILY.get(getattr(func, "__module__", None))
    names = [own] if functional else [own, *(f"{each}_{own}" for each in FAMILY.values())]
    if family is not None:
        names.insert(0, f"{family}_{name}")
    for each in names:
        if not functional and (found := choose(each, args, kwargs)) is not None:
            return found
        if each in schemas() and (found := choose_by_names(each, func, args, kwargs)) is not None:
            return found
    return None


def choose_by_names(name, func, args, kwargs):
    """Like ``choose``, for a function whose parameters are in another order than the operator's."""
    try:
        bound = inspect.signature(func).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return None
    defaults = {key: parameter.default for key, parameter in bound.signature.parameters.items()}
    for overload in schemas()[name].values():
        given, taken = dict(bound.arguments), {}
        for parameter in overload.parameters:
            names = (parameter.name, *ALIASES.get(parameter.name, ()))
            if known := [each for each in names if each in given]:
                taken[parameter.name] = given.pop(known[0])
            elif parameter.name in ("cudnn_enabled", "cudnn_enable"):
                taken[parameter.name] = True
            elif known := [each for each in names if each in defaults]:
                taken[parameter.name] = defaults[known[0]]
        left = {key: value for key, value in given.items() if key not in ("inplace", "_stacklevel", "return_indices")}
        if any(value is not None and value is not defaults[key] for key, value in left.items()):
            continue
        if given.get("return_indices"):
            continue
        ordered, named = [], {}
        for place, parameter in enumerate(overload.parameters):
            if parameter.name not in taken:
                if parameter.default is REQUIRED:
                    break
                continue
            if taken[parameter.name] is None and not parameter.optional and parameter.default is not REQUIRED:
                taken[parameter.name] = parameter.default
            if parameter.named or len(ordered) < place:
                named[parameter.name] = taken[parameter.name]
            else:
                ordered.append(taken[parameter.name])
        else:
            if found := bind_runnable(overload, ordered, named):
                return found
    return None
