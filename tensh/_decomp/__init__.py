"""torch._decomp: what operators of ``aten`` consist of, as functions that call other operators.

Note [Decompositions]
A rule takes the arguments of its operator and calls others, by ``aten`` or by their overloads. Who records a program
calls rules in place of operators (``torch.fx.experimental.proxy_tensor.make_fx``,
``ExportedProgram.run_decompositions``); what a rule calls is decomposed in turn. A rule that does not know its
arguments returns NotImplemented, and the operator stays.
"""

from tensh.engine.methods.namespaces import declare_namespace
from tensh.switched_off import lookup

WHERE = {
    "tensh._decomp.table": "core_aten_decompositions decomposition_table get_decompositions register_decomposition",
}
"""Module -> its public names."""

NAMES = {name: module for module, names in WHERE.items() for name in names.split()}
__all__ = list(NAMES)

__getattr__, __dir__ = declare_namespace("tensh._decomp", globals(), NAMES, unsupported=lookup("torch._decomp"))
