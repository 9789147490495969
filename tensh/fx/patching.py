"""Patching of names and methods during a trace."""

import builtins
import functools
import threading

from tensh.engine.arrays.uninterrupted import entered_whole
from tensh.fx.node import map_aggregate
from tensh.fx.proxy import Proxy
from tensh.fx.wrapping import WRAPPED


def find_proxy(*values):
    """Return a proxy among values, also within lists and dictionaries, or None."""
    found = []
    map_aggregate(values, lambda each: found.append(each) if isinstance(each, Proxy) else None)
    return found[-1] if found else None


def make_leaf(function):
    """Make a function that becomes a node if one of its arguments is traced."""

    @functools.wraps(function)
    def leaf(*args, **kwargs):
        proxy = find_proxy(args, kwargs)
        if proxy is None:
            return function(*args, **kwargs)
        made = proxy.tracer.create_proxy("call_function", function, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

    leaf.is_fx_leaf = True
    return leaf


def uncover(cls, name):
    """Let a class inherit a method again; ^C may have come before another method covered it."""
    if name in vars(cls):
        delattr(cls, name)


turn = threading.RLock()  # patches that are undone in the order in which they were made would stay


@entered_whole
class Patcher:
    """Patches of names and methods, undone on exit; one thread at a time makes some."""

    def __enter__(self):
        turn.acquire()
        self.undo, self.seen = [], set()
        return self

    def __exit__(self, *failure):
        while self.undo:
            self.undo.pop()()
        turn.release()

    def patch(self, names, name, value):
        """Patch a name of a module; the name of a built-in function is added."""
        if name in names:
            self.undo.append(functools.partial(names.__setitem__, name, names[name]))
        else:
            self.undo.append(functools.partial(names.pop, name, None))
        names[name] = value

    def patch_method(self, cls, name, value):
        """Patch a method of a class; on exit, an inherited method is visible again."""
        if name in vars(cls):
            self.undo.append(functools.partial(setattr, cls, name, vars(cls)[name]))
        else:
            self.undo.append(functools.partial(uncover, cls, name))
        setattr(cls, name, value)

    def patch_wrapped(self):
        """Patch all functions that ``wrap`` was called for."""
        for (_, name), names in list(WRAPPED.items()):
            function = names[name] if name in names else getattr(builtins, name)
            if not getattr(function, "is_fx_leaf", False):
                self.patch(names, name, make_leaf(function))

    def patch_functions(self, names, functions):
        """Patch those of ``functions`` (ids) that are among a module's names."""
        if id(names) in self.seen:
            return
        self.seen.add(id(names))
        for name, value in list(names.items()):
            if not name.startswith("_") and callable(value) and id(value) in functions:
                self.patch(names, name, make_leaf(value))
