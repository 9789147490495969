"""The public functions: ``torch.compile``, and those of ``torch.compiler``."""

import functools

import numpy as np

from tensh.compiler.capture.refusals import DISABLED, title_of
from tensh.compiler.capture.watching import ending
from tensh.compiler.compiling import compile_function, compiled_functions, running, wrap_function
from tensh.compiler.configuration.settings import MODE_OPTIONS, check_options, read_setting
from tensh.compiler.modules import OptimizedModule
from tensh.compiler.registry import check_backend, list_backends  # noqa: F401  (list_backends: a name of torch.compiler)
from tensh.engine import find_public
from tensh.engine.core.tensor import Tensor
from tensh.engine.dispatch.capture.exporting import exporting
from tensh.func.trees import map_leaves
from tensh.nn.modules.module import Module
from tensh.nn.parameter import is_parameter


def compile(
    model=None, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, name=None, disable=False,
    recompile_limit=None, isolate_recompiles=False, shapes_spec=None,
):  # fmt: skip
    """Run a function or a module as graphs: captured at the first call, optimized, and written as Python.

    The first call of each kind runs unchanged.  Later calls are decided by guards on shapes, dtypes, requires_grad, and
    the Python values that were read.  Common subexpressions are computed once, chains of pointwise operators block by
    block, and the backward pass is one function, too.  Values, gradients, random numbers and errors are those of the
    function. A statement that a graph cannot contain, such as printing or reading elements, runs as Python, and the
    code before and after it becomes separate graphs, with one warning that explains it.

    Args:
        fullgraph: raise RuntimeError instead, if a function prints, branches on elements, or does something else that ends
            graphs of PyTorch; one that only tensh's graphs cannot contain, such as writes to globals, runs unchanged.
        dynamic: every size gets a separate graph. 64 are kept, or with False and for differences other than sizes
            ``recompile_limit``, by default 8 (``torch._dynamo.config.recompile_limit``); for more the function runs
            unchanged, or raises with ``fullgraph``.
        backend: a function that takes the graph, as a module of ``torch.fx``, and example arguments, and returns the
            function to call; "eager" compiles nothing. The default is that of ``torch.compiler.set_default_backend``.
        mode: has no effect here, nor have ``options``, ``name``, ``isolate_recompiles`` and ``shapes_spec``; unknown
            modes and options are errors.
        disable: compile nothing.

    Without ``model``, return a decorator.

    >>> import tensh as torch
    >>> @torch.compile
    ... def f(x):
    ...     return (x * x + 2 * x + 1).sum()
    >>> f(torch.ones(3)), f(torch.ones(3))
    (tensor(12.), tensor(12.))
    """
    inductor = (default.backend if backend is None else backend) in (None, "inductor")
    if inductor and mode is not None and mode not in MODE_OPTIONS:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODE_OPTIONS)}")
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if not (dynamic is None or isinstance(dynamic, bool)):
        raise AssertionError(f"Expected enable to be a bool, got {type(dynamic)}")
    if model is None:
        return functools.partial(
            compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, disable=disable,
            recompile_limit=recompile_limit,
        )  # fmt: skip
    if inductor and options:
        check_options(options)
    backend = check_backend(default.backend if backend is None else backend)
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if disable or read_setting("disable") or getattr(model, "_torchdynamo_disable", False):
        return model
    if callable(backend):
        from tensh.compiler.backends import BackendFunction

        made = BackendFunction(model, backend, fullgraph, dynamic)
        made.limit = recompile_limit
        compiled_functions.add(made)
        return OptimizedModule(model, made) if isinstance(model, Module) else wrap_function(made, model)
    off = backend == "eager"
    if isinstance(model, Module):
        return OptimizedModule(model, compile_function(model, fullgraph, off, dynamic, recompile_limit))
    if isinstance(model, type):
        return model
    return wrap_function(compile_function(model, fullgraph, off, dynamic, recompile_limit), model)


def disable(fn=None, recursive=True, *, reason=None):
    """Return a function that is never compiled and that ends the graph of its caller.  Also a decorator.

    >>> import tensh as torch
    >>> torch.compiler.disable(len)([1, 2])
    2
    """
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)
    if isinstance(fn, (Module, type)):
        fn._torchdynamo_disable = True
        return fn

    @functools.wraps(fn)
    def call_disabled(*args, **kwargs):
        running.stop(
            f"{getattr(fn, '__name__', 'a function')} is excluded from compilation{f' ({reason})' if reason else ''}",
            DISABLED,
        )
        with running.running_unchanged(None):
            return fn(*args, **kwargs)

    call_disabled._torchdynamo_disable = True
    return call_disabled


def reset():
    """Forget all graphs.

    >>> import tensh as torch
    >>> torch.compiler.reset()
    """
    for compiled in list(compiled_functions):
        compiled.forget()


def is_compiling():
    """Return True while a function is captured, and in functions with the backend "eager": code may skip what graphs lack.

    >>> import tensh as torch
    >>> torch.compiler.is_compiling()
    False
    """
    return running.capturing is not None or running.unchanged is not None or exporting.now


def is_dynamo_compiling():
    """Return ``is_compiling()``, under its older name.

    >>> import tensh as torch
    >>> torch.compiler.is_dynamo_compiling()
    False
    """
    return is_compiling()


def is_exporting():
    """Return True while a program is exported.

    >>> import tensh as torch
    >>> torch.compiler.is_exporting()
    False
    """
    return exporting.now


def allow_in_graph(fn):
    """Return the function, or the list of functions: calls are captured like all others.

    Raise AssertionError for anything else.

    >>> import tensh as torch
    >>> torch.compiler.allow_in_graph(torch.sin) is torch.sin
    True
    """
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(each) for each in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    ending.pop(id(fn), None)
    return fn


def substitute_in_graph(
    original_fn, *, can_constant_fold_through=False, skip_signature_check=False, is_embedded_type=False
):
    """Return a decorator that leaves a function unchanged: graphs contain the operators that the original calls.

    Raise TypeError unless both are functions.

    >>> import tensh as torch
    >>> @torch.compiler.substitute_in_graph(len)
    ... def length(obj, /):
    ...     return obj.__len__()
    >>> length([1, 2])
    2
    """
    require_function(original_fn, "substitute_in_graph expects")

    def leave(traceable_fn):
        require_function(traceable_fn, "@substitute_in_graph(...) expects")
        return traceable_fn

    return leave


def require_function(fn, what):
    """Raise TypeError unless ``fn`` is a function, or a type."""
    if not callable(fn):
        raise TypeError(f"{what} a function but got {type(fn)!r}")


def skip_guard_on_inbuilt_nn_modules_unsafe(guard_entries):
    """Return for each guard whether it is kept: those on modules of ``torch.nn`` are not. Guards of tensh are not asked.

    >>> import tensh as torch
    >>> torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe([])
    []
    """
    return [not each.orig_guard.source.is_unspecialized_builtin_nn_module() for each in guard_entries]


def skip_guard_on_all_nn_modules_unsafe(guard_entries):
    """Return for each guard whether it is kept: those on modules are not. Guards of tensh are not asked.

    >>> import tensh as torch
    >>> torch.compiler.skip_guard_on_all_nn_modules_unsafe([])
    []
    """
    return [not each.orig_guard.source.is_unspecialized_nn_module() for each in guard_entries]


def skip_guard_on_globals_unsafe(guard_entries):
    """Return for each guard whether it is kept: those on globals are not. Guards of tensh are not asked.

    >>> import tensh as torch
    >>> torch.compiler.skip_guard_on_globals_unsafe([])
    []
    """
    return [not each.is_global for each in guard_entries]


def skip_all_guards_unsafe(guard_entries):
    """Return False for each guard: none is kept. Guards of tensh are not asked.

    >>> import tensh as torch
    >>> torch.compiler.skip_all_guards_unsafe([])
    []
    """
    return [False for _ in guard_entries]


def keep_tensor_guards_unsafe(guard_entries, keep_parameters=False):
    """Return for each guard whether it is kept: those on tensors are. Guards of tensh are not asked.

    >>> import tensh as torch
    >>> torch.compiler.keep_tensor_guards_unsafe([])
    []
    """
    return [
        each.guard_type == "TENSOR_MATCH" and (keep_parameters or not is_parameter(each.value))
        for each in guard_entries
    ]


def wrap_numpy(fn):
    """Return a function of tensors for one of NumPy's arrays; results that are arrays become tensors.

    >>> import tensh as torch
    >>> import numpy as np
    >>> torch.compiler.wrap_numpy(np.cumsum)(torch.tensor([1.0, 2.0]))
    tensor([1., 3.])
    """

    @functools.wraps(fn)
    def call_with_arrays(*args, **kwargs):
        def to_array(value):
            return value.numpy() if isinstance(value, Tensor) else value

        def to_tensor(value):
            return find_public("as_tensor")(value) if isinstance(value, np.ndarray) else value

        args, kwargs = map_leaves(to_array, (args, kwargs))
        return map_leaves(to_tensor, fn(*args, **kwargs))

    return call_with_arrays


def save_cache_artifacts():
    """Return None, because nothing that is compiled is kept in files.

    >>> import tensh as torch
    >>> torch.compiler.save_cache_artifacts()
    """


def load_cache_artifacts(serialized_artifacts):
    """Return None: artifacts of PyTorch's compilers have no use here.

    >>> import tensh as torch
    >>> torch.compiler.load_cache_artifacts(b"")
    """


def assume_constant_result(fn):
    """Return a function whose result is a constant of the graph that is captured while it is called.

    >>> import tensh as torch
    >>> numbers = []
    >>> @torch.compiler.assume_constant_result
    ... def count():
    ...     numbers.append(1)
    ...     return len(numbers)
    >>> f = torch.compile(lambda x: x + count())
    >>> f(torch.ones(1)), f(torch.ones(1)), count()
    (tensor([2.]), tensor([2.]), 2)
    """

    @functools.wraps(fn)
    def call_constant(*args, **kwargs):
        if running.capturing is not None:
            with running.capturing.paused():
                return fn(*args, **kwargs)
        return fn(*args, **kwargs) if running.unchanged is None else running.unchanged.keep_constant(fn, args, kwargs)

    call_constant._is_constant = True
    return call_constant


class DefaultBackend:
    """The backend of ``torch.compile`` if none is given."""

    backend = "inductor"


default = DefaultBackend()


def set_default_backend(backend):
    """Set the backend of ``torch.compile`` for calls without one; None restores "inductor".

    >>> import tensh as torch
    >>> torch.compiler.set_default_backend("eager")
    >>> torch.compiler.get_default_backend()
    'eager'
    >>> torch.compiler.set_default_backend(None)
    """
    default.backend = "inductor" if backend is None else check_backend(backend)


def get_default_backend():
    """Return the backend of ``torch.compile`` for calls without one: its name, or the function.

    >>> import tensh as torch
    >>> torch.compiler.get_default_backend()
    'inductor'
    """
    return default.backend


def cudagraph_mark_step_begin():
    """Do nothing, because tensh has no CUDA graphs."""


# ── torch._dynamo ────────────────────────────────────────────────────────────
def optimize(backend=None, *, nopython=False, disable=False, dynamic=None, **options):
    """Return a decorator that compiles: the older form of ``torch.compile``.

    >>> import tensh as torch
    >>> torch._dynamo.optimize()(lambda x: x + 1)(torch.ones(2))
    tensor([2., 2.])
    """
    return compile(fullgraph=nopython, dynamic=dynamic, backend=backend, disable=disable)


def optimize_assert(backend, *, dynamic=None, **options):
    """Return a decorator that compiles functions that must be one graph.

    >>> import tensh as torch
    >>> torch._dynamo.optimize_assert("eager")(lambda x: x + 1)(torch.ones(2))
    tensor([2., 2.])
    """
    return compile(fullgraph=True, dynamic=dynamic, backend=backend)


def graph_break(msg=""):
    """End the graph that is being captured; another one starts after this statement.

    >>> import tensh as torch
    >>> torch._dynamo.graph_break()
    """
    running.stop(f"graph_break is called{f' ({msg})' if msg else ''}", title_of("graph_break"))
