"""Settings of PyTorch's compilers, which have no effect here: changed for a while by ``torch._dynamo.config.patch``."""

import contextlib
import importlib


class Changed(contextlib.ContextDecorator):
    """A context, and a decorator, in which settings of a module are others."""

    def __init__(self, module, changes):
        self.module, self.changes = module, changes

    def __enter__(self):
        self.before = {name: getattr(self.module, name) for name in self.changes}
        vars(self.module).update(self.changes)

    def __exit__(self, *failure):
        vars(self.module).update(self.before)

    def _recreate_cm(self):
        return Changed(self.module, self.changes)


def define(path):
    def patch(arg1=None, arg2=None, **kwargs):
        """Return a context in which settings have other values: by keyword, as a dictionary, or a name and its value.

        Raise AttributeError for a setting that does not exist.

        >>> import tensh as torch
        >>> with torch._dynamo.config.patch(cache_size_limit=2):
        ...     torch._dynamo.config.cache_size_limit
        2
        >>> torch._dynamo.config.cache_size_limit
        8
        """
        changes = kwargs or (arg1 if isinstance(arg1, dict) else {arg1: arg2})
        module = importlib.import_module("tensh.switched_off").module(path)
        for name in changes:
            if not hasattr(module, name):
                raise AttributeError(f"{path}.{name} does not exist")
        return Changed(module, dict(changes))

    patch.__module__ = path
    return patch


patch_dynamo = define("torch._dynamo.config")
