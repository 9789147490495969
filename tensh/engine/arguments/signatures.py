"""PyTorch's signatures: binding arguments to overloads, and its message for arguments that fit none.

``@accepts("(int high, tuple of ints size)", "(int low, int high, tuple of ints size)")`` declares overloads of a
function.  PyTorch prints the text of an overload when none fits, so it is both the rule and the message; only ``int?
to`` (an int or None) is printed as ``int to``.
"""

import ast
import functools
import inspect
import re

from tensh.engine.arguments.kinds import (
    LIMIT,
    NO_FIT,
    PLAIN,
    ElementError,
    LateError,
    UnpackError,
    complain_of_elements,
    require_64_bits,
    taker_of,
)
from tensh.engine.arguments.lazy_signatures import read_signature
from tensh.engine.arguments.mismatches import describe_mismatch, type_name
from tensh.engine.core import ports
from tensh.engine.core.lift import Lift
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import device
from tensh.engine.errors.integers import read_size
from tensh.engine.errors.messages import too_large

WORDS = r"(?P<kind>(?:tuple of )?[\w.]+(?:\[1\])?~?)(?P<optional>\??) (?P<name>\w+)(?: = (?P<default>.+))?"
LITERAL = re.compile(r"""[-\d"'(\[]|True|False""")
MARKS = re.compile(r"\[1\]|~|\?")  # marks that are not printed
NOT_SHOWN, OLD = "...", "old "  # deprecated forms, tried first and left out of messages
LATE = object()  # the place of an error among values
LATE_ERRORS = (LateError, ValueError, Lift)
"""Errors that are raised once all arguments are known to be of their kinds, such as for a batch in place of a number."""


# ── one overload ─────────────────────────────────────────────────────────────
class Parameter:
    """One parameter of an overload."""

    def __init__(self, function, number, kind, optional, name, default):
        self.kind, self.name, self.required = MARKS.sub("", kind), name, default is None
        self.number = number if self.kind == "tuple of Tensors" else None
        self.takes_number = kind in ("Number", "Tensor~")
        self.taker, self.plain = taker_of(function, kind, name), PLAIN.get(kind)
        self.default = self.taker(ast.literal_eval(default)) if LITERAL.match(default or "") else None
        self.optional = bool(optional) or default == "None" or kind == "torch.Generator"  # True if None is accepted

    def take(self, function, value, place):
        """Convert the value for the function; raise PyTorch's TypeError for another kind."""
        if value is None and self.optional:
            return None
        where, position = f"{function}(): argument '{self.name}'", f" (position {place})" if place else ""
        try:
            taken = self.taker(value)
        except ElementError as error:
            raise (LateError if error.unpacking else TypeError)(error.message(where, position, self.kind)) from None
        if taken is NO_FIT:
            raise TypeError(f"{where}{position} must be {self.kind}, not {type_name(value)}")
        if self.number is not None and (complaint := complain_of_elements(taken, self.number)):
            raise UnpackError(complaint)
        return taken


class Form:
    """One signature of a function."""

    def __init__(self, function, text):
        self.old, self.hidden = text.startswith(OLD), text == NOT_SHOWN or text.startswith(OLD)
        text = text.removeprefix(OLD)
        self.function, self.text = function, MARKS.sub("", text)
        words = [word for word in text[1:-1].split(", ") if word] if text != NOT_SHOWN else []
        positional = words.index("*") if "*" in words else len(words)
        found = [re.fullmatch(WORDS, word) for word in words if word != "*"]
        self.parameters = [
            Parameter(function, number, *each.group("kind", "optional", "name", "default"))
            for number, each in enumerate(found)
        ]
        self.positional = self.parameters[:positional]
        self.places = [*self.positional, *[None] * ("*" in words), *self.parameters[positional:]] or [None]
        self.named = {p.name: p for p in self.parameters}
        self.defaults = {p.name: p.default for p in self.parameters if not p.required}
        self.least = sum(p.required for p in self.parameters)
        self.needed = [p.name for p in self.parameters[positional:] if p.required]
        self.numbers = [p.name for p in self.parameters if p.takes_number]
        self.sizes_last = len(self.positional) == 1 and self.positional[0].kind == "tuple of ints"
        self.has_lists = any(p.number is not None for p in self.parameters)
        self.keywords = [{p.name: p for p in self.parameters[given:]} for given in range(positional + 1)]

    def bind_quickly(self, args, options):
        """Return what ``bind`` does, NO_FIT where it raises because of a kind or a name, or None where only it can tell."""
        if self.has_lists:
            return None
        for name in self.needed:
            if name not in options:
                return NO_FIT
        if self.sizes_last and args and not isinstance(args[0], (tuple, list)):
            if type(args[0]) is not int:
                return None
            args = (args,)
        if len(args) > len(self.positional):
            return NO_FIT
        values, named = self.defaults.copy(), self.keywords[len(args)]
        for parameter, value in (
            *zip(self.positional, args, strict=False),
            *[(named.get(name), value) for name, value in options.items()],
        ):
            if parameter is None:
                return NO_FIT
            if type(value) is not parameter.plain and (value is not None or not parameter.optional):
                try:
                    value = parameter.taker(value)
                except (Exception, Lift):
                    return None
                if value is NO_FIT:
                    return NO_FIT
            values[parameter.name] = value
        if len(values) < len(self.parameters):
            return NO_FIT
        for name in self.numbers:
            if type(values[name]) is int and not -LIMIT <= values[name] < 2 * LIMIT:
                return None
        return values

    def bind(self, args, options):
        """Return the values by name, defaults included; raise TypeError if the arguments do not fit."""
        if self.sizes_last and args and not isinstance(args[0], (tuple, list)):
            if read_size(args[0]) is not None:
                args = (args,)
            elif len(args) == 1:
                self.positional[0].take(self.function, args[0], 1)
        if len(args) > len(self.positional):
            raise TypeError(self._too_many(len(args)))
        values = self.defaults.copy()
        for place, (parameter, value) in enumerate(zip(self.positional, args, strict=False), 1):
            try:
                values[parameter.name] = parameter.take(self.function, value, place)
            except LATE_ERRORS as error:
                keep_late(values, parameter.name, error)
        if options or len(values) < len(self.parameters):
            self._bind_keywords(len(args), options, values)
        if LATE in values:
            raise values[LATE]
        for name in self.numbers:
            if type(values[name]) is int and not -LIMIT <= values[name] < 2 * LIMIT:
                if type(values.get("device")) in (str, int):
                    device(values["device"])  # an unknown name is reported first
                require_64_bits(values[name])
        return values

    def _bind_keywords(self, given, options, values):
        """Add arguments by name to ``values``, after ``given`` positional ones; raise PyTorch's TypeError for a misfit."""
        for index, parameter in enumerate(self.parameters[given:], given):
            if parameter.name in options:
                try:
                    values[parameter.name] = parameter.take(self.function, options[parameter.name], None)
                except LATE_ERRORS as error:
                    keep_late(values, parameter.name, error)
            elif parameter.required:
                missing = [f'"{p.name}"' for p in self.parameters[index:] if p.required]
                names = ", ".join(missing)
                plural = "s" if len(missing) == 1 else ""  # PyTorch writes "1 ... arguments"
                raise TypeError(
                    f"{self.function}() missing {len(missing)} required positional argument{plural}: {names}"
                )
        for name in options:
            if name not in self.named:
                raise TypeError(f"{self.function}() got an unexpected keyword argument '{name}'")
            if any(p.name == name for p in self.positional[:given]):
                raise TypeError(f"{self.function}() got multiple values for argument '{name}'")

    def _too_many(self, given):
        most = len(self.positional)
        if self.least != most:
            return f"{self.function}() takes from {self.least} to {most} positional arguments but {given} were given"
        were, plural = "was" if given == 1 else "were", "" if most == 1 else "s"
        return f"{self.function}() takes {most} positional argument{plural} but {given} {were} given"


def keep_late(values, name, error):
    """Keep an error, such as that for too large an integer, until all values are known to be of their kinds."""
    values.setdefault(LATE, error)
    values[name] = None


# ── several overloads ────────────────────────────────────────────────────────
def choose(function, forms, args, options):
    """Return (index of the first overload that fits, its values); raise PyTorch's TypeError if none does."""
    number = 0
    for form in forms:
        if not form.hidden:
            values = form.bind_quickly(args, options)
            if values is None:
                break
            if values is not NO_FIT:
                return number, values
            number += 1
    return choose_slowly(function, forms, args, options)


def choose_slowly(function, forms, args, options):
    """Return what ``choose`` does; of arguments that do not fit, find the one that PyTorch names."""
    if len(forms) == 1:
        try:
            return 0, forms[0].bind(args, options)
        except UnpackError as error:
            raise TypeError(*error.args) from None
    shown = [form for form in forms if not form.hidden]
    for number, form in enumerate(shown):
        if len(args) > len(form.positional) and not form.sizes_last:
            continue  # letting it raise takes 5 µs
        if not form.needed or all(name in options for name in form.needed):
            try:
                return number, form.bind(args, options)
            except UnpackError as error:
                raise TypeError(*error.args) from None
            except TypeError:
                continue
    given = len(args) + len(options)
    near = [form for form in shown if form.least <= given <= len(form.parameters)]
    if len(near) == 1:
        near[0].bind(args, options)
    raise TypeError(describe_mismatch(function, shown, args, options))


ANYTHING = inspect.Signature(
    [
        inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
        inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD),
    ]
)
"""Return the signature that ``inspect`` shows for an overloaded function."""


def refuse_receiver(name, value):
    """Raise PyTorch's TypeError for a method called on another object than a tensor: ``Tensor.to(3)``."""
    words = f"descriptor '{name}' for 'torch._C.TensorBase' objects doesn't apply to a '{type_name(value)}' object"
    raise TypeError(words) from None


def accepts(*texts, method=False, shown=None):
    """Bind the arguments of a function by these signatures; it then receives every value by name.

    A parameter named ``from`` arrives as ``from_``.  The signatures of a ``method`` leave out the tensor itself.
    ``shown`` is the text of the parameters for ``inspect``: by default the function's own, or any arguments for several
    overloads.
    """

    def decorate(fn):
        name = fn.__name__
        forms = []  # parsed at first use, so that importing the engine is fast

        @functools.wraps(fn)
        def function(*args, **options):
            if not forms:
                forms.extend(Form(name, text) for text in texts)
            own, args = (args[:1], args[1:]) if method else ((), args)
            try:
                values = choose(name, forms, args, options)[1]
            except TypeError:
                if answer := ports.answer_override(function, (*own, *args), options):
                    return answer[0]
                raise
            if "from" in values:
                values["from_"] = values.pop("from")
            try:
                return fn(*own, **values)
            except Lift:
                return ports.batched_function(name, fn, own, values)
            except (MemoryError, OverflowError, ValueError) as error:
                raise too_large(error) or error from None
            except AttributeError:
                if own and not isinstance(own[0], Tensor):
                    refuse_receiver(name, own[0])
                raise

        if shown is not None or len(texts) > 1:
            function.__signature__ = ANYTHING if shown is None else read_signature(shown)
        return function

    return decorate
