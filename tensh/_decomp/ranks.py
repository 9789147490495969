"""Decompositions of ranks and of Vandermonde matrices."""

import tensh as torch
from tensh._aten.calls import aten
from tensh._decomp.rules import PLACE, STRIDED, full, rule


def number(value):
    return torch.ops.aten.full.default([], value, dtype=torch.float64, **STRIDED, **PLACE)


@rule("linalg_matrix_rank.default")
def matrix_rank(self, tol, hermitian=False):
    return count_beyond(self, number(tol), number(0.0), hermitian)


@rule("linalg_matrix_rank.tol_tensor")
def matrix_rank_tensor(input, tol, hermitian=False):
    return count_beyond(input, tol, full(tol.shape, 0, tol.dtype), hermitian)


@rule("linalg_matrix_rank.atol_rtol_float")
def matrix_rank_tolerances(self, *, atol=None, rtol=None, hermitian=False):
    if rtol is None:
        rtol = 0.0 if atol else torch.finfo(self.dtype).eps * max(self.shape[-2:])
    return count_beyond(self, number(atol) if atol else full([], 0, torch.float64), number(rtol), hermitian)


@rule("linalg_matrix_rank.atol_rtol_tensor")
def matrix_rank_tensors(input, *, atol=None, rtol=None, hermitian=False):
    if atol is None and rtol is None:
        return matrix_rank_tolerances(input, hermitian=hermitian)
    return NotImplemented if atol is None or rtol is None else count_beyond(input, atol, rtol, hermitian)


def count_beyond(self, atol, rtol, hermitian):
    """Count the singular values that are larger than the tolerance."""
    if not self.numel():
        return NotImplemented
    if hermitian:
        values = aten("abs", aten("_linalg_eigh", self)[0])
        largest = aten("amax", values, [-1], True)
    else:
        values = aten("_linalg_svd", self)[1]
        largest = aten("slice", values, -1, 0, 1)
    relative = aten("mul", aten("unsqueeze", rtol, -1), largest)
    return aten("sum", aten("gt", values, aten("maximum", aten("unsqueeze", atol, -1), relative)), [-1])


@rule("vander")
def vander(x, N=None, increasing=False):
    count = x.shape[0] if N is None else N
    dtype = x.dtype if x.is_floating_point() or x.is_complex() else torch.int64
    made = torch.ops.aten.empty.memory_format([x.shape[0], count], dtype=dtype, **STRIDED, **PLACE)
    if count > 0:
        ones = aten("full_like", aten("select", made, 1, 0), 1, pin_memory=False)
        made = aten("select_scatter", made, ones, 1, 0)
    if count > 1:
        column = aten("unsqueeze", x, 1)
        made = aten("slice_scatter", made, aten("copy", aten("slice", made, 1, 1), column), 1, 1)
        powers = aten("cumprod", aten("slice", made, 1, 1), 1)
        made = aten("slice_scatter", made, aten("copy", aten("slice", made, 1, 1), powers), 1, 1)
    return made if increasing else aten("flip", made, [1])


@rule("linalg_vander")
def linalg_vander(x, *, N=None):
    count = x.shape[-1] if N is None else N
    powers = aten("cumprod", aten("expand", aten("unsqueeze", x, -1), [*x.shape, count - 1]), -1)
    return aten("cat", [full([*x.shape, 1], 1, powers.dtype), powers], -1)
