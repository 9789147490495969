"""torch.export: ahead-of-time export of a module as a program: operators, weights and a signature, without Python.

Other names of this namespace in PyTorch are switched off.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

WHERE = {
    "tensh.export.exporting": "export export_for_training register_dataclass",
    "tensh.export.decomposing": "default_decompositions",
    "tensh.export.drafting": "draft_export",
    "tensh.export.exported_program": "ExportedProgram ModuleCallEntry ModuleCallSignature",
    "tensh.export.files": "load save",
    "tensh.export.graph_signature": "ExportGraphSignature InputKind InputSpec OutputKind OutputSpec",
    "tensh.export.unflatten": "FlatArgsAdapter UnflattenedModule",
    "tensh.tracing.sizes.dims": "Dim dims",
    "tensh.tracing.sizes.declared": "AdditionalInputs ShapesCollection",
}
"""Module -> its public names."""

NAMES = {name: module for module, names in WHERE.items() for name in names.split()}
__all__ = list(NAMES)
SUBMODULES = ("dynamic_shapes", "exported_program", "graph_signature", "passes")

__getattr__, __dir__ = declare_namespace(
    "tensh.export", globals(), NAMES, SUBMODULES, unsupported=lookup("torch.export")
)

from tensh.export.unflatten import unflatten  # noqa: E402, F401  (the function, which has the name of its module)

__all__.append("unflatten")
