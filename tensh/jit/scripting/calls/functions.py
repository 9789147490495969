"""Calls in a script: of operators, of Python's functions, of other scripted functions, of modules and their methods."""

import ast
import inspect

from tensh._aten.overloads import Overload, schemas
from tensh._aten.packets import Packet
from tensh.engine.core.tensor import Tensor
from tensh.jit.language.classes import is_interface, is_script_class
from tensh.jit.language.types import is_named_tuple
from tensh.jit.scripting.calls.calling import call_operator, hand_over, is_empty, pack, strip, unpack
from tensh.jit.scripting.calls.classes import is_instance_value
from tensh.jit.scripting.calls.dtype_methods import TO
from tensh.jit.scripting.calls.forks import result_of_task
from tensh.jit.scripting.calls.traces import is_trace
from tensh.jit.scripting.forms import find_function
from tensh.jit.scripting.graphs.blocks import ScriptValue
from tensh.jit.scripting.kinds import element_of, fields_of, fits, parts_of
from tensh.jit.scripting.sugar import Bound, Items, Known, ModuleRef
from tensh.support.naming import is_of_torch

BUILTINS = {"abs": "abs", "min": "min", "max": "max"}
"""Functions of Python that are operators of ``prim``."""
CASTS = {int: "Int", float: "Float", bool: "Bool", complex: "Complex", str: "str"}
PLAIN = {"len": "len", "sum": "sum", "sorted": "sorted", "round": "round", "ord": "ord", "chr": "chr", "hex": "hex", "bin": "bin",
         "oct": "oct", "divmod": "divmod", "list": "list", "hash": "hash", "pow": "pow", "all": "all", "any": "any"}  # fmt: skip
"""Functions of Python that are operators of ``aten``."""
WRITTEN = frozenset(["stft"])
"""Functions of torch that are Python in PyTorch: their operators take other arguments."""
FUNCTIONAL = frozenset(
    """adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d
    conv_transpose2d conv_transpose3d cosine_similarity elu_ gelu hardshrink hardtanh_ leaky_relu_ linear log_sigmoid logsigmoid
    native_channel_shuffle one_hot pairwise_distance pdist pixel_shuffle pixel_unshuffle prelu relu_ rrelu_
    scaled_dot_product_attention selu_ softplus softshrink threshold_""".split()
)
"""Functions of torch.nn.functional that are operators; the others are functions of PyTorch's library."""
RENAMED = {"logsigmoid": "log_sigmoid"}


class Functions:
    """The part of the compiler that compiles calls."""

    def compile_Call(self, node):
        function = self.expression(node.func)
        if isinstance(function, Known) and (special := self.special(function.value, node)) is not None:
            return special
        args = self.arguments(node)
        return self.call_found(function, args, {each.arg: self.option(each) for each in node.keywords}, node)

    def call_found(self, function, args, options, node):
        """Emit a call."""
        if isinstance(function, Known):
            return self.call_known(function.value, args, options, node)
        if isinstance(function, Bound):
            return self.call_bound(function, args, options, node)
        if isinstance(function, ModuleRef):
            return self.call_module(function, args, options, node)
        if is_instance_value(function):
            return self.call_instance(function, "__call__", args, options, node)
        return self.source.refuse(node, "a value cannot be called in a script")

    def arguments(self, node):
        found = []
        for each in node.args:
            if isinstance(each, ast.Starred):
                inner = self.expression(each.value)
                found += [self.as_value(part, each) for part in inner.parts] if isinstance(inner, Items) else unpack(
                    self, self.as_value(inner, each), at=each)  # fmt: skip
            else:
                found.append(self.value(each))
        return found

    def option(self, each):
        if each.arg is None:
            self.source.refuse(each.value, "keyword arguments cannot be unpacked in a script")
        return self.value(each.value)

    # ── functions ────────────────────────────────────────────────────────────
    @staticmethod
    def of_library(function):
        return is_of_torch(getattr(function, "__module__", None) or "")

    def call_known(self, function, args, options, node):
        name = getattr(function, "__name__", None)
        if type(function).__name__ == "ScriptFunction":
            function = function._fn
        if function in CASTS and len(args) == 1 and args[0].value_kind is function:
            return args[0]
        if function in CASTS:
            return self.operate(CASTS[function], args, node)
        if getattr(function, "__module__", "") == "builtins" and name in PLAIN:
            return self.operate(PLAIN[name], args, node)
        if function is id:
            return self.emit("prim::id", args, [int], node)
        if getattr(function, "__module__", "") == "builtins" and name in BUILTINS:
            return self.call_prim(BUILTINS[name], args, node)
        if inspect.isclass(function) and issubclass(function, BaseException):
            return args[0] if args else self.constant("", node)
        if is_script_class(function):
            return self.construct(function, args, options, node)
        if is_named_tuple(function):
            parts = self.bind(inspect.signature(function), args, options, node, fields_of(function))
            return pack(self, parts, function, node.func)
        if getattr(function, "__module__", None) == "math":
            return self.operate(name, args, node)
        if name == "apply" and inspect.isclass(getattr(function, "__self__", None)) and self.of_library(function):
            return self.emit(f"^{function.__self__.__name__}()", args, [Tensor], node)
        if is_trace(function):
            return self.call_compiled(function, self.program.trace(function), args, options, node)
        if isinstance(function, (Packet, Overload)):
            made = call_operator(self, name.partition(".")[0], args, options, node)
            return made if made is not None else self.source.refuse(node, f"aten::{name} takes other arguments")
        if inspect.isfunction(function) and (hasattr(function, "form") or not self.of_library(function)):
            return self.call_function(function, args, options, node)
        if self.of_library(function):
            return self.call_library(function, args, options, node)
        return self.source.refuse(node, f"{name or function} cannot be called in a script")

    def call_prim(self, name, args, node):
        kinds = {each.value_kind for each in args}
        if name != "abs" and len(args) == 1 and element_of(args[0].value_kind) is not None:
            return self.emit(f"prim::{name}", args, [element_of(args[0].value_kind)], node)
        if name != "abs" and Tensor in kinds:
            return self.operate(name, args, node)
        return self.emit(f"prim::{name}", args, [float if float in kinds else next(iter(kinds))], node)

    def call_library(self, function, args, options, node):
        """Emit the call of a function of torch."""
        name, space = function.__name__, function.__module__ or ""
        functional = space.endswith("nn.functional")
        path = {"linalg": "linalg_", "fft": "fft_", "special": "special_"}.get(space.rpartition(".")[2], "")
        name = path + name if path and not name.startswith(path) else name
        if name in WRITTEN and not functional:
            return self.call_function(find_function(name), args, options, node)
        if not functional or name in FUNCTIONAL:
            name = RENAMED.get(name, name)
            made = call_operator(self, name, args, options, node)
            if made is not None:
                return made
            if name in schemas():
                kinds = ", ".join(self.text_of(each) for each in [*args, *options.values()])
                self.source.refuse(node, f"aten::{name} takes no arguments of the types {kinds}")
        form = self.form_of(function, args, options) if functional else None
        if form is not None:
            return self.call_function(form, args, options, node)
        given = self.bind(inspect.signature(function), args, options, node)
        path = f"__torch__.torch.nn.functional.{name}"
        return self.emit("prim::CallFunction", [self.function_constant(name, path), *given], [Tensor], node)

    @staticmethod
    def form_of(function, args, options):
        """Return the form of a function of ``torch.nn.functional``; of two, the one that returns indices, if wanted."""
        name = function.__name__
        try:
            wanted = inspect.signature(function).bind_partial(*args, **options).arguments.get("return_indices")
        except TypeError:  # the form says it better
            wanted = None
        if wanted is not None and wanted.node().kind() == "prim::Constant" and wanted.node().constant:
            return find_function(f"{name}_with_indices")
        return find_function(name) or find_function(f"_{name}")

    def call_function(self, function, args, options, node):
        left = self.call_python(function, args, options, node)
        if left is not None:
            return left
        compiled = self.program.function(function, self.open_kinds(function, args, options))
        return self.call_compiled(function, compiled, args, options, node)

    def call_compiled(self, function, compiled, args, options, node):
        """Emit the call of a function that is compiled, or of a trace."""
        taken = self.bind(compiled.signature, args, options, node, compiled.kinds, getattr(function, "length", 0))
        made = self.emit(
            "prim::CallFunction",
            [self.function_constant(function.__name__, self.program.path_of(function, compiled)), *taken],
            [compiled.result],
            node,
        )
        self.block.lines[-1].called = compiled
        return made

    def open_kinds(self, function, args, options):
        """Return the types of parameters of a form that takes any type there, by the arguments of a call."""
        names = getattr(function, "open", ())
        if not names:
            return ()
        given = inspect.signature(function).bind_partial(*args, **options).arguments
        return tuple((name, given[name].value_kind) for name in names if name in given)

    def bind(self, signature, args, options, node, kinds=None, length=0):
        """Return the values of all parameters, in order; one number may stand for a list of ``length`` numbers."""
        try:
            bound = signature.bind(*args, **options)
        except TypeError as error:
            self.source.refuse(node, str(error))
        found = []
        for name, parameter in signature.parameters.items():
            if parameter.kind is parameter.VAR_POSITIONAL or parameter.kind is parameter.VAR_KEYWORD:
                self.source.refuse(node, "scripts cannot call functions of any number of arguments")
            value = bound.arguments.get(name)
            if name not in bound.arguments:
                value = self.constant(parameter.default)
            elif kinds is not None and not can_be(value, kinds[name], length):
                self.source.refuse(node, f"{name} has the type {self.text_of(value)} here, not {kinds[name]}")
            if kinds is not None:
                value = hand_over(self, value, kinds[name], length)
            found.append(value)
        return found

    # ── methods ──────────────────────────────────────────────────────────────
    def call_bound(self, function, args, options, node):
        owner = function.owner
        if isinstance(owner, ModuleRef):
            if function.name in ("items", "keys", "values") and function.name not in own_methods(owner.module):
                return self.entries(owner, function.name, node)
            return self.call_method(owner, function.name, args, options, node)
        if not isinstance(owner, ScriptValue):
            self.source.refuse(node, f"{function.name} cannot be called")
        if is_instance_value(owner):
            return self.call_instance(owner, function.name, args, options, node)
        if is_interface(owner.value_kind):
            return self.call_interface(owner, function.name, args, options, node)
        if function.name == "wait" and result_of_task(owner.value_kind) is not None:
            return self.wait(owner, node)
        if owner.value_kind is str and function.name == "format":
            return self.emit("aten::format", [owner, *args], [str], node)
        if owner.value_kind is Tensor and function.name in TO:
            args = [self.constant(TO[function.name](), None)]
            return self.emit_to(owner, args, node)
        made = call_operator(self, function.name, [owner, *args], options, node)
        if made is None:
            kinds = ", ".join(self.text_of(each) for each in [owner, *args])
            self.source.refuse(node, f"aten::{function.name} takes no arguments of the types {kinds}")
        return made

    def emit_to(self, owner, args, node):
        return call_operator(self, "to", [owner, *args], {}, node)

    def entries(self, owner, name, node):
        """Return the names of a dictionary of layers, the layers, or both."""
        names = list(owner.module._modules)
        keys = [self.constant(each, node) for each in names]
        layers = [self.member(owner, each, node) for each in names] if name != "keys" else keys
        return Items([Items(list(each)) for each in zip(keys, layers)] if name == "items" else layers)

    def text_of(self, value):
        from tensh.jit.scripting.kinds import text_of

        return text_of(value.value_kind)


def can_be(value, kind, length):
    """Return True for a value that can be handed to a parameter of a type, maybe as a list."""
    own, wanted = value.value_kind, strip(kind)
    if fits(own, kind) or own is int and wanted is float:
        return True
    element = element_of(wanted)
    if element is None:
        return False
    elements = (own,) if length and parts_of(own) is None else parts_of(own)
    return is_empty(value) or elements is not None and all(fits(each, element) or each is int for each in elements)


def own_methods(module):
    """Return the names of methods that a user wrote for a class of modules."""
    return {name for cls in type(module).__mro__ if not Functions.of_library(cls) for name in vars(cls)}
