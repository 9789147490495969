"""``out=``: results written into tensors of the caller."""

from tensh.engine.arguments.mismatches import type_name
from tensh.engine.arrays import memory
from tensh.engine.arrays.absent import Absent
from tensh.engine.autograd.inference import refuse_write
from tensh.engine.codegen.return_types import return_type
from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.clock import continue_version, mode, owner, stamp_write
from tensh.engine.core.nodes import AccumulateGrad
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import INFERENCE
from tensh.engine.dtypes.dtype import BY_NUMPY, can_cast
from tensh.engine.errors.messages import does_not_fit, dtype_error
from tensh.engine.errors.out_words import (
    DEVICE_WORDS,
    EXACT_WORDS,
    IN_ROWS,
    IN_ROWS_IF_FILLED,
    NAMES_OF_DIFFERENTIABLE,
    SILENT,
    UNCOPIED,
    WORDS_OF_PARTS,
    refused_cast,
    words_of,
)
from tensh.engine.errors.warnings import warn, warn_of_real_part
from tensh.engine.inplace.overlap import refuse_overlap, refuse_overlap_in_part, refuse_shared
from tensh.engine.inplace.plain import is_plain, write_plain
from tensh.engine.inplace.writes import requires


def refuse_growth(out, result, inputs):
    """Raise if ``out`` is an operand and would have to take another size."""
    if isinstance(out, Tensor) and out.array.shape != result.array.shape and any(out is each for each in inputs):
        raise RuntimeError(does_not_fit(out.array.shape, result.array.shape))


def require_outs(out, name, several):
    """Raise TypeError for another ``out`` than a tensor, or than a tuple of tensors for several results."""
    if not isinstance(out, (tuple, list) if several else Tensor):
        kind = "tuple of Tensors" if several else "Tensor"
        raise TypeError(f"{name}(): argument 'out' must be {kind}, not {type_name(out)}")


def are_plain_outs(out, inputs):
    """Return True if ``is_plain`` holds for ``out``, or for all tensors of a tuple."""
    return all([is_plain(each, inputs) for each in out]) if type(out) is tuple else is_plain(out, inputs)


def check_out(out, name, inputs):
    """Raise PyTorch's errors for ``out=`` before any computation; ``inputs`` may be any values, or lists of them.

    Special functions without a derivative write into tensors that require grad, as in PyTorch.
    """
    if not mode.grad or are_plain_outs(out, inputs) or name.startswith("aten::special_"):
        return
    given = [t for each in (out, *inputs) for t in (each if type(each) in (tuple, list) else (each,))]
    if mode.levels:
        mode.levels.refuse_tangents(name, given)
    if mode.grad is True and any(isinstance(t, Tensor) and requires(t) for t in given):
        raise RuntimeError(
            f"{NAMES_OF_DIFFERENTIABLE.get(name, name)}(): functions with out=... arguments don't support automatic differentiation, "
            "but one of the arguments requires grad."
        )


def write_out(out, result, name, strict=None, inputs=(), apart=True, number=0):
    """Put ``result`` into the tensor (or tensors) ``out``, which takes its shape, and return ``out``.

    ``strict`` is the error for an ``out`` of another dtype than the result (a text), or for one that the result cannot be
    cast to (an exception), or a function of both dtypes that raises.  ``out`` must lie apart from ``inputs``; if not
    ``apart``, it may be one of them.  ``number`` is the place of the result among several.
    """
    if is_plain(out, inputs, apart) and write_plain(out, result):
        return out
    if isinstance(result, tuple):
        require_dtypes_of_parts(out, result, name)
        for place, (target, value) in enumerate(zip(out, result, strict=True)):
            write_out(target, value, name, strict, inputs, apart, place)
        kind = type(result)
        return kind(out) if kind is tuple else return_type(f"{kind.__name__}_out", kind.__match_args__)(out)
    check_out(out, name, (result,))
    return write_constant_out(out, result, name, strict, inputs, apart, number)


def require_dtypes_of_parts(out, result, name):
    """Raise unless there is a tensor for each of several results, of its dtype where PyTorch asks for that."""
    require_outs(out, name, several=True)
    if len(out) != len(result):
        raise TypeError(f"expected tuple of {len(result)} elements but got {len(out)}")
    for target, value, words in zip(out, result, WORDS_OF_PARTS.get(name, ())):
        if isinstance(target, Tensor) and target.dtype is not value.dtype:
            raise RuntimeError(words.format(value.dtype, target.dtype))


def write_constant_out(out, result, name, strict=None, inputs=(), apart=True, number=0):
    """Write a result without derivative into ``out``, which may require grad."""
    require_outs(out, name, several=False)
    if out._base is INFERENCE:
        refuse_write(out)
    a, b = out.array, result.array
    if (type(a) is Absent) is not (type(b) is Absent):
        raise RuntimeError((words_of(DEVICE_WORDS, name) or UNCOPIED).format(result.device, out.device))
    if a.dtype is not b.dtype:
        if strict is None:
            refuse_overlap(a)
        refuse_out_dtype(BY_NUMPY[b.dtype], BY_NUMPY[a.dtype], strict, name, number)
    refuse_overlap(a)
    if apart:
        refuse_shared(a, inputs)
    else:
        refuse_overlap_in_part(out, inputs)
    if a.shape != b.shape:
        resize_out(
            out,
            b.shape,
            silent=name in SILENT,
            steps=memory.strides(b) if keeps_order(name, b, a) else None,
        )
    if b.dtype.kind in "cW" and out.array.dtype.kind in "biufV":
        warn_of_real_part(b.size)
        b = b.real
    stamp_write(out.array)
    out.array[...] = b
    return out


def keeps_order(name, array, out):
    """Return True if ``out`` takes the order of the result, which is dense but not in rows."""
    if not array.size or array.flags.c_contiguous or name in IN_ROWS or name in IN_ROWS_IF_FILLED and out.size:
        return False
    return memory.is_dense(array)


def refuse_out_dtype(result, target, strict, name, number=0):
    """Raise if a result of one dtype must not go into an ``out=`` of another."""
    if callable(strict):
        return strict(result, target)
    if strict is None:
        strict = words_of(EXACT_WORDS, name)
    if isinstance(strict, str):
        raise RuntimeError(strict.format(result, target))
    if not can_cast(result, target):
        if strict is not None:
            raise type(strict)(str(strict).format(result, target))
        raise refused_cast(result, target, name, number)


def require_same_dtype(name, input, out):
    """Raise if ``out`` is of another dtype than the input of the operator ``name``."""
    if isinstance(out, Tensor) and isinstance(input, Tensor) and out.array.dtype is not input.array.dtype:
        own = input.array.dtype
        if own.kind in OPS[name].refusal:
            raise dtype_error(name, own)
        raise RuntimeError(f"Found dtype {out.dtype.title} but expected {input.dtype.title}")


def require_same_or_real(name, input, out):
    """Raise if ``out`` is of another dtype than the input; real parts of complex numbers may be real."""
    if not (isinstance(input, Tensor) and isinstance(out, Tensor)) or not (
        input.array.dtype.kind in "cW" and out.array.dtype.kind not in "cW"
    ):
        require_same_dtype(name, input, out)


def require_bool(name, input, out):
    """Raise if ``out`` is not bool."""
    if isinstance(out, Tensor) and out.array.dtype.kind != "b":
        if isinstance(input, Tensor) and input.array.dtype.kind in OPS[name].refusal:
            raise dtype_error(name, input.array.dtype)
        raise RuntimeError(f"{name} does not support non-boolean outputs.")


def require_dtype_of_input(name, input, out):
    """Raise, in the words of newer operators, if ``out`` is of another dtype than the input."""
    if isinstance(out, Tensor) and isinstance(input, Tensor) and out.array.dtype is not input.array.dtype:
        raise RuntimeError(f"{name}: dtype of out: {out.dtype.title} should be same as input: {input.dtype.title}")


def resize_out(out, shape, silent=False, steps=None):
    """Give ``out`` another shape, and these strides or row-major ones, with PyTorch's warning unless it was empty."""
    if out.array.size and not silent:
        warn(
            "An output with one or more elements was resized since it had shape "
            f"{list(out.array.shape)}, which does not match the required output shape {list(shape)}. "
            "This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they have "
            "zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
            "t.resize_(0).",
        )
    before = out.array
    out.array = memory.fit_in_room(before, shape, steps or memory.contiguous_strides(shape))
    if type(out.node) is AccumulateGrad:
        out.node.shape = shape
    if owner(out.array) is not owner(before):
        continue_version(before, out.array)
        if out._base is not None:
            stamp_write(before)
        out._base = None
