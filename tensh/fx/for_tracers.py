"""Names of ``torch.fx._symbolic_trace`` with which libraries write the trace of their own tracers."""

import functools  # noqa: F401 (libraries import it from torch.fx._symbolic_trace)
from types import FunctionType  # noqa: F401 (as above)

from tensh.engine.dispatch.override.points import Search
from tensh.fx.patching import Patcher
from tensh.fx.patching import find_proxy as _find_proxy  # noqa: F401 (as above)
from tensh.fx.patching import make_leaf as _create_wrapped_func  # noqa: F401 (as above)
from tensh.fx.proxy import Proxy  # noqa: F401 (as above)
from tensh.nn.modules.module import Module

_orig_module_call = Module.__call__
_orig_module_getattr = Module.__getattr__


class ScriptObject:
    """Objects of TorchScript's classes, of which there are none here: for ``isinstance``."""


class _Patcher(Patcher):
    """Patches of names and methods, undone on exit; meanwhile functions look for proxies among their arguments.

    With ``deduplicate``, what such a patch has replaced is not patched again.
    """

    def __init__(self):
        self.undo, self.seen, self.search = [], set(), Search()

    def __enter__(self):
        self.search.__enter__()
        return super().__enter__()

    def __exit__(self, *failure):
        try:
            super().__exit__(*failure)
        finally:
            self.search.__exit__(*failure)

    def patch(self, frame_dict, name, new_fn, deduplicate=True):
        """Patch a name of a module, or add that of a built-in function."""
        if not getattr(frame_dict.get(name), "is_patched_once", False):
            new_fn.is_patched_once = deduplicate
            super().patch(frame_dict, name, new_fn)

    def patch_method(self, cls, name, new_fn, deduplicate=True):
        """Patch a method of a class."""
        if not getattr(getattr(cls, name), "is_patched_once", False):
            new_fn.is_patched_once = deduplicate
            super().patch_method(cls, name, new_fn)

    def visit_once(self, thing):
        """Return True for the first call with an object."""
        is_new = id(thing) not in self.seen
        self.seen.add(id(thing))
        return is_new


def _patch_wrapped_functions(patcher):
    """Patch all functions that ``wrap`` was called for."""
    patcher.patch_wrapped()


def _autowrap_check(patcher, frame_dict, function_ids):
    """Patch those functions (by id) that are among a module's names."""
    patcher.patch_functions(frame_dict, function_ids)
