"""PyTorch's operators below autograd, ``torch.ops.aten.NAME.OVERLOAD``: their signatures, and calls of them.

``schemas.txt`` is written by ``tools/aten.py``.
"""

import re
from ast import literal_eval
from functools import cache
from pathlib import Path

from tensh._aten.handlers import ask, ask_overrides, find_overrides, handlers_for
from tensh._aten.kept_values import loses_operand, results_kept, takes_out_results
from tensh._aten.misfits import ONLY_TENSORS, require_fitting
from tensh._aten.operator_classes import OpOverload
from tensh._aten.recording import ask_and_record
from tensh._aten.schema import declare
from tensh.engine.autograd.gradients import grad
from tensh.engine.autograd.modes import enable_grad
from tensh.engine.codegen.vocabulary import TENSORS
from tensh.engine.core.clock import mode
from tensh.engine.core.ports import Port
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.override.state import state
from tensh.engine.dtypes.dtype import dtype
from tensh.func.trees import flatten, leaves_of, unflatten

PARAMETER = re.compile(r"(?P<kind>\w+)[\[\d*\]?]* (?P<name>\w+)(?:=(?P<default>.+))?")
REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
REQUIRED = object()
packet_of, make_packet, tags_of = (Port("_aten.packets", name) for name in ("packet_of", "Packet", "tags_of"))
"""The operator of a name, an operator with these overloads, and the tags of an overload."""


class Parameter:
    """A parameter of an overload."""

    def __init__(self, text, named):
        found = PARAMETER.fullmatch(text)
        self.name, self.kind, self.named = found["name"], found["kind"], named
        kind = text.partition(" ")[0]
        self.list, self.optional = "[" in kind, "?" in kind
        self.length = int(re.search(r"\[(\d+)\]", kind)[1]) if re.search(r"\[\d", kind) else 1
        self.default = REQUIRED if found["default"] is None else value_of(found["default"])

    def convert(self, value, numbers):
        """Return a value as kernels take it; raise TypeError for one that the overload does not accept."""
        if self.name == "reduction" and isinstance(value, str):
            return REDUCTIONS[value]
        if value is None and (self.optional or self.default is None):
            return None
        if self.list:
            values = [value] * self.length if isinstance(value, (int, float)) and self.kind != "Tensor" else value
            if isinstance(values, (tuple, list)):
                return [self.one(each, numbers) for each in values]
            raise TypeError
        return self.one(value, numbers)

    def one(self, value, numbers):
        if value is None and self.optional:
            return None
        kinds = KINDS.get(self.kind)
        if self.kind == "int" and isinstance(value, bool):
            raise TypeError
        if kinds and not (
            isinstance(value, kinds) or numbers and self.kind == "Tensor" and isinstance(value, (int, float, complex))
        ):
            raise TypeError
        return float(value) if self.kind == "float" and type(value) is int else value


KINDS = {
    "Tensor": Tensor, "Scalar": (int, float, complex), "int": int, "float": (int, float), "bool": bool, "str": str, "ScalarType": dtype,
}  # fmt: skip


def value_of(text):
    """Return the default that a signature names."""
    try:
        return literal_eval({"None": "None", "True": "True", "False": "False"}.get(text, text))
    except (ValueError, SyntaxError):
        return text  # a constant such as Mean or contiguous_format


BEYOND = frozenset({"from_file"})
"""Operators that reach beyond memory: a program that came out of a file does not call them."""


@cache
def schemas_for_files():
    """``schemas`` without the operators that no file may call."""
    return {name: overloads for name, overloads in schemas().items() if name not in BEYOND}


@cache
def schemas():
    """Name of an operator -> its overloads, in the order in which they are tried: those for tensors first."""
    found = {}
    for line in Path(__file__).with_name("schemas.txt").read_text(encoding="utf-8").splitlines():
        head, _, rest = line.removeprefix("+").partition("(")
        name, _, overload = head.partition(".")
        made = Overload(name, overload or "default", rest.removesuffix(")"), line.startswith("+"))
        found.setdefault(name, {})[made._overloadname] = made
    return {
        name: dict(
            sorted(
                overloads.items(),
                key=lambda each: (
                    each[1].composed,
                    each[0] != "default",
                    not each[0].startswith("Tensor"),
                    len(each[1]._text),
                ),
            )
        )
        for name, overloads in found.items()
    }


class Overload(OpOverload):
    """One overload of an operator; a call asks the dispatch modes and classes, and then computes."""

    replays = False  # True where the call itself must be made again for its derivative

    def __init__(self, name, overload, text, composed):
        self._opname, self._overloadname, self._text, self.composed = name, overload, text, composed
        self.__name__, self.__qualname__ = f"{name}.{overload}", self.name()
        self.__module__ = "torch._ops.aten"

    @property
    def overloadpacket(self):
        return packet_of(self._opname)

    _overloadpacket = property(lambda self: self.overloadpacket)

    @property
    def parameters(self):
        """The parameters, read when first needed."""
        parameters, named = [], False
        for text in re.split(r", (?![^\[]*\])", self._text) if self._text else ():
            if text == "*":
                named = True
            else:
                parameters.append(Parameter(text, named))
        self.__dict__["_parameters"] = parameters
        return parameters

    @property
    def _schema(self):
        return declare(self.name().removeprefix("aten::"), self._text)

    @property
    def tags(self):
        return tags_of(self)

    def __reduce__(self):
        return find_overload, (self._opname, self._overloadname)

    def bind(self, args, options):
        """Return (args, options) as handlers see them, without what equals its default; TypeError if they do not fit."""
        parameters = self.__dict__.get("_parameters") or self.parameters
        numbers = not state.formulas and self._opname.removesuffix("_") in ONLY_TENSORS
        options = {
            ("self" if name == "input" and parameters[0].name == "self" else name): v for name, v in options.items()
        }
        places = [p for p in parameters if not p.named]
        if len(args) > len(places):
            more = args[len(places) - 1 :]
            if not (places and places[-1].list and all(isinstance(n, int) and not isinstance(n, bool) for n in more)):
                raise TypeError
            args = (*args[: len(places) - 1], list(more))  # sizes side by side
        given = {p.name: value for p, value in zip(places, args)}
        if given.keys() & options.keys():
            raise TypeError
        given |= options
        positional, named = [], {}
        for p in parameters:
            if p.name not in given and p.default is REQUIRED and not p.named:
                raise TypeError
            said = p.name in given
            value = p.convert(given.pop(p.name), numbers) if said else p.default
            if not p.named:
                positional.append(value)
            elif value is not None if value != p.default else said and state.formulas and p.kind == "Tensor":
                named[p.name] = value
        if any(value is not None and value is not False for value in given.values()):
            raise TypeError
        for p, value in zip(reversed(places), positional[::-1]):
            if (
                isinstance(value, Tensor)
                or value is None
                and p.kind == "Tensor"
                and state.formulas  # saved as no tensor
                or p.default is REQUIRED
                or not (value is p.default or same(p, value) or is_default(p, value))
            ):
                break
            positional.pop()
        return tuple(positional), named

    def __call__(self, /, *args, **kwargs):
        try:
            return self.ask_and_compute(args, kwargs)
        except (TypeError, AttributeError):
            if type(self) is Overload:
                require_fitting(self, args, kwargs)
            raise

    def ask_and_compute(self, args, kwargs):
        if (found := find_overrides(args, kwargs)) is not None:
            return ask_overrides(self, found, args, kwargs)
        handlers = handlers_for((*args, *kwargs.values()))
        if not handlers:
            return self.compute(args, kwargs)
        if state.handed is not None:
            state.handed.claim(self, args)
        lost = None
        if mode.grad and loses_operand(self, args):
            lost = schemas()["clone"]["default"](args[0])
        if mode.grad and (isinstance(handlers[-1], Tensor) or getattr(handlers[0], "makes_wrappers", False)):
            return ask_and_record(self, handlers, args, kwargs, lost)
        result = ask(self, handlers, args, kwargs)
        for kept in results_kept(self, result) if takes_out_results() else ():
            schemas()["detach"]["default"](kept)  # what a node keeps of its own result is taken out of the history
        return result

    def derivative(self, places):
        """Return the operator of its gradients, for the tensors at these places of the arguments."""
        return Derivative(self, places)

    def compute(self, args, kwargs):
        """Return the result, computed by tensh."""
        from tensh._aten.kernels.table import has_kernel, kernel_of

        handed = state.handed
        if handed is not None and handed.overload is self and (handed.answers(args) or not has_kernel(self)):
            return handed.result(args)
        before, state.below, mode.watch = (state.below, mode.watch), True, None
        try:
            return kernel_of(self)(*args, **kwargs)
        finally:
            state.below, mode.watch = before


class Derivative(Overload):
    """The gradients of a call, which is repeated: from (gradients of its results, arguments, options)."""

    replays, prefix = True, "derivative_of_"

    def __init__(self, overload, places, name=None):
        super().__init__(name or f"{overload._opname.strip('_')}_backward", "default", "", False)
        self.call, self.places = overload, places

    def in_graph(self):
        """Return the derivative under a name by which the code of a graph finds it: see ``derivatives/names``."""
        call = self.call.in_graph() if isinstance(self.call, Derivative) else self.call
        parts = call._opname, call._overloadname, "_".join(map(str, self.places))
        return Derivative(call, self.places, f"{self.prefix}{'__'.join(parts)}")

    def compute(self, args, kwargs):
        gradients, given, options = args
        watch, mode.watch = mode.watch, None
        try:
            return self.differentiate(gradients, given, options)
        finally:
            mode.watch = watch

    def differentiate(self, gradients, given, options):
        """Return the gradients, below all modes."""
        leaves, form = flatten((given, options))
        recorded = mode.grad and any(isinstance(t, Tensor) and t.requires_grad for t in (*leaves, *gradients))
        with enable_grad():
            for place in self.places:
                keeps = recorded and leaves[place].requires_grad
                leaves[place] = (
                    leaves[place].view_as(leaves[place]) if keeps else leaves[place].detach().requires_grad_()
                )
            given, options = unflatten(leaves, form)
            if self.call._opname.endswith("_"):
                given[0] = given[0].clone()
            results = [t for t in leaves_of(self.call.compute(given, options)) if isinstance(t, Tensor)]
        pairs = [(t, g) for t, g in zip(results, gradients) if g is not None and t.requires_grad]
        inputs = [leaves[place] for place in self.places]
        roots, weights = [t for t, _ in pairs], [g for _, g in pairs]
        return list(grad(roots, inputs, weights, create_graph=recorded, allow_unused=True))


class Word(Overload):
    """An operator of tensh that PyTorch lacks, as a step of a derivative: handlers see it under its own name."""

    def __init__(self, name):
        super().__init__(name, "default", "", False)

    @property
    def overloadpacket(self):
        return make_packet(self._opname, {"default": self})

    def compute(self, args, kwargs):
        """Return the result, computed by tensh."""
        before, state.below = state.below, True
        try:
            return TENSORS[self._opname](*args, **kwargs)
        finally:
            state.below = before


def same(parameter, value):
    """Return True for the default; 1.0 does not equal the default 1 of a parameter for numbers of any type."""
    return value == parameter.default and (parameter.kind != "Scalar" or type(value) is type(parameter.default))


def is_default(parameter, value):
    """Return True for the default in another form: a reduction by its number, or a list of the default number."""
    default = parameter.default
    return (
        default == "Mean"
        and value == 1
        or type(value) is list
        and type(default) is int
        and all(each == default for each in value)
    )


def find_overload(name, overload):
    return getattr(packet_of(name), overload)
