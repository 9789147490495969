"""Public wrappers: raise PyTorch's error for a bad call, at no cost for a good one.

Note [Public wrappers] A function's wrapper accepts any arguments, so that Python never refuses a call: missing
arguments are ``REQUIRED``, extra ones are in ``surplus``, and keyword-only ones in ``options``.  Such calls take the
slow path, through the function's true signature.  If that, or the function, raises an exception, ``refuse`` compares
the arguments with PyTorch's signatures (overloads) and raises PyTorch's error; if they fit, the exception stands.
``try`` costs nothing, and an empty tuple and an empty dictionary cost less than parameters for keywords.

The wrapper of an operator is the whole function (``writer.public_source``); that of any other function calls it.
"""

import inspect
import sys
import types
from contextlib import suppress
from functools import cached_property

from tensh.engine.arguments.caller import list_call
from tensh.engine.arguments.kinds import NO_FIT, OVERFLOW, taker_of
from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arguments.quick_checks import checked_kinds, checks_of
from tensh.engine.arguments.signatures import choose, refuse_receiver
from tensh.engine.codegen.guards import FILE, wrap_guarded
from tensh.engine.core import ports
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.messages import ABSENT, REQUIRED, is_long, is_not_int64
from tensh.engine.errors.warnings import warn_once

PYTHON = frozenset(
    """
    atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul compile einsum from_dlpack is_storage
    is_tensor lobpcg lu meshgrid
    norm split stft tensordot pca_lowrank svd_lowrank set_default_dtype
    set_deterministic_debug_mode set_float32_matmul_precision set_warn_always unique unique_consecutive unravel_index
    are_deterministic_algorithms_enabled get_default_device get_deterministic_debug_mode get_float32_matmul_precision
    is_deterministic_algorithms_warn_only_enabled is_warn_always_enabled use_deterministic_algorithms typename
    get_rng_state set_rng_state initial_seed manual_seed seed thread_safe_generator
    set_default_device set_default_tensor_type set_printoptions set_num_threads set_num_interop_threads set_flush_denormal
    sparse_csc_tensor sparse_bsr_tensor sparse_bsc_tensor sparse_compressed_tensor
    Tensor.backward Tensor.register_hook Tensor.register_post_accumulate_grad_hook Tensor.unflatten Tensor.is_shared
    Tensor.norm Tensor.split Tensor.stft Tensor.lu Tensor.unique Tensor.unique_consecutive Tensor.share_memory_ Tensor.dim_order
""".split()
)
"""Functions that are Python in PyTorch, too, and raise Python's errors."""
NUMPY = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
NAMESPACES = frozenset("torch torch.nn.functional torch.linalg torch.special torch.fft".split())
"""Modules of functions that PyTorch has in C."""

CLASSES = {"bool": {bool}, "int": {int}, "float": {float}, "str": {str}, "Number": {bool, int, float, complex}}
"""Kind -> classes of arguments that are accepted without reading the signatures."""
OF_SIZES = ("new_", "repeat", "reshape", "resize_", "tile")
"""Prefixes of methods that accept sizes in any form and read the tensor first."""


class PublicWrapper:
    """The facts of a wrapper: the name in messages, the parameters, and the function with the true signature."""

    def __init__(self, name, fn, parameters, method):
        self.name, self.fn, self.parameters, self.method = name, fn, parameters, method
        self.positional = {n: p for n, p in parameters.items() if p.kind is p.POSITIONAL_OR_KEYWORD}
        self.checked = dict(checked_kinds(parameters))
        self.keywords = {
            n: CLASSES.get(self.checked.get(n))  # None accepts any value
            for n, p in parameters.items()
            if p.kind is p.KEYWORD_ONLY
            and n not in NUMPY
            and self.checked.get(n) != "int"
            and not (method and n == "out")
        }

    def accepts(self, options):
        """Return True for keywords that the function takes as they are, which saves ``call_bound``, 5 microseconds."""
        for name, value in options.items():
            classes = self.keywords.get(name, ())
            if classes is not None and value.__class__ not in classes:
                return False
        return True

    def call_bound(self, args, options):
        """Call the function through its true signature."""
        if options and (options.keys() & NUMPY.keys() or not options.keys() <= self.parameters.keys()):
            args, options = self.translate_names(args, options)
        args, places = list(args), {name: place for place, name in enumerate(self.positional)}
        for name, kind in self.checked.items():
            holder, key = (options, name) if name in options else (args, places.get(name, len(args)))
            if (holder is options or key < len(args)) and holder[key] is not self.parameters[name].default:
                holder[key] = self.take(name, kind, holder[key])
        if len(args) > len(self.positional) and (bound := self.bind_surplus(args, options)) is not None:
            return self.fn(*bound[0], **bound[1])
        positional, named = self.list_given(args, False)
        if self.method and "out" in options:
            raise TypeError(f"{self.name}() got an unexpected keyword argument 'out'")
        return self.fn(*positional, **named, **options)

    def translate_names(self, args, options):
        """Return the arguments with other names replaced by those of the parameters; these take the position of a default."""
        given, known, places = list(args), {}, list(self.positional)
        for name, value in options.items():
            own = self.own_name(name, places)
            place = places.index(own) if own in places else len(given)
            if own == name or own not in self.parameters:
                known[name] = value
            elif place < len(given) and (given[place] is REQUIRED or given[place] is self.positional[own].default):
                given[place] = value
            else:  # given twice, or by a name that only some of the signatures have
                self.require_form(*self.list_given(args, True), options)
                known[own] = value
        if any(name not in NUMPY and name not in self.parameters for name in options):  # some signatures lack it
            self.require_form(*self.list_given(args, True), options)
        return tuple(given), known

    def own_name(self, name, places):
        """Return the parameter that a keyword is for: NumPy's name for it, or its name in one of PyTorch's signatures."""
        if name in self.parameters or NUMPY.get(name) in self.parameters:
            return NUMPY.get(name, name)
        if name == "input" and not self.method and places[:1] == ["self"]:
            return "self"
        found = (place for form in self.forms for place, p in enumerate(form.positional) if p.name == name)
        return next((places[place + self.method] for place in found if place + self.method < len(places)), name)

    def kinds_of(self, name):
        """Return the kinds of the parameter in PyTorch's signatures."""
        return {form.named[name].kind for form in self.forms if name in form.named}

    def take(self, name, kind, value):
        """Convert the argument to its kind; raise PyTorch's error for another kind, unless some signature accepts it."""
        if kind == "int" and is_long(value):
            if self.kinds_of(name).isdisjoint(("Number", "Tensor")):
                raise ValueError(OVERFLOW)
            return value
        if value.__class__ in CLASSES[kind]:
            return value
        if value is None and any(form.named[name].optional for form in self.forms if name in form.named):
            return None
        if self.kinds_of(name) != {kind}:
            return value
        taken = taker_of(self.name, kind, name)(value)
        if taken is NO_FIT:
            raise TypeError(f"{self.name}(): argument '{name}' must be {kind}, not {type_name(value)}")
        return taken

    def bind_surplus(self, args, options):
        """Return more arguments than the function has as it takes them, or None if they fit no signature.

        Integers may stand for the sequence of a signature that takes nothing else (``squeeze(0, 1)``).  Deprecated signatures
        take a number before a tensor, with PyTorch's warning.
        """
        for form in self.forms:
            if form.old or form.sizes_last:
                with suppress(TypeError, ValueError):
                    values = form.bind(args[self.method :], options)
                    break
        else:
            return None
        if form.old:
            shown = "".join(f"\n\t{self.name}{each.text}" for each in self.forms if not each.hidden)
            warn_once(
                f"This overload of {self.name} is deprecated:\n\t{self.name}{form.text}\n"
                f"Consider using one of the following signatures instead:{shown}",
                what="an old form",
            )
            return (), dict(zip(self.positional, args[: self.method])) | {
                n: v for n, v in values.items() if v is not None
            }
        return [*args[: self.method], values[form.positional[0].name]], options

    def call_for_batches(self, args, options):
        """Call the function for batches: see Note [Batches] in core/lift.py."""
        positional, named = self.list_given(args, False)
        return ports.batched_function(self.name, self.fn, positional, named | options)

    def list_given(self, args, without_defaults, count=None, keywords=None):
        """Return the given arguments, by position and by name, optionally without those equal to their defaults.

        A wrapper cannot tell whether a default was given, or whether a name was, unless the ``count`` of arguments by
        position and the ``keywords`` are known. If they are not, arguments after a None that is the default count as
        named.
        """
        known = list(self.positional.values())
        given, surplus, named = list(args[: len(known)]), args[len(known) :], {}
        if keywords is not None:
            named = {p.name: value for p, value in zip(known, given, strict=False) if p.name in keywords}
            first = next((place for place, p in enumerate(known) if p.name in named), len(given))
            given = given[: first if count is None else min(first, count + self.method)]
        while (
            without_defaults and count is None and given and not surplus and given[-1] is known[len(given) - 1].default
        ):
            given.pop()
        positional = []
        skipped = False
        for p, value in zip(known, given, strict=False):
            if (
                value is REQUIRED
                or value is ABSENT
                or without_defaults
                and count is None
                and value is p.default is None
            ):
                skipped = True
            if not skipped:
                positional.append(value)
            elif value is not REQUIRED and value is not ABSENT and not (without_defaults and value is p.default):
                named[p.name] = value
        return [*positional, *surplus], named

    @cached_property
    def forms(self):
        """Return PyTorch's signatures of the function."""
        from tensh.engine.arguments.overloads import forms_of

        return forms_of(self.name, self.method, self.parameters)

    def refuse(self, args, options):
        """Raise PyTorch's error for arguments that it would refuse, or if memory or a number is too large.

        If one of them has a ``__torch_function__``, return its result, as a tuple of one.
        """
        failure = sys.exception()
        if isinstance(failure, Warning):  # the program turns warnings into errors
            return None
        if self.method and not isinstance(args[0], Tensor):
            refuse_receiver(self.name, args[0])
        count, keywords = list_call(sys._getframe(2), self.method)
        positional, named = self.list_given(args, True, count, keywords)
        named |= options
        if answer := ports.answer_override(self.public, tuple(positional), named):
            return answer
        if keywords is None:
            positional, named = self.name_surplus(positional, named)
        self.require_form(positional, {name: named[name] for name in keywords or () if name in named}, named)
        beginning = f"{self.fn.__name__}(): argument 'out'"  # the code that writes does not know the name in messages
        if type(failure) is TypeError and (said := str(failure)).startswith(beginning):
            raise TypeError(self.name + said.removeprefix(self.fn.__name__)) from None
        from tensh.engine.arguments.misfits import find_misfit  # imported for errors alone

        wrong = find_misfit(failure, self.name, self.parameters, args, options)
        if wrong is not None:
            raise wrong from None

    def name_surplus(self, positional, named):
        """Name what an overload chosen by a name takes by name only, where the call (``f(*args, **options)``) is unknown."""
        for form in self.forms:
            if form.needed and all(name in named for name in form.needed):
                known, count = list(self.positional), len(form.positional) + self.method
                return positional[:count], dict(zip(known[count:], positional[count:], strict=False)) | named
        return positional, named

    def require_form(self, positional, named, options):
        """Raise PyTorch's error if none of its signatures accepts the arguments; NumPy's names are accepted for PyTorch's."""
        named |= options
        if self.method:
            positional = positional[1:]
        known = {name for form in self.forms for name in form.named}
        given = {p.name for form in self.forms for p in form.positional[: len(positional)]} | named.keys()
        own = {n: name for n, name in NUMPY.items() if n not in known and name in known - given}
        spoken, named = named, {own.get(n, n): value for n, value in named.items()}
        if not known and len(self.forms) == 1 and (positional or named):
            given = "no keyword arguments" if named else f"no arguments ({len(positional)} given)"
            raise TypeError(f"{'TensorBase' if self.method else 'torch'}.{self.name}() takes {given}") from None
        try:
            choose(self.name, self.forms, tuple(positional), named)
        except (TypeError, ValueError) as error:
            if own and "invalid combination" in str(error):  # the texts of PyTorch have the names of the call
                choose(self.name, self.forms, tuple(positional), spoken)
            if own and "unexpected keyword" in str(error):
                unknown = next(name for name in spoken if name not in known)
                error = TypeError(f"{self.name}() got an unexpected keyword argument '{unknown}'")
            raise error from None


def wrap_public(fn, name, method, spoken):
    """Make the wrapper of ``fn``, which is not an operator, under a name; ``spoken`` is the name in messages."""
    if not isinstance(fn, types.FunctionType):
        return fn
    own = f"Tensor.{name}" if method else spoken or name
    if own in PYTHON:
        return wrap_guarded(rename_function(fn, own) if method else fn, name)
    fast = getattr(fn, "without_out", fn)
    flags = fast.__code__.co_flags
    if flags & inspect.CO_VARARGS and flags & inspect.CO_VARKEYWORDS and not hasattr(fast, "passes_on"):
        # the function binds its arguments
        return wrap_guarded(fn, name) if method and name.startswith(OF_SIZES) else fn
    parameters = inspect.signature(fn).parameters
    return compile_wrapper(fn, fast, name, PublicWrapper(spoken or name, fn, parameters, method))


def is_c_in_pytorch(function):
    """Return True for a public function that is written in C in PyTorch, unlike functions of the user, and guarded ones."""
    return function.__module__ in NAMESPACES and not function.__code__.co_filename.startswith(FILE.partition("{")[0])


def rename_function(fn, qualified):
    """Return the function under the qualified name that Python's errors report."""
    copy = types.FunctionType(
        fn.__code__, fn.__globals__, qualified.rpartition(".")[2], fn.__defaults__, fn.__closure__
    )
    copy.__kwdefaults__ = fn.__kwdefaults__
    copy.__doc__ = fn.__doc__
    copy.__qualname__ = qualified
    copy.__module__ = "torch"
    return copy


def compile_wrapper(fn, fast, name, known):
    """Write the wrapper of ``fn``, which calls ``fast`` where no keyword is given."""
    positional, parameters = known.positional, known.parameters
    star = next((p.name for p in parameters.values() if p.kind is p.VAR_POSITIONAL), None)
    environment = {
        "fn": fast,
        "wrapper": known,
        "REQUIRED": REQUIRED,
        "is_not_int64": is_not_int64,
        "Lift": Lift,
        "__name__": fn.__module__,
    }
    header = []
    for n, p in positional.items():
        environment[f"default_{n}"] = REQUIRED if p.default is p.empty else p.default
        header.append(f"{n}=default_{n}")
    names = "".join(f"{n}, " for n in positional)
    given = f"({names}*{star or 'surplus'},)"
    slow = ["options"] if star else ["surplus", "options"]
    slow += [f"{n} is REQUIRED" for n, p in positional.items() if p.default is p.empty]
    slow += checks_of(positional)
    named = ""
    if not star and known.keywords:
        environment["target"] = fn
        plain = " or ".join(each for each in slow if each != "options")
        named = f"            if not ({plain}) and wrapper.accepts(options): return target({names}**options)\n"
    source = (
        f"def {name}({', '.join(header)}{', ' if header else ''}*{star or 'surplus'}, **options):\n"
        f"    try:\n"
        f"        if {' or '.join(slow)}:\n{named}"
        f"            return wrapper.call_bound({given}, options)\n"
        f"        return fn({names}{f'*{star}' if star else ''})\n"
        f"    except Lift:\n"
        f"        return wrapper.call_for_batches({given}, options)\n"
        f"    except Exception:\n"
        f"        if answer := wrapper.refuse({given}, options): return answer[0]\n"
        f"        raise\n"
    )
    exec(compile(source, f"<tensh wrapper of {name}>", "exec"), environment)
    made = environment[name]
    made.__doc__, made.__module__, made.__wrapped__ = fn.__doc__, fn.__module__, fn
    known.public = made
    return made
