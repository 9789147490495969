"""Scripting: functions and modules that run as Python, with arguments checked at every call."""

import functools
import inspect
import sys

from tensh.engine.core.tensor import Tensor
from tensh.engine.errors.warnings import warn_quietly
from tensh.jit.frontend import check_syntax
from tensh.jit.language.marks import Attribute, running
from tensh.jit.language.meanings import translate
from tensh.jit.language.texts import make_functions, names_at
from tensh.jit.language.type_names import take_script_names
from tensh.jit.language.typed_signatures import TypedSignature
from tensh.jit.language.types import class_path
from tensh.jit.running.containers import ScriptDict, ScriptList
from tensh.jit.running.failures import Error, describe_failure
from tensh.jit.running.leaving import PythonMethod, copy_containers, find_meaning, hand_out
from tensh.jit.running.own_members import read_properties, written_methods
from tensh.jit.running.scriptable import NO_SOURCE, is_of_library, require_class, require_source
from tensh.jit.script_modules import RecursiveScriptModule, ScriptModule
from tensh.jit.scripting.sugar import class_of
from tensh.jit.written_code import read_source, write_code
from tensh.nn.modules.module import Module
from tensh.support.naming import is_of_torch
from tensh.tracing.state import is_tracing

__all__ = ["RecursiveScriptModule", "ScriptFunction", "ScriptModule", "script", "script_if_tracing"]


def run_scripted(fn, args, kwargs):
    """Call a function while ``is_scripting`` is true; lists and dictionaries are copied on entering and leaving scripts."""
    if not running.depth:
        args, kwargs = tuple(map(copy_containers, args)), copy_containers(kwargs)
    running.depth += 1
    try:
        result = fn(*args, **kwargs)
        return hand_out(result) if running.depth == 1 else result
    except Exception as error:
        failure = describe_failure(error) if running.depth == 1 and not isinstance(error, Error) else None
        if failure is None:
            raise
        raise failure from None
    finally:
        running.depth -= 1


def call_script(script, compute, args, kwargs):
    """Call a script; in a trace, one with branches or loops becomes a line of the program."""
    if running.instead is not None:
        return running.instead(script, args, kwargs, compute)
    if not is_tracing():
        return compute(args, kwargs)
    from tensh.jit.running.traced_scripts import find_recorder, record_call

    recorder = find_recorder(script._fn)
    return compute(args, kwargs) if recorder is None else record_call(recorder, script, compute, args, kwargs)


class ScriptFunction:
    """A scripted or traced function: ``code`` is its source, and arguments are checked before it runs."""

    __module__, __qualname__ = "torch.jit", "torch.jit.ScriptFunction"  # as PyTorch shows it

    def __init__(self, fn):
        functools.update_wrapper(self, fn, updated=())
        self._fn, self._run, self._border = fn, translate(fn, find_meaning), TypedSignature(fn)
        self._border.infer = self._infer_result
        self.name, self.qualified_name = fn.__name__, class_path(fn)

    def _infer_result(self):
        """Return the type of the result; a tensor if the source cannot be compiled."""
        from tensh.jit.scripting.compiling import compile_script

        try:
            return compile_script(self._fn).result
        except RuntimeError:
            return Tensor

    @property
    def script_path(self):
        """The full name in graphs and files."""
        from tensh.jit.scripting.sugar import path_of

        return path_of(self._fn)

    @property
    def code(self):
        """The function as TorchScript code; the Python source, if scripts cannot contain it."""
        return write_code(self._fn)

    @property
    def schema(self):
        """The declaration, with types."""
        return self._border.declaration

    @property
    def graph(self):
        """The graph of operators, branches and loops.  Raise RuntimeError for Python that scripts cannot contain."""
        from tensh.jit.scripting.compiling import compile_script

        return compile_script(self._fn).graph

    @property
    def inlined_graph(self):
        """The graph, in which the graphs of called functions replace the calls."""
        from tensh.jit.scripting.compiling import compile_script

        return compile_script(self._fn, inlined=True).graph

    def graph_for(self, *args, **kwargs):
        """Run the function, and return its ``inlined_graph``."""
        self(*args, **kwargs)
        return self.inlined_graph

    def __call__(self, *args, **kwargs):
        return call_script(self, self._compute, args, kwargs)

    def _compute(self, args, kwargs):
        args, kwargs = self._border.take(args, kwargs)
        return run_scripted(self._run, args, kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __deepcopy__(self, memo):
        return self

    def save(self, f, _extra_files=None):
        """Write a TorchScript file, which PyTorch can also load: see ``torch.jit.save``."""
        from tensh.jit.scripting.files.saving import write_function_file

        write_function_file(self._fn, f, _extra_files)


class ScriptMethod:
    """A method of a scripted module: it can be called, and has ``graph``, ``code`` and ``schema``."""

    __module__ = "torch"

    def __init__(self, owner, fn, border, run):
        functools.update_wrapper(self, fn, updated=())
        self.owner, self._fn, self._border, self._run, self.name = owner, fn, border, run, fn.__name__

    def __call__(self, *args, **kwargs):
        return call_script(self, self._compute, args, kwargs)

    def _compute(self, args, kwargs):
        if self._border is not None:
            args, kwargs = self._border.take(args, kwargs)
        return run_scripted(self._run, (self.owner, *args), kwargs)

    @property
    def graph(self):
        """The graph.  Raise RuntimeError for Python that scripts cannot contain."""
        from tensh.jit.scripting.compiling import compile_script

        return compile_script(self._fn, self.owner).graph

    @property
    def code(self):
        """The method as TorchScript code; the Python source, if scripts cannot contain it."""
        return write_code(self._fn, self.owner)

    @property
    def schema(self):
        """The declaration, with types."""
        return self._border.declaration if self._border is not None else None


class Method:
    """The descriptor of a scripted module's method.

    ``owner`` is the class name in messages, or None if nothing is checked.
    """

    def __init__(self, fn, owner):
        functools.update_wrapper(self, fn, updated=())
        self.fn, self.border, self.run = fn, TypedSignature(fn, owner) if owner else None, translate(fn, find_meaning)

    def __get__(self, instance, cls):
        return self.fn if instance is None else ScriptMethod(instance, self.fn, self.border, self.run)


@functools.cache
def scripted_class(cls):
    """Make the class of scripted modules of ``cls``: a subclass that checks calls from outside."""
    owner = class_path(cls)
    members = {"_original": cls, "__module__": "torch.jit._script"}
    for name in dir(cls):
        fn = getattr(cls, name, None)
        modifier = getattr(fn, "_torchscript_modifier", None)
        if name == "forward" and inspect.isfunction(fn) or modifier == "export":
            if modifier in (None, "export") and not is_of_torch(fn.__module__):
                check_syntax(fn)
            members[name] = Method(fn, owner)
        elif inspect.isfunction(fn) and modifier in ("ignore", "unused"):
            members[name] = PythonMethod(fn)
        elif inspect.isfunction(fn) and name in written_methods(cls):
            members[name] = Method(fn, None)
    for fn in read_properties(cls):
        check_syntax(fn)
    return type("RecursiveScriptModule", (RecursiveScriptModule, cls), members)


def script_module(module):
    """Make a scripted module that shares the members of a module."""
    if isinstance(module, ScriptModule):
        return module
    cls = scripted_class(type(module))
    made = cls.__new__(cls)
    members = module.__dict__.items()
    made.__dict__.update({name: each.value if type(each) is Attribute else each for name, each in members})
    made.__dict__["_script_types"] = {name: each.type for name, each in members if type(each) is Attribute}
    made.__dict__["_modules"] = {
        name: script_module(child) if child is not None else None for name, child in module._modules.items()
    }
    return made


def define(self, src):
    """Give the module the methods that a text defines.

    >>> import tensh as torch
    >>> module = torch.jit.ScriptModule()
    >>> module.define("def forward(self, x): return x * 2")
    >>> module(torch.ones(1))
    tensor([2.])
    """
    cls, original = type(self), class_of(self)
    functions = {fn.__name__: fn for fn in make_functions(src, names_at(sys._getframe(1)))}
    for fn in functions.values():
        fn._torchscript_modifier = "export"  # files have it
    kept = {"__module__": original.__module__, "__qualname__": original.__qualname__}
    extended = type(original.__name__, (original,), functions | kept)
    members = {name: Method(fn, class_path(original)) for name, fn in functions.items()}
    self.__class__ = type(
        cls.__name__, (extended, cls), members | {"_original": extended, "__module__": cls.__module__}
    )


ScriptModule.define = define


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """Script a function or a module: it runs as Python, with argument types checked in every call.

    Parameters without an annotation are tensors. A call with arguments of other types raises RuntimeError. Classes,
    lists and dictionaries are returned unchanged. Raise OSError for a function without source, TypeError for one of C,
    and RuntimeError for a lambda, or a class with bases.

    >>> import tensh as torch
    >>> @torch.jit.script
    ... def scale(x, times: int = 2):
    ...     return x * times
    >>> scale(torch.ones(2))
    tensor([2., 2.])
    >>> scale.schema
    'scale(Tensor x, int times=2) -> Tensor'
    """
    from tensh.jit.checking import check_class, check_function, check_module

    warn_quietly("`torch.jit.script` is deprecated. Please switch to `torch.compile` or `torch.export`.")
    if isinstance(obj, (ScriptFunction, ScriptModule)):
        return obj
    if isinstance(obj, Module):
        made = script_module(obj)
        take_script_names(obj)
        check_module(
            made, [name for name, each in vars(type(made)).items() if isinstance(each, Method) and each.border]
        )
        return made
    if isinstance(obj, (dict, list)):
        return ScriptDict(obj) if isinstance(obj, dict) else ScriptList(obj)
    if isinstance(obj, (ScriptDict, ScriptList)):
        raise OSError(NO_SOURCE.format(type(obj)))
    if isinstance(obj, type):
        require_class(obj)
        check_class(obj)
        return obj
    obj = getattr(obj, "__original_fn", obj)
    if is_of_library(obj):
        return script_of_library(obj)
    fn = obj.__func__ if inspect.ismethod(obj) else obj
    if not inspect.isfunction(fn):
        require_source(obj)
        return obj
    read_source(fn)
    check_syntax(fn)
    check_function(fn)
    return ScriptFunction(fn)


def script_of_library(fn):
    """Return the script of a function of the library, or the function where tensh has no form of it for scripts."""
    from tensh.jit.scripting.forms import find_function

    require_source(fn)
    form = find_function(fn.__name__) if fn.__module__.endswith("functional") else None
    if form is None:
        return fn
    made = ScriptFunction(form)
    made._run = fn
    return made


def script_if_tracing(fn):
    """Script a function when it is called in a trace, so that its branches and loops are part of the program.

    >>> import tensh as torch
    >>> @torch.jit.script_if_tracing
    ... def repeat(x, times: torch.Tensor):
    ...     for _ in range(int(times)):
    ...         x = x * 2
    ...     return x
    >>> traced = torch.jit.trace(repeat, (torch.ones(1), torch.tensor(2)))
    >>> traced(torch.ones(1), torch.tensor(3))
    tensor([8.])
    """
    from tensh.jit.checking import check_function

    made = []

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        if not is_tracing():
            return fn(*args, **kwargs)
        if not made:
            check_function(fn)
            made.append(ScriptFunction(fn))
        return made[0](*args, **kwargs)

    wrapper.__original_fn, wrapper.__script_if_tracing_wrapper = fn, True
    return wrapper


_script_if_tracing = script_if_tracing
