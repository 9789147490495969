"""torch.compiler: functions are captured as graphs, optimized, and written as Python that runs in their place.

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

WHERE = {
    "tensh.compiler.api": "allow_in_graph assume_constant_result compile cudagraph_mark_step_begin disable is_compiling "
    "get_default_backend is_dynamo_compiling is_exporting list_backends reset set_default_backend",
    "tensh.compiler.stance": "set_stance",
}
"""Module -> its public names."""

NAMES = {name: module for module, names in WHERE.items() for name in names.split()}
__all__ = list(NAMES)

__getattr__, __dir__ = declare_namespace("tensh.compiler", globals(), NAMES, unsupported=lookup("torch.compiler"))
