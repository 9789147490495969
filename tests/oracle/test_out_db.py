"""``out=`` of every operator in PyTorch's own database: PyTorch's results and layouts, or its errors, for tensors of any kind."""

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
OTHERWISE = {}
"""(entry, form) -> why it differs from PyTorch's; None for all forms."""


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
        """Return the tensors written, whether they are the ones returned, and their strides where they have several elements."""
        single = isinstance(self.result, self.m.Tensor)
        made = [form(self.m, t) for t in ([self.result] if single else self.result)]
        seed()
        got = self.function(self.input, *self.args, out=made[0] if single else tuple(made), **self.kwargs)
        same = [one is other for one, other in zip([got] if single else got, made)]
        steps = [[s for s, n in zip(t.stride(), t.shape) if n > 1] if t.numel() else None for t in made]
        return [[list(t.shape) if t.device.type == "meta" else t.detach() for t in made], same, steps]


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
    wrong = [
        f"{name}: {how:.300}; {sample.summary()[:200]}"
        for sample in samples(op)
        for name, how in differences(op, sample)
        if not {(scope.op_id(op), name), (scope.op_id(op), None)} & {*OTHERWISE}
    ]
    assert not wrong, "\n".join(wrong)
