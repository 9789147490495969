"""Tangents of every operator in PyTorch's own database are PyTorch's: in float64 and complex128, and in place."""

import importlib

import pytest

from tests.oracle.test_op_db import (
    assert_same,
    convert,
    each_entry,
    forms,
    oracle,
    seed,
    some,
    tensh,
    tolerance_of,
    weights,
)

OTHERWISE = {
    "as_strided_scatter": "PyTorch's gradient, which is followed here, is not the transpose of its tangent",
    "nn.functional.max_unpool1d": "the same, where an index occurs twice",
    "nn.functional.max_unpool2d": "the same, where an index occurs twice",
    "nn.functional.max_unpool3d": "the same, where an index occurs twice",
    "linalg.cholesky": "the same, in directions that leave the symmetric matrices",
    "linalg.cholesky_ex": "the same, in directions that leave the symmetric matrices",
    "linalg.eigh": "the same, in directions that leave the symmetric matrices",
    "cholesky_inverse": "PyTorch's tangent is not the slope",
    "triangular_solve": "PyTorch's tangent is not the slope in directions that leave the triangular matrices",
    "logcumsumexp": "PyTorch's tangent has six digits",
    "nn.functional.multi_head_attention_forward": "PyTorch draws in another order where tangents are carried",
}
"""Entries whose tangents differ from PyTorch's, and why."""


class Tangents:
    """The tangents of a sample's results in module ``m``, given tangents of all its leaves; or its error."""

    def __init__(self, m, build, sample):
        self.found = self.error = None
        fwAD = importlib.import_module(f"{m.__name__}.autograd.forward_ad")
        importer = convert.Importer(m, grad=True)
        seed()
        try:
            values = importer((sample.input, sample.args, sample.kwargs))
            with fwAD.dual_level():
                duals = {
                    id(t): fwAD.make_dual(t.detach(), weights(m, t, number).detach())
                    for number, t in enumerate(importer.leaves)
                }
                first, args, kwargs = replaced(values, duals)
                made = sample.output_process_fn_grad(build(m)(first, *args, **kwargs))
                results = [fwAD.unpack_dual(t) for t in convert.tensors_in(m, made)]
                self.found = [tangent for value, tangent in results if value.is_floating_point() or value.is_complex()]
        except Exception as error:
            self.error = error


def replaced(value, duals):
    """``value`` with the leaves within it replaced."""
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(replaced(each, duals) for each in value)
    if isinstance(value, dict):
        return {name: replaced(each, duals) for name, each in value.items()}
    return duals.get(id(value), value)


@each_entry
def test_tangents_of_functions_and_in_place_forms_are_pytorchs(op, dtype):
    """The tangents of the results of a function and of its in-place form."""
    if not op.supports_forward_ad:
        pytest.skip("PyTorch has no forward derivative")
    if op.name in OTHERWISE:
        pytest.skip(OTHERWISE[op.name])
    for number, sample in enumerate(some(op, dtype)):
        for label, build in forms(op, sample).items():
            expected = Tangents(oracle, build, sample)
            if expected.error is not None:
                continue
            where = f"{label}, sample {number}: {sample.summary()[:300]}"
            actual = Tangents(tensh, build, sample)
            if actual.error is not None:
                raise AssertionError(where) from actual.error
            assert_same(expected.found, actual.found, tolerance_of(sample), where)
