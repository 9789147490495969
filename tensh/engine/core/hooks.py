"""Hooks on nodes: functions of the user that the backward pass calls, and checks of their results."""

from collections import OrderedDict

from tensh.engine.core.tensor import Tensor


class Hooks:
    """The hooks of one node.  Each kind is a dictionary, so that a handle can remove its entry."""

    __slots__ = ("tensor", "retain", "before", "after", "accumulated", "metadata", "__weakref__")

    def __init__(self):
        self.tensor, self.retain, self.before, self.after = OrderedDict(), {}, OrderedDict(), {}
        self.accumulated, self.metadata = OrderedDict(), {}

    def add(self, which, hook):
        entries = getattr(self, which)
        handle = RemovableHandle(entries)
        entries[handle.id] = hook
        return handle


def hooks_of(node):
    node.hooks = node.hooks or Hooks()
    return node.hooks


def keep_retaining(t, node):
    """Move the request to retain the gradient of a tensor to the node that the tensor gets next."""
    old = t.node
    if old is not None and old.hooks is not None and id(t) in old.hooks.retain:
        hooks_of(node).retain[id(t)] = old.hooks.retain.pop(id(t))


class RemovableHandle:
    """The handle of a registered hook: ``remove()`` unregisters it, and its ``extra_dict`` (dictionaries of options)."""

    __module__ = "torch.utils.hooks"
    next_id = 0

    def __init__(self, hooks_dict, *, extra_dict=None):
        self.entries, self.id = hooks_dict, RemovableHandle.next_id
        RemovableHandle.next_id += 1
        self.extra = extra_dict if isinstance(extra_dict, list) else [] if extra_dict is None else [extra_dict]

    def hooks_dict_ref(self):
        """Return the dictionary that the hook is in."""
        return self.entries

    @property
    def extra_dict_ref(self):
        """Functions that return the dictionaries of options."""
        return tuple(lambda each=each: each for each in self.extra)

    def remove(self):
        """Unregister the hook; a second call does nothing."""
        for entries in (self.entries, *self.extra):
            entries.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


# ── checks of what hooks return ──────────────────────────────────────────────
def require_gradient(result, given, hook):
    """Return a hook's replacement for the gradient ``given``; raise if its size or dtype differs."""
    if result is None:
        return None
    if given is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(result, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    if result.array.dtype is not given.array.dtype:
        was, got = given.dtype.legacy, result.dtype.legacy
        raise RuntimeError(f"hook '{name_of(hook)}' has changed the type of value (was torch.{was} got torch.{got})")
    if result.array.shape != given.array.shape:
        raise RuntimeError(f"hook '{name_of(hook)}' has changed the size of value")
    return result


def require_gradients(results, given, hook):
    """Return a node hook's replacement for the tuple ``given``; raise unless it is a tuple of as many gradients."""
    if not isinstance(results, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(results).__name__}'")
    if len(results) != len(given):
        raise RuntimeError(
            f"hook '{name_of(hook)}' has returned an incorrect number of values "
            f"(got {len(results)}, but expected {len(given)})"
        )
    return tuple(require_gradient(result, each, hook) for result, each in zip(results, given))


def require_nothing(result, leaf):
    """Raise unless a hook on the accumulated gradient of ``leaf`` returned None, or the leaf."""
    if isinstance(result, Tensor) and result is not leaf:
        raise RuntimeError("Tensor post accumulate grad hooks should return None.")
    if result is not None and result is not leaf:
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")


def name_of(hook):
    """Return the name of a hook in error messages."""
    return getattr(hook, "__name__", "<unknown>")
