"""torch.utils.checkpoint: a part of a model whose intermediate results are computed again when the gradients need them."""

import contextlib
import functools

from tensh.engine.core.clock import mode
from tensh.engine.dispatch.capture.nested import nesting
from tensh.engine.errors.warnings import warn
from tensh.engine.methods.unsupported import unsupported_lookup
from tensh.nn import Sequential
from tensh.utils.checkpoint.frames import CHECKS, CheckpointError, Frame, GraphExecGroup
from tensh.utils.checkpoint.reentrant import CheckpointFunction, check_backward_validity, detach_variable
from tensh.utils.checkpoint.surroundings import Surroundings

__all__ = [
    "CheckpointError", "CheckpointFunction", "CheckpointPolicy", "DefaultDeviceType", "GraphExecGroup", "SAC_IGNORED_OPS",
    "SelectiveCheckpointContext", "check_backward_validity", "checkpoint", "checkpoint_sequential",
    "create_selective_checkpoint_contexts", "detach_variable", "get_device_states", "noop_context_fn",
    "set_checkpoint_debug_enabled", "set_checkpoint_early_stop", "set_device_states",
]  # fmt: skip
SELECTIVE = "CheckpointPolicy", "SAC_IGNORED_OPS", "SelectiveCheckpointContext", "create_selective_checkpoint_contexts"
unsupported = unsupported_lookup("torch.utils.checkpoint")


def __getattr__(name):
    if name in SELECTIVE:
        from tensh.utils.checkpoint import selective

        globals().update({each: getattr(selective, each) for each in SELECTIVE})
        return globals()[name]
    return unsupported(name)


NOT_SAID = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling checkpoint "
    "without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to preserve the current "
    "default behavior, you can pass use_reentrant=True. Refer to docs for more details on the differences between the two variants."
)
NOT_SAID_SEQUENTIAL = (
    "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In version 2.9 we will "
    "raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you need to preserve the current "
    "default behavior, you can pass use_reentrant=True. Refer to docs for more details on the differences between the two variants."
)
SUPPRESSED = (
    "torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception raised during the checkpointed "
    "forward. This is not supported because checkpoint cannot return a value for a failed forward."
)


class Settings:
    """The settings of contexts for the checkpoints within; None leaves the choice to each checkpoint."""

    early_stop = debug = None


def setting(name, value):
    before = getattr(Settings, name)
    setattr(Settings, name, value)
    try:
        yield
    finally:
        setattr(Settings, name, before)


@contextlib.contextmanager
def set_checkpoint_early_stop(enable):
    """A context that overrides the argument ``early_stop`` of the checkpoints within it; None leaves it to each.

    >>> import tensh as torch
    >>> x = torch.ones(1, requires_grad=True)
    >>> def function(x):
    ...     y = x.exp()
    ...     print("called")
    ...     return y
    >>> with torch.utils.checkpoint.set_checkpoint_early_stop(False):
    ...     y = torch.utils.checkpoint.checkpoint(function, x, use_reentrant=False)
    called
    >>> y.backward()
    called
    """
    yield from setting("early_stop", enable)


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled):
    """A context that overrides the argument ``debug`` of the checkpoints within it; None leaves it to each.

    >>> import tensh as torch
    >>> with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):
    ...     pass
    """
    yield from setting("debug", enabled)


def noop_context_fn():
    """Return two contexts that do nothing: the default ``context_fn``.

    >>> import tensh as torch
    >>> [type(each).__name__ for each in torch.utils.checkpoint.noop_context_fn()]
    ['nullcontext', 'nullcontext']
    """
    return contextlib.nullcontext(), contextlib.nullcontext()


def checkpoint(
    function, *args, use_reentrant=None, context_fn=noop_context_fn, determinism_check="default", debug=False,
    early_stop=True, **kwargs,
):  # fmt: skip
    """Call ``function(*args, **kwargs)``; recompute its intermediate results in the backward pass instead of keeping them.

    Args:
        use_reentrant: with False, the graph is that of the function itself, and every kind of backward pass works. With
            True it is one node, which runs a separate backward pass; ``torch.autograd.grad`` is refused then.
        context_fn: gives two contexts, for the function and for its second run.
        determinism_check: "none" takes results of other shapes and dtypes as they come.
        debug: an error of the second run lists the operators of both.
        early_stop: whether the second run ends when it has what is needed.
        preserve_rng_state: the second run draws the random numbers of the first, unless it is False.

    Raise CheckpointError where the second run saves something else, ValueError for other settings.

    >>> import tensh as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = torch.utils.checkpoint.checkpoint(lambda x: x.exp().sin(), x, use_reentrant=False)
    >>> y.sum().backward()
    >>> torch.allclose(x.grad, x.exp().cos() * x.exp())
    True
    """
    if nesting.recorder is not None:
        given = {"use_reentrant": use_reentrant, "preserve_rng_state": kwargs.get("preserve_rng_state")}
        is_plain = context_fn is noop_context_fn and not debug
        function = nesting.recorder.take_checkpoint(function, args, given, is_plain)
    if use_reentrant is None:
        warn(NOT_SAID)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    contexts, explain = _contexts(context_fn, debug if Settings.debug is None else Settings.debug)
    if determinism_check not in CHECKS:
        raise ValueError(f"determinism_check should be one of {list(CHECKS)}, but got {determinism_check}")
    if not mode.grad:
        return function(*args, **kwargs)
    surroundings = Surroundings(preserve)

    def run_again(*args):
        with surroundings.again(), contexts[1]:
            function(*args, **kwargs)

    stops = early_stop if Settings.early_stop is None else Settings.early_stop
    frame = Frame(run_again, args, stops, CHECKS[determinism_check], explain)
    with frame.hooks(), contexts[0]:
        result = function(*args, **kwargs)
        frame.complete = True
    if not frame.complete:
        raise RuntimeError(SUPPRESSED)
    return result


def _contexts(context_fn, debug):
    """Return (the contexts of both runs, a function that makes a longer error or None)."""
    if not debug:
        return context_fn(), None
    if context_fn is not noop_context_fn:
        raise ValueError("debug=True is incompatible with non-default context_fn")
    from tensh.utils.checkpoint.debugging import logs

    return logs()


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Call functions (modules, or a Sequential) one after another, in segments that are computed again, but the last.

    Raise ValueError for unknown options.

    >>> import tensh as torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
    >>> x = torch.ones(1, 2)
    >>> y = torch.utils.checkpoint.checkpoint_sequential(model, 2, x, use_reentrant=False)
    >>> torch.equal(y, model(x))
    True
    """
    if use_reentrant is None:
        warn(NOT_SAID_SEQUENTIAL)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    functions = list(functions.children()) if isinstance(functions, Sequential) else functions
    size, end = len(functions) // segments, 0
    for start in range(0, size * (segments - 1), size):
        end = start + size
        part = functools.partial(_one_after_another, functions[start:end])
        input = checkpoint(part, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _one_after_another(functions[end:], input)


def _one_after_another(functions, input):
    for function in functions:
        input = function(input)
    return input


# ── devices, of which there is one ───────────────────────────────────────────
class DefaultDeviceType:
    """The kind of device whose random state is kept where no argument says more.

    >>> import tensh as torch
    >>> torch.utils.checkpoint.DefaultDeviceType.get_device_type()
    'cpu'
    """

    _default_device_type = None

    @staticmethod
    def set_device_type(device="cuda"):
        """Set the kind of device."""
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type():
        """Return the kind of device."""
        return DefaultDeviceType._default_device_type or "cpu"


def get_device_states(*args):
    """Return the numbers of the devices of tensors, and their random states: none beside the CPU.

    >>> import tensh as torch
    >>> torch.utils.checkpoint.get_device_states(torch.ones(1))
    ([], [])
    """
    return [], []


def set_device_states(devices, states, *, device_type=None):
    """Set the random states of devices beside the CPU, of which there are none.

    >>> import tensh as torch
    >>> torch.utils.checkpoint.set_device_states([], [])
    """
