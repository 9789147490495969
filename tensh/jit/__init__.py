"""torch.jit: programs recorded by a run (``trace``), or run as Python with checked arguments (``script``).

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

WHERE = {
    "tensh.jit._trace": "TopLevelTracedModule TracedModule TracerWarning TracingCheckError _get_trace_graph is_tracing trace trace_module",
    "tensh.jit._script": "RecursiveScriptModule ScriptFunction ScriptModule script script_if_tracing _script_if_tracing",
    "tensh.jit.compilation_unit": "CompilationUnit",
    "tensh.jit.running.failures": "Error",
    "tensh.jit.language.marks": "Attribute Final ScriptWarning annotate export ignore interface isinstance is_scripting "
    "script_method unused _overload _overload_method",
    "tensh.jit.operator_names": "export_opnames",
    "tensh.jit.freezing": "freeze optimize_for_inference run_frozen_optimizations",
    "tensh.jit._serialization": "load save",
    "tensh.jit.running.forking": "Future fork wait _fork _wait",
}
"""Module -> its public names."""

NAMES = {name: module for module, names in WHERE.items() for name in names.split()}
__all__ = [name for name in NAMES if not name.startswith("_")]
SUBMODULES = ("_script", "_serialization", "_trace")

__getattr__, __dir__ = declare_namespace("tensh.jit", globals(), NAMES, SUBMODULES, unsupported=lookup("torch.jit"))
