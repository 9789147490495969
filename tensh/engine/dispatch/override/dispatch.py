"""The dispatch of a call: the innermost mode, then overriding classes among the arguments, then the function."""

import functools
import inspect

from tensh.engine.core import ports
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.points import PLAIN, arm, armed, disarm_if_unused, keep_armed, points
from tensh.engine.dispatch.override.state import ALL, USUAL, DisabledForClasses, call_disabled, state
from tensh.engine.errors.messages import ABSENT


# ── overriding arguments ─────────────────────────────────────────────────────
def add_overriding(value, found, python):
    """Add ``value`` to ``found`` if its class is new and overrides; subclasses come before their bases."""
    cls = type(value)
    if cls in USUAL and not (python and cls is Tensor):
        return
    if getattr(cls, "__torch_function__", call_disabled) is call_disabled or any(type(each) is cls for each in found):
        return
    place = next((i for i, each in enumerate(found) if issubclass(cls, type(each))), len(found))
    found.insert(place, value)


def find_overriding(values, python=False, depth=2):
    """Return the overriding arguments, one for each class, in the order in which they are asked.

    Lists and tuples are searched, too.  With ``python``, plain tensors are included, as in PyTorch's Python functions.
    """
    found = []
    collect(values, found, python, depth)
    return found if any(type(each) is not Tensor for each in found) else []


def collect(values, found, python, depth):
    for value in values:
        cls = type(value)
        if isinstance(value, (tuple, list)) and depth and not hasattr(cls, "__torch_function__"):
            collect(value, found, python, depth - 1)
        else:
            add_overriding(value, found, python)


# ── a call ───────────────────────────────────────────────────────────────────
def dispatch(point, args, options):
    """Call an armed function with other than plain arguments.

    A TypeError within one of Python's operators is its refusal.
    """
    if not point.operator:
        return dispatch_call(point, args, options)
    try:
        return dispatch_call(point, args, options)
    except TypeError:
        return NotImplemented


def dispatch_call(point, args, options):
    """Call the overrides of a function, or the function itself."""
    if state.off == ALL:
        return dispatch_below(point, args, options)
    given = (*args, *options.values())
    found = [] if state.off or point.data else find_overriding(given, point.python)
    if not found and not state.modes:
        if not point.data or state.off:
            return dispatch_below(point, args, options)
        with DisabledForClasses():
            return dispatch_below(point, args, options)
    types = [type(each) for each in found]
    if not found and names_plain(point):
        kinds = {type(each): None for each in given if isinstance(each, Tensor)}
        types = [each for each in kinds if point.is_accessor or each.__torch_function__ is not call_disabled]
    if point.python:
        args, options = as_in_python(point, args, options)
    return ask(point.public, tuple(types), found, args, options if options or point.python else None, point.python)


@functools.cache
def names_plain(point):
    """Return True for a function that reports plain tensors to modes, too.

    In PyTorch these are accessors, functions in Python, and methods without arguments, which need no parser.
    """
    if point.python or point.is_accessor or point.name in PLAIN:
        return True
    return bool(point.name) and len(inspect.signature(point.function).parameters.keys() - {"out"}) == 1


def dispatch_below(point, args, options):
    """Call dispatch modes and classes with a ``__torch_dispatch__``, or the function itself."""
    if state.dispatch_off or state.below or not (state.dispatch_modes or any_dispatches((*args, *options.values()))):
        return point.original(*args, **options)
    if any_has("hides_batches", (*args, *options.values())):
        return point.original(*args, **options)
    return ports.dispatch_aten(point, args, options)


def any_dispatches(values):
    """Return True if a value, also within lists, is a tensor whose class has a ``__torch_dispatch__``."""
    return any_has("__torch_dispatch__", values)


def any_has(name, values, depth=2):
    """Return True if a value, also within lists, is a tensor whose class has an attribute other than None."""
    for value in values:
        if isinstance(value, Tensor):
            if getattr(type(value), name, None) is not None:
                return True
        elif depth and isinstance(value, (tuple, list)) and any_has(name, value, depth - 1):
            return True
    return False


def answer_late(function, args, options):
    """Dispatch a call that failed at an overriding argument; return a tuple of its result, or () if there is none.

    ``function`` may be the code of a public function.

    Overriding objects that are not tensors are noticed only when a function fails with them; functions are armed after
    that.
    """
    if armed.lasting or armed.searches or state.off or not find_overriding((*args, *options.values())):
        return ()
    arm()
    point = points.get(function) or next((each for each in points.values() if each.code is function), None)
    if point is None or point.data:  # a function within the public one, which will ask
        disarm_if_unused()
        return ()
    keep_armed()
    return (dispatch(point, args, options),)


def answer_gradients(function, tensors, args, options):
    """Return a tuple of the result of ``backward`` or ``grad`` from a mode or a class of ``tensors``, or ()."""
    found = find_overriding(tensors, python=True)
    if not found and not state.modes:
        return ()
    return (ask(function, tuple([type(each) for each in found]), found, args, options, True),)


OURS = ("out", "copy")  # parameters that PyTorch's Python functions lack
WITH_OUT = ("norm", "normalize", "tensordot")  # exceptions, which have ``out`` in Python
SPREAD = ("einsum",)  # functions that pass on a list of operands one by one
NAMED = {
    "norm": "p dim keepdim out dtype".split(),
    "lu": "pivot get_infos out".split(),
    "l1_loss": "size_average reduce reduction".split(),
    "unravel_index": ["shape"],
    "multi_head_attention_forward": """training key_padding_mask need_weights attn_mask is_causal use_separate_proj_weight
        q_proj_weight k_proj_weight v_proj_weight static_k static_v average_attn_weights""".split(),
}
"""The keywords that PyTorch's functions pass on, where they are not those of the signature in its order."""


def as_in_python(point, args, options):
    """Return the arguments as a Python function of PyTorch passes them on: those with defaults by keyword."""
    if point.operator:
        return args, options
    try:
        bound = inspect.signature(point.function).bind(*args, **options)
    except (TypeError, ValueError):
        return args, options
    bound.apply_defaults()
    if point.python == "by name":
        return (), dict(bound.arguments)
    order = NAMED.get(point.function.__name__, ())
    order = order if bound.arguments.keys() >= set(order) else ()  # not those of a method with the same name
    positional, named = [], {}
    for name, parameter in bound.signature.parameters.items():
        value = bound.arguments[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            is_list = len(value) == 1 and isinstance(value[0], (list, tuple)) and point.function.__name__ in SPREAD
            positional += value[0] if is_list else value
        elif parameter.kind is parameter.VAR_KEYWORD:
            named |= value
        elif name in order:
            pass
        elif parameter.default is parameter.empty or parameter.default is ABSENT:
            positional.append(value)
        elif value is not None or name not in OURS or name == "out" and point.function.__name__ in WITH_OUT:
            named[name] = value
    return tuple(positional), {name: bound.arguments[name] for name in order} or named


def ask(function, types, found, args, options, python):
    """Return the first result of the innermost mode and of the arguments ``found``; TypeError if there is none."""
    modes = state.modes
    if modes:
        state.modes = modes[:-1]
        try:
            result = modes[-1].__torch_function__(function, types, args, options)
        finally:
            state.modes = modes
        if result is not NotImplemented:
            return result
    for each in found:
        result = each.__torch_function__(function, types, args, options)
        if result is not NotImplemented:
            return result
    raise TypeError(describe_unanswered(function, found, modes[-1] if modes else None, python))


def describe_unanswered(function, found, mode, python):
    """Return PyTorch's message for a call that no override handled."""
    name = getattr(function, "__name__", str(function))
    space = "torch.Tensor" if getattr(Tensor, name, None) is function else getattr(function, "__module__", "torch")
    space = "torch" if space.startswith("tensh.") else space
    name = f"{'torch.functional' if python and space == 'torch' else space}.{name}"
    if python:
        types = [type(each) for each in found]
        within = f" nor in mode {mode}" if mode is not None else ""
        return f"no implementation found for '{name}' on types that implement __torch_function__: {types}{within}"
    asked = [f"  - mode object {mode}"] * (mode is not None) + [f"  - tensor subclass {type(each)}" for each in found]
    return (
        f"Multiple dispatch failed for '{name}'; all __torch_function__ handlers returned NotImplemented:\n\n"
        + "\n".join(asked)
        + "\n\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )
