"""Settings of ``torch._dynamo.config`` that have an effect, and the options of ``torch.compile``."""

import sys

from tensh.compiler.configuration.config_modules import CHANGED, read_settings

READ = {
    "recompile_limit": 8, "fail_on_recompile_limit_hit": False, "error_on_recompile": False, "suppress_errors": False,
    "disable": False, "allow_rnn": False, "automatic_dynamic_shapes": True, "assume_static_by_default": True,
    "specialize_int": False, "specialize_float": False, "allow_unspec_int_on_nn_module": False,
}  # fmt: skip
"""Settings that have an effect -> what they are from the start."""


def read_setting(name):
    """Return a setting that has an effect; its module is not loaded for that."""
    module = sys.modules.get("tensh._dynamo.config")
    return READ[name] if module is None else vars(module).get(CHANGED, READ).get(name, READ[name])


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


def read_options():
    """Return name -> name of the type of each option of PyTorch's compiler; "?" for a type that is not checked."""
    return {name: kind for name, (kind, _) in read_settings()["torch._inductor.config"].items()}


def check_options(options):
    """Raise RuntimeError for an unknown option, or one of another type.  The options have no effect."""
    known = read_options()
    for name, value in options.items():
        kind = known.get(name.replace("-", "_"))
        if kind is None:
            raise RuntimeError(f"Unexpected optimization option {name}, known options are {list(known)}")
        if kind != "?" and kind not in {each.__name__ for each in type(value).__mro__}:
            raise RuntimeError(f"Unexpected type of attr {name}, got {type(value).__name__} should be {kind}")
