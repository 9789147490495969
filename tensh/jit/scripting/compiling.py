"""The compilation of scripted functions and methods into graphs."""

import inspect
import typing

from tensh.engine.core.tensor import Tensor
from tensh.jit.language.classes import functions_of
from tensh.jit.language.marks import Attribute, find_declarations
from tensh.jit.language.overloading import give_types
from tensh.jit.language.typed_signatures import TypedSignature
from tensh.jit.scripting.calls.calling import hand_over, pack
from tensh.jit.scripting.calls.classes import Classes
from tensh.jit.scripting.calls.forks import Forks
from tensh.jit.scripting.calls.functions import Functions, own_methods
from tensh.jit.scripting.calls.interfaces import Interfaces
from tensh.jit.scripting.calls.layers import declare_layer, is_layer
from tensh.jit.scripting.calls.method_calls import MethodCalls
from tensh.jit.scripting.calls.python_calls import PythonCalls
from tensh.jit.scripting.calls.special_calls import SpecialCalls
from tensh.jit.scripting.calls.traces import TraceMethod, is_trace
from tensh.jit.scripting.forms import find_class, find_method
from tensh.jit.scripting.graphs.building import Builder
from tensh.jit.scripting.graphs.cleaning import clean, name_values
from tensh.jit.scripting.graphs.inlining import inline
from tensh.jit.scripting.kinds import element_of, fits, is_union, join, none, uniform
from tensh.jit.scripting.sources import NotScriptable, Source
from tensh.jit.scripting.sugar import Bound, Items, Known, ModuleRef, class_name, class_of, kind_of_object, path_of
from tensh.jit.scripting.syntax.annotated import Annotated
from tensh.jit.scripting.syntax.contexts import Contexts
from tensh.jit.scripting.syntax.exits import Exits, ResultFound
from tensh.jit.scripting.syntax.expressions import Expressions
from tensh.jit.scripting.syntax.iteration import Iteration
from tensh.jit.scripting.syntax.statements import Statements
from tensh.jit.scripting.syntax.subscripts import Subscripts

__all__ = ["Program", "compile_script"]


class Compiled:
    """A compiled function: its graph, its parameters without ``self``, and the type of its result."""

    def __init__(self, name, graph, signature, kinds, result):
        self.name, self.graph, self.signature, self.kinds, self.result = name, graph, signature, kinds, result
        self.owner = None  # the class of the module that a hook takes


class Compiler(
    Expressions,
    Functions,
    SpecialCalls,
    MethodCalls,
    Forks,
    Interfaces,
    PythonCalls,
    Annotated,
    Classes,
    Subscripts,
    Iteration,
    Contexts,
    Exits,
    Statements,
    Builder,
):
    """Compiles one function, or with ``owner`` one method of a module."""

    def __init__(self, program, fn, owner=None, kinds=(), loop_result=None):
        super().__init__(Source(fn, owner))
        self.program, self.fn, self.owner, self.kinds = program, fn, owner, kinds
        self.result_kind, self.loop_result = None, loop_result
        self.raised_kind = None  # the type of the last call that raises
        self.uninitialized = None  # a result of no use, of the innermost loop with a return
        self.absent = {}  # names that the innermost loop with a return carries -> values of no use

    def compile(self):
        """Return the compiled function."""
        border = TypedSignature(self.fn, self.owner if isinstance(self.owner, type) or self.owner is None else "self")
        parameters = list(inspect.signature(self.fn).parameters.values())
        if self.owner is not None:
            is_class = isinstance(self.owner, type)
            own = self.graph.add_input(parameters[0].name, self.owner if is_class else kind_of_object(self.owner))
            self.names[parameters[0].name] = own if is_class else ModuleRef(self.owner, lambda: own)
            parameters = parameters[1:]
        kinds = {name: plain_kind(kind, parameter) for (name, kind), parameter in zip(border.kinds.items(), parameters)}
        kinds |= {name: kind if kind is none else kind | None for name, kind in self.kinds}
        for parameter in parameters:
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise NotScriptable(f"{self.fn.__name__}: scripts cannot have parameters for any number of arguments")
            name = parameter.name
            self.names[name] = self.graph.add_input(self.unused_name(name), kinds[name])
            self.declared[name] = kinds[name] if is_union(kinds[name]) else None
        annotated = inspect.signature(self.fn).return_annotation is not inspect.Signature.empty
        self.result_kind = uniform(border.result) if annotated else None
        self.result_kind = none if self.result_kind is None and annotated else self.result_kind
        left = self.run(self.without_calls_that_raise(self.source.tree).body, self.finish)
        result = left[0] if left is not None else self.result_of_none()
        kind = self.result_kind if self.result_kind is not None else result.value_kind
        self.graph.left = [result]
        clean(self)
        self.graph.count_uses()
        signature = inspect.Signature([with_list_default(self.fn, each, kinds[each.name]) for each in parameters])
        return Compiled(self.fn.__name__, self.graph, signature, kinds, kind)

    def result_of_none(self):
        """Return what a function gives that always raises."""
        if self.raised_kind is None:
            return self.constant(None)
        return self.emit("prim::Uninitialized", (), [self.result_kind or self.raised_kind])

    def finish(self, how, node):
        """Return the result where the function ends."""
        value = node if how == "value" else None
        if value is None:
            value = (
                self.value(node.value)
                if how == "return" and node.value is not None
                else self.constant(None, node or self.source.tree)
            )
        kind = self.result_kind
        if kind is not None and kind not in (typing.Any, none):
            if not fits(value.value_kind, kind) and join(value.value_kind, kind) != kind and element_of(kind) is None:
                text = f"Return value was annotated as having type {kind} but is actually of type {value.value_kind}"
                raise NotScriptable(text)
            value = hand_over(self, value, kind)
        return [value]

    # ── members of modules ───────────────────────────────────────────────────
    def member(self, owner, name, node):
        """Return an attribute of a module."""
        module = owner.module
        if name in ("items", "keys", "values") and name not in own_methods(module):
            return Bound(owner, name)
        if name in module._modules and module._modules[name] is not None:
            child, made = module._modules[name], []

            def read():
                if not made:
                    made.append(self.get_attribute(owner.read(), name, kind_of_object(child)))
                return made[0]

            reference = ModuleRef(child, read)
            read()
            return reference
        for table in (module._parameters, module._buffers):
            if name in table:
                return self.get_attribute(owner.read(), name, declared_kind(module, name, table[name]))
        if name in module.__dict__:
            return self.plain_member(owner, name, module.__dict__[name], node)
        found = inspect.getattr_static(class_of(module), name, None)
        if isinstance(found, property) and not is_layer(module):
            return self.call_method(owner, f"__{name}_getter", [], {}, node)
        if inspect.isfunction(found) or find_method(class_of(module), name):
            return Bound(owner, name)
        if name == "_flat_weights" and is_layer(module):
            weights = [self.member(owner, each, node) for each in module._flat_weights_names]
            return self.emit("prim::ListConstruct", weights, [list[Tensor]])
        if is_layer(module) and is_sizes(found):
            return self.sizes(found, node)
        if isinstance(found, (bool, int, float, str)) or found is None and hasattr(class_of(module), name):
            return self.constant(found, node)
        return self.source.refuse(node, f"Module '{type(module).__name__}' has no attribute '{name}'")

    def plain_member(self, owner, name, value, node):
        """Return an attribute other than a parameter or a module, as a constant if it is declared as one."""
        module = owner.module
        fixed = name in getattr(module, "__constants__", ()) or is_final(class_of(module), name)
        fixed = fixed or is_layer(module) and name != "training"
        kind = value.type if isinstance(value, Attribute) else declared_kind(module, name, value)
        if (
            value is None
            and (is_layer(module) or kind in (None, none))
            or fixed
            and kind_of_object(value) in (bool, int, float, str)
        ):
            return self.constant(value, node)
        if fixed and not is_layer(module) and is_simple(value):
            return pack(self, [self.constant(each, node) for each in value])
        if is_layer(module) and is_sizes(value):
            return self.sizes(value, node)
        if kind is None or inspect.isfunction(value):
            return Known(value)
        return self.get_attribute(owner.read(), name, kind)

    def sizes(self, value, node):
        return Items([self.constant(each, node) for each in value])

    def set_member(self, owner, name, value):
        self.emit("prim::SetAttr", [owner.read(), value], (), None, ("name", name, f'[name="{name}"]'))


def with_list_default(fn, parameter, kind):
    """Return a parameter of a form with a list as its default, where one number stands for all elements."""
    if element_of(kind) is None or type(parameter.default) is not int:
        return parameter
    return parameter.replace(default=[parameter.default] * fn.length)


def is_simple(value):
    """Return True for several numbers or texts, which can be constants."""
    return (
        isinstance(value, (list, tuple))
        and bool(value)
        and all(type(each) in (bool, int, float, str) for each in value)
    )


def is_sizes(value):
    return isinstance(value, tuple) and bool(value) and all(type(each) is int for each in value)


def plain_kind(kind, parameter):
    """Return the type of a parameter; one without an annotation is a tensor."""
    if kind is inspect.Parameter.empty or kind is None:
        return Tensor
    if kind is typing.Any and parameter.annotation is inspect.Parameter.empty:
        default = parameter.default
        return Tensor | None if default is None else kind_of_object(default) or Tensor
    return list[Tensor] if kind is list else uniform(kind)


def declared_kind(module, name, value):
    """Return the type of a member: the one of its annotation in the class, or that of its value."""
    if name in module.__dict__.get("_script_types", ()):
        return uniform(module.__dict__["_script_types"][name])
    for cls in class_of(module).__mro__:
        form = find_class(cls)
        note = inspect.get_annotations(cls if form is None else form).get(name)
        if note is not None and not isinstance(note, str) and typing.get_origin(note) is not typing.Final:
            return uniform(note)
    return kind_of_object(value)


def is_final(cls, name):
    for each in cls.__mro__:
        note = inspect.get_annotations(each).get(name)
        if note is not None:
            return typing.get_origin(note) is typing.Final or "Final" in str(note)
    return False


def find_source(module, name):
    """Return the function that is compiled for a method: its form, or its own."""
    if name.startswith("__") and name.endswith("_getter"):
        return inspect.getattr_static(class_of(module), name[2:-7]).fget
    found = find_method(class_of(module), name) or inspect.getattr_static(class_of(module), name, None)
    return inspect.unwrap(found) if is_layer(module) and inspect.isfunction(found) else found  # the prompt wraps some


class Program:
    """Compiled functions and methods, each compiled once."""

    def __init__(self):
        self.found, self.paths, self.traces = {}, {}, {}

    def path_of(self, fn, compiled):
        """Return the full name of a compiled function, which no other has."""
        path, number = path_of(fn), 0
        space, _, name = path.rpartition(".")
        while self.paths.setdefault(path, compiled) is not compiled:
            path, number = f"{space}.___torch_mangle_{number}.{name}", number + 1
        return path

    def function(self, fn, kinds=()):
        """Return a function as compiled; ``kinds`` are types of parameters that depend on the call."""
        return self.compile((fn, kinds), fn, None, kinds)

    def method(self, module, name):
        """Return a method of a module as compiled, or as declared if it is a layer's; None if it has no such method."""
        if is_trace(module):
            return self.trace(module, name)
        if is_layer(module) and self.found:  # unless its own graph is asked for
            return declare_layer(self, module, name)
        fn = find_source(module, name)
        compiled = self.compile((id(module), name), fn, module) if inspect.isfunction(fn) else None
        if name.endswith("_getter"):
            compiled.name = name
        return compiled

    def overload(self, module, name, fn, place):
        """Return one of several declarations of a method as compiled."""
        compiled = self.compile((id(module), name, place), give_types(fn, find_declarations(fn)[place]), module)
        compiled.name = f"{name}__{place}"
        return compiled

    def hook(self, module, fn):
        """Return a hook of a module, a function that takes the module first, as compiled."""
        compiled = self.compile((id(module), fn), fn, module)
        compiled.owner = class_name(module)
        return compiled

    def method_of_class(self, cls, name):
        """Return a method of a class of the program as compiled."""
        return self.compile((cls, name), functions_of(cls)[name], cls)

    def trace(self, thing, name="forward"):
        """Return a method of a traced module, or a traced function, as scripts call it; None if it has no such method."""
        if name not in thing._programs:
            return None
        if (id(thing), name) not in self.traces:
            self.traces[id(thing), name] = TraceMethod(thing, name)
        return self.traces[id(thing), name]

    def layer(self, declared):
        """Return the method of a layer, which calls only declare, as compiled.  Raise NotScriptable for one of a trace."""
        if isinstance(declared, TraceMethod):
            raise NotScriptable("the graph of a trace has another form")
        module, name = declared.module, declared.method
        return self.compile((id(module), name), find_source(module, name), module)

    def compile(self, key, fn, owner, kinds=()):
        if key not in self.found:
            self.found[key] = None
            try:
                try:
                    self.found[key] = Compiler(self, fn, owner, kinds).compile()
                except ResultFound as found:
                    self.found[key] = Compiler(self, fn, owner, kinds, found.kind).compile()
            except BaseException:
                del self.found[key]
                raise
        if self.found[key] is None:
            raise NotScriptable(f"function '{fn.__name__}' is called recursively. Recursive calls are not supported")
        return self.found[key]


def compile_script(fn, owner=None, inlined=False):
    """Return a function, or a method of a module, as compiled; ``inlined`` without the calls of others.

    Raise RuntimeError for Python that scripts cannot contain.
    """
    program = Program()
    compiled = program.function(fn) if owner is None else program.method(owner, fn.__name__)
    if inlined:
        inline(compiled, program)
    name_values(compiled.graph)
    return compiled
