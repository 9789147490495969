"""torch.fx.traceback: the metadata of the running node, for nodes that are traced meanwhile."""

import contextlib
import traceback

__all__ = [
    "annotate", "annotate_fn", "format_stack", "get_current_meta", "has_preserved_node_meta", "preserve_node_meta",
    "reset_grad_fn_seq_nr", "set_current_meta", "set_grad_fn_seq_nr", "set_stack_trace",
]  # fmt: skip

current_meta = {}
should_preserve_node_meta = False


@contextlib.contextmanager
def preserve_node_meta(enable=True):
    """Let nodes that are traced within the context copy the ``meta`` of the running node."""
    global current_meta, should_preserve_node_meta
    before, meta_before = should_preserve_node_meta, current_meta
    try:
        should_preserve_node_meta, current_meta = enable, meta_before.copy()
        yield
    finally:
        should_preserve_node_meta, current_meta = before, meta_before


def has_preserved_node_meta():
    """Return True if ``preserve_node_meta`` is active."""
    return should_preserve_node_meta


@contextlib.contextmanager
def set_current_meta(node, pass_name=""):
    """Make ``node`` the running node within the context."""
    global current_meta
    if not should_preserve_node_meta or not node.meta:
        yield
        return
    before = current_meta
    try:
        current_meta = node.meta.copy()
        yield
    finally:
        current_meta = before


def get_current_meta():
    """Return the ``meta`` of the running node."""
    return current_meta


def set_stack_trace(stack):
    """Give traced nodes the stack trace ``stack``, lines of text, while ``preserve_node_meta`` is active."""
    if should_preserve_node_meta and stack:
        current_meta["stack_trace"] = "".join(stack)


def format_stack():
    """Return the stack of the running node if it is known, otherwise the current one, as a list of texts."""
    if should_preserve_node_meta:
        return [current_meta.get("stack_trace", "")]
    return traceback.format_list(traceback.extract_stack()[:-1])


@contextlib.contextmanager
def annotate(annotation_dict):
    """Let traced nodes keep ``annotation_dict`` as ``meta["custom"]``, while ``preserve_node_meta`` is active."""
    before = current_meta.get("custom")
    current_meta["custom"] = {**(before or {}), **annotation_dict}
    try:
        yield
    finally:
        if before is None:
            current_meta.pop("custom", None)
        else:
            current_meta["custom"] = before


def annotate_fn(annotation_dict):
    """Decorate a function to run inside ``annotate(annotation_dict)``."""

    def decorate(function):
        import functools

        @functools.wraps(function)
        def annotated(*args, **kwargs):
            with annotate(annotation_dict):
                return function(*args, **kwargs)

        return annotated

    return decorate


def set_grad_fn_seq_nr(seq_nr):
    """Do nothing, because backward passes are not traced."""


def reset_grad_fn_seq_nr():
    """Do nothing, because backward passes are not traced."""
