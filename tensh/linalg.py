"""torch.linalg: linear algebra."""

from tensh.engine.codegen.public_forms import public_object
from tensh.engine.methods.namespaces import declare_namespace
from tensh.engine.operators.linalg.shared import LinAlgError  # noqa: F401
from tensh.engine.operators.namespaces import LINALG

__getattr__, __dir__ = declare_namespace(
    "tensh.linalg",
    globals(),
    LINALG,
    find=lambda name: public_object(LINALG[name], name, spoken=f"linalg_{name}", home="torch.linalg"),
)
