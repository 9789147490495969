"""The engine: tensors, autograd and the operators.

Read core/ first, then codegen/ and inplace/.  The operators are declared in operators/, a folder for each family; the
functions made of them are in the composites/ of the family.
"""

from functools import cache

from tensh.engine.arrays.blas import load_single_threaded
from tensh.engine.arrays.uninterrupted import Uninterrupted

with Uninterrupted(), load_single_threaded():  # NumPy turns a ^C during its import into another error
    import numpy  # noqa: F401  (before all else: a program starts 8 ms sooner than with NumPy loaded on the way)

from tensh.engine.arrays import floating_errors, malloc, threads
from tensh.engine.codegen.public_forms import public_object
from tensh.engine.codegen.registry import PUBLIC, read_all
from tensh.engine.codegen.table import public
from tensh.engine.core.tensor import Tensor
from tensh.engine.dtypes.device import CONSTANTS, device, layout, memory_format
from tensh.engine.dtypes.dtype import (
    ALIASES,
    ALL,
    EIGHT_BITS,
    can_cast,
    dtype,
    get_default_dtype,
    promote_types,
    set_default_dtype,
)
from tensh.engine.dtypes.info import finfo, iinfo
from tensh.engine.dtypes.size import Size
from tensh.engine.methods import attachment, protocols  # noqa: F401
from tensh.engine.methods.printing import format  # noqa: F401
from tensh.engine.methods.printing.options import get_printoptions, printoptions, set_printoptions
from tensh.engine.methods.unsupported import add_unsupported, unsupported_lookup

malloc.keep()
floating_errors.install(threads.BUFFER)
add_unsupported(Tensor)

PUBLIC.update(ALL | EIGHT_BITS)
PUBLIC.update(ALIASES)
PUBLIC.update(CONSTANTS)
for each in (Tensor, Size, device, layout, memory_format, dtype, can_cast, get_default_dtype, promote_types, set_default_dtype, finfo, iinfo,
             set_printoptions, get_printoptions, printoptions):  # fmt: skip
    public(each)


@cache  # what users get of an operator is written and compiled when it is asked for
def find_public(name):
    """Return the public object called ``name`` in the torch namespace."""
    if name not in PUBLIC:
        read_all()  # the index may be older than the name
        if name not in PUBLIC:
            return unsupported_lookup("torch")(name)
    return public_object(PUBLIC[name], name)
