"""What a user hangs on a node: functions to call on the way of its gradient."""

from tensh.engine.clock import tick


class Hooks:
    """What a user hung on a node.  Each list is a dictionary, so that a handle can remove its entry."""

    __slots__ = ("tensor", "retain", "before", "after", "accumulated", "metadata", "__weakref__")

    def __init__(self):
        self.tensor, self.retain, self.before, self.after, self.accumulated = {}, {}, {}, {}, {}
        self.metadata = {}

    def add(self, which, hook):
        entries = getattr(self, which)
        handle = RemovableHandle(entries)
        entries[handle.id] = hook
        return handle


def hooks_of(node):
    if node.hooks is None:
        node.hooks = Hooks()
    return node.hooks


def keep_retaining(t, node):
    """Let the tensor continue from another node; if its gradient is retained, that is the gradient there from now on."""
    old = t.node
    t.node = node
    if old is not None and old.hooks is not None and id(t) in old.hooks.retain:
        hooks_of(node).retain[id(t)] = old.hooks.retain.pop(id(t))


class RemovableHandle:
    """What ``register_hook`` returns: ``remove()`` takes the hook away again."""

    def __init__(self, entries):
        self.entries, self.id = entries, tick()

    def remove(self):
        """Take the hook away; a second call does nothing."""
        self.entries.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()
