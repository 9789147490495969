"""``out=`` of the operators in PyTorch's own database: results, layouts and errors for tensors of many kinds."""

import pytest

import tensh
from tests.support.databases import Twin, convert, oracle, outcome, pick_evenly, said, seed, unlike

environ, binding, scope = (pytest.importorskip(f"harness.{name}") for name in ("environ", "binding", "scope"))
pytestmark = pytest.mark.filterwarnings("ignore")

SAMPLES = 2
LARGEST = 3000  # elements of all tensors of a sample


FORMS = {
    "the same size": lambda m, t: m.zeros_like(t),
    "empty": lambda m, t: m.empty(0, dtype=t.dtype),
    "larger": lambda m, t: m.zeros(tuple(n + 1 for n in t.shape) or (2,), dtype=t.dtype),
    "without dimensions": lambda m, t: m.zeros((), dtype=t.dtype),
    "integers": lambda m, t: m.zeros(tuple(t.shape), dtype=m.int64),
    "wider": lambda m, t: m.zeros(tuple(t.shape), dtype=m.complex64 if t.dtype is m.float64 else m.float64),
    "differentiable": lambda m, t: m.zeros_like(t, requires_grad=t.is_floating_point() or t.is_complex()),
    "on the device meta": lambda m, t: m.zeros_like(t, device="meta"),
}
COPIED = "PyTorch copies the result, or names another function, where out= requires grad; some dtypes are refused in other words"
ROUNDED = "the last digits of float32"
CHOICE = "vectors with another factor"
CHECKS = (
    "PyTorch refuses out= on the device meta in other words; normal, bernoulli and multinomial do not refuse it as such"
)
ALLOWED = "PyTorch accepts out= on the device meta for one element, or refuses integers in other words"
OTHERWISE = {
    **dict.fromkeys(("linalg.cond", "polygamma", "special.polygamma", "i0", "digamma", "cosh"), ROUNDED),
    **dict.fromkeys(("linalg.eig", "linalg.eigh", "linalg.svd", "svd"), CHOICE),
    **dict.fromkeys(("quantile", "nanquantile", "tensordot", "inner", "diff", "linalg.norm", "norm.nuc"), COPIED),
    **dict.fromkeys(("linalg.matrix_norm", "linalg.matrix_power", "linalg.tensorinv", "linalg.tensorsolve"), COPIED),
    **dict.fromkeys(("linalg.vecdot", "special.ndtr", "histc", "scatter", "diag", "lu"), COPIED),
    **dict.fromkeys(("take_along_dim", "masked_select", "geqrf", "histogram", "linalg.lstsq"), CHECKS),
    **dict.fromkeys(("normal", "bernoulli", "multinomial", "linalg.solve_triangular"), CHECKS),
    **dict.fromkeys(("amax", "amin", "mean", "nansum", "nanmean"), ALLOWED),
    "fft.ihfft2": "PyTorch leaves zeros",
    "fft.ihfftn": "PyTorch leaves zeros",
    "fft.ifft": "PyTorch names the conjugate",
    "fft.ihfft": "PyTorch names the conjugate",
    "sort": "stable is taken with positional dimensions (ARCHITECTURE.md)",
    "nonzero": "as_tuple with out= is refused first",
    "empty": "memory as it was",
    "randn": "PyTorch resizes first",
}
"""Entry, or its name without the variant -> why it differs from PyTorch's."""


def entries():
    for op in scope.selected(environ.load_op_db()):
        if op.supports_out and oracle.float32 in op.supported_dtypes("cpu"):
            yield pytest.param(op, id=scope.op_id(op))


def samples(op):
    seed()
    found = list(op.sample_inputs("cpu", oracle.float32, set_seed=False))
    small = [
        s for s in found if sum(t.numel() for t in convert.tensors_in(oracle, [s.input, s.args, s.kwargs])) <= LARGEST
    ]
    return pick_evenly([s for s in small if s.input is None or not isinstance(s.input, bool)], SAMPLES)


class Call:
    """A sample's call in module ``m``, whose results determine the size of ``out=``."""

    def __init__(self, m, op, sample):
        self.m = m
        self.function = binding.function(m, op)
        self.input, self.args, self.kwargs = Twin(m)((sample.input, list(sample.args), dict(sample.kwargs)))
        seed()
        self.result = self.function(self.input, *self.args, **self.kwargs)

    def into(self, form):
        """Return the tensors written, whether they are those returned, and their strides."""
        single = isinstance(self.result, self.m.Tensor)
        made = [form(self.m, t) for t in ([self.result] if single else self.result)]
        seed()
        got = self.function(self.input, *self.args, out=made[0] if single else tuple(made), **self.kwargs)
        same = [one is other for one, other in zip([got] if single else got, made)]
        steps = [[s for s, n in zip(t.stride(), t.shape) if n > 1] if t.numel() else None for t in made]
        kinds = [(str(t.dtype).rpartition(".")[2], list(t.shape)) for t in made]
        values = [t.detach().to(own.dtype) for t, own in zip(made, [self.result] if single else self.result)]
        return [kinds, [] if made[0].device.type == "meta" else values, same, steps]


def differences(op, sample):
    try:
        theirs = Call(oracle, op, sample)
    except Exception:
        return  # the sample does not survive the conversion
    ours = Call(tensh, op, sample)
    if not isinstance(theirs.result, (oracle.Tensor, tuple, list)):
        return
    for name, form in FORMS.items():
        (one, refused), (two, error) = (outcome(call.into, form) for call in (theirs, ours))
        if said(refused) != said(error):
            yield name, f"{said(error)} instead of {said(refused)}"
        elif error is None and (how := unlike(one, two)):
            yield name, how


@pytest.mark.parametrize("op", list(entries()))
def test_out_is_pytorchs(op):
    if reason := OTHERWISE.get(scope.op_id(op)) or OTHERWISE.get(op.name):
        pytest.skip(reason)
    wrong = [
        f"{name}: {how:.300}; {sample.summary()[:200]}"
        for sample in samples(op)
        for name, how in differences(op, sample)
    ]
    assert not wrong, "\n".join(wrong)
