"""torch.return_types: the tuples with field names that functions with several results return.

>>> import tensh as torch
>>> isinstance(torch.ones(2).max(0), torch.return_types.max)
True
"""

import tensh.engine  # noqa: F401
from tensh.engine.absent import absent
from tensh.engine.table import OPS, RETURN_TYPES


def __getattr__(name):
    """A tuple is made together with the function of the operator that returns it."""
    maker = next((op for op in OPS.values() if op.outs and op.returns == name), None)
    if maker is not None and maker.fn:
        return RETURN_TYPES[name]
    if name in RETURN_TYPES:
        return RETURN_TYPES[name]
    raise absent("torch.return_types", name)


def __dir__():
    return sorted({*RETURN_TYPES, *(op.returns for op in OPS.values() if op.outs)})
