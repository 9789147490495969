"""assert_close: two values, or two structures of them, are close, or an error says where and by how much not."""

import cmath
import warnings
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

import tensh as torch
from tensh.testing.tolerances import TOLERANCES

OLD_TOLERANCES = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}
NUMBERS = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}  # the dtypes whose tolerances they take
ATTRIBUTES = ("shape", "device", "dtype", "layout", "stride()")
PARTS = {
    torch.sparse_coo: ("_indices", "_values"),
    **dict.fromkeys((torch.sparse_csr, torch.sparse_bsr), ("crow_indices", "col_indices", "values")),
    **dict.fromkeys((torch.sparse_csc, torch.sparse_bsc), ("ccol_indices", "row_indices", "values")),
}


class Criteria(NamedTuple):
    """The requirements of a comparison besides closeness."""

    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_dtype: bool
    check_stride: bool
    check_layout: bool

    def tolerances(self, *dtypes):
        """Return (rtol, atol) for values of these dtypes, by their names."""
        if self.rtol is not None:
            return self.rtol, self.atol
        known = [TOLERANCES.get(name, (0.0, 0.0)) for name in dtypes]
        return max(rtol for rtol, _ in known), max(atol for _, atol in known)


def assert_close(
    actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True, check_dtype=True,
    check_layout=True, check_stride=False, msg=None,
):  # fmt: skip
    """Raise AssertionError unless two values are close: |actual - expected| <= atol + rtol * |expected|.

    They are tensors, arrays, numbers, None, or sequences and mappings of them.  Without ``rtol`` and ``atol`` (either both
    or none) the tolerances are those of the dtype, zero for integers.  ``msg`` replaces the message, or makes another one
    of it.

    >>> import tensh as torch
    >>> torch.testing.assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0000001]))
    >>> torch.testing.assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.1]))
    Traceback (most recent call last):
    AssertionError: Tensor-likes are not close!
    <BLANKLINE>
    Mismatched elements: 1 / 2 (50.0%)
    Greatest absolute difference: 0.09999990463256836 at index (1,) (up to 1e-05 allowed)
    Greatest relative difference: 0.04761900380253792 at index (1,) (up to 1.3e-06 allowed)
    """
    __tracebackhide__ = True  # for pytest
    if (rtol is None) != (atol is None):
        lacking = "rtol" if rtol is None else "atol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {lacking}.")
    criteria = Criteria(rtol, atol, equal_nan, check_dtype, check_stride, check_layout)
    for compare, one, other, place in [*pairs(actual, expected, "", allow_subclasses)]:
        complaint = compare(one, other, criteria)
        if complaint:
            complaint = locate(complaint, place)
            raise AssertionError(msg(complaint) if callable(msg) else msg or complaint)


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """Deprecated: ``assert_close`` with wider tolerances.  Numbers expected take the dtype of ``actual``.

    Raise AssertionError where the values differ, TypeError or RuntimeError for expected numbers that the dtype cannot hold.

    >>> import tensh as torch
    >>> torch.testing.assert_allclose(torch.tensor([1.0]), torch.tensor([1.00001]))
    """
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please use "
        "`torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
        "https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
        stacklevel=2,
    )
    actual = actual if isinstance(actual, torch.Tensor) else torch.tensor(actual)
    expected = expected if isinstance(expected, torch.Tensor) else torch.tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        both = [OLD_TOLERANCES.get(each.dtype.name, (0.0, 0.0)) for each in (actual, expected)]
        rtol, atol = (max(pair) for pair in zip(*both, strict=True))
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)


# ── structures ───────────────────────────────────────────────────────────────
def pairs(actual, expected, place, allow_subclasses):
    """Yield (function that compares, actual, expected, place in the structure) of the values in two structures."""
    if both(actual, expected, Sequence) and not (isinstance(actual, str) or isinstance(expected, str)):
        if len(actual) != len(expected):
            raise AssertionError(
                locate(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", place)
            )
        for number, (one, other) in enumerate(zip(actual, expected, strict=True)):
            yield from pairs(one, other, f"{place}[{number}]", allow_subclasses)
    elif both(actual, expected, Mapping):
        if actual.keys() != expected.keys():
            raise AssertionError(
                locate(
                    "The keys of the mappings do not match:\n"
                    f"Missing keys in the actual mapping: {sorted(expected.keys() - actual.keys())}\n"
                    f"Additional keys in the actual mapping: {sorted(actual.keys() - expected.keys())}",
                    place,
                )
            )
        for key in sort_keys(actual):
            yield from pairs(actual[key], expected[key], f"{place}[{key!r}]", allow_subclasses)
    else:
        yield pair(actual, expected, place, allow_subclasses)


def pair(actual, expected, place, allow_subclasses):
    """Compare two values."""
    if actual is None or expected is None:
        return compare_none, actual, expected, place
    if both(actual, expected, (bool, np.bool_)):
        return compare_bools, bool(actual), bool(expected), place
    if all(
        isinstance(each, (int, float, complex, np.number)) and not isinstance(each, bool) for each in (actual, expected)
    ):
        numbers = (each.item() if isinstance(each, np.number) else each for each in (actual, expected))
        return compare_numbers, *numbers, place
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if both(actual, expected, torch.Tensor) and related and (allow_subclasses or type(actual) is type(expected)):
        return compare_tensors, actual, expected, place
    if both(actual, expected, np.ndarray):
        try:
            return compare_tensors, torch.as_tensor(actual), torch.as_tensor(expected), place
        except TypeError:  # arrays of strings or objects
            pass
    raise TypeError(
        locate(
            f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.",
            place,
        )
    )


def both(one, other, kinds):
    return isinstance(one, kinds) and isinstance(other, kinds)


def sort_keys(mapping):
    """Return the keys in order, if they have one."""
    try:
        return sorted(mapping)
    except TypeError:
        return list(mapping)


def locate(text, place):
    return f"{text}\n\nThe failure occurred for item {place}" if place else text


# ── values ───────────────────────────────────────────────────────────────────
def compare_none(actual, expected, criteria):
    return None if actual is expected else f"None mismatch: {actual} is not {expected}"


def compare_bools(actual, expected, criteria):
    return None if actual is expected else f"Booleans mismatch: {actual} is not {expected}"


def compare_numbers(actual, expected, criteria):
    """Describe the difference of two numbers, or return None."""
    if criteria.check_dtype and type(actual) is not type(expected):
        return f"The (d)types do not match: {type(actual)} != {type(expected)}."
    rtol, atol = criteria.tolerances(*(NUMBERS.get(type(each), "float64") for each in (actual, expected)))
    return describe_number(actual, expected, rtol, atol, criteria.equal_nan)


def describe_number(actual, expected, rtol, atol, equal_nan):
    """Describe the distance of a number from another, if it is too far."""
    if actual == expected or equal_nan and cmath.isnan(actual) and cmath.isnan(expected):
        return None
    difference = abs(actual - expected)
    if cmath.isfinite(difference) and difference <= atol + rtol * abs(expected):
        return None
    relative = difference / abs(expected) if expected else float("inf")
    lines = [f"Expected {expected} but got {actual}.", *differences(difference, "", relative, "", rtol, atol)]
    return write_headline("Scalars", rtol, atol) + "\n".join(lines).replace("Greatest absolute", "Absolute").replace(
        "Greatest relative", "Relative"
    )


def write_headline(what, rtol, atol):
    return f"{what} are not {'close' if rtol or atol else 'equal'}!\n\n"


def differences(absolute, where_absolute, relative, where_relative, rtol, atol):
    """The lines about the greatest differences."""
    is_exact = not (rtol or atol)
    for word, value, where, allowed in (
        ("absolute", absolute, where_absolute, atol),
        ("relative", relative, where_relative, rtol),
    ):
        yield f"Greatest {word} difference: {value}{where}" + ("" if is_exact else f" (up to {allowed} allowed)")


def compare_tensors(actual, expected, criteria):
    """Describe the difference of two tensors, or return None."""
    unchecked = {
        "dtype": not criteria.check_dtype,
        "layout": not criteria.check_layout,
        "stride()": not criteria.check_stride,
    }
    for name in [name for name in ATTRIBUTES if not unchecked.get(name)]:
        if name == "stride()" and any(each.layout in PARTS for each in (actual, expected)):
            continue
        one, other = (each.stride() if name == "stride()" else getattr(each, name) for each in (actual, expected))
        if one != other:
            return f"The values for attribute '{name}' do not match: {one} != {other}."
    if actual.layout in PARTS and actual.layout is expected.layout:
        return compare_parts(actual, expected, criteria)
    actual, expected = (each.to_dense() if each.layout in PARTS else each for each in (actual, expected))
    return compare_elements(actual, expected, criteria, "Tensor-likes")


def compare_parts(actual, expected, criteria):
    """Describe the first part in which two sparse tensors of a layout differ, or return None."""
    kind = actual.layout.name.removeprefix("sparse_").upper()
    if kind == "COO":
        actual, expected = (each if each.is_coalesced() else each.coalesce() for each in (actual, expected))
    if actual._nnz() != expected._nnz():
        return f"The number of specified values in sparse {kind} tensors does not match: {actual._nnz()} != {expected._nnz()}"
    for name in PARTS[actual.layout]:
        one, other = (getattr(each, name)() for each in (actual, expected))
        asked = criteria if name.endswith("values") else criteria._replace(rtol=0, atol=0)
        complaint = compare_elements(one, other, asked, f"Sparse {kind} {name.removeprefix('_')}")
        if complaint:
            return complaint
    return None


def compare_elements(actual, expected, criteria, what):
    """Describe the elements of two dense tensors that are not close, or return None; ``what`` is their name."""
    rtol, atol = criteria.tolerances(actual.dtype.name, expected.dtype.name)
    actual, expected = actual.detach(), expected.detach()
    if actual.dtype is not expected.dtype:
        common = torch.promote_types(actual.dtype, expected.dtype)
        actual, expected = actual.to(common), expected.to(common)
    close = torch.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=criteria.equal_nan)
    if close.all():
        return None
    if actual.ndim == 0:
        return describe_number(actual.item(), expected.item(), rtol, atol, criteria.equal_nan)
    return describe_elements(actual, expected, close, rtol, atol, what)


def describe_elements(actual, expected, close, rtol, atol, what):
    """Describe the elements that are not close, and the places of the greatest differences."""
    if not (actual.dtype.is_floating_point or actual.dtype.is_complex):
        actual, expected = actual.to(torch.int64), expected.to(torch.int64)  # differences beyond the dtype
    absolute = (actual - expected).abs()
    relative = absolute / expected.abs()
    absolute[close], relative[close] = 0, 0
    number, total = int((~close).sum()), close.numel()
    greatest = []
    for each in (absolute, relative):
        value, index = each.flatten().max(0)
        where = tuple(int(i) for i in np.unravel_index(int(index), each.shape))
        greatest += [value.item(), f" at index {where}"]
    lines = [
        f"Mismatched elements: {number} / {total} ({number / total:.1%})",
        *differences(*greatest, rtol, atol),
    ]
    return write_headline(what, rtol, atol) + "\n".join(lines)
