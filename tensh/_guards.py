"""torch._guards: what a compilation in progress knows; here, which fake tensors there are."""

from contextlib import contextmanager

from tensh.engine.methods.namespaces import declare_namespace
from tensh.support.temporary import temporarily
from tensh.switched_off import lookup


def active_fake_mode():
    """Return the innermost ``FakeTensorMode`` that is entered; None if there is none."""
    from tensh._subclasses.fake_tensor import active_fake_modes

    modes = active_fake_modes()
    return modes[-1] if modes else None


def detect_fake_mode(inputs=None):
    """Return the ``FakeTensorMode`` of this thread, or of the tensors in a structure; None if there is none.

    Raise AssertionError if there are several.
    """
    from tensh._subclasses.fake_tensor import active_fake_modes, is_fake, walk

    context = TracingContext.try_get()
    if context is not None and context.fake_mode is not None:
        return context.fake_mode
    found = [*active_fake_modes(), *(each.fake_mode for each in walk(inputs) if is_fake(each))]
    for each in found[1:]:
        if each is not found[0]:
            raise AssertionError(f"fake mode ({found[0]}) does not match mode ({each})")
    return found[0] if found else None


class TracingContext:
    """The state of a trace: its ``fake_mode``."""

    current = None

    def __init__(self, fake_mode=None):
        self.fake_mode = fake_mode

    @staticmethod
    def try_get():
        """Return the context of the trace in progress; None if there is none."""
        return TracingContext.current

    @staticmethod
    def get():
        """Return the context of the trace in progress.  Raise RuntimeError if there is none."""
        if TracingContext.current is None:
            raise RuntimeError("TracingContext.get() must be called within an ongoing trace.")
        return TracingContext.current


class CompileContext:
    """The state of a compilation; there is none here, since functions compile without a context."""

    @staticmethod
    def try_get():
        """Return None: nothing is being compiled."""

    @staticmethod
    def current_compile_id():
        """Return None: nothing is being compiled."""

    @staticmethod
    def current_trace_id():
        """Return None: nothing is being compiled."""


@contextmanager
def tracing(context):
    """Set the context of the trace in progress."""
    with temporarily(TracingContext, current=context):
        yield context


__getattr__, __dir__ = declare_namespace("tensh._guards", globals(), {}, (), unsupported=lookup("torch._guards"))
