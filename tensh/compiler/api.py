"""The public functions: ``torch.compile``, and those of ``torch.compiler``."""

import functools

from tensh.compiler.compiling import compile_function, compiled_functions, running, wrap_function
from tensh.compiler.modules import OptimizedModule
from tensh.compiler.registry import check_backend, list_backends  # noqa: F401  (list_backends: a name of torch.compiler)
from tensh.nn.modules.module import Module

MODES = (None, "default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


def compile(
    model=None, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, name=None, disable=False,
    recompile_limit=None, isolate_recompiles=False, shapes_spec=None,
):  # fmt: skip
    """Run a function or a module as graphs: captured at the first call, optimized, and written as Python.

    The first call of each kind runs as it is.  What later calls do is decided by guards on shapes, dtypes, on what requires
    grad, and on the values of Python that were read.  Common parts are computed once, chains of pointwise operators block by
    block, and the backward pass is one function, too.  Values, gradients, random numbers and errors are those of the function.
    A statement that a graph cannot hold, such as printing or reading elements, runs as Python, and what lies before and after
    it becomes graphs of its own, with one warning that says why.

    Args:
        fullgraph: raise RuntimeError instead for a function that is not one graph.
        dynamic: every size gets a graph of its own. 64 are kept, 8 with False and for other differences than sizes; beyond
            them the function runs as it is.
        backend: a function that takes the graph, as a module of ``torch.fx``, and example arguments, and returns what is to
            be called; "eager" compiles nothing. Without it, that of ``torch.compiler.set_default_backend``.
        mode: changes nothing here, nor do ``options``, ``name``, ``recompile_limit``, ``isolate_recompiles`` and ``shapes_spec``.
        disable: compile nothing.

    Without ``model``, return a decorator.

    >>> import tensh as torch
    >>> @torch.compile
    ... def f(x):
    ...     return (x * x + 2 * x + 1).sum()
    >>> f(torch.ones(3)), f(torch.ones(3))
    (tensor(12.), tensor(12.))
    """
    if mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of {', '.join(map(str, MODES[1:]))}")
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if model is None:
        return functools.partial(
            compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, disable=disable
        )
    backend = check_backend(default.backend if backend is None else backend)
    if not callable(model):
        raise RuntimeError(f"torch.compile takes a function or a module, not {type(model).__name__}")
    if disable or getattr(model, "_torchdynamo_disable", False):
        return model
    if callable(backend):
        from tensh.compiler.backends import BackendFunction

        made = BackendFunction(model, backend, fullgraph, dynamic)
        compiled_functions.add(made)
        return OptimizedModule(model, made) if isinstance(model, Module) else wrap_function(made, model)
    off = backend == "eager"
    if isinstance(model, Module):
        return OptimizedModule(model, compile_function(model, fullgraph, off, dynamic))
    if isinstance(model, type):
        return model
    return wrap_function(compile_function(model, fullgraph, off, dynamic), model)


def disable(fn=None, recursive=True, *, reason=None):
    """Let a function be called as it is: it is not compiled, and what calls it is not, either.  A decorator.

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
        running.stop(f"{getattr(fn, '__name__', 'a function')} is not to be compiled{f' ({reason})' if reason else ''}")
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
    """True while a function is being captured, and False while it runs as it is: code may leave out what graphs cannot do.

    >>> import tensh as torch
    >>> torch.compiler.is_compiling()
    False
    """
    return running.capturing is not None


def is_dynamo_compiling():
    """An older name of ``is_compiling``.

    >>> import tensh as torch
    >>> torch.compiler.is_dynamo_compiling()
    False
    """
    return is_compiling()


def is_exporting():
    """True while a program is being exported.

    >>> import tensh as torch
    >>> torch.compiler.is_exporting()
    False
    """
    return False


def allow_in_graph(fn):
    """Return the function: calls that it makes are captured as all others.

    >>> import tensh as torch
    >>> torch.compiler.allow_in_graph(torch.sin) is torch.sin
    True
    """
    return fn


def assume_constant_result(fn):
    """Return the function: values that it reads are guarded, so that nothing need be assumed.

    >>> import tensh as torch
    >>> torch.compiler.assume_constant_result(len) is len
    True
    """
    return fn


class DefaultBackend:
    """The backend of ``torch.compile`` where none is given."""

    backend = "inductor"


default = DefaultBackend()


def set_default_backend(backend):
    """Set the backend of ``torch.compile`` for calls without one; None sets "inductor" again.

    >>> import tensh as torch
    >>> torch.compiler.set_default_backend("eager")
    >>> torch.compiler.get_default_backend()
    'eager'
    >>> torch.compiler.set_default_backend(None)
    """
    default.backend = "inductor" if backend is None else check_backend(backend)


def get_default_backend():
    """The backend of ``torch.compile`` for calls without one: its name, or the function.

    >>> import tensh as torch
    >>> torch.compiler.get_default_backend()
    'inductor'
    """
    return default.backend


def cudagraph_mark_step_begin():
    """Do nothing: tensh has no CUDA graphs."""


# ── torch._dynamo ────────────────────────────────────────────────────────────
def optimize(backend=None, *, nopython=False, disable=False, dynamic=None, **options):
    """A decorator that compiles: the older form of ``torch.compile``.

    >>> import tensh as torch
    >>> torch._dynamo.optimize()(lambda x: x + 1)(torch.ones(2))
    tensor([2., 2.])
    """
    return compile(fullgraph=nopython, dynamic=dynamic, backend=backend, disable=disable)


def graph_break(msg=""):
    """End the graph that is being captured here; another one begins after this statement.

    >>> import tensh as torch
    >>> torch._dynamo.graph_break()
    """
    running.stop(f"graph_break is called{f' ({msg})' if msg else ''}")


def mark_dynamic(t, index, *, hint_override=None, min=None, max=None, specialize_on=None):
    """Say that a size of a tensor changes: nothing need be done, since every size gets a graph.

    Raise IndexError without such a dimension.

    >>> import tensh as torch
    >>> torch._dynamo.mark_dynamic(torch.ones(2, 3), 0)
    """
    for each in index if isinstance(index, (tuple, list)) else (index,):
        t.size(each)


def mark_static(t, index=None):
    """Say that a size does not change, which is guarded in any case.

    >>> import tensh as torch
    >>> torch._dynamo.mark_static(torch.ones(2, 3), 0)
    """


def mark_static_address(t, guard=True):
    """Say that a tensor stays where it is, which nothing here depends on.

    >>> import tensh as torch
    >>> torch._dynamo.mark_static_address(torch.ones(2))
    """
