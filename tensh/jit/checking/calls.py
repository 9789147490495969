"""The check of calls: operators, Python's functions, the program's other functions, modules and their methods."""

import ast
import builtins
import inspect
import types
import typing
import weakref

from tensh._aten.overloads import Overload
from tensh._aten.packets import Packet
from tensh.engine.core.tensor import Tensor
from tensh.jit.checking.arity import wrong_number
from tensh.jit.checking.expressions import SLICE, Steps, Unusable, is_python_value, name_python_value
from tensh.jit.checking.matching import Taken, Unmatched, match
from tensh.jit.checking.operators import NUMBERS
from tensh.jit.checking.values import UNKNOWN, Value, convert, describe, fits, is_known, members
from tensh.jit.frontend import FrontendError
from tensh.jit.language.classes import is_enum, is_interface, is_script_class
from tensh.jit.language.types import is_named_tuple, origin_of, short_name_of
from tensh.jit.scripting.calls.dtype_methods import TO
from tensh.jit.scripting.calls.functions import FUNCTIONAL, RENAMED
from tensh.jit.scripting.forms import find_function
from tensh.jit.scripting.kinds import element_of, none, parts_of
from tensh.jit.scripting.sugar import Bound, Known, ModuleRef
from tensh.nn.modules.module import Module
from tensh.support.naming import is_of_torch

__all__ = ["Calls"]

CASTS = {int: "Int", float: "Float", complex: "Complex"}
CASTS_OF_ANYTHING = (bool, str)
CHECKED = frozenset("round ord chr hex bin oct divmod hash id len sum sorted pow".split())
"""Functions of Python that are operators of ``aten``, and nothing else."""
PYTHON_ONLY = (
    type, super, set, frozenset, bytes, bytearray, memoryview, filter, map, reversed, object, property, staticmethod, classmethod,
)  # fmt: skip
"""Functions of Python that scripts hand tensors to, and get one from."""
UNSUPPORTED = frozenset(
    """aiter anext ascii breakpoint callable compile delattr dir eval exec format globals input issubclass iter locals next open repr
    setattr vars""".split()
)
"""Functions of Python that scripts cannot call."""
WRITTEN_IN_PYTHON = frozenset(
    """atleast_1d atleast_2d atleast_3d align_tensors broadcast_shapes broadcast_tensors cartesian_prod block_diag cdist chain_matmul
    einsum istft stft lu norm meshgrid pca_lowrank split svd_lowrank tensordot unique unique_consecutive unravel_index""".split()
)
"""Functions of ``torch`` that PyTorch compiles from Python, whose arguments and results are those of this Python."""
SPACES = {"linalg": "linalg_", "fft": "fft_", "special": "special_"}


class Calls:
    """The part of the checker that checks calls."""

    def check_Call(self, node, hint=None):
        function = self.expression(node.func)
        if isinstance(function, Known) and self.is_program(function.value):
            self.program.function(function.value, self, node)  # errors in it come before those in the arguments
        if isinstance(function, Known) and is_script_class(function.value):
            self.program.check_class(function.value, self, node.func)
        if isinstance(function, Known):
            found = self.special(function.value, node)
            if found is not None:
                return found
        if isinstance(function, Bound) and function.name == "tolist" and not node.args:
            if hint is None and isinstance(function.owner, Value):
                self.refuse(node.func, "Expected type hint for result of tolist()")
            return UNKNOWN if hint is None else Value(hint)
        read = self.value if isinstance(function, Known) and is_builtin(function.value) else self.argument
        args = self.arguments(node, read)
        options = {each.arg: read(each.value) for each in node.keywords}
        if args is None or None in options:
            return UNKNOWN
        if isinstance(function, Known):
            return self.call_known(function.value, args, options, node)
        if isinstance(function, Bound):
            return self.call_bound(function, args, options, node)
        if isinstance(function, ModuleRef):
            return self.call_method(function.module, "forward", args, options, node)
        if isinstance(function, Value) and is_script_class(function.kind):
            return self.call_instance(function, "__call__", args, options, node)
        if isinstance(function, Value) and is_known(function.kind):
            self.refuse(node.func, f"cannot call a value of type '{describe(function.kind)}'")
        return UNKNOWN

    def argument(self, node):
        """Return the value of an argument; a function of the program is one that is not known."""
        self.pending = node
        found = self.expression(node)
        is_function = isinstance(found, Known) and self.is_program(found.value)
        return UNKNOWN if is_function else self.as_value(found, node)

    def arguments(self, node, read):
        """Return the values of the arguments by place, each read by a function; None if their number is not known."""
        found, whole = [], True
        for each in node.args:
            if not isinstance(each, ast.Starred):
                found.append(read(each))
                continue
            value = self.value(each.value)
            if is_known(value.kind) and element_of(value.kind) is not None:
                self.refuse(each, "cannot statically infer the expected size of a list in this context")
            parts = parts_of(value.kind)
            whole = whole and parts is not None
            found += map(Value, parts or ())
        return found if whole else None

    # ── what is not evaluated like a call ────────────────────────────────────
    def special(self, function, node):
        """Return the result of a call that has its own meaning; None for other calls."""
        name = getattr(function, "__name__", "")
        if (text := wrong_number(function, len(node.args))) is not None:
            self.refuse(node, text)
        if (
            function in (hasattr, isinstance)
            or self.is_jit_isinstance(function)
            or name in ("is_scripting", "is_tracing")
        ):
            self.condition(node)
            return Value(bool)
        if self.of_library(function) and name == "annotate" and len(node.args) == 2 or function is typing.cast:
            kind = self.annotation(node.args[0])
            self.require_kind(self.value(node.args[1], kind), kind, node)
            return Value(kind)
        if function is print:
            for each in node.args:
                self.value(each)
            return Unusable("None")
        if inspect.isclass(function) and issubclass(function, BaseException):
            for each in node.args:
                self.value(each)
            return Unusable("exception message")
        if function is getattr and len(node.args) >= 2 and isinstance(node.args[1], ast.Constant):
            owner = self.expression(node.args[0])
            has = isinstance(owner, ModuleRef) and self.has_member(owner.module, node.args[1].value)
            return self.member(owner, node.args[1].value, node) if has else UNKNOWN
        if function in (range, enumerate, zip):
            return self.sequence(function, node)
        if function in (list, tuple, dict) and not node.keywords:
            return self.container(function, node)
        if function is slice:
            return self.slice(node)
        if name in UNSUPPORTED and getattr(builtins, name) is function:
            self.refuse(node.func, f"Python builtin {function!r} is currently not supported in Torchscript")
        return None

    def require_kind(self, value, kind, node):
        """Refuse an annotated value of another type."""
        if not fits(convert(value, kind, loose=False).kind, kind):
            both = ast.copy_location(ast.Tuple(node.args), node.args[0])
            self.refuse(both, f"expected an expression of type {describe(kind)} but found {describe(value)}\n")

    def slice(self, node):
        """Return a slice, which is a subscript and no value."""
        if node.keywords:
            self.refuse(node.func, "Slice does not accept any keyword arguments")
        if not 1 <= len(node.args) <= 3:
            self.refuse(node.func, f"slice accepts exactly 1, 2 or 3 arguments, got: {len(node.args)}")
        for each in node.args:
            self.value(each)
        return Unusable(SLICE)

    def container(self, function, node):
        """Return the result of ``list``, ``tuple`` or ``dict``."""
        if not node.args:
            return Value(
                {list: list[Tensor], dict: dict[str, Tensor], tuple: tuple[()]}.get(function, UNKNOWN.kind),
                empty=function is list,
            )
        found = self.expression(node.args[0])
        if function is tuple and isinstance(found, Value) and element_of(found.kind) is not None:
            self.refuse(node, "cannot statically infer the expected size of a list in this context")
        if function is not list:
            return UNKNOWN
        steps = self.steps_of(found, node)
        if steps.parts is not None or not isinstance(steps.element, Value):
            return UNKNOWN
        return Value(list[steps.element.kind])

    def sequence(self, function, node):
        """Return the steps of a loop over a call of ``range``, ``enumerate`` or ``zip``."""
        if function is range:
            for place, each in enumerate(node.args):
                value = self.value(each)
                if is_known(value.kind) and value.kind not in (int, bool):
                    text = f"all inputs of range must be ints, found {describe(value)} in argument {place}"
                    self.refuse(node, text.replace(" (inferred)", ""))
            return Steps(element=Value(int), name="range")
        parts = [
            self.steps_of(self.expression(each), node) for each in (node.args if function is zip else node.args[:1])
        ]
        if not parts:
            return Steps()
        if function is enumerate:
            parts.insert(0, Steps(element=Value(int)))
        fixed = [each.parts for each in parts if each.parts is not None]
        if not fixed:
            return Steps(element=tuple(each.element for each in parts), name="iterabletree")
        length = min(map(len, fixed))
        rows = [[each.element] * length if each.parts is None else each.parts[:length] for each in parts]
        return Steps(parts=[tuple(row) for row in zip(*rows)], name="iterabletree")

    def steps_of(self, found, node):
        """Return the steps of a loop over a value."""
        if isinstance(found, Steps):
            return found
        if isinstance(found, tuple):
            return Steps(parts=list(found))
        if isinstance(found, Known) and is_enum(found.value):
            return Steps(element=Value(found.value))
        if isinstance(found, ModuleRef):
            children = self.layers_of(found.module)
            return Steps() if children is None else Steps(parts=children)
        if isinstance(found, Known) and is_python_value(found.value):
            self.refuse(node, f"{name_python_value(found.value)} cannot be used as an iterable")
        value = self.as_value(found, node)
        kind = value.kind
        if not is_known(kind):
            return Steps()
        if parts_of(kind) is not None:
            return Steps(parts=list(map(Value, parts_of(kind))))
        if kind is Tensor or kind is str:
            return Steps(element=Value(kind))
        if element_of(kind) is not None:
            return Steps(element=Value(element_of(kind)))
        if origin_of(kind) is dict:
            return Steps(element=Value(typing.get_args(kind)[0]))
        self.refuse(node, f"'{describe(value)}' object is not iterable")

    # ── functions ────────────────────────────────────────────────────────────
    @staticmethod
    def of_library(function):
        """Return True for a function of the library."""
        return is_of_torch(getattr(function, "__module__", None) or "")

    def is_program(self, function):
        """Return True for a function that the program defines, and that scripts compile."""
        return isinstance(function, types.FunctionType) and not self.of_library(function)

    def call_known(self, function, args, options, node):
        name = getattr(function, "__name__", None) or ""
        if type(function).__name__ == "ScriptFunction":
            function = function._fn
        if function in CASTS_OF_ANYTHING:
            name = "Bool" if function is bool else "str"
            made = self.magic(name, args, node.func)
            if made is None and len(args) != 1:
                self.operate(name, args, node.func)
            return made or Value(function)
        if is_builtin(function):
            return self.call_builtin(function, name, args, options, node)
        if is_named_tuple(function):
            return self.make_tuple(function, args, options, node)
        if is_enum(function):
            self.refuse(node.func, "cannot call a EnumClass")
        if is_script_class(function):
            return self.construct(function, args, options, node)
        if inspect.isclass(function) and issubclass(function, Module):
            if self.owner is None:
                text = f"Cannot instantiate class '{function.__name__}' in a script function"
                raise FrontendError(self.text.mark(node.func), text)
            self.refuse(node, f"Class {function.__name__} does not have an __init__ function defined")
        if (getattr(function, "__module__", None) or "").partition(".")[0] == "numpy":
            weakref.ref(function)  # raises PyTorch's TypeError
        if isinstance(function, (Packet, Overload)) or inspect.isclass(function):
            return UNKNOWN
        if getattr(function, "__module__", None) == "math":
            return self.operate(name, args, node.func, options)
        if self.is_program(function):
            return self.call_function(function, args, options, node)
        return self.call_library(function, args, options, node) if name and self.of_library(function) else UNKNOWN

    def call_builtin(self, function, name, args, options, node):
        """Return the result of a function of Python."""
        if function in CASTS:
            self.operate(CASTS[function], args, node.func)
            return Value(function)
        if function in PYTHON_ONLY:
            return self.call_python(name, args, node)
        if name in CHECKED:
            return self.operate(name, args, node.func, options)
        if name in ("abs", "min", "max") and all(is_known(each.kind) for each in args):
            return self.compare_numbers(name, args, options, node)
        return UNKNOWN

    def call_python(self, name, args, node):
        """Return the result of a function that runs as Python."""
        taken = [Taken(str(place), Tensor) for place in range(len(args))]
        shown = ", ".join(f"Tensor {each.name}" for each in taken)
        self.match(taken, args, {}, f"{name}({shown}) -> Tensor 0", node)
        return Value(Tensor)

    def compare_numbers(self, name, args, options, node):
        """Return the result of ``abs``, ``min`` or ``max``."""
        kinds = [each.kind for each in args]
        if options or any(
            each in (str, none)
            or is_enum(each)
            or is_script_class(each)
            or len(members(each)) > 1
            or origin_of(each) is dict
            for each in kinds
        ):
            self.refuse(node.func, "Arguments for call are not valid.\nThe following variants are available")
        if all(each in (int, float) for each in kinds):
            return Value(float if float in kinds else int)
        if Tensor in kinds and all(each in NUMBERS or each is Tensor for each in kinds):
            return Value(Tensor)
        if len(kinds) == 1 and element_of(kinds[0]) in (int, float):
            return Value(element_of(kinds[0]))
        return UNKNOWN

    def make_tuple(self, cls, args, options, node):
        """Return a named tuple."""
        signature = inspect.signature(cls)
        parameters = [self.parameter(each) for each in signature.parameters.values()]
        shown = ", ".join(f"{short_name_of(each.kind)} {each.name}" for each in parameters)
        self.match(parameters, args, options, f"{cls.__name__}({shown}) -> ()", node)
        return Value(cls)

    def match(self, parameters, args, options, declaration, node):
        """Refuse arguments that a function does not take."""
        try:
            match(parameters, args, options)
        except Unmatched as error:
            self.refuse(node.func, f"\n{declaration}:\n{error}\n")

    def call_library(self, function, args, options, node):
        """Return the result of a function of torch."""
        name, space = function.__name__, function.__module__ or ""
        functional = space.endswith("nn.functional")
        prefix = SPACES.get(space.rpartition(".")[2], "")
        name = prefix + name if not name.startswith(prefix) else name
        if functional and name not in FUNCTIONAL:
            return self.call_form(function, args, options, node)
        name = RENAMED.get(name, name)
        if "out" in options:
            return UNKNOWN
        return UNKNOWN if name in WRITTEN_IN_PYTHON else self.operate(name, args, node.func, options)

    def call_form(self, function, args, options, node):
        """Return the result of a function of ``torch.nn.functional`` that PyTorch compiles from Python."""
        form = find_function(function.__name__)
        if form is None or getattr(form, "open", ()) or getattr(form, "length", 0):
            return UNKNOWN
        declared = self.program.declare(form)
        self.match(declared.parameters, args, options, declared.text, node)
        return declared.result if declared.result is not None else UNKNOWN

    def call_function(self, function, args, options, node):
        """Return the result of a function of the program."""
        declared = self.program.function(function, self, node)
        if declared is None:
            return UNKNOWN
        return self.choose(declared, args, options, node).result

    def choose(self, declared, args, options, node):
        """Return what takes the arguments of a call: a declaration, or the first of several that does."""
        if not isinstance(declared, list):
            self.match(declared.parameters, args, options, declared.text, node)
            return declared
        for loose in (False, True):
            reasons = []
            for each in declared:
                try:
                    match(each.parameters, args, options, loose)
                except Unmatched as error:
                    reasons.append((each.text, str(error)))
                else:
                    return each
        self.refuse_variants(reasons, node.func)

    # ── methods ──────────────────────────────────────────────────────────────
    def call_bound(self, function, args, options, node):
        owner, name = function.owner, function.name
        if isinstance(owner, ModuleRef):
            return self.call_method(owner.module, name, args, options, node)
        if is_script_class(owner.kind) or is_interface(owner.kind):
            return self.result_of_method(owner.kind, name, owner, node, args, options)
        if owner.kind is str and name == "format":
            return Value(str)
        if owner.kind is Tensor and (name in TO or name == "copy_" and len(args) == 1 and args[0].kind in NUMBERS):
            return Value(Tensor)
        return self.operate(name, [owner, *args], node.func, options, bound=True)

    def call_method(self, module, name, args, options, node):
        """Return the result of a method of a module."""
        declared = self.program.method(module, name, self, node)
        if declared is None:
            return UNKNOWN
        takes_self = (declared[0] if isinstance(declared, list) else declared).takes_self
        chosen = self.choose(declared, [UNKNOWN, *args] if takes_self else args, options, node)
        return chosen.result if chosen.result is not None else UNKNOWN


def is_builtin(function):
    """Return True for a function, or a class, of Python."""
    return getattr(builtins, getattr(function, "__name__", None) or "", None) is function
