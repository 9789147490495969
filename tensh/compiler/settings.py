"""Settings of PyTorch's compilers, ``torch._dynamo.config``, some of which have an effect, and the options of ``torch.compile``."""

import contextlib
import importlib
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

PATH = "torch._dynamo.config"
ALIASES = {
    "cache_size_limit": "recompile_limit", "accumulated_cache_size_limit": "accumulated_recompile_limit",
    "skip_code_recursive_on_cache_limit_hit": "skip_code_recursive_on_recompile_limit_hit",
    "fail_on_cache_limit_hit": "fail_on_recompile_limit_hit",
}  # fmt: skip
"""Older name of a setting -> its name."""
READ = {
    "recompile_limit": 8, "fail_on_recompile_limit_hit": False, "error_on_recompile": False, "suppress_errors": False,
    "disable": False,
}  # fmt: skip
"""Settings that have an effect -> what they are from the start."""


class Settings(ModuleType):
    """The module of the settings: older names are other names of the same, and there are no further ones."""

    def __setattr__(self, name, value):
        if name[:2] != "__" and not isinstance(value, ModuleType):
            self.require(name)
        super().__setattr__(ALIASES.get(name, name), value)

    def __getattribute__(self, name):
        if name in ALIASES:
            return getattr(self, ALIASES[name])
        try:
            return super().__getattribute__(name)
        except AttributeError:
            if name[:2] != "__":
                self.require(name)
            raise

    @staticmethod
    def require(name):
        """Raise AttributeError for a setting that does not exist."""
        from tensh.switched_off import entries_of

        if name not in entries_of(PATH):
            raise AttributeError(f"{PATH}.{name} does not exist")


def read_setting(name):
    """Return a setting that has an effect; its module is not loaded for that."""
    module = sys.modules.get("tensh._dynamo.config")
    return READ[name] if module is None else vars(module).get(name, READ[name])


class Changed(contextlib.ContextDecorator):
    """A context, and a decorator, in which settings of a module are others."""

    def __init__(self, module, changes):
        self.module, self.changes = module, changes

    def __enter__(self):
        self.before = {name: getattr(self.module, name) for name in self.changes}
        for name, value in self.changes.items():
            setattr(self.module, name, value)

    def __exit__(self, *failure):
        for name, value in self.before.items():
            setattr(self.module, name, value)

    def _recreate_cm(self):
        return Changed(self.module, self.changes)


def patch_dynamo(arg1=None, arg2=None, **kwargs):
    """Return a context in which settings have other values: by keyword, as a dictionary, or a name and its value.

    Raise AttributeError for a setting that does not exist.

    >>> import tensh as torch
    >>> with torch._dynamo.config.patch(cache_size_limit=2):
    ...     torch._dynamo.config.recompile_limit
    2
    >>> torch._dynamo.config.cache_size_limit
    8
    """
    changes = kwargs or (arg1 if isinstance(arg1, dict) else {arg1: arg2})
    module = importlib.import_module("tensh.switched_off").module(PATH)
    for name in changes:
        module.require(name)
    return Changed(module, dict(changes))


patch_dynamo.__module__ = PATH


# ── options of torch.compile ─────────────────────────────────────────────────
MODE_OPTIONS = {
    "default": {},
    "lite": {
        "fallback_by_default": True, "selective_decompose": True, "reorder_for_peak_memory": False,
        "reorder_for_compute_comm_overlap": False, "triton.reorder_for_reducing_graph_partitions": False,
        "use_pre_grad_passes": False, "use_joint_graph_passes": False, "use_post_grad_passes": False, "use_dce": False,
        "allow_buffer_reuse": False,
    },
    "reduce-overhead": {"triton.cudagraphs": True},
    "max-autotune-no-cudagraphs": {"max_autotune": True, "coordinate_descent_tuning": True},
    "max-autotune": {"max_autotune": True, "triton.cudagraphs": True, "coordinate_descent_tuning": True},
}  # fmt: skip
"""Mode of ``torch.compile`` -> the options that it sets in PyTorch."""


def list_mode_options(mode=None, dynamic=None):
    """Return the options of a mode of ``torch.compile``, or of each.  Raise RuntimeError for an unknown mode.

    >>> import tensh as torch
    >>> torch._inductor.list_mode_options("reduce-overhead")
    {'triton.cudagraphs': True}
    """
    if mode and mode not in MODE_OPTIONS:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODE_OPTIONS)}")
    return MODE_OPTIONS[mode] if mode else MODE_OPTIONS


def list_options():
    """Return the names of the options of ``torch.compile``, which have no effect.

    >>> import tensh as torch
    >>> "max_autotune" in torch._inductor.list_options()
    True
    """
    return list(read_options())


@cache
def read_options():
    """Return name -> name of the type of each option of PyTorch's compiler; "?" for a type that is not checked."""
    lines = Path(__file__).with_name("inductor_options.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split() for line in lines)


def check_options(options):
    """Raise RuntimeError for an unknown option, or one of another type.  The options have no effect."""
    known = read_options()
    for name, value in options.items():
        kind = known.get(name.replace("-", "_"))
        if kind is None:
            raise RuntimeError(f"Unexpected optimization option {name}, known options are {list(known)}")
        if kind != "?" and kind not in {each.__name__ for each in type(value).__mro__}:
            raise RuntimeError(f"Unexpected type of attr {name}, got {type(value).__name__} should be {kind}")
