"""torch.linalg: linear algebra."""

from tensh.engine.absent import absent
from tensh.engine.declarations.table import shown
from tensh.engine.functional.namespaces import LINALG
from tensh.engine.ops.linalg.shared import LinAlgError  # noqa: F401


def __getattr__(name):
    if name in LINALG:
        value = globals()[name] = shown(LINALG[name], name, spoken=f"linalg_{name}")
        return value
    raise absent("torch.linalg", name)


def __dir__():
    return sorted({*LINALG, "LinAlgError"})
