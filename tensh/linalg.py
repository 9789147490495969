"""torch.linalg: linear algebra."""

from tensh.engine.functional.namespaces import LINALG
from tensh.engine.ops.matrices import LinAlgError  # noqa: F401


def __getattr__(name):
    if name in LINALG:
        return LINALG[name]
    raise AttributeError(f"module 'torch.linalg' has no attribute '{name}'")


def __dir__():
    return sorted({*LINALG, "LinAlgError"})
