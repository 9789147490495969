"""Functions for TorchScript code: operators of ``aten``, operators on numbers and lists, builtins."""

import operator
import re
from functools import cache

import tensh as torch
from tensh._aten import resizing
from tensh._aten.kernels.table import kernel_of
from tensh._aten.overloads import REQUIRED, schemas_for_files
from tensh.engine.core.tensor import Tensor
from tensh.futures import Future
from tensh.jit.language.codes import DTYPES, FORMATS
from tensh.jit.language.meanings import FUNCTIONS, divide, greatest, least, power, remainder, round_number
from tensh.jit.language.value_text import describe_value
from tensh.jit.running.failures import Error
from tensh.nn.modules.module import Module
from tensh.support.escaping import visible

MOST_WRITTEN = 1_000_000
"""Most elements of a tensor that code writes one by one."""
WIDEST = 10_000
"""Most characters of a text that code makes of a short one."""


class Unknown(NotImplementedError):
    """Code in a file that tensh cannot run; ``place`` is its (file, line, function), if that is known."""

    place = None


def read_attribute(owner, name):
    """Read an attribute of a module of the file, metadata of a tensor, or a field of a named tuple."""
    if isinstance(owner, Module) and "_library" in owner.__dict__:
        for table in (owner._parameters, owner._buffers, owner._modules, owner.__dict__.get("_attributes", {})):
            if name in table:
                return table[name]
        if name == "training":
            return owner.training
        raise AttributeError(f"{owner._class} has no attribute {name}")
    if isinstance(owner, Tensor) and name in FACTS:
        return getattr(owner, name)
    if isinstance(owner, tuple) and hasattr(owner, "_fields") and name in owner._fields:
        return getattr(owner, name)
    raise Unknown(f"tensh does not read {name} of {type(owner).__name__} in TorchScript code")


FACTS = frozenset("shape dtype device requires_grad is_cuda is_sparse layout ndim T mT real imag".split())


def set_attribute(owner, name, value):
    """Set an attribute of a module of the file."""
    for table in (owner._parameters, owner._buffers, owner.__dict__.setdefault("_attributes", {})):
        if name in table:
            table[name] = value
            return
    owner.__dict__["_attributes"][name] = value


def raise_exception(message="", kind=None, *ignored):
    """Raise the error of TorchScript's ``raise``; ``kind`` is the full name of the exception's class."""
    raise Error(f"The following operation failed in the TorchScript interpreter.\n{kind or 'RuntimeError'}: {message}")


def small_range(*args):
    """Return a ``range`` of integers, which may be given as tensors."""
    return range(*map(int, args))


def write(value):
    """Return the text of a value; of a tensor with many elements, a summary."""
    whole = not isinstance(value, Tensor) or value.numel() <= MOST_WRITTEN
    return describe_value(value) if whole else str(value)


def show(*values):
    """Print values without the control characters of a file."""
    print(*(visible(write(each)) for each in values))


BUILTINS = {
    "int": lambda value: int(value), "float": lambda value: float(value), "bool": lambda value: bool(value), "str": lambda value: write(value)[:WIDEST],
    "len": len, "range": small_range, "getattr": read_attribute, "annotate": None, "unchecked_cast": None, "uninitialized": None,
    "isinstance": None, "print": show, "zip": zip, "enumerate": enumerate, "min": least, "max": greatest,
    "abs": abs, "list": list, "sorted": sorted, "complex": complex, "fork": None,
}  # fmt: skip


TYPED = frozenset("annotate unchecked_cast uninitialized isinstance".split())


class NamedPart(torch.profiler.record_function):
    """A named part of a profile, which gets its name after it is made."""

    def __init__(self, name="", args=None):
        super().__init__(name, args)


CONTEXTS = {
    f"__torch__.torch.autograd.grad_mode.{each.__name__}.__new__": each for each in (torch.no_grad, torch.enable_grad, torch.inference_mode)
} | {"__torch__.torch.autograd.profiler.record_function.__new__": NamedPart}  # fmt: skip
"""Contexts that a file can enter."""


PRIM = {
    "NumToTensor": torch.tensor, "dtype": lambda t: DTYPES[str(t.dtype)[6:]], "device": lambda t: t.device, "shape": lambda t: list(t.shape),
    "RaiseException": raise_exception, "requires_grad": lambda t: t.requires_grad, "is_cuda": lambda t: False, "min": least, "max": greatest,
    "TupleIndex": lambda values, place: values[place], "unchecked_unwrap_optional": lambda value: value, "layout": lambda t: 0,
    "abs": abs, "grad": lambda t: t.grad, "data": lambda t: t.detach(), "tolist": lambda t, *ignored: t.tolist(), "id": id, "is_nested": lambda t: t.is_nested, "type": lambda place: place.type,
}  # fmt: skip


def append(values, value):
    """Append to a list and return the list, as ``aten::append`` does."""
    values.append(value)
    return values


def cut(values, start=None, end=None, step=1):
    """Return a part of a list or a text; of several bounds the first is the start."""
    return values[start:end:step]


def delete(table, key):
    del table[key]


def fill_in(text, *values):
    """Put values into the places of braces in a text, up to a size."""
    return (
        str(text).format(*(write(each)[:WIDEST] for each in values))
        if str(text).count("{") == str(text).count("{}")
        else str(text)
    )


def fill_places(text, *values):
    """Put values into the places of percent signs in a text, which may name no widths."""
    if re.search(r"%[^%sdifgexX]", text):
        raise Unknown("tensh formats no widths in TorchScript code")
    return remainder(text, values[0] if len(values) == 1 and isinstance(values[0], tuple) else values)


def pad(method):
    """Return a method that makes a text wider, up to a size."""

    def call(text, width, *fill):
        if width > WIDEST:
            raise Unknown(f"tensh makes no texts of more than {WIDEST} characters in TorchScript code")
        return method(text, width, *fill)

    return call


TEXT = (
    "upper lower strip lstrip rstrip split rsplit startswith endswith find rfind replace join isdigit isalpha isalnum isupper islower "
    "isspace istitle isidentifier isnumeric isdecimal isprintable capitalize title swapcase splitlines partition rpartition"
).split()
"""Methods of texts that need no more memory than the text."""
SCALARS = {
    **{name: getattr(str, name) for name in TEXT},
    **{name: pad(getattr(str, name)) for name in ("zfill", "ljust", "rjust", "center")},
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": divide, "floordiv": operator.floordiv, "remainder": operator.mod,
    "neg": operator.neg, "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "__is__": lambda a, b: a is b, "__isnot__": lambda a, b: a is not b, "__not__": operator.not_, "__and__": lambda a, b: a and b,
    "__or__": lambda a, b: a or b, "__xor__": operator.xor, "len": len, "append": append, "__getitem__": lambda values, place: values[place],
    "__contains__": lambda values, value: value in values, "pow": power, "stride": lambda t, *dim: t.stride(*dim) if dim else list(t.stride()),
    "Int": int, "Float": float, "Bool": bool, "str": write, "extend": lambda a, b: a.extend(b), "slice": cut,
    "list": list, "dict": dict, "keys": lambda table: list(table), "values": lambda table: list(table.values()), "items": lambda table: list(table.items()),
    "copy": lambda values: values.copy(), "min": least, "max": greatest, "round": round_number, "abs": abs, "size": lambda t, *dim: t.size(*dim) if dim else list(t.shape),
    "dim": lambda t: t.dim(), "numel": lambda t: t.numel(), "is_floating_point": lambda t: t.is_floating_point(), "format": fill_in,
    "warn": lambda *values, **options: None, "device": torch.device, "_set_item": operator.setitem, "item": lambda t: t.item(),
    "ScalarImplicit": lambda t: t.item(), "IntImplicit": lambda t: int(t), "FloatImplicit": lambda t: float(t), "insert": lambda values, at, value: values.insert(at, value),
    "pop": lambda values, *at: values.pop(*at), "reverse": lambda values: values.reverse(), "is_nonzero": bool, "get_device": lambda t: t.get_device(),
    "is_grad_enabled": torch.is_grad_enabled, "tensor": torch.tensor, "as_tensor": torch.as_tensor, "Complex": complex,
    "__range_length": lambda low, high, step: len(range(low, high, step)), "__derive_index": lambda index, low, step: low + index * step,
    "sorted": sorted, "sum": sum, "get": lambda table, key, *default: table.get(key, *default), "Delete": delete,
    "percentFormat": fill_places, "remove": lambda values, value: values.remove(value),
    "clear": lambda values: values.clear(), "count": lambda values, value: values.count(value), "any": any, "all": all,
    "update": lambda table, other: table.update(other), "sort": lambda values, reverse=False: values.sort(reverse=reverse),
    "divmod": divmod, "ord": ord, "chr": chr, "hex": hex, "oct": oct, "bin": bin,
    "setdefault": lambda table, key, default: table.setdefault(key, default), "popitem": lambda table: table.popitem(),
    "index": lambda values, value: values.index(value), "bitwise_not": operator.invert, "add_": operator.iadd, "mul_": operator.imul,
    **FUNCTIONS, "__lshift__": lambda a, b: a << b if b < 64 else 0, "__rshift__": operator.rshift, "hash": hash,
}  # fmt: skip
"""Operators on numbers, lists and text, and metadata of tensors."""


FACT_NAMES = frozenset(
    "size stride dim numel is_floating_point len item Int Float Bool ScalarImplicit IntImplicit FloatImplicit is_nonzero get_device __is__ __isnot__ __not__ append".split()
)


def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, *settings):
    dims = weight.dim() - 2
    if transposed:
        function = getattr(torch.nn.functional, f"conv_transpose{dims}d")
        return function(
            input, weight, bias, tuple(stride), tuple(padding), tuple(output_padding), groups, tuple(dilation)
        )
    return getattr(torch.nn.functional, f"conv{dims}d")(
        input, weight, bias, tuple(stride), tuple(padding), tuple(dilation), groups
    )


ADAPTED = {
    "_convolution": convolution, **resizing.KERNELS, "dropout": lambda input, p, train: torch.nn.functional.dropout(input, p, train),
    "dropout_": lambda input, p, train: torch.nn.functional.dropout(input, p, train, inplace=True),
    "broadcast_shapes": lambda *sizes: list(torch.broadcast_shapes(*sizes)),
    "relu6_": lambda input: torch.nn.functional.relu6(input, inplace=True),
    "is_autocast_enabled": lambda *ignored: torch.is_autocast_enabled(),
    "wait": lambda future: future.wait() if isinstance(future, Future) else future,
}  # fmt: skip
"""Operators whose function in tensh has other parameters."""


def call_operator(name, args, kwargs):
    """Call an operator of ``aten``, or one on numbers if there is no tensor among the arguments."""
    if name in ADAPTED:
        return ADAPTED[name](*args, **kwargs)
    if name in ("tensor", "as_tensor"):
        return (
            torch.as_tensor(*args[:1], dtype=dtype_of(args[1] if len(args) > 1 else kwargs.get("dtype")))
            if args
            else None
        )
    tensors = any(
        isinstance(each, Tensor) or isinstance(each, (list, tuple)) and any(isinstance(part, Tensor) for part in each)
        for each in (*args, *kwargs.values())
    )
    if name in SCALARS and (
        name in FACT_NAMES or not tensors or args and isinstance(args[0], (list, dict, tuple, str))
    ):
        return SCALARS[name](*args)
    for overload in schemas_for_files().get(name, {}).values():
        try:
            positional, named = overload.bind(*convert(overload, args, kwargs))
            kernel = kernel_of(overload)
        except (TypeError, KeyError, IndexError, NotImplementedError):
            continue
        result = kernel(*positional, **named)
        return list(result) if name in LISTS and isinstance(result, tuple) else result
    if name == "warn":
        return None
    raise Unknown(f"tensh has no operator aten::{name} for these arguments in TorchScript code")


LISTS = frozenset("chunk split split_with_sizes unbind tensor_split".split())


@cache
def dtypes():
    """Return the dtypes that tensh has, by their numbers in files."""
    return {
        number: getattr(torch, name)
        for name, number in DTYPES.items()
        if isinstance(getattr(torch, name, None), torch.dtype)
    }


def dtype_of(value):
    """Return the dtype of a number; other values unchanged."""
    return dtypes().get(value, value) if type(value) is int else value


FORMAT_NAMES = {number: getattr(torch, name[6:]) for name, number in FORMATS.items() if number or "contiguous" in name}


def convert(overload, args, kwargs):
    """Return (args, kwargs) with dtypes, layouts and memory formats for their numbers, without default Nones."""
    parameters = overload.parameters
    places = [p for p in parameters if not p.named]
    if len(args) > len(places):
        raise TypeError
    given = dict(zip((p.name for p in places), args)) | kwargs
    if not given.keys() <= {p.name for p in parameters}:
        raise TypeError
    found = {}
    for p in parameters:
        if p.name not in given:
            continue
        value = given[p.name]
        if p.kind == "ScalarType":
            value = dtype_of(value)
        elif p.kind in ("Layout", "Device", "MemoryFormat") or p.name == "pin_memory":
            if p.kind == "MemoryFormat" and value in FORMAT_NAMES:
                value = FORMAT_NAMES[value]
            elif p.default is not REQUIRED or p.optional:
                continue
        elif value is None and p.list and p.default is not REQUIRED and not p.optional:
            continue
        found[p.name] = value
    positional = []
    for p in places:
        if p.name not in found:
            break
        positional.append(found.pop(p.name))
    return tuple(positional), found
