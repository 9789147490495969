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
LEAF, META, LARGER, WIDER = "differentiable", "on the device meta", ("empty", "larger", "without dimensions"), "wider"
NAMES = "PyTorch names another function, or copies, where out= requires grad"
KINDS = "PyTorch refuses other dtypes, or in other words"
DEVICES = "PyTorch refuses the device meta in other words, or accepts it"
LAYOUT = "PyTorch leaves a resized out= in the order that its library wrote"
OTHERWISE = {
    **dict.fromkeys(("diff", "inner", "norm.nuc"), {LEAF: NAMES, META: DEVICES, "integers": KINDS, WIDER: KINDS}),
    "diag": {LEAF: NAMES, "integers": KINDS},
    "lu": {LEAF: NAMES, META: DEVICES, "integers": KINDS, "empty": LAYOUT},
    **dict.fromkeys(("quantile", "nanquantile"), {LEAF: NAMES, "empty": LAYOUT}),
    **dict.fromkeys(("svd", "scatter", "histc", "linalg.tensorsolve"), {LEAF: NAMES}),
    "randn": {LEAF: "PyTorch resizes first"},
    **dict.fromkeys(("tensordot", "linalg.vecdot", "linalg.norm", "linalg.matrix_norm"), {LEAF: NAMES, META: DEVICES}),
    "special.ndtr": {LEAF: NAMES, META: DEVICES},
    **dict.fromkeys(
        ("geqrf", "masked_select", "polygamma", "special.polygamma", "multinomial", "normal"), {META: DEVICES}
    ),
    **dict.fromkeys(("bernoulli", "histogram", "take_along_dim", "amax", "amin"), {META: DEVICES}),
    "linalg.solve_triangular": {META: DEVICES},
    "mean": {META: DEVICES, "integers": KINDS},
    **dict.fromkeys(("nanmean", "nansum"), {"integers": KINDS}),
    **dict.fromkeys(("fft.ifft", "fft.ihfft"), {LEAF: NAMES, **dict.fromkeys(LARGER, LAYOUT)}),
    "linalg.tensorinv": {LEAF: NAMES, **dict.fromkeys(LARGER, LAYOUT)},
    "linalg.matrix_power": {LEAF: NAMES, WIDER: KINDS, **dict.fromkeys(LARGER, LAYOUT)},
    "linalg.lstsq": {META: DEVICES, **dict.fromkeys(LARGER, LAYOUT)},
    "linalg.cond": {LEAF: NAMES},
    "linalg.eig": dict.fromkeys(LARGER, LAYOUT),
    "empty": {LEAF: NAMES},
    "nonzero": dict.fromkeys(FORMS, "as_tuple with out= is refused first"),
}
"""Entry, or its name without the variant -> form -> why it differs from PyTorch's."""

OWN = [
    "linalg.cond",
    "polygamma",
    "special.polygamma",
    "i0",
    "digamma",
    "cosh",
    "linalg.eig",
    "linalg.eigh",
    "linalg.svd",
    "svd",
]
"""Entries whose results differ from PyTorch's in the last digits or by a factor: ``out=`` gets those of a call without it."""
UNWRITTEN = ["empty"]
"""Entries whose results are memory as it was."""


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
        self.m, self.name = m, op.name
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
        results = [self.result] if single else self.result
        values = [t.detach().to(own.dtype) for t, own in zip(made, results)]
        if self.name in OWN:
            values = [self.m.equal(t, own) for t, own in zip(values, results)]
        written = made[0].device.type != "meta" and self.name not in UNWRITTEN
        return [kinds, values if written else [], same, steps]


def differences(op, sample):
    try:
        theirs = Call(oracle, op, sample)
    except Exception:
        return  # the sample does not survive the conversion
    ours = Call(tensh, op, sample)
    if not isinstance(theirs.result, (oracle.Tensor, tuple, list)):
        return
    expected = OTHERWISE.get(scope.op_id(op)) or OTHERWISE.get(op.name, {})
    for name, form in FORMS.items():
        if name in expected:
            continue
        (one, refused), (two, error) = (outcome(call.into, form) for call in (theirs, ours))
        if said(refused) != said(error):
            yield name, f"{said(error)} instead of {said(refused)}"
        elif error is None and (how := unlike(one, two)):
            yield name, how


@pytest.mark.parametrize("op", list(entries()))
def test_out_is_pytorchs(op):
    wrong = [
        f"{name}: {how:.300}; {sample.summary()[:200]}"
        for sample in samples(op)
        for name, how in differences(op, sample)
    ]
    assert not wrong, "\n".join(wrong)
