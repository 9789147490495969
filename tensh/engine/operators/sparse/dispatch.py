"""Dispatch of operators and functions called with sparse tensors."""

import sys

from tensh.engine.codegen.vocabulary import OPS
from tensh.engine.core.clock import mode
from tensh.engine.core.lift import Lift
from tensh.engine.core.nodes import AccumulateGrad, uses_gradient
from tensh.engine.core.tensor import Tensor
from tensh.engine.core.views import refresh_node
from tensh.engine.dtypes.dtype import can_cast
from tensh.engine.errors.messages import cannot_cast, too_large
from tensh.engine.errors.unavailable import could_not_run
from tensh.engine.inplace.out import write_out
from tensh.engine.inplace.writes import begin_write, write_inplace
from tensh.engine.operators.elementwise.arithmetic import refuse_bools
from tensh.engine.operators.sparse.array import COO, CSR
from tensh.engine.operators.sparse.forms import is_sparse
from tensh.engine.operators.sparse.layouts import TITLES
from tensh.engine.operators.sparse.likes import LIKES
from tensh.engine.operators.sparse.multiplication import PRODUCTS
from tensh.engine.operators.sparse.names import ATEN, COMPARISONS, OF_COMPRESSED
from tensh.engine.operators.sparse.requests import REQUESTS
from tensh.engine.operators.sparse.rules import COALESCED, RULES, promote
from tensh.engine.operators.sparse.shapes import SHAPES

TABLE = {**RULES, **SHAPES, **PRODUCTS, **REQUESTS, **LIKES}


def operator(name, /, *args, out=None, **options):
    """Apply the operator ``name``; "add_" is the in-place form of "add"."""
    if name not in OPS and name not in TABLE and name.endswith("_"):
        return write(name, args[0], (name.removesuffix("_"), *args), options)
    if out is not None and is_sparse(out) and not any(map(is_sparse, args)):
        raise RuntimeError("Tensor should be sparse")
    result = answer(name, args, options)
    return result if out is None else give_out(out, result, name)


def function(name, fn, args, options, /):
    """Apply a composite that reads elements itself."""
    out = options.pop("out", None)
    if name not in TABLE and name.endswith("_") and not name.startswith("_"):
        return write(name, args[0], (name.removesuffix("_"), *args), options)
    result = answer(name, args, options)
    return result if out is None else give_out(out, result, name)


def answer(name, args, options):
    """Return the result of a rule; raise PyTorch's error if there is none."""
    if name in TABLE:
        try:
            return TABLE[name](*args, **options)
        except Lift:  # a part of the rule reads elements
            pass
    failure = getattr(sys.exception(), "__context__", None)
    if isinstance(failure, MemoryError) and not getattr(
        OPS.get(name), "public", True
    ):  # the operator knows sparse arrays
        raise too_large(failure) from None
    raise make_refusal(name, overload(name, args), args)


def make_refusal(name, title, args):
    """Return PyTorch's error for an operator without a rule, which is called ``title`` there."""
    kind = backend(args)
    if kind == "SparseCPU":
        return could_not_run(title, kind)
    layout = next((each.array.layout for each in args if is_sparse(each)), CSR)
    if title.partition(".")[0].rstrip("_") in ("as_strided", "sort", "diagonal_copy"):
        return RuntimeError(f"Sparse {layout.name.removeprefix('sparse_').upper()} tensors do not have strides")
    if getattr(OPS.get(name), "pointwise", False) and title.partition(".")[0].rstrip("_") not in REGISTERED:
        return RuntimeError(f"unsupported tensor layout: {TITLES[layout]}")
    return could_not_run(OF_COMPRESSED.get(title, title), kind)


REGISTERED = frozenset("hardtanh logical_not log_sigmoid_forward logit nan_to_num prelu threshold where".split())
"""Elementwise operators that PyTorch looks up by layout, in place of refusing the layout."""


def overload(name, args):
    """Return PyTorch's name of an operator, with the overload for these arguments."""
    title = ATEN.get(name, name)
    with_number = len(args) > 1 and isinstance(args[1], (int, float, complex))
    return title.replace(".Tensor", ".Scalar") if with_number and name in COMPARISONS else title


def backend(args):
    """Return PyTorch's name of the backend for these tensors."""
    flat = [each for arg in args for each in (arg if isinstance(arg, (list, tuple)) else (arg,))]
    layouts = [each.array.layout for each in flat if is_sparse(each)]
    return "SparseCPU" if COO in layouts else "SparseCsrCPU"


def give_out(out, result, name):
    """Write a result into ``out``."""
    if is_sparse(result) and not is_sparse(out):
        raise RuntimeError("Tensor should be sparse")
    return replace(out, result) if is_sparse(out) else write_out(out, result, name)


def write(name, target, call, options):
    """Write the result of a call into ``target``; of a sparse tensor, indices and values are replaced."""
    refuse_conversion(name, target, call[2:])
    if is_sparse(target) and call[0] not in TABLE:
        title, dot, overloaded = overload(call[0], call[1:]).partition(".")
        raise make_refusal(call[0], title + "_" + dot + overloaded, call[1:])
    if is_sparse(target) and call[0] in COALESCED and target.array.layout is COO and not target.array.coalesced:
        raise RuntimeError(f"{name} requires coalesced input")
    if is_sparse(target) and call[0] in ("t", "transpose") and target.array.layout is not COO:
        title = TITLES[target.array.layout]
        raise RuntimeError(f"torch.transpose_: in-place transposition is not supported for {title} layout")
    if is_sparse(target) and call[0] == "unsqueeze":
        raise could_not_run("as_strided_", backend(call[1:]))
    if not is_sparse(target) and name == "mul_":
        return target.mul_(call[2].to(promote(target, call[2])).to_dense())
    if not is_sparse(target):
        others = [each for each in call[2:] if isinstance(each, Tensor)]
        since = begin_write(target)
        if any(map(requires, others)):
            begin_write(target, *[each for each in others if not is_sparse(each)])
        return write_inplace(target, since, operator(*call, **options), name)
    if mode.grad is True and type(refresh_node(target)) is AccumulateGrad:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    result = operator(*call, **options)
    if name == "mul_" and not is_sparse(call[2]) and result.dtype is not target.dtype:
        kinds = result.dtype.title, target.dtype.title
        raise RuntimeError("dtype of values ({}) must match dtype of sparse tensor ({})".format(*kinds))
    return replace(target, result)


def refuse_conversion(name, target, others):
    """Raise PyTorch's error for a sum or product of tensors whose dtype cannot become that of ``target``."""
    kind = name.partition("_")[0]
    others = [each for each in others if isinstance(each, Tensor) and each.array.ndim]
    if kind not in ("add", "sub", "mul") or not others:
        return
    (other,) = others
    if kind == "sub":
        refuse_bools(target.array.dtype, other.array.dtype, 1)
    if is_sparse(target) and not is_sparse(other):
        return  # there is no such sum, and a product has another error
    result, own = promote(target, other), target.dtype
    if can_cast(result, own):
        return
    if kind != "mul" or not is_sparse(target):
        where = " in add operation"
    else:
        where = " in mul operation" if target.array.coalesced and other.array.coalesced else ""
    raise RuntimeError(f"Can't convert result type {result.title} to output {own.title}{where}")


def requires(t):
    return uses_gradient(refresh_node(t))


def replace(target, result):
    """Replace the indices, the values and the history of a sparse tensor by those of another."""
    if result.array.dtype != target.array.dtype:
        if not can_cast(result.dtype, target.dtype):
            raise cannot_cast(result.dtype, target.dtype)
        result = result.to(target.dtype)
    target.array = result.array
    if result.node is not None:
        target.node = result.node
    return target
