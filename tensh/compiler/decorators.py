"""Functions of ``torch._dynamo`` that say what a graph may contain: forbidden functions, skipped frames, patched settings."""

import contextlib

from tensh.compiler.capture.refusals import SKIPPED
from tensh.compiler.capture.watching import ending, forbidden
from tensh.compiler.compiling import running
from tensh.compiler.configuration.config_modules import patch_dynamo
from tensh.engine.errors.warnings import is_tensh_file

PATCHABLE = frozenset(
    """verbose verify_correctness rewrite_assert_with_torch_assert capture_scalar_outputs allow_unspec_int_on_nn_module
    skip_torchrec dont_skip_tracing nested_graph_breaks""".split()
)
"""Settings that may change while a function is captured."""


def forbid_in_graph(fn):
    """Make it an error that a compiled function calls ``fn``; return it.

    >>> import tensh as torch
    >>> @torch._dynamo.forbid_in_graph
    ... def twice(x):
    ...     return 2 * x
    >>> twice(1)
    2
    """
    if isinstance(fn, (list, tuple)):
        return [forbid_in_graph(each) for each in fn]
    if not callable(fn):
        raise AssertionError("forbid_in_graph applies only to callables")
    fn._dynamo_forbidden = True
    if (code := getattr(fn, "__code__", None)) is not None:
        forbidden[id(code)] = fn
    return fn


def disallow_in_graph(fn):
    """End graphs where a function of torch is called, so that it runs between them; return it.

    ``allow_in_graph`` undoes that. Raise RuntimeError for a function of the program.

    >>> import tensh as torch
    >>> torch._dynamo.disallow_in_graph(torch.cumprod) is torch.cumprod
    True
    >>> _ = torch._dynamo.allow_in_graph(torch.cumprod)
    """
    if isinstance(fn, (list, tuple)):
        return [disallow_in_graph(each) for each in fn]
    if not callable(fn):
        raise AssertionError("disallow_in_graph expects a callable")
    if not is_tensh_file(getattr(getattr(fn, "__code__", None), "co_filename", "")):
        raise RuntimeError(
            "disallow_in_graph is expected to be used on an already allowed callable (like torch.* ops). Allowed callables "
            "means callables that TorchDynamo puts as-is in the extracted graph."
        )
    ending[id(fn)] = fn
    return fn


def skip_frame(msg=""):
    """Let the function that is being captured run uncompiled, as a whole.

    >>> import tensh as torch
    >>> torch._dynamo.skip_frame()
    """
    running.stop(f"skip_frame is called{f' ({msg})' if msg else ''}", SKIPPED, whole=True)


def step_unsupported(msg=""):
    """Let the function that is being captured run uncompiled, as one that has less than two operations before this.

    >>> import tensh as torch
    >>> torch._dynamo.step_unsupported()
    """
    running.stop(f"step_unsupported is called{f' ({msg})' if msg else ''}", SKIPPED, whole=True)


class PatchedSettings(contextlib.ContextDecorator):
    """A context, and a decorator, in which settings have other values."""

    def __init__(self, changes):
        self.changes, self.entered = changes, []

    def __enter__(self):
        self.entered.append(patch_dynamo(self.changes))
        self.entered[-1].__enter__()

    def __exit__(self, *failure):
        self.entered.pop().__exit__(*failure)


def patch_dynamo_config(arg1=None, arg2=None, **kwargs):
    """Return a context in which settings of ``torch._dynamo`` have other values, within compiled functions, too.

    Raise ValueError for a setting that may not change there, AttributeError for one that does not exist.

    >>> import tensh as torch
    >>> with torch._dynamo.patch_dynamo_config(capture_scalar_outputs=True):
    ...     torch._dynamo.config.capture_scalar_outputs
    True
    """
    changes = dict(arg1) if isinstance(arg1, (tuple, dict)) else {} if arg1 is None else {arg1: arg2}
    changes |= kwargs
    patch_dynamo(changes)  # raises for an unknown setting
    for name in changes:
        if name not in PATCHABLE:
            raise ValueError(f"patch_dynamo_config does not support patching config {name}")
    return PatchedSettings(changes)
