"""The namespace of generated functions: what their text may call."""

import sys

import numpy as np
from numpy import asarray, ndarray

from tensh.engine.arguments.signatures import refuse_receiver
from tensh.engine.arrays.halves import MANY
from tensh.engine.arrays.memory import row_major
from tensh.engine.arrays.orders import arrange
from tensh.engine.arrays.tabulated import LEAST
from tensh.engine.arrays.threads import BLOCK, PARALLEL_HEAVY, PARALLEL_LIGHT, parallel_map
from tensh.engine.codegen.mixing import (  # fmt: skip
    EXACT_SCALARS,
    NO_ARRAY,
    NUMBERS,
    SCALARS,
    STRICT,
    WEAK,
    as_float,
    keep_dtype,
    make_cast_error,
    make_write_error,
    mix,
    promote,
    require_operand,
    take_operand,
    take_operands,
)
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core import ports
from tensh.engine.core.clock import announce, clock, listeners, mode, stamp_write, tick
from tensh.engine.core.lift import Lift
from tensh.engine.core.nodes import Output
from tensh.engine.core.tensor import Tensor, new, wrap
from tensh.engine.core.views import record_retyped_view, record_view, refresh_node
from tensh.engine.dispatch.override.points import overrides
from tensh.engine.errors.messages import (
    ABSENT,
    REQUIRED,
    WRITE_FAILURES,
    is_not_int64,
    raise_missing,
    refuse_dtype,
    require_differentiable,
    translate_error,
)
from tensh.engine.errors.views import MULTIPLE
from tensh.engine.inplace.out import check_out, refuse_growth, require_outs, write_constant_out, write_out
from tensh.engine.inplace.outside import differentiating
from tensh.engine.inplace.overlap import refuse_overlap, refuse_overlap_in_part
from tensh.engine.inplace.plain import compute_plain, is_plain, write_plain
from tensh.engine.inplace.writes import (
    DIRECT,
    begin_write,
    name_node,
    operand_node,
    require_own_dtype,
    write_elementwise,
    write_inplace,
)


def operand(value):
    """Return True if a Python operator accepts ``value`` beside a tensor."""
    return isinstance(value, (Tensor, *NUMBERS, np.number, np.bool_))


def foreign(name, input, other):
    """Answer a Python operator whose operand is neither tensor nor number: only ``==`` takes an array, as in PyTorch."""
    if name == "eq" and isinstance(other, ndarray) and other.dtype.kind in "biufc":
        return OPS[name].fn(input, wrap(other))
    if overrides(type(other)) and (answer := ports.answer_override(sys._getframe(1).f_code, (input, other), {})):
        return answer[0]
    return NotImplemented


def any_wants_gradient(nodes):
    """Return True if any tensor of a sequence wants a gradient."""
    return nodes.count(None) != len(nodes)


FUNCTIONS = (
    Tensor, ndarray, asarray, wrap, refresh_node, record_view, record_retyped_view, Output, announce, stamp_write,
    take_operand, take_operands, mix, promote, as_float, write_out, write_inplace, begin_write, operand_node, check_out,
    write_constant_out, require_own_dtype, refuse_overlap_in_part, refuse_growth, refuse_overlap, keep_dtype, operand,
    foreign, any_wants_gradient, is_not_int64, raise_missing, translate_error, refuse_dtype, require_operand, make_cast_error,
    make_write_error, Lift, parallel_map, refuse_receiver, require_differentiable, row_major, arrange, require_outs,
    write_elementwise, name_node, is_plain, write_plain, compute_plain,
)  # fmt: skip
ENVIRONMENT = {each.__name__: each for each in FUNCTIONS} | {
    "new": new, "mode": mode, "clock": clock, "tick": tick, "listeners": listeners,
    "differentiating": differentiating, "ports": ports, "OPS": OPS, "WEAK": WEAK,
    "STRICT": STRICT, "SCALARS": SCALARS, "EXACT_SCALARS": EXACT_SCALARS, "MULTIPLE": MULTIPLE, "REQUIRED": REQUIRED, "ABSENT": ABSENT, "NO_ARRAY": NO_ARRAY,
    "MANY_HALVES": MANY, "TABULATED": LEAST, "F4": np.dtype(np.float32), "BLOCK": BLOCK, "DIRECT": DIRECT, "WRITE_FAILURES": WRITE_FAILURES, "PARALLEL_HEAVY": PARALLEL_HEAVY, "PARALLEL_LIGHT": PARALLEL_LIGHT,
}  # fmt: skip
"""The one namespace in which all generated functions live."""
