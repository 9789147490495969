"""torch.utils: datasets and loaders, checkpoints, hooks and other tools of training programs."""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

SUBMODULES = """
    _foreach_utils _python_dispatch _pytree benchmark checkpoint data deterministic dlpack flop_counter hooks model_zoo
    module_tracker safetensors weak
""".split()


def set_module(obj, mod):
    """Set the ``__module__`` of a function or class.

    >>> import tensh as torch
    >>> def f(): ...
    >>> torch.utils.set_module(f, "mine")
    >>> f.__module__
    'mine'
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


__getattr__, __dir__ = declare_namespace(
    "tensh.utils", globals(), {"swap_tensors": "swapping"}, SUBMODULES, unsupported=lookup("torch.utils")
)
