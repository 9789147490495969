"""torch.return_types: the tuples with field names that functions with several results return.

>>> import tensh as torch
>>> isinstance(torch.ones(2).max(0), torch.return_types.max)
True
"""

import tensh.engine  # noqa: F401
from tensh.engine.codegen.derivatives import LIST
from tensh.engine.codegen.return_types import RETURN_TYPES
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.methods.unsupported import read_recorded_names, unsupported_name


def find_makers():
    """name -> the operator that returns this tuple; the tuple is made together with its function."""
    return {op.returns: op for op in OPS.values() if op.outs and op.outs != LIST}


def __getattr__(name):
    if name == "__all__":
        return __dir__()
    if name in read_recorded_names("torch.return_types"):
        if name not in RETURN_TYPES and name in find_makers():
            find_makers()[name].write()
        if name in RETURN_TYPES:
            return RETURN_TYPES[name]
    raise unsupported_name("torch.return_types", name)


def __dir__():
    return sorted({*RETURN_TYPES, *find_makers()} & set(read_recorded_names("torch.return_types")))
