"""Derivatives of every operator in PyTorch's own database are PyTorch's: first and second, real and complex, and in place.

Of every entry that can be differentiated some samples are run by both, in float64 and complex128: the gradients of all
leaves for fixed weights on the results, and the gradients of those gradients for leaves and weights.  Small samples are
also held against differences of values by ``gradgradcheck``.
"""

import sys
import warnings

import numpy as np
import pytest
from conftest import SHARED

import tensh

oracle = pytest.importorskip("torch")
if not (SHARED / "conformance").is_dir():
    pytest.skip("no reference material beside the project", allow_module_level=True)
sys.path.append(str(SHARED / "conformance"))
environ = pytest.importorskip("harness.environ")
binding, convert, scope = (pytest.importorskip(f"harness.{name}") for name in ("binding", "convert", "scope"))

SAMPLES = 5  # of an entry and dtype, one of them empty
LARGEST = 3000  # elements of all leaves of a sample
CHECKED = 10  # elements of the leaves, and of the results, of a sample for differences of values
SEED = 7


def entries():
    """(entry, dtype) for all entries in scope that have gradients in the dtype."""
    for op in scope.selected(environ.load_op_db()):
        for dtype in (oracle.float64, oracle.complex128):
            if op.supports_autograd and dtype in op.supported_backward_dtypes("cpu"):
                yield pytest.param(op, dtype, id=f"{scope.op_id(op)} {convert.name_of(dtype)}")


each_entry = pytest.mark.parametrize(("op", "dtype"), entries())


def seed():
    """Both libraries draw the same numbers from here on."""
    oracle.manual_seed(SEED)
    tensh.manual_seed(SEED)
    np.random.seed(SEED)


def size(sample):
    return sum(t.numel() for t in convert.tensors_in(oracle, [sample.input, sample.args, sample.kwargs]))


def samples(op, dtype):
    """Some samples with leaves: spread over the entry's list, few of them empty."""
    seed()
    every = [s for s in op.sample_inputs("cpu", dtype, requires_grad=True, set_seed=False) if size(s) <= LARGEST]
    empty = [s for s in every if any(not t.numel() for t in convert.tensors_in(oracle, [s.input, s.args]))]
    full = [s for s in every if not any(s is e for e in empty)]
    few = empty[:1]
    return [full[round(i)] for i in np.linspace(0, len(full) - 1, min(len(full), SAMPLES - len(few)))] + few


def forms(op, sample):
    """Ways to call the entry that gradients pass through: label -> a function of the module that makes the call."""
    found = {"function": lambda m: binding.function(m, op)}
    if isinstance(sample.input, oracle.Tensor) and not sample.broadcasts_input:
        for label, kind, build in binding.variants(op):
            if kind == "inplace" and "operator" not in label and "alias" not in label:
                found[label] = lambda m, build=build: on_copy(build(m))
    return found


def on_copy(change):
    """The in-place form on a copy, so that the leaf stays what it is."""
    return lambda input, *args, **kwargs: change(input.clone(), *args, **kwargs)


def weights(m, t, number):
    """A gradient for ``t``, a leaf itself: numbers that differ."""
    steps = np.arange(t.numel()).reshape(tuple(t.shape)) + 10.0 * number
    values = np.cos(steps) + 0.5
    if t.is_complex():
        values = values + 1j * np.sin(steps)
    return m.tensor(values).to(t.dtype).requires_grad_()


class Derivatives:
    """The gradients of a sample's leaves in module ``m``, and theirs; or the error that one of them ends with."""

    def __init__(self, m, build, sample):
        self.first = self.second = self.error = None
        importer = convert.Importer(m, grad=True)
        seed()
        try:
            first, args, kwargs = importer((sample.input, sample.args, sample.kwargs))
            made = sample.output_process_fn_grad(build(m)(first, *args, **kwargs))
            self.results = [t for t in convert.tensors_in(m, made) if t.requires_grad]
            if not self.results or not importer.leaves:
                return
            self.first, given = gradients(m, self.results, importer.leaves)
            again = [t for t in self.first if t is not None and t.requires_grad]
            if again:
                self.second, _ = gradients(m, again, [*importer.leaves, *given])
        except Exception as error:
            self.error = error


def gradients(m, results, leaves):
    """The gradients of ``leaves``, and the weights of the results that they are for."""
    given = [weights(m, t, number) for number, t in enumerate(results)]
    return m.autograd.grad(results, leaves, given, create_graph=True, allow_unused=True), given


TOLERANCE = {"bfloat16": 2e-2, "float16": 2e-3, "float32": 1e-5, "complex64": 1e-5}  # of dtypes that a sample asks for


def assert_same(expected, actual, where):
    """Both lists of gradients; one that is not there is zero."""
    for number, (one, two) in enumerate(zip(expected, actual or [None] * len(expected), strict=True)):
        if one is not None and two is not None:
            facts = [(convert.name_of(t.dtype), tuple(t.shape)) for t in (one, two)]
            assert facts[0] == facts[1], f"{where}, gradient {number}"
        tolerance = TOLERANCE.get(convert.name_of((two if one is None else one).dtype), 1e-7) if one is not two else 0
        one, two = (array_of(oracle, one), array_of(tensh, two))
        largest = np.abs(np.nan_to_num(one, posinf=0, neginf=0)).max(initial=1)
        same = np.isclose(one, two, tolerance, tolerance * largest, equal_nan=True)
        assert same.all(), f"{where}, gradient {number}: {two} instead of {one}"


def array_of(m, t):
    return np.zeros(()) if t is None else convert.plain(m, t).data


@each_entry
def test_derivatives(op, dtype):
    """First and second derivatives of the function and of its in-place form."""
    for number, sample in enumerate(samples(op, dtype)):
        for label, build in forms(op, sample).items():
            where = f"{label}, sample {number}: {sample.summary()[:300]}"
            expected = Derivatives(oracle, build, sample)
            if expected.first is None:
                continue  # the sample does not survive the conversion, or PyTorch refuses it
            actual = Derivatives(tensh, build, sample)
            if actual.error is not None and not (expected.error is not None and expected.second is None):
                raise AssertionError(where) from actual.error
            if actual.first is None:
                raise AssertionError(f"{where}: nothing to differentiate")
            assert_same(expected.first, actual.first, where)
            if expected.second is not None and op.supports_gradgrad:
                assert_same(expected.second, actual.second, f"{where}, second derivatives")
