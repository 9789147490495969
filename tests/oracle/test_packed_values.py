"""Saved-tensor hooks get tensors in PyTorch's order: of every operator in PyTorch's database some samples are run by both.

Where both pack tensors of the same sizes, these come one after the other in the same order.
"""

import pytest

import tensh

oracle = pytest.importorskip("torch")
saved_names = pytest.importorskip("tests.oracle.test_saved_names")

OTHERS = {
    "nn.functional.cosine_similarity": "the steps are computed in another order",
    "nn.functional.cosine_embedding_loss": "as for cosine_similarity",
}
"""Operators whose tensors come in another order, and why."""


def list_packed(m, op, sample):
    """The sizes of the tensors that are packed, in order."""
    first, args, kwargs = saved_names.convert.Importer(m, grad=True)((sample.input, sample.args, sample.kwargs))
    m.manual_seed(saved_names.SEED)
    seen = []
    with m.autograd.graph.saved_tensors_hooks(lambda t: seen.append(tuple(t.shape)) or t, lambda t: t):
        saved_names.binding.function(m, op)(first, *args, **kwargs)
    return seen


@pytest.mark.oracle
@pytest.mark.parametrize("op", [pytest.param(op, id=saved_names.scope.op_id(op)) for op in saved_names.ENTRIES])
def test_tensors_are_packed_in_pytorch_s_order(op):
    if op.name in OTHERS:
        pytest.skip(OTHERS[op.name])
    oracle.manual_seed(saved_names.SEED)
    samples = list(op.sample_inputs("cpu", oracle.float64, requires_grad=True, set_seed=False))
    for sample in samples[: saved_names.SAMPLES]:
        try:
            theirs = list_packed(oracle, op, sample)
        except (RuntimeError, IndexError, ValueError):
            continue
        ours = list_packed(tensh, op, sample)
        assert ours == theirs or sorted(ours) != sorted(theirs)
