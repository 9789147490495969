"""torch.compiler: functions are captured as graphs, optimized, and written as Python that runs in their place.

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

WHERE = {
    "tensh.compiler.api": "allow_in_graph assume_constant_result compile cudagraph_mark_step_begin disable is_compiling "
    "get_default_backend is_dynamo_compiling is_exporting keep_tensor_guards_unsafe list_backends load_cache_artifacts reset "
    "save_cache_artifacts set_default_backend skip_all_guards_unsafe skip_guard_on_all_nn_modules_unsafe "
    "skip_guard_on_globals_unsafe skip_guard_on_inbuilt_nn_modules_unsafe substitute_in_graph wrap_numpy",
    "tensh.compiler.configuration.stance": "set_stance",
}
"""Module -> its public names."""

NAMES = {name: module for module, names in WHERE.items() for name in names.split()}
__all__ = list(NAMES)

__getattr__, __dir__ = declare_namespace("tensh.compiler", globals(), NAMES, unsupported=lookup("torch.compiler"))
