"""The failed call: the operation, its values, and how the user wrote each of them."""

import builtins
import dis
import os
from dataclasses import dataclass
from types import ModuleType
from typing import NamedTuple

from tensh.engine.arguments.caller import HAND_ON
from tensh.engine.arguments.signatures import accepts
from tensh.engine.codegen.guards import FILE
from tensh.explain.source.pieces import CONTAINED, MODULES, OPERATORS, caller, names_in, pieces, takes_more
from tensh.explain.source.place import Place
from tensh.explain.trials.shadow import Shadow

OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


CALL = "Calls.__call__"  # the function that calls every module
BINDER = accepts.__qualname__ + ".<locals>.decorate.<locals>.function"
NUMPYS = {"dim": "axis", "keepdim": "keepdims", "input": "x", "other": "x2"}  # NumPy's names of parameters
INPUTS = ("input", "input2", "input3", "input4")
NOT_KNOWN = object()
"""Stands for an argument that its function has reassigned."""


GUARD = FILE.partition("{")[0]
"""File name of the guards around functions that are written in Python in PyTorch, too."""
PORTS = os.path.join("core", "ports.py")
REFLECTED = frozenset("radd rsub rmul rdiv rtruediv rfloordiv rmod rremainder rpow rmatmul".split())
"""Operators computed by the right operand."""


@dataclass(frozen=True, eq=False)  # compared by identity, since arguments may have equal values
class Argument:
    """A value that was passed, under its parameter's name, and its span (start, end) in the source, if any."""

    name: str
    value: object
    text: str | None
    span: tuple[int, int] | None


class Call(NamedTuple):
    """A call: the operation's name, its notation ("@", "+", or the name), its arguments, and the source of the whole.

    ``names`` are all names visible to the user's code.
    """

    name: str
    symbol: str
    arguments: tuple[Argument, ...]
    segment: str
    place: Place
    names: dict
    module: object = None

    @property
    def tensors(self):
        """The arguments that are tensors."""
        return tuple(a for a in self.arguments if hasattr(a.value, "requires_grad"))

    def shadow(self, code=""):
        """Return an evaluator of code on shapes only, with the values of this call and those that other code names."""
        used = names_in(self.segment) | names_in(code)
        names = {name: value for name, value in self.names.items() if name in used}
        return Shadow({a.text: a.value for a in self.arguments if a.text}, names)

    def argument(self, *names):
        """Return the first argument with one of some names; None if there is none."""
        return next((a for name in names for a in self.arguments if a.name == name), None)

    def rewrite(self, changes):
        """Return the source with some arguments replaced: {argument: text}; None if one of them is not written in it."""
        if any(argument.span is None for argument in changes):
            return None
        text = self.segment
        for argument, new in sorted(changes.items(), key=lambda item: item[0].span, reverse=True):
            start, end = argument.span
            if text[start - 1 : start] + text[end : end + 1] == "()":
                if self.symbol in OPERATORS:
                    start, end = start - 1, end + 1
                    new = new if takes_more(new) or new.startswith("(") else f"({new})"
                elif start == 1 and text[end + 1 : end + 2] == "." and takes_more(new):  # `(a == b).mean()`
                    start, end = start - 1, end + 1
            text = text[:start] + new + text[end:]
        return text


def find_failed_call(traceback, place):
    """Return the call in a piece of source that led into the engine; None if none did."""
    inner = traceback.tb_next
    if inner is None or not inner.tb_frame.f_code.co_filename.startswith(("<tensh ", OURS)):
        return None
    while inner.tb_next is not None and (stands_around(inner.tb_frame.f_code.co_filename) or has_bound(inner)):
        inner = inner.tb_next
    segment = place.segment if place else ""
    visible = {**traceback.tb_frame.f_globals, **traceback.tb_frame.f_locals}
    frame = inner.tb_frame
    if frame.f_code.co_qualname == CALL or is_forward(frame):
        return layer_call(inner, place, visible)
    code = frame.f_code
    names = code.co_varnames[code.co_name == "__init__" : code.co_argcount]
    options = keywords(frame)
    values = [(name, options.get(NUMPYS.get(name), frame.f_locals[name])) for name in names if name in frame.f_locals]
    if code.co_flags & 4 and code.co_varnames[code.co_argcount + code.co_kwonlyargcount] not in ("surplus",):
        rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
        values += [(rest, each) for each in frame.f_locals.get(rest, ())]
    name = code.co_name.removesuffix("_operator")
    written, symbol = pieces(segment, modules=list_modules(visible))
    if len(values) == 1 and symbol in OPERATORS:  # the failure came later: `if x > 0`
        # `pair * x` calls an operator of x with a number
        own = [each for each in written[0] if visible.get(each[0]) is values[0][1]]
        written, symbol = (own or [(segment, (0, len(segment)))], {}), None
    if name == "__iter__" and segment and not hasattr(builtins, segment.partition("(")[0]):
        # Since Python 3.14 `for x in f(y)` fails at `f(y)`.
        written, symbol = ([(segment, (0, len(segment)))], {}), None
    if code.co_name.endswith("_operator") and (symbol or "").isidentifier() and symbol.strip("_") != name:
        written = [], {}  # `sum(xs)`: the summed elements are not its arguments
    is_contained = symbol in CONTAINED.values()
    # `1 - x` and `1 in x` are computed by x
    if (symbol in OPERATORS and name in REFLECTED or is_contained) and len(written[0]) == 2:
        written = written[0][::-1], written[1]
    arguments = tuple(
        Argument(name, value, *find_argument(written, position, name)) for position, (name, value) in enumerate(values)
    )
    return Call(name, symbol or name, arguments[::-1] if is_contained else arguments, segment, place, visible)


def stands_around(filename):
    """Return True for code that forwards a call: guards, casts, and override points of classes with `__torch_function__`."""
    return filename.startswith(GUARD) or filename.endswith((*HAND_ON, PORTS))


def has_bound(step):
    """Return True for the frame of a function that has bound its arguments by their signatures, and called with them."""
    code, following = step.tb_frame.f_code, step.tb_next.tb_frame.f_code
    return code.co_qualname == BINDER and following.co_filename != code.co_filename


def is_forward(frame):
    """Return True if a frame is the `forward` of a tensh module that the user called explicitly: `net.forward(x)`."""
    return frame.f_code.co_name == "forward" and hasattr(type(frame.f_locals.get("self")), "named_modules")


def is_rebound(code, name):
    """Return True if a function reassigns one of its parameters."""
    return any(each.opname.startswith("STORE_FAST") and name in str(each.argval) for each in dis.get_instructions(code))


def keywords(frame):
    """Return the arguments that a function takes as **kwargs."""
    code = frame.f_code
    if not code.co_flags & 8:
        return {}
    return frame.f_locals.get(code.co_varnames[code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4)], {})


def layer_call(step, place, names):
    """Return the call of the innermost layer, whose outer layers may have passed on the same input."""
    outer = frame = step.tb_frame
    while step is not None and step.tb_frame.f_code.co_filename.startswith(OURS):
        if step.tb_frame.f_code.co_qualname == CALL:
            frame = step.tb_frame
        step = step.tb_next
    module = frame.f_locals["self"]
    segment = place.segment if place else ""
    written, _ = pieces(segment, is_layer=True)
    texts = {id(v): find_argument(written, i, n) for i, (n, v) in enumerate(list_arguments(outer))}
    arguments = tuple(
        Argument(name, value, *texts.get(id(value), (None, None))) for name, value in list_arguments(frame)
    )
    name = layer_name(outer.f_locals["self"], module, segment)
    return Call(type(module).__name__, name, arguments, segment, place, names, module)


def list_arguments(frame):
    """Return (name, value) for the arguments of a module's call."""
    if is_forward(frame):
        code = frame.f_code
        names = code.co_varnames[1 : code.co_argcount]
        return [(name, NOT_KNOWN if is_rebound(code, name) else frame.f_locals.get(name)) for name in names]
    return [*zip(INPUTS, frame.f_locals["args"]), *frame.f_locals["kwargs"].items()]


def layer_name(model, module, segment):
    """Return the name of a layer: its type, and within a model its path, as in `net.2 (Linear)`."""
    kind = type(module).__name__
    path = next((path for path, each in model.named_modules() if each is module), "")
    return f"{caller(segment) or 'layer '}{path} ({kind})" if path else kind


def find_argument(written, position, name):
    """Return (text, span) of an argument, given by position or by name."""
    positional, named = written
    return (
        named.get(name)
        or named.get(NUMPYS.get(name))
        or (positional[position] if position < len(positional) else (None, None))
    )


def list_modules(names):
    """Return the names under which modules can be called, whatever the program has named them."""
    return {*MODULES, *(name for name, value in names.items() if isinstance(value, ModuleType))}
