"""Derivatives of every operator in PyTorch's own database are PyTorch's: first and second, real and complex, and in place.

Of every differentiable entry some samples are run by both, in float64 and complex128: the gradients of all
leaves for fixed weights of the results, and the gradients of those gradients for leaves and weights. Small samples are
also compared with differences of values by ``gradgradcheck``.
"""

import inspect
import sys

import numpy as np
import pytest

import tensh
from tests.support.project import SHARED

oracle = pytest.importorskip("torch")
if not (SHARED / "conformance").is_dir():
    pytest.skip("no reference material beside the project", allow_module_level=True)
sys.path.append(str(SHARED / "conformance"))
environ = pytest.importorskip("harness.environ")
binding, convert, scope = (pytest.importorskip(f"harness.{name}") for name in ("binding", "convert", "scope"))

SAMPLES = 5  # of an entry and dtype
LARGEST = 3000  # elements of all leaves of a sample
CHECKED = 16  # elements of the leaves, and of the results, of a sample that is compared with differences of values
SEED = 7


def entries():
    """Yield (entry, dtype) for all entries in scope that have gradients in the dtype."""
    for op in scope.selected(environ.load_op_db()):
        for dtype in (oracle.float64, oracle.complex128):
            if op.supports_autograd and dtype in op.supported_backward_dtypes("cpu"):
                yield pytest.param(op, dtype, id=f"{scope.op_id(op)} {convert.name_of(dtype)}")


each_entry = pytest.mark.parametrize(("op", "dtype"), list(entries()))


def seed():
    """Seed both libraries alike."""
    oracle.manual_seed(SEED)
    tensh.manual_seed(SEED)
    np.random.seed(SEED)


def tensors_of(sample):
    return convert.tensors_in(oracle, [sample.input, sample.args, sample.kwargs])


def size(sample):
    return sum(t.numel() for t in tensors_of(sample))


def samples(op, dtype):
    """The entry's samples with leaves, without large ones: (those with elements, those with an empty tensor)."""
    seed()
    full, empty = [], []
    for sample in op.sample_inputs("cpu", dtype, requires_grad=True, set_seed=False):
        if size(sample) <= LARGEST:
            (full if all(t.numel() for t in tensors_of(sample)) else empty).append(sample)
    return full, empty


def some(op, dtype):
    """A few of the samples, spread over the entry's list, and one with an empty tensor."""
    full, empty = samples(op, dtype)
    return [full[round(i)] for i in np.linspace(0, len(full) - 1, min(len(full), SAMPLES))] + empty[:1]


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
    """The first and second gradients of a sample's leaves in module ``m``, or the error that one of them ends with."""

    def __init__(self, m, build, sample):
        self.first = self.second = self.error = None
        importer = convert.Importer(m, grad=True)
        seed()
        try:
            first, args, kwargs = importer((sample.input, sample.args, sample.kwargs))
            made = sample.output_process_fn_grad(build(m)(first, *args, **kwargs))
            results = {number: t for number, t in enumerate(convert.tensors_in(m, made)) if t.requires_grad}
            if not results or not importer.leaves:
                return
            self.first, given = gradients(m, results, importer.leaves)
            again = {number: t for number, t in enumerate(self.first) if t is not None and t.requires_grad}
            if again:
                self.second, _ = gradients(m, again, [*importer.leaves, *given])
        except Exception as error:
            self.error = error


def gradients(m, results, leaves):
    """The gradients of ``leaves``, and the weights of the numbered results that they are for."""
    given = [weights(m, t, number) for number, t in results.items()]
    return m.autograd.grad(list(results.values()), leaves, given, create_graph=True, allow_unused=True), given


TOLERANCE = {"bfloat16": 2e-2, "float16": 2e-3, "float32": 1e-5, "complex64": 1e-5}


def tolerance_of(sample):
    """A part of a sample in a smaller dtype than the tested one limits the precision of its gradients."""
    dtypes = [t.dtype for t in tensors_of(sample)] + [d for d in sample.kwargs.values() if isinstance(d, oracle.dtype)]
    return max(TOLERANCE.get(convert.name_of(dtype), 1e-7) for dtype in dtypes)


def assert_same(expected, actual, tolerance, where):
    """Compare lists of gradients; an absent one is zero."""
    for number, (one, two) in enumerate(zip(expected, actual or [None] * len(expected), strict=True)):
        if one is not None and two is not None:
            facts = [(convert.name_of(t.dtype), tuple(t.shape)) for t in (one, two)]
            assert facts[0] == facts[1], f"{where}, gradient {number}"
        one, two = (array_of(oracle, one), array_of(tensh, two))
        largest = np.abs(np.nan_to_num(one, posinf=0, neginf=0)).max(initial=1)
        same = np.isclose(one, two, tolerance, tolerance * largest, equal_nan=True)
        assert same.all(), f"{where}, gradient {number}: {two} instead of {one}"


def array_of(m, t):
    return np.zeros(()) if t is None else convert.plain(m, t).data


@each_entry
def test_derivatives_of_an_entry(op, dtype):
    """First and second derivatives of the function and of its in-place form."""
    for number, sample in enumerate(some(op, dtype)):
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
            assert_same(expected.first, actual.first, tolerance_of(sample), where)
            if expected.second is not None and op.supports_gradgrad:
                assert_same(expected.second, actual.second, tolerance_of(sample), f"{where}, second derivatives")


def verdict(m, op, sample):
    """Return True if both derivatives of a call in module ``m`` agree with differences; None if it is too large."""
    importer = convert.Importer(m, grad=True)
    first, args, kwargs = importer((sample.input, sample.args, sample.kwargs))
    function = binding.function(m, op)

    def results(*leaves):  # which are among the arguments; differences are made by writing into them
        seed()
        made = sample.output_process_fn_grad(op.gradcheck_wrapper(function, first, *args, **kwargs))
        return tuple(t for t in convert.tensors_in(m, made) if t.requires_grad)

    elements = [sum(t.numel() for t in tensors) for tensors in (importer.leaves, results())]
    if not 0 < min(elements) <= max(elements) <= CHECKED:
        return None
    checks = [m.autograd.gradcheck, *([m.autograd.gradgradcheck] if op.supports_gradgrad else [])]
    return all(check(results, importer.leaves, nondet_tol=1e-10, raise_exception=False) for check in checks)


@each_entry
def test_derivatives_agree_with_differences_where_pytorchs_do(op, dtype):
    """The derivatives of the smallest sample agree with differences of values, if PyTorch's do."""
    for sample in sorted(samples(op, dtype)[0], key=size)[:1]:
        try:
            assert verdict(tensh, op, sample) is not False or not verdict(oracle, op, sample), sample.summary()[:300]
        except convert.Unsupported:
            pytest.skip("cannot be converted")
        except TypeError:
            assert "torch." in inspect.getsource(op.gradcheck_wrapper)  # made for PyTorch's tensors only
