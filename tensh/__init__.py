"""tensh: PyTorch's tensors and autograd in a terminal, without PyTorch.

>>> import tensh as torch
>>> x = torch.tensor(2.0, requires_grad=True)
>>> w = torch.tensor(1.0, requires_grad=True)
>>> y = (x + w) * (w + 1)
>>> y.backward()
>>> w.grad
tensor(5.)
"""

import importlib

SUBMODULES = frozenset(
    """
        __config__ _VF _higher_order_ops _tensor _tensor_str _utils _vmap_internals accelerator amp autograd backends
        classes compiler cpu cuda distributions fft functional linalg masked nested nn optim quasirandom random serialization
        show signal sparse special storage types utils version testing func fx return_types overrides torch_version
        library ops profiler hub multiprocessing __future__
    """.split()
)

# names of the torch namespace that submodules define
ELSEWHERE = {
    "vmap": "func",
    "compile": "compiler.api",
    "CompilationUnit": "jit",
    "save": "serialization",
    "load": "serialization",
    "autocast": "amp",
    "GradScaler": "amp",
    **dict.fromkeys(
        "autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache get_autocast_cpu_dtype get_autocast_dtype "
        "get_autocast_gpu_dtype is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled set_autocast_cache_enabled "
        "set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype".split(),
        "amp.settings",
    ),
    **dict.fromkeys(
        "SymBool SymFloat SymInt _sym_sqrt sym_float sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum".split(),
        "engine.dtypes.symbols",
    ),
    **dict.fromkeys("_assert _assert_async _assert_scalar _assert_tensor_metadata".split(), "engine.errors.assertions"),
    "Tag": "_library.tags",
    "DispatchKey": "_library.dispatch_keys",
    "get_device_module": "_utils.devices",
    "install": "alias",
    "load_ipython_extension": "cli.kernel",
    "unload_ipython_extension": "cli.kernel",
    "VERSION": "version",
    "__version__": "torch_version",
    "DisableTorchFunction": "overrides",
    "DisableTorchFunctionSubclass": "overrides",
    "Future": "futures",
    **dict.fromkeys(["Event", "Stream"], "engine.dtypes.streams"),
    **dict.fromkeys(["cond", "while_loop"], "_higher_order_ops"),
}

HIDDEN = frozenset(["VERSION", "load_ipython_extension", "unload_ipython_extension"])  # names that dir() omits


def __getattr__(name):
    """Look up a public name on first use: importing tensh loads nothing else."""
    if name.startswith("__") and name not in SUBMODULES and name not in ELSEWHERE:
        raise AttributeError(f"module 'tensh' has no attribute '{name}'")
    if name in SUBMODULES and exists(name):
        return importlib.import_module(f"tensh.{name}")
    if name in ELSEWHERE:
        value = globals()[name] = getattr(importlib.import_module(f"tensh.{ELSEWHERE[name]}"), name)
        return value
    from tensh.engine import find_public

    if name == "Storage":  # not cached: it follows the default dtype
        from tensh.engine.operators.shapes.composites.typed_storage import storage_by_default

        return storage_by_default()
    try:
        if name.startswith("_foreach_") and (found := importlib.import_module("tensh._aten.foreach").find(name)):
            return found
        if name.startswith("_check"):
            from tensh.engine.errors import assertions

            return getattr(assertions, name)
        value = globals()[name] = find_public(name)
    except AttributeError:
        from tensh.switched_off import has, lookup

        if not has("torch", name):
            raise
        value = lookup("torch")(name)
    return value


def exists(submodule):
    """Return True if there is a submodule of this name."""
    from importlib.util import find_spec  # slower to import than everything else here

    return find_spec(f"tensh.{submodule}") is not None


def __dir__():
    from tensh.engine import PUBLIC

    return sorted({*PUBLIC, *ELSEWHERE, *filter(exists, SUBMODULES)} - HIDDEN)
