"""The traces of ``torch.jit`` that run in a thread, and the scopes that their operators are recorded in."""

import threading


class TracingState:
    """One running trace: libraries name the scopes of the operators that follow."""

    def __init__(self):
        self.scopes = []

    def push_scope(self, scope_name):
        """Record the operators that follow in a scope within the present one."""
        self.scopes.append(scope_name)

    def pop_scope(self):
        """Leave the present scope."""
        self.scopes.pop()

    def current_scope(self):
        """Return the name of the present scope, with those around it."""
        return "/".join(self.scopes)


class Running(threading.local):
    """The traces that run in a thread, the innermost last."""

    states = ()


running = Running()


def _get_tracing_state():
    """Return the innermost running trace; None if there is none."""
    return running.states[-1] if running.states else None


def is_tracing():
    """Return True while ``torch.jit.trace`` runs.

    >>> import tensh as torch
    >>> torch.jit.is_tracing()
    False
    """
    return bool(running.states)
