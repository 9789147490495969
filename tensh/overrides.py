"""torch.overrides: functions that classes and modes override with ``__torch_function__``."""

import functools
import importlib
import inspect
import sys
from contextlib import contextmanager
from types import FunctionType

from tensh.engine.arrays.uninterrupted import entered_whole
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override import dispatch
from tensh.engine.dispatch.override.classes import nowrap_functions
from tensh.engine.dispatch.override.points import enter_mode, leave_mode
from tensh.engine.dispatch.override.state import ALL, state
from tensh.engine.dispatch.override.state import Disabled as DisableTorchFunction
from tensh.engine.dispatch.override.state import DisabledForClasses as DisableTorchFunctionSubclass  # noqa: F401
from tensh.engine.dispatch.override.state import call_disabled as _disabled_torch_function_impl  # noqa: F401
from tensh.engine.methods.unsupported import UnsupportedMember
from tensh.nn.init import OVERRIDABLE
from tensh.support.naming import is_of_torch, torch_is_tensh
from tensh.support.temporary import temporarily
from tensh.switched_off import lookup

__all__ = [
    "get_ignored_functions", "get_overridable_functions", "get_testing_overrides", "handle_torch_function",
    "has_torch_function", "resolve_name", "is_tensor_like", "is_tensor_method_or_property", "wrap_torch_function",
    "enable_reentrant_dispatch", "redispatch_function",
]  # fmt: skip


# ── modes ────────────────────────────────────────────────────────────────────
@entered_whole
class TorchFunctionMode:
    """A context in which ``__torch_function__`` of this object handles every call of a public function in this thread.

    Modes can be nested; within the method the next outer mode is active.

    >>> import tensh as torch
    >>> class Names(torch.overrides.TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return func(*args, **(kwargs or {}))
    >>> with Names():
    ...     x = torch.ones(2) * 3
    ones
    mul
    """

    __module__ = "torch.overrides"
    inner = None

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        state.modes = (*state.modes, self)
        enter_mode()
        return self

    def __exit__(self, kind, failure, traceback):
        state.modes = state.modes[:-1]
        leave_mode()

    @classmethod
    def push(cls, *args, **kwargs):
        """Return a new mode; ``with cls(...)`` is preferred."""
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that calls every function unchanged."""

    __module__ = "torch.overrides"

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def _get_current_function_mode():
    return state.modes[-1] if state.modes else None


def _get_current_function_mode_stack():
    return list(state.modes)


def _is_torch_function_mode_enabled():
    return bool(state.modes)


def _len_torch_function_stack():
    return len(state.modes)


def _get_function_stack_at(place):
    return state.modes[place]


def _push_mode(mode):
    mode.__enter__()


def _pop_mode():
    mode = state.modes[-1]
    mode.__exit__(None, None, None)
    return mode


@contextmanager
def _pop_mode_temporarily():
    mode = _pop_mode()
    try:
        yield mode
    finally:
        _push_mode(mode)


def _is_torch_function_enabled():
    return not state.off


def _enable_torch_function():
    return temporarily(state, off=0)


@contextmanager
def enable_reentrant_dispatch():
    """A context in which functions called by a ``__torch_dispatch__`` are dispatched again, as always in tensh.

    >>> import tensh as torch
    >>> with torch.overrides.enable_reentrant_dispatch():
    ...     x = torch.ones(2)
    """
    yield


# ── asking and calling ───────────────────────────────────────────────────────
def has_torch_function(relevant_args):
    """Return True if a mode is active, or one of the arguments overrides functions and overriding is not disabled.

    >>> import tensh as torch
    >>> torch.overrides.has_torch_function((torch.ones(2),))
    False
    """
    if state.off == ALL:
        return False
    if state.skipping:
        state.skipping = False
        return False
    return bool(state.modes) or not state.off and bool(dispatch.find_overriding(relevant_args, depth=0))


def has_torch_function_unary(obj):
    """``has_torch_function`` for one argument."""
    return has_torch_function((obj,))


def has_torch_function_variadic(*objects):
    """``has_torch_function`` for several arguments."""
    return has_torch_function(objects)


_has_torch_function, _has_torch_function_unary = has_torch_function, has_torch_function_unary
_has_torch_function_variadic = has_torch_function_variadic


def handle_torch_function(public_api, relevant_args, /, *args, **kwargs):
    """Call the mode or the first argument that overrides ``public_api``; raise TypeError if none handles it.

    >>> import tensh as torch
    >>> class Ten:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return func.__name__, 10
    >>> torch.overrides.handle_torch_function(torch.add, (Ten(),), Ten(), 1)
    ('add', 10)
    """
    found = _get_overloaded_args(relevant_args)
    return dispatch.ask(public_api, tuple(map(type, found)), found, args, kwargs, True)


def _get_overloaded_args(relevant_args, get_type_fn=None):
    """Return the overriding arguments, including plain tensors, in the order in which they are asked."""
    found = []
    dispatch.collect(relevant_args, found, True, 0)
    return found


def redispatch_function(func, types, args, kwargs=None):
    """Call ``func`` from its handler, bypassing overrides for this call, but not for calls within it.

    Functions of torch make no such calls; in the user's functions ``has_torch_function`` returns False once.

    >>> import tensh as torch
    >>> torch.overrides.redispatch_function(torch.add, (), (torch.ones(1), 2))
    tensor([3.])
    """
    if not isinstance(func, FunctionType) or is_of_torch(func.__globals__["__name__"]):
        with DisableTorchFunction():
            return func(*args, **(kwargs or {}))
    state.skipping = True
    try:
        return func(*args, **(kwargs or {}))
    finally:
        state.skipping = False


def wrap_torch_function(dispatcher):
    """Decorate a function so that classes can override it; ``dispatcher`` returns its relevant arguments.

    >>> import tensh as torch
    >>> @torch.overrides.wrap_torch_function(lambda a: (a,))
    ... def double(a):
    ...     return a + a
    >>> double(torch.ones(2))
    tensor([2., 2.])
    """

    def decorate(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def is_tensor_like(inp):
    """Return True for a tensor, and for an object with ``__torch_function__``."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


# ── what can be overridden ───────────────────────────────────────────────────
SPACES = "torch torch.functional torch.nn.functional torch.nn.init torch.Tensor torch.linalg torch.fft torch.special"
IGNORED = {
    "torch": """arange are_deterministic_algorithms_enabled as_strided as_tensor asarray bartlett_window blackman_window
        broadcast_shapes can_cast compile empty empty_permuted empty_strided eye fill from_file from_numpy frombuffer full
        hamming_window hann_window initial_seed is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_enabled
        is_deterministic_algorithms_warn_only_enabled is_grad_enabled is_inference_mode_enabled is_storage is_tensor
        is_warn_always_enabled kaiser_window linspace load logspace manual_seed normal ones promote_types rand rand_like
        randint randint_like randn randn_like randperm range result_type save scalar_tensor seed tensor
        thread_safe_generator tril_indices triu_indices typename use_deterministic_algorithms vander vmap zeros
        from_dlpack to_dlpack get_default_dtype get_default_device get_deterministic_debug_mode
        get_float32_matmul_precision get_num_interop_threads get_num_threads get_printoptions get_rng_state printoptions
        autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache cond get_autocast_cpu_dtype get_autocast_dtype
        get_autocast_gpu_dtype get_device_module install is_autocast_cache_enabled is_autocast_cpu_enabled sparse_bsc_tensor
        sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor while_loop""",
    "torch.functional": "broadcast_shapes",
    "torch.Tensor": """__class__ __delattr__ __delitem__ __dir__ __getattribute__ __hash__ __init__ __init_subclass__ __iter__
        __new__ __setattr__ __subclasshook__ __torch_function__ as_subclass new new_empty new_empty_strided new_full
        new_ones new_tensor new_zeros stride unflatten _make_subclass _make_wrapper_subclass __reduce__ __getstate__
        __ne__x __sizeof__ __str__ _repr_html_ to_padded_tensor to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc
        to_sparse_csr""",
    "torch.nn.functional": "grouped_mm hardsigmoid hardswish sigmoid tanh upsample upsample_bilinear upsample_nearest",
    "torch.nn.init": "calculate_gain uniform normal constant eye dirac kaiming_normal kaiming_uniform orthogonal xavier_normal "
    "xavier_uniform sparse",
    "torch.fft": "fftfreq rfftfreq",
}
"""Functions that PyTorch does not list as overridable; modes handle some of them nevertheless."""


def _namespace(path):
    """Return the module or class of a path."""
    if path == "torch.Tensor":
        return Tensor
    return importlib.import_module(path.replace("torch", "tensh", 1))


def _members(path):
    """Yield (name, object) for the members of a namespace, in alphabetical order."""
    space = _namespace(path)
    for name in sorted(dir(space)):
        if path == "torch.Tensor" and isinstance(inspect.getattr_static(Tensor, name), UnsupportedMember):
            continue
        try:
            yield name, getattr(space, name)
        except AttributeError:
            continue


@functools.cache
def _overridable():
    """Return (namespace -> overridable functions, function -> its name)."""
    functions, names = {}, {}
    for path in SPACES.split():
        space, skipped = _namespace(path), {*IGNORED.get(path, "").split()}
        for name, member in _members(path):
            listed = (
                path != "torch.nn.init"
                and name not in skipped
                and (path == "torch.Tensor" or not name.startswith(("_", "set_")) and name[-1] != "_")
            )
            if isinstance(member, property) and listed:
                functions[member] = [member.__get__]
                names[member.__get__] = f"{path}.{name}.__get__"
                if member.fset is not None:
                    names[member.__set__] = f"{path}.{name}.__set__"
            elif type(member) is FunctionType:
                names[member] = f"{path}.{name}"
                if listed:
                    functions.setdefault(space, []).append(member)
    return functions, names


def get_overridable_functions():
    """Return the overridable functions: a dict from namespaces to lists of functions.

    >>> import tensh as torch
    >>> torch.add in torch.overrides.get_overridable_functions()[torch]
    True
    """
    own = _namespace("torch")
    top = sys.modules["torch"] if torch_is_tensh() else own  # the module under the name of PyTorch is another object
    return {top if space is own else space: list(functions) for space, functions in _overridable()[0].items()}


def get_ignored_functions():
    """Return the set of public functions that are not listed as overridable.

    >>> import tensh as torch
    >>> torch.manual_seed in torch.overrides.get_ignored_functions()
    True
    """
    found = set()
    for path, names in IGNORED.items():
        found.update(getattr(_namespace(path), name) for name in names.split() if hasattr(_namespace(path), name))
    return found


def get_default_nowrap_functions():
    """Return the accessors whose results ``Tensor.__torch_function__`` does not wrap."""
    return nowrap_functions()


def get_testing_overrides():
    """Return a dict from overridable functions to functions with the same parameters that return -1.

    >>> import tensh as torch
    >>> torch.overrides.get_testing_overrides()[torch.add](1, 2)
    -1
    """
    listed = (function for functions in _overridable()[0].values() for function in functions)
    return {function: _dummy(function) for function in (*listed, *OVERRIDABLE)}


def _dummy(function):
    def answer(*args, **kwargs):
        return -1

    try:
        answer.__signature__ = inspect.signature(function)
    except (TypeError, ValueError):
        answer = lambda self: -1  # noqa: E731  the accessor of a property
    return answer


def resolve_name(f):
    """Return the name of a function as ``torch.…``; None if it is not overridable.

    >>> import tensh as torch
    >>> torch.overrides.resolve_name(torch.Tensor.add)
    'torch.Tensor.add'
    """
    operators = sys.modules.get("tensh._aten.operator_classes")
    if operators and isinstance(f, (operators.OpOverload, operators.OpOverloadPacket)):
        return str(f)
    try:
        return _overridable()[1].get(f)
    except TypeError:
        return None


def is_tensor_method_or_property(func):
    """Return True if ``func`` is a method of Tensor or reads one of its properties.

    >>> import tensh as torch
    >>> torch.overrides.is_tensor_method_or_property(torch.Tensor.add)
    True
    """
    return resolve_name(func) is not None and func in _tensor_methods() or getattr(func, "__name__", "") == "__get__"


def _tensor_methods():
    return set(_overridable()[0][Tensor])


__getattr__ = lookup("torch.overrides")
