"""The names that a file may refer to, and what may be done with each. No other name is ever looked up.

A name stands for a value. Only some values may be called, and then a function of tensh is called in their place, which
checks its arguments; only a few kinds of values accept a state.
"""

import collections
import contextlib
import functools
import pickle
from typing import Any, NamedTuple

from tensh.engine.dtypes.device import CONSTANTS, device
from tensh.engine.dtypes.device import layout as Layout
from tensh.engine.dtypes.dtype import ALL, EIGHT_BITS
from tensh.engine.dtypes.size import Size
from tensh.serialization import containers, nested, rebuilding, sparse
from tensh.serialization.containers import CallersError, DamagedError, LackingError
from tensh.serialization.storages import KINDS, UNTYPED

REFUSED = (
    "Unsupported global: GLOBAL {0} was not an allowed global by default. Please use `torch.serialization.add_safe_globals([{0}])` "
    "or the `torch.serialization.safe_globals([{0}])` context manager to allowlist this global if you trust this class/function."
)
BLOCKED = ("sys", "os", "posix", "nt")  # modules whose names are refused even if the user allows them
COST = 200  # bytes that a call creates besides its arguments
GIVEN = {}  # what the user has declared safe, in order; the dict's values are unused


class Known(NamedTuple):
    """The object that a name in a file stands for, and the function that runs when the file calls it."""

    value: Any
    call: Any = None
    cost: int = COST
    count_numbers: Any = None  # arguments of a call -> how many tensor elements it converts to Python numbers


class Storage(str):
    """A storage class, by its name."""


def layout(name):
    """Return the layout of a name; raise LackingError for an unknown one."""
    found = CONSTANTS.get(name.removeprefix("torch.")) if type(name) is str else None
    if not isinstance(found, Layout):
        # the text of nested tuples that share their parts could exceed memory
        raise LackingError(f"a tensor of layout {name if type(name) is str else type(name).__name__}")
    return found


def find_missing_name(what):
    """Return the entry for something that tensh lacks: it may be mentioned, but using it raises LackingError."""

    def refuse(*args):
        raise LackingError(what)

    return Known(refuse, refuse)


BY_DEFAULT = {
    "collections.OrderedDict": Known(collections.OrderedDict, containers.make_ordered_dict),
    "collections.Counter": Known(collections.Counter, containers.make_counter),
    "builtins.set": Known(set, containers.make_set),
    "builtins.complex": Known(complex, containers.make_complex),
    "builtins.bytearray": Known(bytearray, containers.make_bytearray),
    "_codecs.encode": Known(containers.encode_text, containers.encode_text),
    "torch.Size": Known(Size, rebuilding.size),
    "torch.device": Known(device, rebuilding.make_device),
    "torch.Tensor": Known(rebuilding.Tensor),
    "torch.nn.parameter.Parameter": Known(rebuilding.Parameter, rebuilding.parameter),
    "torch.serialization._get_layout": Known(layout, layout),
    "torch._utils._rebuild_tensor_v2": Known(rebuilding.tensor, rebuilding.tensor),
    "torch._utils._rebuild_tensor_v3": Known(rebuilding.tensor_of_dtype, rebuilding.tensor_of_dtype),
    "torch._utils._rebuild_tensor": Known(rebuilding.old_tensor, rebuilding.old_tensor),
    "torch._utils._rebuild_parameter": Known(rebuilding.parameter, rebuilding.parameter),
    "torch._utils._rebuild_parameter_with_state": Known(rebuilding.parameter, rebuilding.parameter),
    "torch._tensor._rebuild_from_type_v2": Known(
        rebuilding.set_attributes,
        rebuilding.set_attributes,
        count_numbers=lambda _, __, arguments, ___: nested.count_numbers(*arguments),
    ),
    "torch._utils._rebuild_sparse_tensor": Known(sparse.rebuild_sparse, sparse.rebuild_sparse),
    "torch._utils._rebuild_sparse_csr_tensor": Known(sparse.rebuild_sparse, sparse.rebuild_sparse),
    "torch._utils._rebuild_nested_tensor": Known(
        nested.rebuild_strided, nested.rebuild_strided, count_numbers=nested.count_numbers
    ),
    "torch.nested._internal.nested_tensor._rebuild_njt": Known(
        nested.rebuild_jagged, nested.rebuild_jagged, count_numbers=nested.count_numbers
    ),
    "torch.nested._internal.nested_tensor.NestedTensor": Known(nested.NestedTensor),
    "torch._dynamo.decorators._DimRange": Known(nested.DimRange, nested.dim_range),
    "torch._utils._rebuild_qtensor": find_missing_name("a quantized tensor"),
    "torch._utils._rebuild_meta_tensor_no_storage": Known(
        rebuilding.tensor_without_elements, rebuilding.tensor_without_elements
    ),
    "torch._utils._rebuild_wrapper_subclass": Known(rebuilding.wrapper, rebuilding.wrapper),
}
BY_DEFAULT |= {f"torch.{name}": Known(dtype) for name, dtype in (ALL | EIGHT_BITS).items()}
BY_DEFAULT |= {f"torch.{name}": Known(Storage(name)) for name in KINDS}
BY_DEFAULT |= {f"{module}.{UNTYPED}": Known(Storage(UNTYPED)) for module in ("torch", "torch.storage")}
BY_DEFAULT |= {
    f"torch.{name}": find_missing_name(f"a tensor of {name}")
    for name in "float4_e2m1fn_x2 quint8 qint8 qint32 "
    "quint4x2 quint2x4 per_tensor_affine per_tensor_symmetric per_channel_affine per_channel_symmetric".split()
}
BY_DEFAULT |= {f"torch.{name}Storage": Known(Storage(f"{name}Storage")) for name in ("QUInt8", "QInt8", "QInt32")}


OUTLINES = {
    f"torch._utils.{name}": Known(sparse.outline_sparse, sparse.outline_sparse)
    for name in ("_rebuild_sparse_tensor", "_rebuild_sparse_csr_tensor")
}
"""Functions that read elements -> their replacements while the elements are not known."""


def full_name(module, name):
    """Return the Python 3 name for one that may be from Python 2, as in files of protocol 2."""
    import _compat_pickle

    if (module, name) in _compat_pickle.NAME_MAPPING:
        module, name = _compat_pickle.NAME_MAPPING[module, name]
    else:
        module = _compat_pickle.IMPORT_MAPPING.get(module, module)
    return module, f"{module}.{name}"


class Names:
    """The names that a file may use while it is read."""

    def __init__(self, more=None):
        self.more = more  # full name -> Known or None, beyond the default
        self.known = {}  # id of a value that a name stands for -> Known
        self.outlines = {}

    @functools.cached_property
    def given(self):
        """Full name -> object for what the user has declared safe, read where a file first needs one, as in PyTorch."""
        try:
            return list_allowed()
        except (AttributeError, TypeError, ValueError) as error:  # nothing is wrong with the file
            raise CallersError(error) from None

    @contextlib.contextmanager
    def outlining(self):
        """A context in which no function reads elements, since they follow later in the file."""
        self.outlines = OUTLINES
        try:
            yield
        finally:
            self.outlines = {}

    def find(self, module, name):
        """Return the object that a name stands for; raise UnpicklingError for a name that is not allowed."""
        module, full = full_name(module, name)
        if module in BLOCKED:
            raise pickle.UnpicklingError(f"Trying to load unsupported GLOBAL {full} whose module {module} is blocked.")
        known = self.outlines.get(full) or BY_DEFAULT.get(full)
        if known is None and full in self.given:
            known = Known(self.given[full], self.given[full])
        if known is None and self.more:
            known = self.more(full)
        if known is None:
            raise pickle.UnpicklingError(REFUSED.format(full.removeprefix("builtins.")))
        self.known[id(known.value)] = known
        return known.value

    def call(self, value, arguments):
        """Call the function for a value that the file calls."""
        known = self.known.get(id(value))
        if known is None or known.call is None:
            raise pickle.UnpicklingError(f"Trying to call reduce for unrecognized function {_brief(value)}")
        if type(arguments) is not tuple:
            raise DamagedError("it calls a function with arguments that are not a tuple")
        return known.call(*arguments)

    def cost(self, function):
        """Return the bytes that a call of a value creates besides its arguments."""
        known = self.known.get(id(function))
        return known.cost if known else COST

    def count_numbers(self, function, arguments):
        """Return how many tensor elements a call of a value converts to Python numbers."""
        known = self.known.get(id(function))
        return known.count_numbers(*arguments) if known and known.count_numbers else 0

    def new(self, cls, arguments):
        """Make an object of a class, without its state."""
        known = self.known.get(id(cls))
        if type(arguments) is not tuple or known is None or not isinstance(cls, type):
            raise pickle.UnpicklingError(
                f"Can only create new object for nn.Parameter or classes allowlisted via `add_safe_globals` but got {_brief(cls)}"
            )
        if any(cls is each for each in self.given.values()):
            return cls.__new__(cls, *arguments)
        return self.call(cls, arguments)

    def finish(self):
        """Raise DamagedError if an object lacks its state."""
        if self.more:
            self.more.finish()

    def build(self, thing, state):
        """Set the state of an object."""
        if type(thing) is collections.OrderedDict and type(state) is dict:
            thing.__dict__.update(state)
        elif type(thing) is nested.DimRange:
            return
        elif any(type(thing) is each for each in self.given.values()):
            set_state(thing, state)
        elif not (self.more and self.more.build(thing, state)):
            raise pickle.UnpicklingError(
                "Can only build Tensor, Parameter, OrderedDict or types allowlisted via `add_safe_globals`, but got "
                f"{type(thing)}"
            )


def set_state(thing, state):
    """Set the state as pickle does, for classes that the user has declared safe."""
    if hasattr(thing, "__setstate__"):
        thing.__setstate__(state)
        return
    own, slots = state if type(state) is tuple and len(state) == 2 else (state, None)
    thing.__dict__.update(own or {})
    for name, value in (slots or {}).items():
        setattr(thing, name, value)


def _brief(value):
    text = repr(value) if isinstance(value, type) or callable(value) else type(value).__name__
    return text if len(text) < 200 else type(value).__name__


# ── the user's additions ─────────────────────────────────────────────────────
def add_safe_globals(safe_globals):
    """Allow files to refer to classes and functions, whose code then runs when a file is loaded.

    An element of the list may also be a pair: an object, and its name in files.

    >>> import tensh as torch
    >>> class Note:
    ...     text = ""
    >>> torch.serialization.add_safe_globals([Note])
    >>> Note in torch.serialization.get_safe_globals()
    True
    """
    GIVEN.update(dict.fromkeys(safe_globals))


def get_safe_globals():
    """List what ``add_safe_globals`` has allowed.

    >>> import tensh as torch
    >>> with torch.serialization.safe_globals([complex]):
    ...     complex in torch.serialization.get_safe_globals()
    True
    """
    return list(GIVEN)


def clear_safe_globals():
    """Revoke everything that ``add_safe_globals`` has allowed.

    >>> import tensh as torch
    >>> torch.serialization.clear_safe_globals()
    >>> torch.serialization.get_safe_globals()
    []
    """
    GIVEN.clear()


@contextlib.contextmanager
def safe_globals(safe_globals):
    """Allow files to refer to classes and functions within a ``with`` block.

    >>> import tensh as torch
    >>> with torch.serialization.safe_globals([complex]):
    ...     len(torch.serialization.get_safe_globals())
    1
    """
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        for each in safe_globals:
            GIVEN.pop(each, None)


def module_in_files(module):
    """Return the name of a module in files: PyTorch's for the modules of tensh."""
    return f"torch{module[5:]}" if module.partition(".")[0] == "tensh" else module


def list_allowed():
    """Return full name -> object for what the user has declared safe."""
    found = {}
    for each in GIVEN:
        if not isinstance(each, tuple):
            found[f"{module_in_files(each.__module__)}.{each.__qualname__}"] = each
            continue
        if len(each) != 2:
            raise ValueError(
                f"Expected tuple of length 2 (global, str of callable full path), but got tuple of length: {len(each)}"
            )
        if type(each[1]) is not str:
            raise TypeError(f"Expected second item in tuple to be str of callable full path, but got: {type(each[1])}")
        found[each[1]] = each[0]
    return found
