"""torch.linalg: linear algebra."""

from tensh.engine.codegen.table import public_object
from tensh.engine.methods.unsupported import unsupported_name
from tensh.engine.operators.linalg.shared import LinAlgError  # noqa: F401
from tensh.engine.operators.namespaces import LINALG


def __getattr__(name):
    if name in LINALG:
        value = globals()[name] = public_object(LINALG[name], name, spoken=f"linalg_{name}")
        return value
    raise unsupported_name("torch.linalg", name)


def __dir__():
    return sorted({*LINALG, "LinAlgError"})
