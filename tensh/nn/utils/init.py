"""Modules with uninitialised parameters."""

import inspect

from tensh.engine.random.generator import default_generator
from tensh.nn.modules.module import Module


def skip_init(module_cls, *args, **kwargs):
    """Make a module with uninitialised parameters, whose values are to be loaded.

    No random numbers are drawn. Raise RuntimeError for a class that is not a module, or does not take ``device``.

    >>> import tensh as torch
    >>> torch.nn.utils.skip_init(torch.nn.Linear, 3, 4)
    Linear(in_features=3, out_features=4, bias=True)
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    state = default_generator.get_state()
    try:
        return module_cls(*args, **kwargs).to_empty(device=kwargs.get("device", "cpu"))
    finally:
        default_generator.set_state(state)
