"""Private functions of torch that libraries call, in terms of public ones."""

from tensh.engine import find_public
from tensh.engine.autograd.leaves import has_same_form
from tensh.engine.dtypes.dtype import float16, float32, float64, int8, int16, int32, int64, uint8
from tensh.engine.errors.warnings import warn_once
from tensh.engine.operators.layers.composites.grouped import grouped_mm
from tensh.engine.operators.reductions.composites.norms import vector_norm

CASTS = {
    "Byte": uint8, "Char": int8, "Short": int16, "Int": int32, "Long": int64,
    "Half": float16, "Float": float32, "Double": float64,
}  # fmt: skip


def make_cast(name, dtype):
    """Make the function that converts a tensor to a dtype."""

    def cast(input, non_blocking=False):
        return input.to(dtype, non_blocking)

    cast.__name__ = cast.__qualname__ = f"_cast_{name}"
    cast.__doc__ = f"Return ``input`` as {dtype}."
    cast.__module__ = "torch"
    return cast


globals().update({f"_cast_{name}": make_cast(name, dtype) for name, dtype in CASTS.items()})


def _shape_as_tensor(self):
    """Return the shape as a tensor of integers."""
    return find_public("tensor")(self.shape, dtype=int64)


def _reshape_from_tensor(self, shape):
    """Return the elements in the shape that a tensor of integers gives."""
    return self.reshape(shape.tolist())


def _has_compatible_shallow_copy_type(input, from_):
    """Return True if ``input.data = from_`` may be assigned: both are on one device and of one form, such as dense."""
    return has_same_form(input, from_)


def _convert_indices_from_coo_to_csr(input, size, *, out_int32=False):
    """Return where each of ``size`` rows begins among sorted row numbers, and where the last one ends."""
    return find_public("searchsorted")(input, find_public("arange")(size + 1, dtype=input.dtype), out_int32=out_int32)


def _convert_indices_from_csr_to_coo(crow_indices, col_indices, *, out_int32=False, transpose=False):
    """Return [rows, columns] of compressed rows; with ``transpose`` the columns first."""
    rows = find_public("arange")(len(crow_indices) - 1).repeat_interleave(crow_indices.diff())
    both = find_public("stack")([rows, col_indices.to(rows.dtype)])
    return (both.flip(0) if transpose else both).to(int32 if out_int32 else crow_indices.dtype)


def _int_mm(self, mat2, *, out=None):
    """Return the product of matrices [n, k] of int8 or uint8 and [k, m] of int8, in int32."""
    where = "int_mm_out_cpu: Expected"
    if self.dim() != 2:
        raise RuntimeError(f"{where} self to be of dimension 2 but got {self.dim()}")
    mat2.size(1)  # raises IndexError for a vector
    if self.size(1) != mat2.size(0):
        raise RuntimeError(
            f"int_mm_out_cpu: self.size(1) needs to match mat2.size(0) but got {self.size(1)} and {mat2.size(0)}"
        )
    if self.dtype not in (int8, uint8):
        raise RuntimeError(f"{where} self dtype to be int8 or uint8 but got {self.dtype.spoken}")
    if mat2.dtype is not int8:
        raise RuntimeError(f"{where} mat2 dtype to be of type int8 but got {mat2.dtype.spoken}")
    product = self.to(int32) @ mat2.to(int32)
    return product if out is None else out.copy_(product)


def _grouped_mm(self, mat2, offs=None, bias=None, out_dtype=None):
    """Return ``torch.nn.functional.grouped_mm``, whose options may be positional here."""
    return grouped_mm(self, mat2, offs=offs, bias=bias, out_dtype=out_dtype)


def _amp_foreach_non_finite_check_and_unscale_(self, found_inf, inv_scale):
    """Multiply tensors by ``inv_scale`` in place, and set ``found_inf`` to 1 if an element is not finite."""
    for each in self:
        if not each.isfinite().all():
            found_inf.fill_(1)
        each.mul_(inv_scale)


def _amp_update_scale_(self, growth_tracker, found_inf, scale_growth_factor, scale_backoff_factor, growth_interval):
    """Update a loss scale in place: smaller after an infinite gradient, larger after ``growth_interval`` finite ones."""
    good = 0 if found_inf else growth_tracker.item() + 1
    if found_inf:
        self.mul_(scale_backoff_factor)
    elif good == growth_interval:
        good, larger = 0, self * scale_growth_factor
        self.copy_(larger if larger.isfinite() else self)
    growth_tracker.fill_(good)
    return self


def frobenius_norm(input, dim, keepdim=False, *, out=None):
    """Return ``torch.linalg.vector_norm`` along some dimensions, with a warning: the function is deprecated.

    >>> import tensh as torch
    >>> torch.frobenius_norm(torch.tensor([[3.0, 4.0]]), (0, 1))
    tensor(5.)
    """
    warn_once(DEPRECATED.format("frobenius_norm", "vector_norm(A, 2., dim, keepdim)"))
    return write(vector_norm(input, 2.0, dim, keepdim), out)


def nuclear_norm(input, dim=(-2, -1), keepdim=False, *, out=None):
    """Return ``torch.linalg.matrix_norm`` by singular values, with a warning: the function is deprecated.

    >>> import tensh as torch
    >>> torch.nuclear_norm(torch.eye(2))
    tensor(2.)
    """
    warn_once(DEPRECATED.format("nuclear_norm", "matrix_norm(A, 'nuc', dim, keepdim)"))
    if isinstance(dim, bool):  # the form without dimensions
        dim, keepdim = (-2, -1), dim
    return write(find_public("norm")(input, "nuc", dim, keepdim), out)


def write(result, out):
    """Return a result, written into ``out`` unless that is None."""
    return result if out is None else out.resize_(result.shape).copy_(result)


DEPRECATED = (
    "at::{} is deprecated and it is just left for JIT compatibility. It will be removed in a future PyTorch release. Please use "
    "`linalg.{}` instead"
)
for each in (frobenius_norm, nuclear_norm):
    each.__module__ = "torch"
